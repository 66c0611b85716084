// Command notices writes the licences of everything that a program consists of
// and that others wrote: linked modules on every platform that it is made for,
// Go itself, and the scripts and icons that the console shows.
//
// The list comes from the packages that are really linked, so that a module that
// is only required by go.mod is not in it, and one that is new cannot be missed:
// a test holds the files in cmd/ against what would be written now.
//
//	go run ./deploy/release/notices
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A program is made for platforms, and may carry files that others wrote.
type program struct {
	name      string
	platforms []string
	vendored  []work
}

func programs() []program {
	const vendor = "internal/web/console/static/vendor"
	return []program{
		{name: "svc", platforms: []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}},
		{name: "svcd", platforms: []string{"linux/amd64", "linux/arm64"}, vendored: []work{
			{"htmx", vendor, []string{"htmx.LICENSE"}},
			{"Lucide icons", vendor + "/icons", []string{"LICENSE"}},
			{"Pico CSS", vendor, []string{"pico.LICENSE"}},
			{"uPlot", vendor, []string{"uplot.LICENSE"}},
		}},
	}
}

// A work is something that others wrote, with the files that say on what terms.
type work struct {
	name  string
	dir   string
	files []string
}

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// run writes the notices of every program of the repository at root.
func run(root string) error {
	for _, p := range programs() {
		text, err := notices(root, p)
		if err != nil {
			return err
		}
		if err := os.WriteFile(fileOf(root, p), text, 0o644); err != nil { //nolint:gosec // it is for everybody
			return err
		}
	}
	return nil
}

func fileOf(root string, p program) string {
	return filepath.Join(root, "cmd", p.name, "NOTICES.txt")
}

// notices is the text for a program. Works on the same terms, word by word, share
// their text.
func notices(root string, p program) ([]byte, error) {
	works, err := linked(root, p)
	if err != nil {
		return nil, err
	}
	for _, w := range p.vendored {
		w.dir = filepath.Join(root, w.dir)
		works = append(works, w)
	}
	var texts []string
	names := map[string][]string{}
	for _, w := range works {
		if len(w.files) == 0 {
			return nil, fmt.Errorf("%s has no licence: look whether it may be linked", w.name)
		}
		for _, file := range w.files {
			content, err := os.ReadFile(filepath.Join(w.dir, file))
			if err != nil {
				return nil, err
			}
			text := strings.TrimSpace(strings.ReplaceAll(string(content), "\r\n", "\n"))
			if names[text] == nil {
				texts = append(texts, text)
			}
			name := w.name
			if file != path.Base(file) || len(w.files) > 1 {
				name += " (" + filepath.ToSlash(file) + ")"
			}
			names[text] = append(names[text], name)
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s is under the Apache License, Version 2.0. It contains the work of others, named here with their terms.\n", p.name)
	rule := strings.Repeat("=", 80)
	for _, text := range texts {
		fmt.Fprintf(&out, "\n%s\n%s\n%s\n\n%s\n", rule, strings.Join(names[text], "\n"), rule, text)
	}
	return out.Bytes(), nil
}

// linked lists Go and the modules that a program links on any of its platforms, and
// with every build tag: svc-mcp is svc with one.
func linked(root string, p program) ([]work, error) {
	goroot, err := goCommand(root, "", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	works := []work{{name: "Go and its standard library", dir: strings.TrimSpace(goroot), files: []string{"LICENSE"}}}
	const format = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{"\t"}}{{$.Dir}}{{end}}{{end}}`
	packages := map[string][]string{} // module and its folder -> folders of linked packages
	for _, platform := range p.platforms {
		list, err := goCommand(root, platform, "list", "-tags", "mcp", "-deps", "-f", format, "./cmd/"+p.name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			module, dir, ok := cutLast(strings.TrimSpace(line))
			if ok && !slices.Contains(packages[module], dir) {
				packages[module] = append(packages[module], dir)
			}
		}
	}
	for module, dirs := range packages {
		name, dir, _ := cutLast(module)
		files, err := licences(dir, dirs)
		if err != nil {
			return nil, err
		}
		works = append(works, work{name, dir, files})
	}
	slices.SortFunc(works[1:], func(a, b work) int { return strings.Compare(a.name, b.name) })
	return works, nil
}

func cutLast(line string) (before, after string, ok bool) {
	i := strings.LastIndexByte(line, '\t')
	if i < 0 {
		return line, "", false
	}
	return line[:i], line[i+1:], true
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([.-].*)?$`)

// licences finds what a module says about its terms, in its own folder and in the
// folders that lead to the packages that are linked: some were taken from
// elsewhere, and say so there.
func licences(module string, packages []string) ([]string, error) {
	seen := map[string]bool{}
	var files []string
	for _, dir := range packages {
		for ; !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			entries, err := os.ReadDir(dir)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				if e.Type().IsRegular() && licenceFile.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
					name, err := filepath.Rel(module, filepath.Join(dir, e.Name()))
					if err != nil {
						return nil, err
					}
					files = append(files, name)
				}
			}
			if dir == module {
				break
			}
		}
	}
	slices.Sort(files)
	return files, nil
}

func goCommand(root, platform string, args ...string) (string, error) {
	cmd := exec.Command("go", args...) //nolint:gosec,noctx // our own words, and it ends by itself
	cmd.Dir = root
	system, arch, _ := strings.Cut(platform, "/")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, exit.Stderr)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("the notices are read with Go's own command: %w", err)
	}
	return string(out), err
}
