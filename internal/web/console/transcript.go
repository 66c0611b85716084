package console

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	svc "github.com/bundle-delivery/svc"
)

const (
	// maxFileText is how much of a file the page of a run holds, maxFirstText how much
	// of one that nobody asked for, with what stands beside it: the page of a run that
	// is over stays small. Texts count as they are written in a page.
	maxFileText  = 200 << 10
	maxFirstText = 64 << 10
	minFirstText = 8 << 10
	maxMemory    = 24 << 10
	// maxRead is how much is read for one page: a live view goes on from there.
	maxRead = 24 << 20
)

// transcript is what the page of a run shows of what it has told so far. The page shows
// the text of one file.
type transcript struct {
	svc.Transcript
	read int
}

// add takes one event in and says whether there is room for more.
func (s *transcript) add(e svc.Event) bool {
	if s.read += len(e.Data); s.read > maxRead {
		return false
	}
	s.Add(e)
	return true
}

// Memory is the beginning of the memory document.
func (s *transcript) Memory() string {
	begun, _ := beginning(s.Transcript.Memory, maxMemory)
	return begun
}

// MemoryCut says that the project has the rest of the memory document.
func (s *transcript) MemoryCut() bool { return len(s.Memory()) < len(s.Transcript.Memory) }

// LeftOut is what was asked for and is not done.
func (s *transcript) LeftOut() []string {
	return strings.FieldsFunc(s.Transcript.LeftOut, func(r rune) bool { return r == ';' })
}

// take decodes a payload; one that cannot be read tells nothing.
func take[T any](data []byte, use func(T)) {
	var payload T
	if json.Unmarshal(data, &payload) == nil {
		use(payload)
	}
}

// Tried are the checks that were made, or are being made.
func (s *transcript) Tried() []svc.ToolStatusEvent {
	return slices.DeleteFunc(slices.Clone(s.Checks), func(c svc.ToolStatusEvent) bool { return c.Status == skipped })
}

// skipped is the state of a check that was not made.
const skipped = "skipped"

// untried are checks that were not made, for one reason.
type untried struct{ Checks, Reason string }

// Untried are the checks that were not made: their reasons are the news.
func (s *transcript) Untried() []untried {
	var all []untried
	for _, c := range s.Checks {
		at := slices.IndexFunc(all, func(u untried) bool { return u.Reason == c.Detail })
		switch {
		case c.Status != skipped:
		case at < 0:
			all = append(all, untried{c.Check, c.Detail})
		default:
			all[at].Checks += ", " + c.Check
		}
	}
	return all
}

// Came says what all checks came to; the script of the live view has the same words.
func (s *transcript) Came() string {
	if s.Verdict.Status != "unchecked" {
		return stateName(s.Verdict.Status)
	}
	return strings.ReplaceAll(s.Tally(), skipped, stateName(skipped))
}

// treeRow is a line of the tree of files.
type treeRow struct {
	Path    string // of a folder, with a slash at its end
	Name    string
	Depth   int
	Attempt int
	Number  int // of a file, in the order of paths
	Folder  bool
	Current bool
}

// maxDepth is how far the tree is indented.
const maxDepth = 8

// Deep says that the rows above do not tell the path: a script has to be told.
func (r treeRow) Deep() bool { return r.Depth == maxDepth }

// Tree lists the files and their folders in the order of their paths.
func (s *transcript) Tree(current string) []treeRow {
	var rows []treeRow
	seen := map[string]bool{}
	for number, path := range s.paths() {
		for i, r := range path {
			if folder := path[:i+1]; r == '/' && !seen[folder] {
				seen[folder] = true
				rows = append(rows, row(folder, treeRow{Folder: true}))
			}
		}
		rows = append(rows, row(path, treeRow{Attempt: s.attempt(path), Number: number, Current: path == current}))
	}
	return rows
}

