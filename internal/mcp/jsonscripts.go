package mcp

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// lifecycle are the scripts of package.json that npm, pnpm, yarn and bun run by
// themselves when packages are installed.
var lifecycle = []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare", "dependencies", "pnpm:devPreinstall"}

// nodeHooks are the fields of package.json that say what is run by version control, or
// of which dependencies the scripts are run.
var nodeHooks = []string{"simple-git-hooks", "husky", "gitHooks", "pre-commit", "trustedDependencies", "allowScripts", "dependenciesMeta"}

// harmlessPnpm are the settings of pnpm that run nothing. All others are flagged, in
// package.json and in pnpm-workspace.yaml.
var harmlessPnpm = []string{"packages", "catalog", "catalogs", "overrides", "peerDependencyRules", "ignoredBuiltDependencies", "allowedDeprecatedVersions"}

// release finds a package manager that is named by its release, not by an address.
var release = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^"(npm|pnpm|yarn|bun)@[0-9]+(\.[0-9]+)*(-[0-9A-Za-z.-]+)?(\+sha[0-9]+\.[0-9a-f]+)?"$`)
})

// scriptsOfNode reads what is run when the packages of package.json are installed.
func scriptsOfNode(text []byte) (scripts, error) {
	described, err := objectOf(text)
	if err != nil {
		return nil, err
	}
	run, err := objectOf(described["scripts"])
	if err != nil {
		return nil, err
	}
	found := scripts{}
	for _, name := range lifecycle {
		found.takeJSON("the script "+name, run[name])
	}
	for _, name := range nodeHooks {
		found.takeJSON(name, described[name])
	}
	if manager := described["packageManager"]; manager != nil && !release().Match(manager) {
		found.takeJSON("packageManager", manager)
	}
	settings, err := objectOf(described["pnpm"])
	if err != nil {
		return nil, err
	}
	for name, value := range settings {
		if !slices.Contains(harmlessPnpm, name) {
			found.takeJSON("pnpm."+name, value)
		}
	}
	return found, nil
}

// scriptsOfPHP reads what Composer runs by itself: scripts that have the name of an
// event, and plugins.
func scriptsOfPHP(text []byte) (scripts, error) {
	described, err := objectOf(text)
	if err != nil {
		return nil, err
	}
	run, err := objectOf(described["scripts"])
	if err != nil {
		return nil, err
	}
	found := scripts{}
	for name, value := range run {
		if strings.HasPrefix(name, "pre-") || strings.HasPrefix(name, "post-") || name == "init" || name == "command" {
			found.takeJSON("the script "+name, value)
		}
	}
	config, err := objectOf(described["config"])
	if err != nil {
		return nil, err
	}
	found.takeJSON("config.allow-plugins", config["allow-plugins"])
	return found, nil
}

// objectOf reads an object of JSON, whose keys it does not take for others of another
// case, as Go would. Nothing is an empty object.
func objectOf(text []byte) (fields map[string]json.RawMessage, err error) {
	if len(text) > 0 {
		err = json.Unmarshal(text, &fields)
	}
	return fields, err
}

func (s scripts) takeJSON(name string, value json.RawMessage) {
	if value != nil {
		s[name] = string(value)
	}
}

// scriptsOfWorkspace reads the settings of pnpm-workspace.yaml. It needs no more of YAML
// than its first level, which begins at the start of lines in any file that is read as
// harmless here.
func scriptsOfWorkspace(text []byte) (scripts, error) {
	found, at := scripts{}, ""
	for part := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return strings.ContainsRune("\n\r\u0085\u2028\u2029", r) }) {
		switch {
		case strings.TrimSpace(part) == "" || strings.HasPrefix(part, "#"):
		case at != "" && strings.ContainsRune(" \t-", rune(part[0])) && !strings.HasPrefix(part, "---"):
			found[at] += "\n" + part
		default:
			key, value, _ := strings.Cut(part, ":")
			if value != "" && value[0] != ' ' && value[0] != '\t' {
				key = part
			}
			at = key
			found[at] += strings.TrimSpace(value)
		}
	}
	for _, name := range harmlessPnpm {
		delete(found, name)
	}
	return found, nil
}
