package llm

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/bundle-delivery/svc/internal/engine"
)

const (
	// maxShown is how much of the project one call may be shown, maxShownFile of
	// one file.
	maxShown     = 160 << 10
	maxShownFile = 48 << 10
	// maxIndexed is how many files are listed by name.
	maxIndexed = 400
)

// project is what the project is at the moment: what it was, and what was
// written since.
type project struct {
	open  func(string) (io.ReadCloser, error)
	files map[string]engine.FileInfo

	mu      sync.Mutex
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

func (p *project) has(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, old := p.files[path]
	_, fresh := p.written[path]
	return old || fresh
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
	info, old := p.files[path]
	p.mu.Unlock()
	switch {
	case ok:
		return text, nil
	case !old || p.open == nil:
		return "", fmt.Errorf("%s is no file of the project", path)
	case info.Size > maxRead:
		return "", nil
	}
	f, err := p.open(path)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxRead))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return string(content), nil
}

// maxRead is the size of a file beyond which nothing of it is looked at.
const maxRead = 2 << 20

func (p *project) index() string {
	var s strings.Builder
	for i, path := range p.paths() {
		if i == maxIndexed {
			fmt.Fprintf(&s, "- and %d more\n", len(p.files)-maxIndexed)
			break
		}
		fmt.Fprintf(&s, "- %s (%d bytes)\n", path, p.files[path].Size)
	}
	return s.String()
}

// show gives files in full, as far as there is room, in the order given.
func (p *project) show(paths []string) (string, error) {
	var s strings.Builder
	for _, path := range paths {
		content, err := p.read(path)
		if err != nil {
			return "", err
		}
		if !utf8.ValidString(content) {
			continue
		}
		if len(content) > maxShownFile {
			content = strings.ToValidUTF8(content[:maxShownFile], "") + "\n[the rest is left out]\n"
		}
		if s.Len()+len(content) > maxShown {
			fmt.Fprintf(&s, "<file path=%q>left out for want of room</file>\n", path)
			continue
		}
		fmt.Fprintf(&s, "<file path=%q>\n%s\n</file>\n", path, escapeFile(content))
	}
	return s.String(), nil
}
