package main

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

const (
	envPrefix  = "SVCD_"
	configFlag = "config"
)

// setting is one thing that can be chosen, in three ways.
type setting struct {
	name  string
	usage string
	value pflag.Value
}

func (s setting) variable() string { return variableOf(s.name) }

func variableOf(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// register offers settings as flags, and the config file with them.
func register(flags *pflag.FlagSet, all []setting) {
	for _, s := range all {
		added := flags.VarPF(s.value, s.name, "", s.usage)
		if s.value.Type() == switchKind {
			added.NoOptDefVal = "true"
		}
	}
	flags.String(configFlag, "", "a TOML file with settings; its keys are the names of the flags")
}

// resolve fills in the settings that no flag has given: from the environment,
// else from the config file. known are all settings there are, of whatever
// command; offered are those of this one. What is unknown or wrong is refused
// by name.
func resolve(flags *pflag.FlagSet, environment []string, known, offered []setting) error {
	variables, err := settingVariables(environment, known)
	if err != nil {
		return err
	}
	path, err := flags.GetString(configFlag)
	if err != nil {
		return err
	}
	if !flags.Changed(configFlag) {
		path = variables[variableOf(configFlag)]
	}
	file, err := readConfig(path, known)
	if err != nil {
		return err
	}
	for _, s := range offered {
		if flags.Changed(s.name) {
			continue
		}
		if text, ok := variables[s.variable()]; ok {
			if err := s.value.Set(text); err != nil {
				return usagef("environment variable %s: %w", s.variable(), err)
			}
		} else if text, ok := file[s.name]; ok {
			if err := s.value.Set(text); err != nil {
				return usagef("%s: setting %s: %w", path, s.name, err)
			}
		}
	}
	return nil
}

// settingVariables picks the variables of this program out of the environment.
func settingVariables(environment []string, known []setting) (map[string]string, error) {
	names := map[string]bool{variableOf(configFlag): true}
	for _, s := range known {
		names[s.variable()] = true
	}
	found := map[string]string{}
	var unknown []string
	for _, entry := range environment {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, envPrefix) {
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
		return nil, usagef("there is no setting for the environment variable %s; svcd serve --help lists the settings",
			strings.Join(unknown, ", "))
	}
	return found, nil
}

// readConfig reads the config file as text for each setting; without a path
// there is none.
func readConfig(path string, known []setting) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		reason := err
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			reason = pathErr.Err
		}
		return nil, usagef("config file %s: %w", path, reason)
	}
	var values map[string]any
	if err := toml.Unmarshal(content, &values); err != nil {
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := bad.Position()
			return nil, usagef("config file %s, line %d, column %d: %w", path, line, column, err)
		}
		return nil, usagef("config file %s: %w", path, err)
	}
	texts := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.ContainsFunc(known, func(s setting) bool { return s.name == name }) {
			return nil, usagef("config file %s: there is no setting %q; svcd serve --help lists the settings", path, name)
		}
		text, err := textOf(values[name])
		if err != nil {
			return nil, usagef("config file %s: setting %s: %w", path, name, err)
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
