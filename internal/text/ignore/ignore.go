// Package ignore matches paths against .gitignore files that others wrote, at a
// bounded cost.
//
// The bounds are those of whole files, of all patterns together and of the shape
// of one pattern. What exceeds them is an error: a pattern that is passed over
// would let through what it should have kept out.
package ignore

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/git-pkgs/gitignore"
)

const (
	// Name is what the files are called.
	Name = ".gitignore"
	// MaxFile is the size of one file in bytes.
	MaxFile = 64 << 10
	// MaxPatterns is the number of patterns of all files together.
	MaxPatterns = 1000
	// maxPattern is the length of one pattern in bytes.
	maxPattern = 1024
	// groupSize is how many patterns are matched before the context is looked at.
	groupSize = 8
)

// Rules are the patterns of any number of files. The zero value has none.
type Rules struct {
	groups   []group
	patterns int
}

// group is a few patterns of one file.
type group struct {
	folder  string // of the file, with a slash at the end; empty: the top
	matcher *gitignore.Matcher
}

// A LimitError names the file whose patterns exceed a bound.
type LimitError struct {
	File   string
	Reason string
}

func (e *LimitError) Error() string { return e.File + " " + e.Reason }

// TooLarge returns the error for a file that has more than MaxFile bytes.
func TooLarge(file string) error {
	return &LimitError{file, fmt.Sprintf("has more than %d bytes; shorten it", MaxFile)}
}

// Add adds the patterns of a file, which hold below folder; empty: the top. name
// stands for the file in errors. The rules are unchanged after a LimitError.
func (r *Rules) Add(text []byte, folder, name string) error {
	if len(text) > MaxFile {
		return TooLarge(name)
	}
	var patterns []string
	number := 0
	for line := range bytes.Lines(text) {
		number++
		pattern := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if strings.Trim(pattern, " ") == "" || pattern[0] == '#' {
			continue
		}
		if reason := unbounded(pattern); reason != "" {
			return &LimitError{name, fmt.Sprintf("has a pattern in line %d that %s", number, reason)}
		}
		if r.patterns+len(patterns) == MaxPatterns {
			return &LimitError{name, fmt.Sprintf("exceeds %d patterns in all; remove or merge some", MaxPatterns)}
		}
		patterns = append(patterns, pattern)
	}
	r.patterns += len(patterns)
	for len(patterns) > 0 {
		n := min(len(patterns), groupSize)
		g := group{matcher: &gitignore.Matcher{}}
		if folder != "" {
			g.folder = folder + "/"
		}
		g.matcher.AddPatterns([]byte(strings.Join(patterns[:n], "\n")), folder)
		r.groups = append(r.groups, g)
		patterns = patterns[n:]
	}
	return nil
}

var (
	// bracketed matches patterns in which every bracket is closed: one that is not
	// costs a search to the end of the pattern at each character of a path.
	bracketed = regexp.MustCompile(`(?s)^(?:\\.|[^\[\\]|\[[!^]?\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*\])*\\?$`)
	// class matches a named class of characters.
	class = regexp.MustCompile(`\[:[a-z]+:\]`)
)

// unbounded returns why matching a pattern could cost more than its length times
// that of a path; empty: it does not.
func unbounded(pattern string) string {
	switch {
	case len(pattern) > maxPattern:
		return fmt.Sprintf("is longer than %d bytes; shorten it", maxPattern)
	case !bracketed.MatchString(pattern) || strings.Contains(class.ReplaceAllString(pattern, ""), "[:"):
		return `has an open bracket; close it, or write \[`
	}
	return ""
}

// Match reports whether a path, relative to the top and with slashes, is ignored.
// The last pattern that matches decides. It returns the cause of the context's end.
func (r *Rules) Match(ctx context.Context, name string, folder bool) (bool, error) {
	path := name
	if folder {
		path += "/"
	}
	for i := len(r.groups) - 1; i >= 0; i-- {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		g := &r.groups[i]
		if !strings.HasPrefix(name, g.folder) {
			continue
		}
		if found := g.matcher.MatchDetail(path); found.Matched {
			return found.Ignored, nil
		}
	}
	return false, nil
}
