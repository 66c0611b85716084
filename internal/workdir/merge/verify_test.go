package merge

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestVerify holds texts against readings of them, right and wrong.
// Promise: merge-second-parser
func TestVerify(t *testing.T) {
	tests := []struct {
		format  format
		src     string
		misread []string // texts whose values must not pass for that of src
	}{
		{jsonFormat, `{"a": 1, "b": [true, null, "x"]} // c`, []string{
			`{"a": 2, "b": [true, null, "x"]}`, `{"a": 1, "b": [true, null, "y"]}`, `{"a": 1, "b": [false, null, "x"]}`,
			`{"a": 1, "b": [true, null]}`, `{"a": 1}`, `{"b": 1, "a": [true, null, "x"]}`, `{"a": "1", "b": [true, null, "x"]}`,
			`{"a": 1, "b": {"x": null}}`, `{"a": 1, "b": [true, 0, "x"]}`, `[]`, `{"a": 1, "b": [true, null, "x"], "b": 1}`,
		}},
		{jsonFormat, `{"a": 1.50e2, "a": "\u00e9\n"}`, []string{`{"a": 150}`, `{"a": 15, "a": "é\n"}`, `{"a": 150, "a": "é"}`}},
		{yamlFormat, "a: &x 1\nb:\n  - yes\n  - \"no\"\n  - *x\nc: |\n  d\n", []string{
			"a: &x 1\nb:\n  - 'yes'\n  - \"no\"\n  - *x\nc: |\n  d\n", "a: &x 1\nb:\n  - yes\n  - no\n  - *x\nc: |\n  d\n",
			"a: &y 1\nb:\n  - yes\n  - \"no\"\n  - *y\nc: |\n  d\n", "a: &x 1\nb:\n  - yes\n  - \"no\"\n  - *x\nc: |-\n  d\n",
			"a: &x 2\nb:\n  - yes\n  - \"no\"\n  - *x\nc: |\n  d\n", "a: &x 1\nb:\n  - yes\n  - \"no\"\nc: |\n  d\n",
			"a: &x 1\nc:\n  - yes\n  - \"no\"\n  - *x\nb: |\n  d\n", "a: &x 1\n", "- a\n", "a\n",
			"a: &x 1\nb:\n  - yes\n  - \"no\"\n  - *x\nc: d\n", "a: &x 1\nb:\n  - yes\n  - \"no\"\n  - 1\nc: |\n  d\n",
		}},
		{yamlFormat, "# nothing\n", []string{"a: 1\n"}},
		{yamlFormat, "---\n# nothing\n", []string{"a: 1\n", "~\n"}},
		{tomlFormat, "a = 1\n[[t]]\nf = 1.5\n[t.u]\nx.y = 'z'\n[[t]]\ns = [1979-05-27, 07:32:00.50, 1979-05-27 07:32:00, 1979-05-27t07:32:00.5-07:00]\n", []string{
			"a = 2\n[[t]]\nf = 1.5\n[t.u]\nx.y = 'z'\n[[t]]\ns = [1979-05-27, 07:32:00.50, 1979-05-27 07:32:00, 1979-05-27t07:32:00.5-07:00]\n",
			"a = 1\n[[t]]\nf = 1.25\n[t.u]\nx.y = 'z'\n[[t]]\ns = [1979-05-27, 07:32:00.50, 1979-05-27 07:32:00, 1979-05-27t07:32:00.5-07:00]\n",
			"a = 1\n[[t]]\nf = 1.5\n[t.u]\nx.y = 'y'\n[[t]]\ns = [1979-05-27, 07:32:00.50, 1979-05-27 07:32:00, 1979-05-27t07:32:00.5-07:00]\n",
			"a = 1\n[[t]]\nf = 1.5\n[t.u]\nx.y = 'z'\n[[t]]\ns = [1979-05-28, 07:32:00.50, 1979-05-27 07:32:00, 1979-05-27t07:32:00.5-07:00]\n",
			"a = 1\n[[t]]\nf = 1.5\n[t.u]\nx.y = 'z'\n[[t]]\ns = [1979-05-27, 07:32:00.51, 1979-05-27 07:32:00, 1979-05-27t07:32:00.5-07:00]\n",
			"a = 1\n[[t]]\nf = 1.5\n[t.u]\nx.y = 'z'\n[[t]]\ns = [1979-05-27, 07:32:00.50, 1979-05-27 07:32:01, 1979-05-27t07:32:00.5-07:00]\n",
			"a = 1\n[[t]]\nf = 1.5\n[t.u]\nx.y = 'z'\n[[t]]\ns = [1979-05-27, 07:32:00.50, 1979-05-27 07:32:00, 1979-05-27t07:32:00.5-08:00]\n",
			"a = 1\n[[t]]\nf = 1.5\n[t.u]\nx.y = 'z'\n[[t]]\ns = []\n", "a = 1\n[[t]]\nf = 1.5\n", "a = true\n", "",
			"a = 1\n[t]\nf = 1.5\n", "a = '1'\n",
		}},
		{tomlFormat, "a = [inf, -inf, nan, +0.0, 0x10, 1_000, true, \"\\r\\n\", '''\r\nx\r\ny''', {b.c = 1}]\n", []string{
			"a = [inf, inf, nan, +0.0, 0x10, 1_000, true, \"\\r\\n\", '''\r\nx\r\ny''', {b.c = 1}]\n",
			"a = [inf, -inf, nan, +0.0, 0x10, 1_000, false, \"\\r\\n\", '''\r\nx\r\ny''', {b.c = 1}]\n",
			"a = [inf, -inf, nan, +0.0, 0x10, 1_000, true, \"\\r\\n\", '''\r\nx\r\ny''', {b.d = 1}]\n",
		}},
	}
	for _, tt := range tests {
		n, err := tt.format.parse(tt.src)
		if err != nil {
			t.Errorf("%q: %v", tt.src, err)
			continue
		}
		if err := tt.format.verify(tt.src, n); err != nil {
			t.Errorf("%q does not agree with itself: %v", tt.src, err)
		}
		for _, other := range tt.misread {
			wrong, err := tt.format.parse(other)
			if err != nil {
				t.Errorf("%q: %v", other, err)
			} else if tt.format.verify(tt.src, wrong) == nil {
				t.Errorf("%q passes for %q", other, tt.src)
			}
		}
	}
}

