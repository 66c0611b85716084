package llm

import (
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/bundle-delivery/svc/internal/engine"
)

const (
	// maxIndex bounds the list of files that every run begins with.
	maxIndex = 6 << 10
	// maxEdited is the size of a file beyond which it is not changed here.
	maxEdited = 16 << 20
)

// project is what the project is at the moment: what it was, and what was
// written since.
type project struct {
	open func(string) (io.ReadCloser, error)

	mu      sync.Mutex
	files   map[string]engine.FileInfo // as they were
	written map[string]string
}

func newProject(p engine.Project) *project {
	out := &project{open: p.Open, files: make(map[string]engine.FileInfo), written: make(map[string]string)}
	for _, f := range p.Files {
		if f.Place.Base == "" { // what is in a home folder is no concern of a model's
			out.files[f.Path] = f
		}
	}
	return out
}

// existed says whether the project had a file when the run began.
func (p *project) existed(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, old := p.files[path]
	return old
}

func (p *project) has(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, old := p.files[path]
	_, fresh := p.written[path]
	return old || fresh
}

// wrote says whether this run has written a file.
func (p *project) wrote(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, fresh := p.written[path]
	return fresh
}

func (p *project) remove(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.files, path)
	delete(p.written, path)
}

func (p *project) put(path, content string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written[path] = content
}

// paths are those of all files, sorted.
func (p *project) paths() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := maps.Clone(p.written)
	for path := range p.files {
		all[path] = ""
	}
	return slices.Sorted(maps.Keys(all))
}

// read gives the content of a file.
func (p *project) read(path string) (string, error) {
	p.mu.Lock()
	text, ok := p.written[path]
	p.mu.Unlock()
	if ok {
		return text, nil
	}
	return p.readOld(path)
}

// readOld gives the content that a file had when the run began.
func (p *project) readOld(path string) (string, error) {
	p.mu.Lock()
	info, old := p.files[path]
	p.mu.Unlock()
	switch {
	case !old || p.open == nil:
		return "", fmt.Errorf("%s is no file of the project", path)
	case info.Size > maxEdited:
		return "", fmt.Errorf("%s is too large to be looked at here (%d bytes)", path, info.Size)
	}
	f, err := p.open(path)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxEdited))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return string(content), nil
}

// editable says why a file that exists cannot be changed here.
func (p *project) editable(path string) error {
	if !p.existed(path) {
		return nil
	}
	text, err := p.readOld(path)
	if err == nil && !utf8.ValidString(text) {
		err = fmt.Errorf("%s is no text and cannot be changed", path)
	}
	return err
}

// index lists the files: each, or where that is too much the folders. It does not
// grow with the project.
func (p *project) index() string {
	var s strings.Builder
	paths := p.paths()
	for _, path := range paths {
		fmt.Fprintf(&s, "- %s (%d bytes)\n", path, p.files[path].Size)
	}
	if s.Len() <= maxIndex {
		return s.String()
	}
	counts := make(map[string]int)
	for _, name := range paths {
		counts[path.Dir(name)]++
	}
	s.Reset()
	fmt.Fprintf(&s, "%d files; read of a folder lists it, and search finds what is in them. The folders:\n", len(paths))
	folders := slices.Sorted(maps.Keys(counts))
	for i, folder := range folders {
		if s.Len() > maxIndex/2 {
			fmt.Fprintf(&s, "- and %d more folders\n", len(folders)-i)
			break
		}
		fmt.Fprintf(&s, "- %s/ (%d files)\n", folder, counts[folder])
	}
	return s.String()
}

// view is what a session may see of the project: all of it as it was, and what was
// written since of the named files, or of all. What a file is asked with must not
// depend on what else happens to be ready.
type view struct {
	project *project
	fresh   map[string]bool // nil: all
	own     string          // the file that the session changes
	text    *string         // what it is by now
}

func (v view) sees(path string) bool { return v.fresh == nil || v.fresh[path] }

func (v view) has(path string) bool {
	return v.sees(path) && v.project.has(path) || v.project.existed(path)
}

func (v view) read(path string) (string, error) {
	if path == v.own && v.text != nil {
		return *v.text, nil
	}
	if v.sees(path) {
		return v.project.read(path)
	}
	return v.project.readOld(path)
}

func (v view) paths() []string {
	return slices.DeleteFunc(v.project.paths(), func(path string) bool { return !v.has(path) })
}
