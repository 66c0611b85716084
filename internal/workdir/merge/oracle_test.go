package merge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"
)

// The oracles hold this package's readers against parsers that share no code
// with them. Each returns "" when both agree about a source.

// jsonOracle wants the same texts accepted and the same values read.
func jsonOracle(src string, n *node, err error) string {
	std, theirErr := hujson.Standardize([]byte(src + "\n")) // it wants every line comment to end
	if errors.Is(err, errTooDeep) {
		return ""
	}
	if (err == nil) != (theirErr == nil) {
		return fmt.Sprintf("we say %v, hujson says %v", err, theirErr)
	}
	if err != nil || strings.Contains(src, `\u`) || anyNode(n, func(n *node) bool { return n.readOnly != "" }) {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(std))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Sprintf("the standard library says %v", err)
	}
	return differ(describe(n), describeAny(v))
}

// tomlOracle wants the same texts accepted and the same values read.
func tomlOracle(src string, n *node, err error) string {
	if errors.Is(err, errTooDeep) {
		return ""
	}
	var v map[string]any
	theirErr := toml.Unmarshal([]byte(src), &v)
	if (err == nil) != (theirErr == nil) {
		return fmt.Sprintf("we say %v, go-toml says %v", err, theirErr)
	}
	if err != nil {
		return ""
	}
	return differ(describe(n), describeAny(v))
}

// yamlOracle wants every text that we accept to be accepted with the same
// structure and the same scalars.
func yamlOracle(src string, n *node, err error) string {
	if err != nil {
		return ""
	}
	d := yaml.NewDecoder(strings.NewReader(src))
	var doc yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return differ(describeYAML(n), "{}")
	} else if err != nil {
		if strings.Contains(src, `\/`) && strings.Contains(err.Error(), "unknown escape character") {
			return "" // YAML 1.2 has this escape, as JSON does; the library is older
		}
		return fmt.Sprintf("we accept it, yaml says %v", err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return "there is a second document"
	}
	theirs := describeYAMLNode(&doc)
	if n.start == n.end && theirs == `""` {
		theirs = "{}" // an empty document: we take it as a map without keys
	}
	return differ(describeYAML(n), theirs)
}

func differ(ours, theirs string) string {
	if ours == theirs {
		return ""
	}
	return fmt.Sprintf("we read\n%s\nthe other reads\n%s", ours, theirs)
}

func anyNode(n *node, is func(*node) bool) bool {
	return is(n) || slices.ContainsFunc(n.items, func(i *node) bool { return anyNode(i, is) }) ||
		slices.ContainsFunc(n.fields, func(f field) bool { return anyNode(f.value, is) })
}

func describe(n *node) string {
	switch n.kind {
	case dictKind:
		parts := make([]string, 0, len(n.fields))
		for _, f := range n.fields {
			parts = append(parts, strconv.Quote(f.key)+":"+describe(f.value))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case listKind:
		parts := make([]string, 0, len(n.items))
		for _, item := range n.items {
			parts = append(parts, describe(item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case stringKind:
		return strconv.Quote(n.text)
	case timeKind:
		return "time"
	case floatKind:
		if v, err := strconv.ParseFloat(n.text, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return fmt.Sprintf("f%v", math.Abs(v))
		}
	}
	return n.text
}

func describeAny(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for k, x := range v {
			parts = append(parts, strconv.Quote(k)+":"+describeAny(x))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		parts := make([]string, 0, len(v))
		for _, x := range v {
			parts = append(parts, describeAny(x))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case string:
		return strconv.Quote(strings.ReplaceAll(v, "\r\n", "\n"))
	case json.Number:
		return decimal(v.String())
	case float64:
		return fmt.Sprintf("f%v", math.Abs(v))
	case time.Time, toml.LocalDate, toml.LocalDateTime, toml.LocalTime:
		return "time"
	}
	return fmt.Sprint(v)
}

func describeYAML(n *node) string {
	switch n.kind {
	case dictKind:
		var out strings.Builder
		for _, f := range n.fields {
			key := f.rawKey
			if key[0] == '"' || key[0] == '\'' {
				key = f.key
			}
			fmt.Fprintf(&out, "%q:%s,", key, describeYAML(f.value))
		}
		return "{" + out.String() + "}"
	case listKind:
		var out strings.Builder
		for _, item := range n.items {
			out.WriteString(describeYAML(item) + ",")
		}
		return "[" + out.String() + "]"
	case stringKind:
		return strconv.Quote(n.text)
	}
	return strconv.Quote(n.raw)
}

func describeYAMLNode(n *yaml.Node) string {
	var out strings.Builder
	switch n.Kind {
	case yaml.DocumentNode:
		return describeYAMLNode(n.Content[0])
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			fmt.Fprintf(&out, "%s:%s,", describeYAMLNode(n.Content[i]), describeYAMLNode(n.Content[i+1]))
		}
		return "{" + out.String() + "}"
	case yaml.SequenceNode:
		for _, c := range n.Content {
			out.WriteString(describeYAMLNode(c) + ",")
		}
		return "[" + out.String() + "]"
	case yaml.AliasNode:
		return strconv.Quote("*" + n.Value)
	}
	return strconv.Quote(n.Value)
}
