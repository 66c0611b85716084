package console

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/text/diff"
)

const (
	// largestCompared is up to which size a file is compared line by line.
	largestCompared = 256 << 10
	// differencePage is how much markup of differences begins on one page, and
	// differenceFile how much of it one file has: together the longest page.
	differencePage = 80 << 10
	differenceFile = 40 << 10
	// differenceFiles is how many files a page has at most.
	differenceFiles = 100
	// longestLine is how much of a line is shown.
	longestLine = 2 << 10
	// comparedWords is up to which length neighbouring lines are compared word by word.
	comparedWords = 16 << 10
)

// differenceBody is what the page of a difference shows.
type differenceBody struct {
	Project                 svc.Project
	Name                    string
	Added, Changed, Removed int
	Files                   []fileDifference
	From, Next, All         int // places in the list of all files; Next 0: no more
	Gone                    bool
}

// fileDifference is how one file differs.
type fileDifference struct {
	Path   string
	Base   bundlezip.Base
	Change string // added, changed, removed
	Before bundlezip.File
	After  bundlezip.File
	Note   string // why no lines are shown, or what else changed
	Hunks  []shownHunk
	Cut    bool // more has changed than is shown
}

// Plus counts the lines that came, of those that are shown.
func (f fileDifference) Plus() int { return f.count("add") }

// Minus counts those that went.
func (f fileDifference) Minus() int { return f.count("del") }

func (f fileDifference) count(kind string) (n int) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Kind == kind {
				n++
			}
		}
	}
	return n
}

type shownHunk struct {
	Header string
	Lines  []shownLine
}

// shownLine is a line of a difference: add, del or same.
type shownLine struct {
	Kind  string
	Parts []diff.Part
}

// hasDifference says whether it can be shown what the last change of a project was.
func (s *core) hasDifference(p svc.Project) bool {
	return s.Now().Before(s.Delivery.PreviousUntil(p))
}

// showDifference shows how the project's present files differ from those before.
func (s *projectHandlers) showDifference(w http.ResponseWriter, r *http.Request, v *visit) error {
	project, after, err := s.Delivery.OpenProject(r.Context(), v.account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	defer func() { _ = after.Close() }() // it was only read
	body := differenceBody{Project: project, Name: projectName(project)}
	gone := func() error {
		body.Gone = true
		return s.render(w, r, v, http.StatusNotFound, "difference", page{Title: "Not found", Section: "projects", Body: body})
	}
	if r.PathValue("revision") != strconv.FormatInt(project.Revision, 10) {
		return gone()
	}
	before, err := s.Delivery.OpenPrevious(r.Context(), project)
	if errors.Is(err, svc.ErrNotFound) {
		return gone()
	}
	if err != nil {
		return fmt.Errorf("open what project %s was before: %w", project.ID, err)
	}
	defer func() { _ = before.Close() }() // it was only read
	all := changedFiles(before.Manifest().Files, after.Manifest().Files)
	body.All = len(all)
	for _, f := range all {
		switch f.Change {
		case "added":
			body.Added++
		case "removed":
			body.Removed++
		default:
			body.Changed++
		}
	}
	if n, err := strconv.Atoi(r.URL.Query().Get("from")); err == nil && n > 0 && n < len(all) {
		body.From = n
	}
	used := 0
	for i, f := range all[body.From:] {
		if used > differencePage || i == differenceFiles {
			body.Next = body.From + i
			break
		}
		size, err := f.compare(before, after)
		if err != nil {
			return fmt.Errorf("compare %s of project %s: %w", f.Path, project.ID, err)
		}
		used += size
		body.Files = append(body.Files, f)
	}
	return s.render(w, r, v, http.StatusOK, "difference", page{Title: "Revision " + r.PathValue("revision"), Section: "projects", Body: body})
}

// changedFiles lists the files that are not the same in two states, by their paths.
func changedFiles(before, after []bundlezip.File) (changed []fileDifference) {
	type place struct {
		base bundlezip.Base
		path string
	}
	old := map[place]bundlezip.File{}
	for _, f := range before {
		old[place{f.Base, f.Path}] = f
	}
	for _, f := range after {
		at := place{f.Base, f.Path}
		was, there := old[at]
		delete(old, at)
		switch {
		case !there:
			changed = append(changed, fileDifference{Path: f.Path, Base: f.Base, Change: "added", After: f})
		case was.SHA256 != f.SHA256 || was.Mode != f.Mode:
			changed = append(changed, fileDifference{Path: f.Path, Base: f.Base, Change: "changed", Before: was, After: f})
		}
	}
	for at, f := range old {
		changed = append(changed, fileDifference{Path: at.path, Base: at.base, Change: "removed", Before: f})
	}
	slices.SortFunc(changed, func(a, b fileDifference) int {
		return strings.Compare(string(a.Base)+"\x00"+a.Path, string(b.Base)+"\x00"+b.Path)
	})
	return changed
}

// compare fills in what changed within a file, and tells how much markup that is.
func (f *fileDifference) compare(before, after pack) (size int, err error) {
	size = 512 + 2*markupSize(f.Path) // of what stands around it
	switch {
	case f.Before.Size > largestCompared || f.After.Size > largestCompared:
		f.Note = "This file is too large to be compared here."
		return size, nil
	case f.Before.SHA256 == f.After.SHA256:
		f.Note = fmt.Sprintf("Its content is the same; its mode was %s and is %s.", f.Before.Mode, f.After.Mode)
		return size, nil
	}
	var texts [2]string
	for i, from := range []pack{before, after} {
		text, err := readCompared(from, f.Base, f.Path)
		if err != nil {
			return size, err
		}
		if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text) {
			f.Note = "This file is not text."
			return size, nil
		}
		texts[i] = string(text)
	}
	f.Hunks, f.Cut = showHunks(diff.Hunks(texts[0], texts[1]))
	for _, h := range f.Hunks {
		size += h.size()
	}
	if len(f.Hunks) == 0 {
		f.Note = "This file is empty."
	}
	return size, nil
}

