package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/text/ignore"
)

// RulesFile lies in a folder that is imported and says how. It is no part of the
// project.
const RulesFile = ".svc-bundle.toml"

const maxRules = 1 << 20

// ImportRules say what of a folder is imported, and how it is placed. What they
// leave open, bundlezip.DefaultPlacement decides.
type ImportRules struct {
	// LeaveOut are patterns of files that are not imported, as in .gitignore.
	LeaveOut []string `toml:"leave_out"`
	// Files say how files are placed; of several that match the last counts.
	Files []FileRule       `toml:"files"`
	Ports []bundlezip.Port `toml:"ports"`
}

// FileRule places the files that match a pattern, as in .gitignore.
type FileRule struct {
	Match           string                    `toml:"match"`
	DestinationType bundlezip.DestinationType `toml:"destination_type"`
	MergeStrategy   bundlezip.MergeStrategy   `toml:"merge_strategy"`
}

// readRules reads the rules that lie in a folder; none are no rules.
func readRules(root *os.Root) (ImportRules, error) {
	var rules ImportRules
	file, err := root.OpenFile(RulesFile, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe is not waited for
	if errors.Is(err, fs.ErrNotExist) {
		return rules, nil
	}
	if err != nil {
		return rules, invalidImport(err, "%s cannot be read.", RulesFile)
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	switch {
	case err != nil || !info.Mode().IsRegular():
		return rules, invalidImport(err, "%s is no regular file.", RulesFile)
	case info.Size() > maxRules:
		return rules, invalidImport(nil, "%s is larger than %d bytes.", RulesFile, maxRules)
	}
	err = toml.NewDecoder(io.LimitReader(file, maxRules)).DisallowUnknownFields().Decode(&rules)
	if strict, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		return rules, invalidImport(err, "%s has fields that are not known:\n%s", RulesFile, strict.String())
	}
	if err != nil {
		return rules, invalidImport(err, "%s cannot be read: %v.", RulesFile, err)
	}
	return rules, nil
}

// and gives these rules followed by others, which win.
func (r ImportRules) and(others ImportRules) ImportRules {
	r.Ports = slices.DeleteFunc(r.Ports, func(p bundlezip.Port) bool {
		return slices.ContainsFunc(others.Ports, func(o bundlezip.Port) bool { return o.Name == p.Name && o.Port != p.Port })
	})
	r.LeaveOut = append(r.LeaveOut, others.LeaveOut...)
	r.Files = append(r.Files, others.Files...)
	r.Ports = append(r.Ports, others.Ports...)
	return r
}

// check refuses a rule that says what no manifest may say, whether a file matches it or
// not.
func (r ImportRules) check() error {
	for _, rule := range r.Files {
		file := bundlezip.StateFile{Path: "any", DestinationType: rule.DestinationType, MergeStrategy: rule.MergeStrategy, Content: bundlezip.Bytes(nil)}
		if _, err := bundlezip.Describe(bundlezip.State{ProjectID: svc.NewProjectID(), Files: []bundlezip.StateFile{file}}); err != nil {
			return invalidImport(err, "The rule for %s is refused: %v.", rule.Match, err)
		}
	}
	return nil
}

// compile reads the patterns of the rules.
func (f *importFolder) compile() error {
	const what = "leave_out or --leave-out"
	if err := f.leaveOut.Add([]byte(strings.Join(f.rules.LeaveOut, "\n")), "", what); err != nil {
		return err
	}
	if len(f.rules.Files) > ignore.MaxPatterns {
		return fmt.Errorf("%s has more than %d rules for files; merge some", RulesFile, ignore.MaxPatterns)
	}
	f.placed = make([]ignore.Rules, len(f.rules.Files))
	for i, rule := range f.rules.Files {
		if err := f.placed[i].Add([]byte(rule.Match), "", "the rule for files"); err != nil {
			return err
		}
	}
	return nil
}

// place gives a file the placement of the last rule that matches it.
func (f *importFolder) place(ctx context.Context, file *bundlezip.StateFile) error {
	for i, rule := range f.rules.Files {
		matched, err := f.placed[i].Match(ctx, file.Path, false)
		if err != nil {
			return err
		}
		if !matched {
			continue
		}
		if rule.DestinationType != "" {
			file.DestinationType = rule.DestinationType
		}
		if rule.MergeStrategy != "" {
			file.MergeStrategy = rule.MergeStrategy
		}
	}
	return nil
}

// ports gathers the uses of each port.
func (r ImportRules) ports() ([]bundlezip.Port, error) {
	var out []bundlezip.Port
	at := map[string]int{}
	for _, rule := range r.Ports {
		i, known := at[rule.Name]
		if !known {
			i = len(out)
			at[rule.Name] = i
			out = append(out, bundlezip.Port{Name: rule.Name, Port: rule.Port})
		}
		if out[i].Port != rule.Port {
			return nil, invalidImport(nil, "The port %q is declared as %d and as %d.", rule.Name, out[i].Port, rule.Port)
		}
		out[i].Uses = append(out[i].Uses, rule.Uses...)
	}
	return out, nil
}

// ParsePortRule reads NAME=NUMBER@PATH@TEMPLATE.
func ParsePortRule(text string) (bundlezip.Port, error) {
	name, rest, ok := strings.Cut(text, "=")
	var number int
	parts := strings.SplitN(rest, "@", 3)
	if ok && len(parts) == 3 {
		if _, err := fmt.Sscanf(parts[0]+"\n", "%d\n", &number); err == nil {
			return bundlezip.Port{Name: name, Port: number, Uses: []bundlezip.PortUse{{Path: parts[1], Template: parts[2]}}}, nil
		}
	}
	return bundlezip.Port{}, fmt.Errorf("%q is not of the form NAME=NUMBER@PATH@TEMPLATE, such as web=3000@.env@PORT={port}", text)
}
