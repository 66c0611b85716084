package workdir

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// plain are files of the project with a strategy.
func plain(strategy bundlezip.MergeStrategy, contents tree) []sf {
	var out []sf
	for name, content := range contents {
		f := sf{Path: name, MergeStrategy: strategy, Mode: bundlezip.Plain, Content: text(content)}
		if rest, ok := strings.CutPrefix(content, executable); ok {
			f.Mode, f.Content = bundlezip.Executable, text(rest)
		}
		out = append(out, f)
	}
	return out
}

func threeWay(tb testing.TB, contents tree) *bundlezip.Archive {
	tb.Helper()
	return archive(tb, nil, plain(bundlezip.ThreeWay, contents)...)
}

// entriesOf are the paths that a log has for a type of entry.
func entriesOf(l Log, kind EntryType) (paths []string) {
	for _, e := range l.Entries {
		if e.Type == kind {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// pulls are pulls one after the other, with edits between them.
type pulls struct {
	*fixture
	ids           []string
	before, after []tree
}

func (p *pulls) pull(a *bundlezip.Archive) Log {
	p.tb.Helper()
	id := numbered(len(p.ids) + 1)
	p.ids, p.before = append(p.ids, id), append(p.before, p.tree().visible())
	l := p.fixture.pull(id, a)
	p.after = append(p.after, p.tree().visible())
	return l
}

// rollBackAll takes all pulls back, the last first. Each leads to the very tree
// that its pull began with, once the edits since that pull are undone.
func (p *pulls) rollBackAll() {
	p.tb.Helper()
	for i, id := range slices.Backward(p.ids) {
		for name := range p.tree().visible() {
			if _, was := p.after[i][name]; !was {
				must.Do(p.tb, os.RemoveAll(filepath.Join(p.dir, name)))
			}
		}
		p.after[i].write(p.tb, p.dir)
		p.rollback(id)
		same(p.tb, "after the rollback of "+id, p.tree().visible(), p.before[i])
	}
}

func archiveOf(tb testing.TB, s bundlezip.State) *bundlezip.Archive {
	tb.Helper()
	var zip bytes.Buffer
	_, err := bundlezip.Write(&zip, s)
	must.Do(tb, err)
	a, err := bundlezip.Check(bytes.NewReader(zip.Bytes()), int64(zip.Len()))
	must.Do(tb, err)
	return a
}
