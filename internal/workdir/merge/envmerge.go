package merge

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc/internal/text/diff"
)

// envEntry is one assignment of a .env file.
type envEntry struct {
	key  string
	text string   // as written, without the line ending
	head []string // comment lines directly above
	gap  bool     // a blank line precedes
}

// EnvMerge adds the keys that the user's file lacks at its end, each with the
// comment directly above it in the bundle. A key that is there keeps its
// value, whatever the bundle has; a key that the user has commented out counts
// as missing.
func EnvMerge(in Input) Result {
	if r, done := trivialResult(in); done {
		return r
	}
	bom, src := splitBOM(in.Current)
	_, incoming := splitBOM(in.Incoming)
	theirs, err := parseEnv(incoming)
	if err != nil {
		return fileConflict(in, fmt.Sprintf("the incoming file cannot be read: %v", err))
	}
	if strings.Trim(src, " \t\r\n") == "" {
		return finish(in, Result{Content: []byte(bom + incoming), Added: []string{""}})
	}
	have, err := parseEnv(src)
	if err != nil {
		return fileConflict(in, fmt.Sprintf("your file cannot be read: %v", err))
	}
	known := make(map[string]bool, len(have))
	for _, e := range have {
		known[e.key] = true
	}
	count := make(map[string]int, len(theirs))
	for _, e := range theirs {
		count[e.key]++
	}
	present := make(map[string]bool)
	for _, line := range diff.SplitLines(src) {
		present[lineID(line)] = true
	}
	eol := eolOf(src)
	r := Result{}
	var out []string
	for _, e := range theirs {
		if known[e.key] {
			continue
		}
		known[e.key] = true
		if count[e.key] > 1 {
			r.Conflicts = append(r.Conflicts, Conflict{Where: e.key, Reason: "the bundle sets this key more than once", Outcome: Kept})
			continue
		}
		if e.gap && (len(out) > 0 || needsGap(src)) {
			out = append(out, "")
		}
		for _, c := range e.head {
			if !present[c] {
				present[c] = true
				out = append(out, c)
			}
		}
		out = append(out, withEOL(e.text, eol))
		r.Added = append(r.Added, e.key)
	}
	r.Content = in.Current
	if len(out) > 0 {
		r.Content = []byte(bom + appendLines(src, out, eol))
	}
	return finish(in, r)
}

// parseEnv reads the assignments of a .env file. Lines that are none are
// nothing to it; a quoted value may span lines.
func parseEnv(src string) ([]envEntry, error) {
	var entries []envEntry
	var head []string
	gap := false
	for at := 0; at < len(src); {
		end := lineEnd(src, at)
		next := min(len(src), end+len(lineBreak(src[end:])))
		line := strings.TrimSpace(src[at:end])
		key, valueAt, ok := envKey(src, at, end)
		switch {
		case line == "":
			head, gap = nil, true
		case strings.HasPrefix(line, "#"):
			head = append(head, lineID(line))
		case !ok:
			head, gap = nil, false
		default:
			stop, err := envValueEnd(src, valueAt, end)
			if err != nil {
				return nil, fmt.Errorf("line %d: the quote of %s does not end", 1+strings.Count(src[:at], "\n"), key)
			}
			stop = lineEnd(src, stop)
			entries = append(entries, envEntry{key: key, text: strings.TrimSpace(src[at:stop]), head: head, gap: gap})
			head, gap = nil, false
			next = min(len(src), stop+len(lineBreak(src[stop:])))
		}
		at = next
	}
	return entries, nil
}

// lineBreak is the line ending with which s begins.
func lineBreak(s string) string {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return "\r\n"
	case strings.HasPrefix(s, "\n"):
		return "\n"
	}
	return ""
}

// envKey finds KEY in a line such as "export KEY = value" and where the value
// begins.
func envKey(src string, at, end int) (key string, valueAt int, ok bool) {
	line := src[at:end]
	eq := strings.IndexByte(line, '=')
	if eq < 0 {
		return "", 0, false
	}
	key = strings.TrimSpace(line[:eq])
	if rest, exported := strings.CutPrefix(key, "export"); exported && rest != strings.TrimLeft(rest, " \t") {
		key = strings.TrimSpace(rest)
	}
	if key == "" || strings.ContainsAny(key, " \t#'\"`$") {
		return "", 0, false
	}
	valueAt = at + eq + 1
	for valueAt < end && (src[valueAt] == ' ' || src[valueAt] == '\t') {
		valueAt++
	}
	return key, valueAt, true
}

var errOpenQuote = errors.New("a quote does not end")

// envValueEnd is the offset after a value, which may be quoted over several
// lines.
func envValueEnd(src string, at, end int) (int, error) {
	if at >= end || strings.IndexByte("\"'`", src[at]) < 0 {
		return end, nil
	}
	quote := src[at]
	for i := at + 1; i < len(src); i++ {
		switch {
		case src[i] == '\\' && quote == '"':
			i++
		case src[i] == quote:
			return i + 1, nil
		}
	}
	return 0, errOpenQuote
}
