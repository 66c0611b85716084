package generation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"strings"

	yaml "github.com/goccy/go-yaml/parser"
	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

// syntaxOf gives the check for a file, by its name; nil when there is none.
func syntaxOf(name string) func([]byte) error {
	base := path.Base(name)
	switch strings.ToLower(path.Ext(base)) {
	case ".json":
		if commentsAllowed(name, base) {
			return checkJSONC
		}
		return checkJSON
	case ".jsonc":
		return checkJSONC
	case ".yaml", ".yml":
		return checkYAML
	case ".toml":
		return checkTOML
	case ".go":
		return checkGo
	}
	return nil
}

// commentsAllowed knows the files that end in .json and may have comments all
// the same, because the programs that read them allow it.
func commentsAllowed(name, base string) bool {
	return strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jsconfig") ||
		base == "devcontainer.json" || base == ".devcontainer.json" ||
		path.Base(path.Dir(name)) == ".vscode"
}

// parse runs a check, and takes a parser that gives up for one that objects.
func parse(check func([]byte) error, content []byte) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("cannot be parsed: %v", v)
		}
	}()
	return check(content)
}

func checkJSON(content []byte) error {
	dec := json.NewDecoder(bytes.NewReader(content))
	var v json.RawMessage
	if err := dec.Decode(&v); err != nil {
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			return fmt.Errorf("line %d: %w", 1+bytes.Count(content[:min(int(e.Offset), len(content))], []byte{'\n'}), err)
		}
		return fmt.Errorf("no complete JSON: %w", err)
	}
	if dec.More() {
		return errors.New("there is more than one JSON value")
	}
	return nil
}

func checkJSONC(content []byte) error {
	_, err := hujson.Parse(content)
	return err
}

// checkYAML leaves templates alone: what fills them in makes YAML of them.
func checkYAML(content []byte) error {
	if bytes.Contains(content, []byte("{{")) && bytes.Contains(content, []byte("}}")) && !bytes.Contains(content, []byte("${{")) {
		return nil
	}
	_, err := yaml.ParseBytes(content, 0)
	return err
}

func checkTOML(content []byte) error {
	var v map[string]any
	err := toml.Unmarshal(content, &v)
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, column := e.Position()
		return fmt.Errorf("line %d, column %d: %w", row, column, err)
	}
	return err
}

func checkGo(content []byte) error {
	_, err := parser.ParseFile(token.NewFileSet(), "", content, parser.SkipObjectResolution)
	return err
}