// readCompared reads a file of a state; one that is not in it has nothing in it.
func readCompared(from pack, base bundlezip.Base, path string) ([]byte, error) {
	content, err := from.OpenFile(base, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = content.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(content, largestCompared+1))
}

// showHunks marks the words that changed and cuts off what is too much for a page.
func showHunks(hunks []diff.Hunk) (shown []shownHunk, cut bool) {
	used := 0
	for _, h := range hunks {
		next := shownHunk{Header: h.Header}
		for lines := h.Lines; len(lines) > 0; {
			run := nextChange(lines)
			for _, line := range showLines(lines[:run]) {
				if used += line.size(); used > differenceFile {
					if len(next.Lines) > 0 {
						shown = append(shown, next)
					}
					return shown, true
				}
				next.Lines = append(next.Lines, line)
			}
			lines = lines[run:]
		}
		shown = append(shown, next)
	}
	return shown, false
}

// nextChange counts the lines that belong together: those that went with those that
// came in their place, or those that stayed.
func nextChange(lines []diff.Line) int {
	n, last := 0, byte(0)
	for _, line := range lines {
		if n > 0 && line.Mark != last && (last != '-' || line.Mark != '+') {
			break
		}
		n, last = n+1, line.Mark
	}
	return n
}

// showLines shows lines that belong together.
func showLines(lines []diff.Line) (shown []shownLine) {
	var old, changed strings.Builder
	for _, line := range lines {
		switch line.Mark {
		case '-':
			old.WriteString(line.Text)
		case '+':
			changed.WriteString(line.Text)
		default:
			shown = append(shown, lineOf("same", []diff.Part{{Text: line.Text}}))
		}
	}
	if old.Len() == 0 || changed.Len() == 0 || old.Len()+changed.Len() > comparedWords {
		return append(append(shown, cutLines("del", []diff.Part{{Text: old.String()}})...), cutLines("add", []diff.Part{{Text: changed.String()}})...)
	}
	left, right := diff.Words(old.String(), changed.String())
	if len(left) == 1 && left[0].Changed { // nothing in common: the colour of the lines says it
		left[0].Changed, right[0].Changed = false, false
	}
	return append(append(shown, cutLines("del", left)...), cutLines("add", right)...)
}

// cutLines makes lines of the parts of a text.
func cutLines(kind string, parts []diff.Part) (shown []shownLine) {
	var line []diff.Part
	for _, p := range parts {
		for text := range strings.Lines(p.Text) {
			line = append(line, diff.Part{Text: text, Changed: p.Changed})
			if strings.HasSuffix(text, "\n") {
				shown = append(shown, lineOf(kind, line))
				line = nil
			}
		}
	}
	if len(line) > 0 {
		shown = append(shown, lineOf(kind, line))
	}
	return shown
}

// lineOf is a line without its end, as long as a page can bear.
func lineOf(kind string, parts []diff.Part) shownLine {
	l, used := shownLine{Kind: kind}, 0
	for _, p := range parts {
		p.Text = strings.TrimRight(p.Text, "\r\n")
		if used+len(p.Text) > longestLine {
			p.Text = strings.ToValidUTF8(p.Text[:longestLine-used], "") + "…"
		}
		if used += len(p.Text); p.Text != "" {
			l.Parts = append(l.Parts, p)
		}
		if used >= longestLine {
			break
		}
	}
	return l
}

// size is about how much markup a line is.
func (l shownLine) size() int {
	n := 16
	for _, p := range l.Parts {
		n += 15 + markupSize(p.Text)
	}
	return n
}

// markupSize is how long a text is at most once it is escaped.
func markupSize(text string) int {
	n := len(text)
	for _, c := range []byte(text) {
		if strings.IndexByte(`"&'+<>`, c) >= 0 {
			n += len("&#43;") - 1
		}
	}
	return n
}

func (h shownHunk) size() int {
	n := 64
	for _, l := range h.Lines {
		n += l.size()
	}
	return n
}
