package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"path"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"
)

// syntax is how the files of a language are looked at: those of more than limit
// bytes are not. A parser that needs the square of the time or much memory has
// the lower limit. Without a check, they are looked at in another process.
type syntax struct {
	language string
	check    func([]byte) error
	limit    int64
}

// The limits of the parsers, in bytes.
const (
	maxJSON  = 4 << 20
	maxJSONC = 1 << 20
	maxYAML  = 256 << 10
	maxTOML  = 128 << 10 // every key is compared with every other
	maxGo    = 1 << 20
)

// syntaxes are those of the languages that are looked at here, by the ending of a name.
var syntaxes = map[string]syntax{
	".json":  {"JSON", checkJSON, maxJSON},
	".jsonc": {"JSON", checkJSONC, maxJSONC},
	".yaml":  {"YAML", checkYAML, maxYAML},
	".yml":   {"YAML", checkYAML, maxYAML},
	".toml":  {"TOML", checkTOML, maxTOML},
	".go":    {"Go", checkGo, maxGo},
	".html":  {"HTML", checkHTML, maxHTML},
	".htm":   {"HTML", checkHTML, maxHTML},
	".js":    {language: "JavaScript"},
	".mjs":   {language: "JavaScript"},
	".cjs":   {language: "JavaScript"},
	".jsx":   {language: "JavaScript"},
	".ts":    {language: "TypeScript"},
	".mts":   {language: "TypeScript"},
	".cts":   {language: "TypeScript"},
	".tsx":   {language: "TypeScript"},
	".css":   {language: "CSS"},
}

// syntaxOf gives the check for a file, by its name, if there is one.
func syntaxOf(name string) (syntax, bool) {
	ending := strings.ToLower(path.Ext(name))
	if ending == ".json" && commentsAllowed(name, path.Base(name)) {
		ending = ".jsonc"
	}
	s := syntaxes[ending]
	return s, s.check != nil
}

// languageOf names what a file is written in, of those that are looked at here.
func languageOf(name string) string { return syntaxes[strings.ToLower(path.Ext(name))].language }

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
		return fmt.Errorf("line %d: no complete JSON: %w", 1+bytes.Count(bytes.TrimSpace(content), []byte{'\n'}), err)
	}
	if dec.More() {
		return errors.New("there is more than one JSON value")
	}
	return nil
}

func checkJSONC(content []byte) error {
	if err := checkNesting(content, jsoncHiding); err != nil {
		return err
	}
	_, err := hujson.Parse(content)
	return err
}

// checkYAML leaves templates alone: what fills them in makes YAML of them.
func checkYAML(content []byte) error {
	if bytes.Contains(content, []byte("{{")) && bytes.Contains(content, []byte("}}")) && !bytes.Contains(content, []byte("${{")) {
		return nil
	}
	for documents := yaml.NewDecoder(bytes.NewReader(content)); ; {
		var document yaml.Node
		err := documents.Decode(&document)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := checkKeys(&document); err != nil {
			return err
		}
	}
}

// checkKeys finds keys that stand twice in one mapping. How deep a document may
// be is bounded by the parser.
func checkKeys(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		lines := make(map[string]int, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
				continue
			}
			if first, twice := lines[key.Value]; twice {
				return fmt.Errorf("line %d: the key %.100q stands in line %d already", key.Line, key.Value, first)
			}
			lines[key.Value] = key.Line
		}
	}
	for _, child := range n.Content {
		if err := checkKeys(child); err != nil {
			return err
		}
	}
	return nil
}

func checkTOML(content []byte) error {
	if err := checkNesting(content, tomlHiding); err != nil {
		return err
	}
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