// TestVerifyProperties gives the other parser a text of which one value is not
// what our parser found.
// Promise: merge-second-parser
func TestVerifyProperties(t *testing.T) {
	for _, n := range notations {
		t.Run(n.path, rapid.MakeCheck(func(t *rapid.T) {
			f, _ := formatOf(n.path, "")
			s := drawStyle(t)
			src := string(s.finish(n.write(s, drawDict(t, 0))))
			root, err := f.parse(src)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.verify(src, root); err != nil {
				t.Fatalf("%v\n%s", err, src)
			}
			var scalars []*node
			anyNode(root, func(n *node) bool {
				if n.isPlain() {
					scalars = append(scalars, n)
				}
				return false
			})
			if len(scalars) == 0 {
				return
			}
			victim := rapid.SampledFrom(scalars).Draw(t, "victim")
			victim.text, victim.raw = victim.text+"7", victim.raw+"7"
			if f.verify(src, root) == nil {
				t.Fatalf("%s at %d passes for what stands in\n%s", victim.text, victim.start, src)
			}
		}))
	}
}

// TestVerifyRefusal merges into a file that the other parser cannot read.
// Promise: merge-second-parser
func TestVerifyRefusal(t *testing.T) {
	in := Input{Path: "x.yaml", Current: []byte(`a: "b\/c"` + "\n"), Incoming: []byte("d: 1\n")}
	r := DeepMerge(in)
	if r.Changed || !r.WholeConflict() || !strings.Contains(r.Conflicts[0].Reason, "escape") {
		t.Errorf("got %q with %v; want the file as it was and the reason", r.Content, r.Conflicts)
	}
}

// TestVerifyPanic says that a library which panics is no end of the program.
func TestVerifyPanic(t *testing.T) {
	f := format{compare: func(string, *node) error { panic("oh") }}
	if err := f.verify("", nil); err == nil || !strings.Contains(err.Error(), "oh") {
		t.Errorf("got %v", err)
	}
}
