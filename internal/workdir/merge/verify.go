package merge

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"
)

// errDisagreement says that two parsers read one text as different values.
var errDisagreement = errors.New("another parser reads it otherwise")

// verify reads a result once more, with a parser that had no part in making it (or, for
// YAML, only in saying which values there are), and compares what that parser found
// with what ours did. A panic of a library is
// an error like any other: a file must never end the program.
func (f format) verify(src string, ours *node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("another parser failed: %v", p)
		}
	}()
	return f.compare(src, ours)
}

// compareJSON compares with hujson.
func compareJSON(src string, ours *node) error {
	theirs, err := hujson.Parse([]byte(src + "\n")) // it wants every line comment to end
	if err != nil {
		return err
	}
	return agreement(agreesJSON(theirs, ours))
}

func agreesJSON(theirs hujson.Value, n *node) bool {
	switch v := theirs.Value.(type) {
	case *hujson.Object:
		return n.kind == dictKind && slices.EqualFunc(v.Members, n.fields, func(m hujson.ObjectMember, f field) bool {
			name, ok := m.Name.Value.(hujson.Literal)
			return ok && name.String() == f.key && agreesJSON(m.Value, f.value)
		})
	case *hujson.Array:
		return n.kind == listKind && slices.EqualFunc(v.Elements, n.items, agreesJSON)
	case hujson.Literal:
		switch v.Kind() {
		case '"':
			return n.kind == stringKind && n.text == v.String()
		case '0':
			return n.kind == numberKind && n.text == decimal(string(v))
		case 't', 'f':
			return n.kind == boolKind && n.text == string(v)
		case 'n':
			return n.kind == nullKind
		}
	}
	return false
}

// compareTOML compares with BurntSushi/toml: our own reading rests on go-toml.
func compareTOML(src string, ours *node) error {
	var theirs map[string]any
	if _, err := toml.Decode(src, &theirs); err != nil {
		return err
	}
	return agreement(agreesTOML(theirs, ours))
}

func agreement(agrees bool) error {
	if !agrees {
		return errDisagreement
	}
	return nil
}

func agreesTOML(theirs any, n *node) bool {
	switch theirs := theirs.(type) {
	case map[string]any:
		return agreesTable(theirs, n)
	case []any:
		return n.kind == listKind && slices.EqualFunc(theirs, n.items, agreesTOML)
	case []map[string]any: // an array of tables
		return n.kind == listKind && slices.EqualFunc(theirs, n.items, agreesTable)
	case string:
		return n.kind == stringKind && withEOL(n.text, "\n") == withEOL(theirs, "\n")
	case bool:
		return n.kind == boolKind && n.text == strconv.FormatBool(theirs)
	case int64:
		return n.kind == numberKind && n.text == strconv.FormatInt(theirs, 10)
	case float64:
		v, err := strconv.ParseFloat(n.text, 64)
		return n.kind == floatKind && err == nil && (v == theirs || math.IsNaN(v) && math.IsNaN(theirs))
	case time.Time:
		layout, ok := tomlLayouts[theirs.Location().String()]
		if !ok {
			layout = time.RFC3339
		}
		v, err := time.ParseInLocation(layout, n.text, theirs.Location())
		return n.kind == timeKind && err == nil && v.Equal(theirs)
	}
	return false
}

// tomlLayouts are how times without a zone are written, by the names of the
// locations with which the parser marks them.
var tomlLayouts = map[string]string{
	"datetime-local": "2006-01-02T15:04:05", "date-local": time.DateOnly, "time-local": time.TimeOnly,
}

func agreesTable(theirs map[string]any, n *node) bool {
	if n.kind != dictKind || len(theirs) != len(n.fields) {
		return false
	}
	for _, f := range n.fields {
		if v, ok := theirs[f.key]; !ok || !agreesTOML(v, f.value) {
			return false
		}
	}
	return true
}

// compareYAML compares the texts that our scanner cut out with the library's values.
func compareYAML(src string, ours *node) error {
	d := yaml.NewDecoder(strings.NewReader(src))
	var doc yaml.Node
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return agreement(ours.kind == dictKind && ours.size() == 0)
	}
	if err != nil {
		return err
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errDisagreement // there is a second document
	}
	theirs := doc.Content[0]
	isEmpty := theirs.Kind == yaml.ScalarNode && theirs.Value == "" && ours.size() == 0 && ours.start == ours.end
	return agreement(isEmpty || make(yamlComparison).agrees(theirs, ours))
}

// yamlComparison has our node for each of the other parser that was compared.
type yamlComparison map[*yaml.Node]*node

func (c yamlComparison) agrees(theirs *yaml.Node, n *node) bool {
	if theirs.Kind == yaml.AliasNode {
		return n.kind == opaqueKind && n.text == "*"+theirs.Value && (n.target == nil || n.target == c[theirs.Alias])
	}
	c[theirs] = n
	tag := ""
	if theirs.Style&yaml.TaggedStyle != 0 {
		tag = theirs.Tag
	}
	if theirs.Anchor != n.anchor || tag != n.tag {
		return false
	}
	switch theirs.Kind {
	case yaml.MappingNode:
		return n.kind == dictKind && c.agreesMap(theirs.Content, n.fields)
	case yaml.SequenceNode:
		return n.kind == listKind && slices.EqualFunc(theirs.Content, n.items, c.agrees)
	case yaml.ScalarNode:
		text := n.raw
		if n.kind == stringKind {
			text = n.text
		}
		isPlain := theirs.Style&^yaml.TaggedStyle == 0
		return n.kind < opaqueKind && theirs.Value == text && isPlain == (!n.block && !isQuotedYAML(n.raw))
	}
	return false
}

func (c yamlComparison) agreesMap(theirs []*yaml.Node, fields []field) bool {
	if len(theirs) != 2*len(fields) {
		return false
	}
	for i, f := range fields {
		key := f.rawKey
		if isQuotedYAML(key) {
			key = f.key
		}
		if theirs[2*i].Value != key || !c.agrees(theirs[2*i+1], f.value) {
			return false
		}
	}
	return true
}

// isQuotedYAML reports whether a scalar or a key is written in quotes.
func isQuotedYAML(raw string) bool {
	return raw != "" && (raw[0] == '"' || raw[0] == '\'')
}
