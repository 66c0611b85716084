package merge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// doc is a random value with an order of keys: a scalar as its text in the
// three notations at once, a list, or a map.
type doc struct {
	scalar string
	list   []doc
	keys   []string
	values []doc
	kind   kind
}

func drawDoc(t *rapid.T, depth int) doc {
	top := 2
	if depth >= 3 {
		top = 0
	}
	switch rapid.IntRange(0, top+2).Draw(t, "kind") {
	case 3:
		d := doc{kind: listKind}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			d.list = append(d.list, drawDoc(t, depth+2))
		}
		return d
	case 4:
		return drawDict(t, depth+1)
	}
	return doc{kind: stringKind, scalar: rapid.SampledFrom([]string{
		`"text"`, `"two words"`, `"#not: a comment"`, `"// neither"`, `"é \" \\ \n"`, `""`, "1", "2.5", "true", "false", "-7",
	}).Draw(t, "scalar")}
}

func drawDict(t *rapid.T, depth int) doc {
	d := doc{kind: dictKind}
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d-e", "f_g", "H9"}), 0, 5, rapid.ID[string]).Draw(t, "keys")
	for _, k := range keys {
		d.keys = append(d.keys, k)
		d.values = append(d.values, drawDoc(t, depth))
	}
	return d
}

// style is how a person might lay a file out.
type style struct {
	indent   string
	eol      string
	comments bool
	flow     bool // short collections on one line
	count    *int
	final    bool
}

func drawStyle(t *rapid.T) style {
	return style{
		indent:   rapid.SampledFrom([]string{"  ", "    ", " ", "   "}).Draw(t, "indent"),
		eol:      rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol"),
		comments: rapid.Bool().Draw(t, "comments"),
		flow:     rapid.Bool().Draw(t, "flow"),
		final:    rapid.Bool().Draw(t, "final"),
		count:    new(int),
	}
}

// comment makes up a comment that occurs once in the file.
func (s style) comment(sign string) string {
	*s.count++
	if !s.comments || *s.count%3 == 0 {
		return ""
	}
	return fmt.Sprintf("%s note %d", sign, *s.count)
}

func (s style) finish(text string) []byte {
	text = strings.ReplaceAll(text, "\n", s.eol)
	if !s.final {
		text = strings.TrimSuffix(text, s.eol)
	}
	return []byte(text)
}

func (d doc) inline(sep, eq string, quoteKeys bool) string {
	switch d.kind {
	case listKind:
		parts := make([]string, 0, len(d.list))
		for _, item := range d.list {
			parts = append(parts, item.inline(sep, eq, quoteKeys))
		}
		return "[" + strings.Join(parts, sep) + "]"
	case dictKind:
		parts := make([]string, 0, len(d.keys))
		for i, k := range d.keys {
			if quoteKeys {
				k = strconv.Quote(k)
			}
			parts = append(parts, k+eq+d.values[i].inline(sep, eq, quoteKeys))
		}
		return "{" + strings.Join(parts, sep) + "}"
	}
	return d.scalar
}

func (s style) json(d doc, pad string) string {
	if d.kind == stringKind || s.flow && pad != "" || len(d.list)+len(d.keys) == 0 {
		return d.inline(", ", ": ", true)
	}
	inner := pad + s.indent
	var out strings.Builder
	opener, closer := "[", "]"
	if d.kind == dictKind {
		opener, closer = "{", "}"
	}
	out.WriteString(opener)
	for i := range max(len(d.list), len(d.keys)) {
		if i > 0 {
			out.WriteString(",")
		}
		if c := s.comment("//"); c != "" {
			out.WriteString(" " + c)
		}
		out.WriteString("\n" + inner)
		if d.kind == listKind {
			out.WriteString(s.json(d.list[i], inner))
		} else {
			out.WriteString(strconv.Quote(d.keys[i]) + ": " + s.json(d.values[i], inner))
		}
	}
	out.WriteString("\n" + pad + closer)
	return out.String()
}

func (s style) yaml(d doc, pad string) string {
	var out strings.Builder
	for i := range max(len(d.list), len(d.keys)) {
		if c := s.comment("#"); c != "" {
			out.WriteString(pad + c + "\n")
		}
		v := doc{}
		if d.kind == listKind {
			v = d.list[i]
			out.WriteString(pad + "-")
		} else {
			v = d.values[i]
			out.WriteString(pad + d.keys[i] + ":")
		}
		if v.kind == stringKind || s.flow || len(v.list)+len(v.keys) == 0 {
			out.WriteString(" " + v.inline(", ", ": ", false))
			if c := s.comment("#"); c != "" {
				out.WriteString("  " + c)
			}
			out.WriteString("\n")
			continue
		}
		out.WriteString("\n" + s.yaml(v, pad+s.indent))
	}
	return out.String()
}

