package generation

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// TestAnyOutputIsRebuiltExactly is the promise of the token event: whatever an
// engine says, a viewer who joins the deltas of each file's highest attempt has
// what is packaged.
// Promise: event-token
func TestAnyOutputIsRebuiltExactly(t *testing.T) {
	dir, made := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		made++
		work := filepath.Join(dir, strconv.Itoa(made))
		if err := os.Mkdir(work, 0o700); err != nil {
			rt.Fatal(err)
		}
		v := viewer{files: map[string]string{}, attempts: map[string]int{}}
		tr := newTree(svc.Project{ID: "proj_1"}, &pack.Source{}, &stagingDir{dir: work}, svc.Extent{Files: 100, Bytes: 8 << 20},
			map[string]int{}, func(p svc.Payload) error { return v.hear(rt, p) })
		m := model{files: map[string]string{}, built: map[string]string{}, open: map[string]bool{}}
		for range rapid.IntRange(1, 3).Draw(rt, "attempts") {
			for range rapid.IntRange(0, 12).Draw(rt, "outputs") {
				m.say(rt, tr)
			}
			if err := tr.completeAll(); err != nil {
				rt.Fatal(err)
			}
			m.complete()
			tr.nextAttempt()
			clear(m.built)
		}
		if diff := cmp.Diff(m.files, contents(rt, tr)); diff != "" {
			rt.Errorf("the tree (-want +got):\n%s", diff)
		}
		for path, want := range m.files {
			if got, heard := v.files[path]; !heard || got != want {
				rt.Errorf("a viewer has %q of %s, want %q", got, path, want)
			}
		}
	})
}

// viewer rebuilds files as the contract tells clients to.
type viewer struct {
	files    map[string]string
	attempts map[string]int
}

func (v *viewer) hear(rt *rapid.T, p svc.Payload) error {
	e, err := svc.NewEvent(p)
	if err != nil {
		rt.Fatal(err)
	}
	var d svc.TokenEvent // through the wire, where broken text would show
	if err := json.Unmarshal(e.Data, &d); err != nil {
		rt.Fatal(err)
	}
	if len(d.Delta) > deltaBytes || !utf8.ValidString(d.Delta) {
		rt.Errorf("a delta of %d bytes, valid: %t", len(d.Delta), utf8.ValidString(d.Delta))
	}
	if d.Attempt > v.attempts[d.File] {
		v.attempts[d.File], v.files[d.File] = d.Attempt, ""
	}
	if d.Attempt < v.attempts[d.File] || d.Offset != int64(len(v.files[d.File])) {
		rt.Errorf("%+v after attempt %d with %d bytes", d, v.attempts[d.File], len(v.files[d.File]))
	}
	v.files[d.File] += d.Delta
	return nil
}

// model is what the outputs mean, said in the plainest way.
type model struct {
	files map[string]string // complete
	built map[string]string // by tokens or file lines, in this attempt
	open  map[string]bool   // by tokens, not complete
}

func (m *model) say(rt *rapid.T, tr *tree) {
	path := rapid.SampledFrom([]string{"a.txt", "b/c.txt", "d"}).Draw(rt, "path")
	text := rapid.OneOf(rapid.StringN(0, 20, -1), rapid.Map(rapid.StringN(1, 5, -1), func(s string) string {
		return string(bytes.Repeat([]byte(s), 3000))
	})).Draw(rt, "text")
	take := func(o engine.Output) {
		if err := tr.apply(o); err != nil {
			rt.Fatalf("%T: %v", o, err)
		}
	}
	switch rapid.IntRange(0, 5).Draw(rt, "kind") {
	case 0, 1: // tokens, cut anywhere, also within a character
		if !m.open[path] {
			m.built[path], m.open[path] = "", true
		}
		cut := rapid.IntRange(0, len(text)).Draw(rt, "cut")
		take(engine.Token{File: path, Delta: text[:cut]})
		take(engine.Token{File: path, Delta: text[cut:]})
		m.built[path] += text
	case 2: // complete with what was built
		take(engine.File{Path: path})
		m.finish(path, m.built[path])
	case 3: // complete with the same
		take(engine.File{Path: path, Content: []byte(m.built[path])})
		m.finish(path, m.built[path])
	case 4: // complete with something else
		take(engine.File{Path: path, Content: []byte(text)})
		m.finish(path, text)
	case 5:
		take(engine.Delete{Path: path})
		delete(m.files, path)
		delete(m.built, path)
		delete(m.open, path)
	}
}

func (m *model) finish(path, text string) {
	m.files[path], m.built[path] = text, text
	delete(m.open, path)
}

func (m *model) complete() {
	for path := range m.open {
		m.finish(path, m.built[path])
	}
}

func contents(rt *rapid.T, tr *tree) map[string]string {
	all := map[string]string{}
	for _, at := range tr.sortedKeys() {
		r, err := tr.openFile(at)
		if err != nil {
			rt.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			rt.Fatal(err)
		}
		_ = r.Close()
		all[at.path] = string(text)
		if size := tr.files[at].size; size != int64(len(text)) {
			rt.Errorf("%s has %d bytes, the tree says %d", at.path, len(text), size)
		}
	}
	return all
}

// Promise: event-token
func TestEqualContentAddsNoTokens(t *testing.T) {
	said := 0
	tr := newTree(svc.Project{ID: "proj_1"}, &pack.Source{}, &stagingDir{dir: t.TempDir()}, svc.Extent{Files: 10, Bytes: 1000},
		map[string]int{}, func(svc.Payload) error { said++; return nil })
	for _, o := range []engine.Output{
		engine.Token{File: "a", Delta: "xy"}, engine.File{Path: "a", Content: []byte("xy")}, engine.File{Path: "a"},
	} {
		must.Do(t, tr.apply(o))
	}
	if said != 1 {
		t.Errorf("%d events were told, want 1", said)
	}
}

func TestMemoryStaysBounded(t *testing.T) {
	sp := &stagingDir{dir: t.TempDir()}
	tr := newTree(svc.Project{ID: "proj_1"}, &pack.Source{}, sp, svc.Extent{Files: 3000, Bytes: 100 << 20},
		map[string]int{}, func(svc.Payload) error { return nil })
	piece := string(bytes.Repeat([]byte("x"), 3<<10))
	for round := range 8 {
		for i := range 400 {
			must.Do(t, tr.apply(engine.Token{File: "f" + string(rune('a'+i%26)) + string(rune('a'+i/26)), Delta: piece}))
			if held := sp.memory; held > stagingMemory+textMemory {
				t.Fatalf("%d bytes are held in round %d", held, round)
			}
		}
	}
}
