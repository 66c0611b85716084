package llm

import (
	"crypto/sha256"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bundle-delivery/svc/internal/engine/llm/answer"
)

// What one session may look at: so often, so much of one file at a time, and so much
// in all.
const (
	maxLookups     = 40
	maxLookupBytes = 160 << 10
	maxShownAtOnce = 32 << 10
	maxMatches     = 40
	maxMatchLine   = 240
	maxSearched    = 2 << 20  // of one file
	maxSearchedAll = 64 << 20 // in one search
	maxListed      = 200
)

// lookup answers a read or a search, within the session's budget.
func (s *session) lookup(a answer.Action) string {
	if s.lookups++; s.lookups > maxLookups || s.seen > maxLookupBytes {
		return "There is nothing left of what may be looked up here. Go on with what you know."
	}
	var text string
	if a.Name == answer.Read {
		text = s.readFile(a)
	} else {
		text = s.search(a.Text, a.Path)
	}
	s.seen += len(text)
	return text
}

// readFile shows lines of a file, or the names in a folder.
func (s *session) readFile(a answer.Action) string {
	name := strings.TrimPrefix(a.Path, "./")
	if !slices.Contains(s.view.paths(), name) {
		if list := s.list(strings.TrimSuffix(name, "/")); list != "" {
			return list
		}
		return fmt.Sprintf("There is no file %.200q.%s", a.Path, s.similar(name))
	}
	content, err := s.view.read(name)
	if err != nil {
		return "It cannot be read: " + err.Error()
	}
	text, whole := showLines(name, content, a.From, a.To)
	s.shown[name] = s.shown[name] || whole
	return text
}

// list names the files in a folder.
func (s *session) list(folder string) string {
	var out strings.Builder
	count := 0
	for _, name := range s.view.paths() {
		if folder != "" && folder != "." && !strings.HasPrefix(name, folder+"/") {
			continue
		}
		if count++; count <= maxListed {
			out.WriteString(name + "\n")
		}
	}
	if count > maxListed {
		fmt.Fprintf(&out, "and %d more\n", count-maxListed)
	}
	return out.String()
}

// similar names a file that may have been meant.
func (s *session) similar(name string) string {
	for _, other := range s.view.paths() {
		if path.Base(other) == path.Base(name) || strings.EqualFold(other, name) {
			return " There is " + other + "."
		}
	}
	return ""
}

// showLines shows the lines of a text from one to another, counted from 1, exactly as
// they are, and says whether that is all of it.
func showLines(name, content string, from, to int) (shown string, whole bool) {
	if !utf8.ValidString(content) {
		return name + " is no text.", false
	}
	lines := strings.SplitAfter(content, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if from = max(from, 1); to <= 0 || to > len(lines) {
		to = len(lines)
	}
	if from > to {
		return fmt.Sprintf("%s has %d lines.", name, len(lines)), len(lines) == 0
	}
	size, last := 0, from-1
	for last < to && size+len(lines[last]) <= maxShownAtOnce {
		size += len(lines[last])
		last++
	}
	text, note := strings.Join(lines[from-1:last], ""), ""
	if last < from { // one line is more than can be shown
		text = strings.ToValidUTF8(lines[from-1][:maxShownAtOnce], "")
		last, note = from, fmt.Sprintf(" Line %d is shown in part; search shows what is around a match in it.", from)
	}
	if last < to {
		note += fmt.Sprintf(" The rest did not fit: go on reading from line %d.", last+1)
	}
	whole = from == 1 && last == len(lines) && note == ""
	return frame(name, fmt.Sprintf(" lines=\"%d-%d of %d\"", from, last, len(lines)), text) + note, whole
}

// frame puts a file's text between tags that cannot stand in it: the text is shown as
// it is, since what is shown is what a model has to quote.
func frame(name, attributes, text string) string {
	mark := fmt.Sprintf("%.4x", sha256.Sum256([]byte(text)))
	end := "\n"
	if strings.HasSuffix(text, "\n") || text == "" {
		end = ""
	}
	return fmt.Sprintf("<file path=%q%s mark=%q>\n%s%s</file %s>\n", name, attributes, mark, text, end, mark)
}

// search finds the lines that match a pattern, or hold it as a text.
func (s *session) search(pattern, within string) string {
	if strings.TrimSpace(pattern) == "" {
		return "There is nothing to search for."
	}
	matches, err := regexp.Compile(pattern)
	if err != nil {
		matches = regexp.MustCompile(regexp.QuoteMeta(pattern))
	}
	within = strings.Trim(strings.TrimPrefix(within, "./"), "/")
	if within == "." {
		within = ""
	}
	var out strings.Builder
	found, skipped, left := 0, 0, maxSearchedAll
	for _, name := range s.view.paths() {
		if within != "" && name != within && !strings.HasPrefix(name, within+"/") {
			continue
		}
		content, err := s.view.read(name)
		if err != nil || len(content) > maxSearched {
			if skipped++; skipped <= maxMatches {
				fmt.Fprintf(&out, "%s was not searched: it is too large, or cannot be read.\n", name)
			}
			continue
		}
		if !utf8.ValidString(content) {
			continue
		}
		if left -= len(content); left < 0 || found >= maxMatches {
			out.WriteString("There is more; search for something rarer, or in a folder.\n")
			break
		}
		number := 0
		for line := range strings.Lines(content) {
			number++
			at := matches.FindStringIndex(line)
			if at == nil {
				continue
			}
			if found++; found > maxMatches {
				break
			}
			fmt.Fprintf(&out, "%s:%d: %s\n", name, number, around(strings.TrimRight(line, "\r\n"), at[0]))
		}
	}
	if found == 0 {
		out.WriteString("Nothing was found.")
	}
	return out.String()
}

// around is a line, or of a long one what is around a place in it.
func around(line string, at int) string {
	if len(line) <= maxMatchLine {
		return line
	}
	from := max(0, min(at-maxMatchLine/4, len(line)-maxMatchLine))
	part := strings.ToValidUTF8(line[from:from+maxMatchLine], "")
	if from > 0 {
		part = "…" + part
	}
	if from+maxMatchLine < len(line) {
		part += "…"
	}
	return part
}