func row(path string, r treeRow) treeRow {
	bare := strings.TrimSuffix(path, "/")
	r.Path, r.Name = path, path[strings.LastIndexByte(bare, '/')+1:]
	r.Depth = min(strings.Count(bare, "/"), maxDepth)
	return r
}

// paths are those of the files, in their order.
func (s *transcript) paths() []string { return slices.Sorted(slices.Values(s.Transcript.Files)) }

func (s *transcript) attempt(path string) int {
	attempt, _ := s.Attempt(path)
	return attempt
}

// asked is the file that an address names, by its path or by its number: thousands
// of paths would be most of a page.
func (s *transcript) asked(address url.Values) string {
	if number, err := strconv.Atoi(address.Get("n")); err == nil {
		if paths := s.paths(); number >= 0 && number < len(paths) {
			return paths[number]
		}
	}
	return address.Get("file")
}

// Files counts them.
func (s *transcript) Files() int { return len(s.Transcript.Files) }

// room is how much of its first file a page has place for.
func (s *transcript) room() int {
	taken := weight(s.Memory())
	for _, d := range s.Decisions {
		taken += weight(d.Key+d.Key+d.Value+d.Reason) + 100
	}
	for _, c := range s.Checks {
		taken += weight(c.Check+c.Check+c.Detail+c.Version) + 100
	}
	for _, what := range s.LeftOut() {
		taken += weight(what)
	}
	return max(maxFirstText-taken, minFirstText)
}

// weight is how long a text is in a page, where some characters are written out.
func weight(text string) int {
	n := len(text)
	for _, c := range []byte(text) {
		switch c {
		case '<', '>', '&', '"', '\'', '+':
			n += len("&#34;") - 1
		}
	}
	return n
}

// beginning is as much of a text, in whole lines, as has the weight.
func beginning(text string, most int) (begun string, cut bool) {
	at := 0
	for line := range strings.Lines(text) {
		if most -= weight(line); most < 0 {
			return text[:at], true
		}
		at += len(line)
	}
	return text, false
}

// choose is the file that a page shows: the one that is asked for, else the one
// that is being written, else the one to begin with.
func (s *transcript) choose(asked string, live bool) string {
	if _, there := s.Attempt(asked); there || s.Files() == 0 {
		return asked
	}
	if live {
		return s.Latest
	}
	if _, there := s.Attempt("README.md"); there {
		return "README.md"
	}
	return slices.Min(s.Transcript.Files)
}

// shownFile is one file as far as it has been told.
type shownFile struct {
	Path string
	Size int64
	Cut  bool

	attempt int
	last    int64 // the event at which the transcript ends
	most    int   // how much text is shown
	weight  int   // of the text
	text    strings.Builder
}

// Text is the beginning of the file.
func (f *shownFile) Text() string { return f.text.String() }

// add takes one event in and says whether there may be more of the file.
func (f *shownFile) add(e svc.Event) bool {
	if e.Seq > f.last {
		return false
	}
	switch e.Name {
	case svc.EventToken:
		take(e.Data, f.addToken)
	case svc.EventToolStatus:
		take(e.Data, func(a svc.ToolStatusEvent) {
			if a.RunAttempt > 1 {
				*f = shownFile{Path: f.Path, last: f.last, most: f.most}
			}
		})
	case svc.EventStateUpdate, svc.EventMemoryUpdate, svc.EventCostSummary, svc.EventBundleReady, svc.EventError:
	}
	return true
}

func (f *shownFile) addToken(t svc.TokenEvent) {
	if t.File != f.Path || t.Attempt < f.attempt {
		return
	}
	if t.Attempt > f.attempt {
		*f = shownFile{Path: f.Path, last: f.last, most: f.most, attempt: t.Attempt}
	}
	f.Size = t.Offset + int64(len(t.Delta))
	if f.weight += weight(t.Delta); f.weight > f.most {
		f.Cut = true
	}
	if !f.Cut {
		f.text.WriteString(t.Delta)
	}
}
