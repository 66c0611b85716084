package generation

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine"
)

// deltaBytes is the size to which long deltas are cut.
const deltaBytes = 4 << 10

// token adds to a file that is being built, and begins a new attempt at it when
// none is. Nothing is complete before the engine says so or is done.
func (t *tree) token(path, delta string) error {
	if !t.open[path] {
		if err := checkPath(path); err != nil {
			return err
		}
		if _, err := t.begin(path); err != nil {
			return err
		}
	}
	return t.write(path, t.builds[path], delta)
}

// begin opens the next attempt at a file. Files that are never completed count
// as well: they are kept until then.
func (t *tree) begin(path string) (*stagedText, error) {
	if t.builds[path] == nil && len(t.builds) >= t.limit.Files {
		return nil, violation("The engine wrote more than %d files.", t.limit.Files)
	}
	t.attempts[path]++
	content := t.staging.newText()
	t.builds[path], t.open[path] = content, true
	return content, nil
}

// write emits a piece of a file and stages it. A character whose bytes have not
// all come waits for the rest: events are text.
func (t *tree) write(path string, to *stagedText, piece string) error {
	piece = to.partial + piece
	whole := wholeText(piece)
	to.partial = strings.Clone(piece[whole:])
	piece = piece[:whole]
	if !utf8.ValidString(piece) {
		return violation("The content of %s is not UTF-8 text.", path)
	}
	if t.staging.written+int64(len(piece)) > stagingFactor*t.limit.Bytes {
		return violation("The engine wrote more than %d bytes in all.", stagingFactor*t.limit.Bytes)
	}
	if to.size+int64(len(piece)) > t.limit.Bytes {
		return violation("The project would have more than %d bytes.", t.limit.Bytes)
	}
	for len(piece) > 0 {
		n := len(piece)
		if n > deltaBytes {
			n = wholeText(piece[:deltaBytes])
		}
		if err := t.emit(svc.TokenEvent{File: path, Attempt: t.attempts[path], Offset: to.size, Delta: piece[:n]}); err != nil {
			return err
		}
		if err := to.append(piece[:n]); err != nil {
			return err
		}
		piece = piece[n:]
	}
	return nil
}

// wholeText is the length of a text without the beginning of a character whose
// other bytes are missing.
func wholeText(p string) int {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if c := p[len(p)-i]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(p[len(p)-i:]) {
				return len(p) - i
			}
			break
		}
	}
	return len(p)
}

// file completes a file: with what tokens built, or with the content that the
// engine gives, emitted as tokens if it is another.
func (t *tree) file(o engine.File) error {
	if err := checkPath(o.Path); err != nil {
		return err
	}
	if o.Binary {
		return t.binary(o)
	}
	built := t.builds[o.Path]
	if built == nil || o.Content != nil && !built.equals(o.Content) {
		var err error
		if built, err = t.begin(o.Path); err != nil {
			return err
		}
		if err := t.write(o.Path, built, string(o.Content)); err != nil {
			return err
		}
	}
	at, where := t.keyFor(o.Path, o.Place)
	return t.complete(at, where, built)
}

// binary completes a file that is no text, and so nothing that events could carry:
// its name and size are told.
func (t *tree) binary(o engine.File) error {
	size := int64(len(o.Content))
	if t.staging.written+size > stagingFactor*t.limit.Bytes {
		return violation("The engine wrote more than %d bytes in all.", stagingFactor*t.limit.Bytes)
	}
	built, err := t.begin(o.Path)
	if err != nil {
		return err
	}
	if err := built.append(string(o.Content)); err != nil {
		return err
	}
	if err := t.emit(svc.ToolStatusEvent{
		Action: engine.ActionGenerateFile, Status: svc.ToolStarted, File: o.Path, Detail: fmt.Sprintf("%d bytes that are no text", size),
	}); err != nil {
		return err
	}
	at, where := t.keyFor(o.Path, o.Place)
	delete(t.open, at.path)
	return t.put(at, where, built)
}

// keyFor says where a file goes. What the engine leaves out stays as the
// project has it.
func (t *tree) keyFor(path string, asked engine.Placement) (fileKey, engine.Placement) {
	at := fileKey{bundlezip.Base(asked.Base), path}
	if _, ok := t.files[at]; !ok && asked.Base == "" {
		if _, atHome := t.files[fileKey{bundlezip.Home, path}]; atHome {
			at.base = bundlezip.Home
		}
	}
	has := t.files[at].where
	return at, engine.Placement{
		DestinationType: cmp.Or(asked.DestinationType, has.DestinationType),
		MergeStrategy:   cmp.Or(asked.MergeStrategy, has.MergeStrategy),
		Base:            string(at.base),
		Mode:            cmp.Or(asked.Mode, has.Mode),
	}
}

// complete puts what was built in its place. A file without a byte is emitted too:
// its only delta is empty.
func (t *tree) complete(at fileKey, where engine.Placement, built *stagedText) error {
	if len(built.partial) > 0 {
		return violation("The content of %s is not UTF-8 text.", at.path)
	}
	if built.size == 0 && t.open[at.path] {
		if err := t.emit(svc.TokenEvent{File: at.path, Attempt: t.attempts[at.path]}); err != nil {
			return err
		}
	}
	delete(t.open, at.path)
	return t.put(at, where, built)
}

// completeAll puts those files in their places that tokens built and that no
// file line has completed.
func (t *tree) completeAll() error {
	for path := range t.open {
		at, where := t.keyFor(path, engine.Placement{})
		if err := t.complete(at, where, t.builds[path]); err != nil {
			return err
		}
	}
	return nil
}