func (s style) toml(d doc, path string) string {
	var lines, tables strings.Builder
	for i, k := range d.keys {
		v := d.values[i]
		if v.kind == dictKind && !s.flow {
			if c := s.comment("#"); c != "" {
				tables.WriteString(c + "\n")
			}
			name := strings.TrimPrefix(path+"."+k, ".")
			tables.WriteString("[" + name + "]\n" + s.toml(v, name))
			continue
		}
		lines.WriteString(k + " = " + v.inline(", ", " = ", false))
		if c := s.comment("#"); c != "" {
			lines.WriteString(" " + c)
		}
		lines.WriteString("\n")
	}
	return lines.String() + tables.String()
}

var notations = []struct {
	path  string
	write func(s style, d doc) string
	sign  string
}{
	{"x.json", func(s style, d doc) string { return s.json(d, "") + "\n" }, "//"},
	{"x.yaml", func(s style, d doc) string {
		if len(d.keys) == 0 {
			return "{}\n"
		}
		return s.yaml(d, "")
	}, "#"},
	{"x.toml", func(s style, d doc) string { return s.toml(d, "") }, "#"},
}

// TestDeepMergeProperties checks, for random files in random layouts, that
// nothing of the user's is lost, that everything of the bundle arrives or is
// reported, and that a pull can be undone.
func TestDeepMergeProperties(t *testing.T) {
	for _, n := range notations {
		t.Run(n.path, rapid.MakeCheck(func(t *rapid.T) {
			mine, theirs := drawStyle(t), drawStyle(t)
			in := Input{Path: n.path}
			in.Current = mine.finish(n.write(mine, drawDict(t, 0)))
			in.Incoming = theirs.finish(n.write(theirs, drawDict(t, 0)))
			if rapid.Bool().Draw(t, "pulled before") {
				in.Base = []byte(n.write(style{indent: "  ", eol: "\n", final: true, count: new(int)}, drawDict(t, 0)))
			}
			r := DeepMerge(in)
			checkInvariants(t, bundlezip.DeepMerge, in, r)
			if r.WholeConflict() && len(in.Current) > 0 {
				t.Fatalf("%q into %q: %v", in.Incoming, in.Current, r.Conflicts)
			}
			f, _ := formatOf(n.path, "")
			before, after, bundle := mustParse(t, f, in.Current), mustParse(t, f, r.Content), mustParse(t, f, in.Incoming)
			keptAll(t, "", before, after, r)
			arrivedAll(t, "", bundle, after, r)
			for line := range strings.Lines(string(in.Current)) {
				if i := strings.Index(line, n.sign+" note "); i >= 0 && !strings.Contains(string(r.Content), strings.TrimSpace(line[i:])) {
					t.Fatalf("the comment %q is lost:\n%s", line[i:], r.Content)
				}
			}
			if back, err := Unmerge(n.path, in.Current, r.Content, r.Content); err != nil || string(back) != string(in.Current) {
				t.Fatalf("undoing gives %q, %v", back, err)
			}
		}))
	}
}

func mustParse(t *rapid.T, f format, b []byte) *node {
	n, err := f.parse(string(b))
	if err != nil {
		t.Fatalf("%q: %v", b, err)
	}
	return n
}

// keptAll wants every value of the user's to be there still, unless it is
// reported as updated.
func keptAll(t *rapid.T, at string, before, after *node, r Result) {
	if slices.Contains(r.Updated, at) {
		return
	}
	switch {
	case after == nil || before.kind != after.kind:
		t.Fatalf("%s is lost or changed:\n%s", at, r.Content)
	case before.kind == dictKind:
		for _, f := range before.fields {
			keptAll(t, keyPath(at, f.key), f.value, after.get(f.key), r)
		}
	case before.kind == listKind && slices.Contains(r.Added, at):
		if len(after.items) <= len(before.items) || !identical(before, &node{kind: listKind, items: after.items[:len(before.items)]}) {
			t.Fatalf("the list %s lost an item:\n%s", at, r.Content)
		}
	case !identical(before, after):
		t.Fatalf("%s changed:\n%s", at, r.Content)
	}
}

// arrivedAll wants every value of the bundle to be there, unless a conflict
// is reported for it.
func arrivedAll(t *rapid.T, at string, bundle, after *node, r Result) {
	if slices.ContainsFunc(r.Conflicts, func(c Conflict) bool { return c.Where == at }) {
		return
	}
	switch {
	case after == nil || bundle.kind != after.kind:
		t.Fatalf("%s did not arrive:\n%s", at, r.Content)
	case bundle.kind == dictKind:
		for _, f := range bundle.fields {
			arrivedAll(t, keyPath(at, f.key), f.value, after.get(f.key), r)
		}
	case bundle.isPlainList() && after.isPlainList():
		for _, item := range bundle.items {
			if !slices.ContainsFunc(after.items, func(x *node) bool { return identical(x, item) }) {
				t.Fatalf("the list %s lacks an item:\n%s", at, r.Content)
			}
		}
	case !identical(bundle, after):
		t.Fatalf("%s has another value:\n%s", at, r.Content)
	}
}
