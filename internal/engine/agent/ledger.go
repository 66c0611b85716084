package agent

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"unicode/utf8"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine"
)

// ledger knows what the run has been told of every file: what the project has,
// as far as the run knows it.
type ledger struct {
	files   map[string]*told
	folders map[string]bool // in which the project had files when the run began
}

// told is a file as the run has it.
type told struct {
	size       int64
	digest     [sha256.Size]byte
	executable bool
	old        bool // the project had it when the run began
	open       bool // tokens built it, and more may follow
}

func newLedger() *ledger {
	return &ledger{files: map[string]*told{}, folders: map[string]bool{}}
}

// begin notes a file of the project.
func (l *ledger) begin(name string, size int64, digest [sha256.Size]byte, executable bool) {
	l.files[name] = &told{size: size, digest: digest, executable: executable, old: true}
	for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
		l.folders[name[:i]] = true
	}
}

// knows says whether the project had a file or a folder when the run began.
func (l *ledger) knows(name string, folder bool) bool {
	if folder {
		return l.folders[name]
	}
	f := l.files[name]
	return f != nil && f.old
}

// nextAttempt notes that the run begins anew to put files together.
func (l *ledger) nextAttempt() {
	for _, f := range l.files {
		f.open = false
	}
}

// news is what the run has to be told when a file holds this; nil: it knows. More
// of a text that is being written is a further piece of it; anything else is the
// file anew. final completes what pieces built.
func (l *ledger) news(name string, content []byte, executable, final bool) engine.Output {
	digest := sha256.Sum256(content)
	f := l.files[name]
	same := f != nil && f.size == int64(len(content)) && f.digest == digest
	if same && f.executable == executable && (!final || !f.open) {
		return nil
	}
	binary := !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0
	piece := []byte(nil)
	if !final && !binary && len(content) > 0 {
		if f == nil {
			piece = content
		} else if f.open && int64(len(content)) > f.size && sha256.Sum256(content[:f.size]) == f.digest {
			piece = content[f.size:]
		}
	}
	now := &told{size: int64(len(content)), digest: digest, executable: executable, open: piece != nil}
	if f != nil {
		now.old = f.old
	}
	l.files[name] = now
	if piece != nil {
		return engine.Token{File: name, Delta: string(piece)}
	}
	mode := bundlezip.Plain
	if executable {
		mode = bundlezip.Executable
	}
	return engine.File{Path: name, Content: content, Binary: binary, Place: engine.Placement{Mode: string(mode)}}
}

// gone is what the run has to be told when a file is no longer there.
func (l *ledger) gone(name string) engine.Output {
	delete(l.files, name)
	return engine.Delete{Path: name}
}
