package bundlezip

import (
	_ "embed" // the schema is a file of its own, because the server publishes it
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed manifest.v1.schema.json
var schemaText []byte

// Schema gives the JSON Schema (2020-12) of the manifest.
func Schema() []byte { return slices.Clone(schemaText) }

// The limits of the schema.
const (
	maxArchitecture = 1000
	maxFiles        = MaxEntries - 1
	maxPorts        = 64
	maxUsesOfPort   = 64
	maxSchemaPath   = 1024
	maxSchemaEntry  = 1088
	minTemplate     = len("{port}")
	maxTemplate     = 1024
)

// The patterns of the schema, compiled when first asked for: a client that only
// prints its version should not pay for them.
var patterns = sync.OnceValue(func() (p struct{ project, digest, port, home *regexp.Regexp }) {
	p.project = regexp.MustCompile(`^proj_[A-Za-z0-9_-]{1,64}$`)
	p.digest = regexp.MustCompile(`^[0-9a-f]{64}$`)
	p.port = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	p.home = regexp.MustCompile(`\.(json|jsonc|yaml|yml|toml)$`)
	return p
})

// shape walks a decoded document by the schema and keeps the first thing that
// is wrong. It says of every document what a validator with the schema says; a
// test holds the two against each other. The validator itself is too much to
// carry for a small client: linking it alone takes longer than all else that the
// client does when it starts.
type shape struct{ err error }

// CheckShape says whether a text is a JSON document of the form that the schema
// demands, and nothing about what it means: ParseManifest does that. It is
// stricter than a validator in how whole numbers are spelled and in refusing a
// key that stands twice.
func CheckShape(text []byte) error {
	document, err := decodeJSON(text)
	if err != nil {
		return err
	}
	return checkShape(document)
}

// checkShape says whether a decoded document has the form that the schema
// demands; numbers are json.Number.
func checkShape(document any) error {
	var s shape
	s.manifest(document)
	return s.err
}

func (s *shape) fail(at, format string, args ...any) {
	if s.err == nil {
		s.err = badManifest(at, format, args...)
	}
}

func (s *shape) manifest(v any) {
	o := s.object("", v, "manifest_version", "project_id", "files")
	if s.err != nil {
		return
	}
	if n, ok := o["manifest_version"].(json.Number); !ok || !isOne(n) {
		s.fail("/manifest_version", "must be %d", ManifestVersion)
	}
	if id, ok := s.text("/project_id", o["project_id"]); ok && !patterns().project.MatchString(id) {
		s.fail("/project_id", "must be proj_ and letters, digits, _ or -")
	}
	if v, given := o["architecture"]; given {
		s.architecture(v)
	}
	for i, f := range s.list("/files", o["files"], maxFiles) {
		s.file(fmt.Sprintf("/files/%d", i), f)
	}
	if v, given := o["ports"]; given {
		for i, p := range s.list("/ports", v, maxPorts) {
			s.port(fmt.Sprintf("/ports/%d", i), p)
		}
	}
}

// isOne compares as numbers are compared: 1.0 is 1.
func isOne(n json.Number) bool {
	f, err := n.Float64()
	return err == nil && f == float64(ManifestVersion)
}

func (s *shape) architecture(v any) {
	o := s.object("/architecture", v)
	if len(o) > maxArchitecture {
		s.fail("/architecture", "has more than %d entries", maxArchitecture)
	}
	for key, value := range o {
		s.text("/architecture/"+escapePointer(key), value)
	}
}

func (s *shape) file(at string, v any) {
	o := s.object(at, v, "path", "destination_type", "merge_strategy", "sha256", "size")
	if s.err != nil {
		return
	}
	s.path(at+"/path", o["path"])
	if v, given := o["entry"]; given {
		s.length(at+"/entry", v, 1, maxSchemaEntry)
	}
	s.oneOf(at+"/destination_type", o["destination_type"], string(Project), string(GlobalConfig))
	s.oneOf(at+"/merge_strategy", o["merge_strategy"], string(Overwrite), string(CreateOnly), string(DeepMerge),
		string(EnvMerge), string(AppendUnique), string(ManagedBlock), string(ThreeWay))
	if digest, ok := s.text(at+"/sha256", o["sha256"]); ok && !patterns().digest.MatchString(digest) {
		s.fail(at+"/sha256", "must be 64 lower-case hexadecimal digits")
	}
	s.integer(at+"/size", o["size"], 0, MaxUnpacked)
	if v, given := o["mode"]; given {
		s.oneOf(at+"/mode", v, string(Plain), string(Executable))
	}
	if v, given := o["base"]; given {
		s.oneOf(at+"/base", v, string(Home))
		s.homeFile(at, o)
	}
}

func (s *shape) homeFile(at string, o map[string]any) {
	if path, ok := s.text(at+"/path", o["path"]); ok && !patterns().home.MatchString(path) {
		s.fail(at+"/path", "must be a JSON, YAML or TOML file, for it goes to the user's home")
	}
	s.oneOf(at+"/destination_type", o["destination_type"], string(GlobalConfig))
	s.oneOf(at+"/merge_strategy", o["merge_strategy"], string(DeepMerge), string(CreateOnly))
}

func (s *shape) port(at string, v any) {
	o := s.object(at, v, "name", "port", "uses")
	if s.err != nil {
		return
	}
	if name, ok := s.text(at+"/name", o["name"]); ok && !patterns().port.MatchString(name) {
		s.fail(at+"/name", "must be up to 64 letters, digits, dots, _ or -, beginning with a letter or digit")
	}
	s.integer(at+"/port", o["port"], 1, 65535)
	for i, u := range s.list(at+"/uses", o["uses"], maxUsesOfPort) {
		here := fmt.Sprintf("%s/uses/%d", at, i)
		use := s.object(here, u, "path", "template")
		if s.err != nil {
			return
		}
		s.path(here+"/path", use["path"])
		if text, ok := s.length(here+"/template", use["template"], minTemplate, maxTemplate); ok && !strings.Contains(text, "{port}") {
			s.fail(here+"/template", "must contain {port}")
		}
	}
}

func (s *shape) object(at string, v any, required ...string) map[string]any {
	o, ok := v.(map[string]any)
	if !ok {
		s.fail(at, "must be an object")
		return nil
	}
	for _, key := range required {
		if _, given := o[key]; !given {
			s.fail(at, "has no %q", key)
		}
	}
	return o
}

func (s *shape) list(at string, v any, most int) []any {
	l, ok := v.([]any)
	switch {
	case !ok:
		s.fail(at, "must be a list")
	case len(l) > most:
		s.fail(at, "has more than %d items", most)
		return nil
	}
	return l
}

func (s *shape) text(at string, v any) (string, bool) {
	text, ok := v.(string)
	if !ok {
		s.fail(at, "must be text")
	}
	return text, ok
}

// length counts characters, as the schema does.
func (s *shape) length(at string, v any, least, most int) (string, bool) {
	text, ok := s.text(at, v)
	if !ok {
		return "", false
	}
	if n := utf8.RuneCountInString(text); n < least || n > most {
		s.fail(at, "must have %d to %d characters, not %d", least, most, n)
		return "", false
	}
	return text, true
}

// path is the part of the path rules that the schema can say.
func (s *shape) path(at string, v any) {
	text, ok := s.length(at, v, 1, maxSchemaPath)
	if ok && (strings.ContainsAny(text, `\:`) || strings.HasPrefix(text, "/") || strings.HasSuffix(text, "/")) {
		s.fail(at, "must be relative and separated by slashes: %q", text)
	}
}

func (s *shape) oneOf(at string, v any, allowed ...string) {
	if text, ok := v.(string); !ok || !slices.Contains(allowed, text) {
		s.fail(at, "must be one of %q", allowed)
	}
}

func (s *shape) integer(at string, v any, least, most int64) {
	number, ok := v.(json.Number)
	if !ok {
		s.fail(at, "must be a whole number")
		return
	}
	if n, err := strconv.ParseInt(number.String(), 10, 64); err != nil {
		s.fail(at, "%q is not a plain whole number", number.String())
	} else if n < least || n > most {
		s.fail(at, "must be %d to %d, not %d", least, most, n)
	}
}

// escapePointer writes a key as a step of a JSON pointer.
func escapePointer(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}
