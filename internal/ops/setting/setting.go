// Package setting lets an operator choose things in three ways that agree: by a
// flag, by a variable of the environment, and by a key of a TOML file, in that
// order. Each setting has one name and one value, whichever way it comes, and
// what is unknown or wrong is refused by its name.
package setting

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
)

// configFlag names the file, by flag or variable.
const configFlag = "config"

// Setting is one thing that can be chosen, in three ways.
type Setting struct {
	Name  string
	Usage string
	Value pflag.Value
}

// Of is a setting, as a table has it in one line.
func Of(name, usage string, value pflag.Value) Setting {
	return Setting{Name: name, Usage: usage, Value: value}
}

// neverEmpty says that an empty text is a mistake: an address, a key or a
// certificate that was to be filled in, and whose absence means something else.
func (s Setting) neverEmpty() bool {
	return slices.Contains([]string{"url", "file", "host:port", "cidr,…"}, s.Value.Type())
}

// Program is whose settings they are.
type Program struct {
	Prefix string // of its variables
	Help   string // the command that lists the settings
}

// variable is the name of a flag in the environment.
func (p Program) variable(flag string) string {
	return p.Prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Register offers settings as flags, and the config file with them.
func Register(flags *pflag.FlagSet, all []Setting) {
	for _, s := range all {
		added := flags.VarPF(s.Value, s.Name, "", s.Usage)
		if s.Value.Type() == switchKind {
			added.NoOptDefVal = "true"
		}
	}
	flags.String(configFlag, "", "a TOML file with settings; its keys are the names of the flags")
}

// Resolve fills in the settings that no flag has given: from the environment,
// else from the config file. known are all settings there are, of whatever
// command; offered are those of this one. What is unknown or wrong is refused
// by name.
func (p Program) Resolve(flags *pflag.FlagSet, environment []string, known, offered []Setting) error {
	variables, err := p.variables(environment, known)
	if err != nil {
		return err
	}
	path, err := flags.GetString(configFlag)
	if err != nil {
		return err
	}
	if !flags.Changed(configFlag) {
		path = variables[p.variable(configFlag)]
	}
	file, err := p.readConfig(path, known)
	if err != nil {
		return err
	}
	for _, s := range offered {
		if flags.Changed(s.Name) {
			if s.neverEmpty() && s.Value.String() == "" {
				return fmt.Errorf("--%s is empty; leave it out, or give it a value", s.Name)
			}
			continue
		}
		text, found := variables[p.variable(s.Name)]
		where, undo := "environment variable "+p.variable(s.Name), "unset it"
		if !found {
			text, found = file[s.Name]
			where, undo = path+": setting "+s.Name, "leave it out"
		}
		if !found {
			continue
		}
		if text == "" && s.neverEmpty() {
			return fmt.Errorf("%s is empty; %s, or give it a value", where, undo)
		}
		if err := s.Value.Set(text); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

// variables picks the variables of this program out of the environment.
func (p Program) variables(environment []string, known []Setting) (map[string]string, error) {
	names := map[string]bool{p.variable(configFlag): true}
	for _, s := range known {
		names[p.variable(s.Name)] = true
	}
	found := map[string]string{}
	var unknown []string
	for _, entry := range environment {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, p.Prefix) {
			continue
		}
		if !names[name] {
			unknown = append(unknown, name)
			continue
		}
		found[name] = text
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return nil, fmt.Errorf("there is no setting for the environment variable %s; %s lists the settings",
			strings.Join(unknown, ", "), p.Help)
	}
	return found, nil
}

// readConfig reads the config file as text for each setting; without a path
// there is none.
func (p Program) readConfig(path string, known []Setting) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		reason := err
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			reason = pathErr.Err
		}
		return nil, fmt.Errorf("config file %s: %w", path, reason)
	}
	var values map[string]any
	if err := toml.Unmarshal(content, &values); err != nil {
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := bad.Position()
			return nil, fmt.Errorf("config file %s, line %d, column %d: %w", path, line, column, err)
		}
		return nil, fmt.Errorf("config file %s: %w", path, err)
	}
	texts := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.ContainsFunc(known, func(s Setting) bool { return s.Name == name }) {
			return nil, fmt.Errorf("config file %s: there is no setting %q; %s lists the settings", path, name, p.Help)
		}
		text, err := textOf(values[name])
		if err != nil {
			return nil, fmt.Errorf("config file %s: setting %s: %w", path, name, err)
		}
		texts[name] = text
	}
	return texts, nil
}

// textOf writes a TOML value as the flag would have it.
func textOf(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case int64, float64, bool:
		return fmt.Sprint(v), nil
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			text, ok := item.(string)
			if !ok {
				return "", errors.New("a list has to hold strings")
			}
			parts[i] = text
		}
		return strings.Join(parts, ","), nil
	}
	return "", errors.New("the value has to be a string, a number or a list of strings")
}
