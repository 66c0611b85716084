// Package answer reads what a model says: the content of a file between its marks,
// blocks that change a file, questions about the project, a JSON object.
//
// Models say more than they are asked: they greet, explain, think aloud and put
// fences around what they write. None of that is content. Where content cannot be
// told apart from what is around it the reading fails, and the error is written for
// the model, which is then asked again: nothing is guessed.
package answer

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Mark names the lines around the content of a file: <name> or <name path="…">
// before it, </name> after it.
type Mark string

// Open is the line before the content.
func (m Mark) Open() string { return "<" + string(m) + ">" }

// Close is the line after the content.
func (m Mark) Close() string { return "</" + string(m) + ">" }

var pathAttribute = regexp.MustCompile(`^ path="([^"\n]+)"$`)

// opens says whether a line is the one before the content, and which path it names.
func (m Mark) opens(line string) (named string, ok bool) {
	inner, ok := strings.CutPrefix(strings.TrimSpace(line), "<"+string(m))
	if !ok {
		return "", false
	}
	if inner, ok = strings.CutSuffix(inner, ">"); !ok {
		return "", false
	}
	if found := pathAttribute.FindStringSubmatch(inner); found != nil {
		return found[1], true
	}
	return "", inner == ""
}

func (m Mark) closes(line string) bool { return strings.TrimSpace(line) == m.Close() }

// ErrNone says that an answer has no content at all.
var ErrNone = errors.New("there is no content between the marks")

// Content reads the content of a file out of an answer. Its name tells whether
// fences may be a part of it, and the old text which remarks may. It also gives the path that the opening mark names, if
// it does. Every error but ErrNone says what could not be told apart.
func Content(text, name, old string, mark Mark) (content, named string, err error) {
	text, open := withoutThinking(text)
	lines := strings.SplitAfter(text, "\n")
	var starts, ends []int
	for i, line := range lines {
		if found, ok := mark.opens(line); ok {
			if starts = append(starts, i); named == "" {
				named = found
			}
		} else if mark.closes(line) {
			ends = append(ends, i)
		}
	}
	if len(starts) == 0 {
		content, err = fenced(lines, name, old)
		return content, "", err
	}
	inside := strings.Join(lines[starts[0]+1:], "")
	switch {
	case len(starts) > 1 || len(ends) > 1:
		return "", named, fmt.Errorf("%s or %s stands in a line of its own more than once, so where the content ends cannot be told", mark.Open(), mark.Close())
	case len(ends) == 1 && ends[0] < starts[0]:
		return "", named, fmt.Errorf("%s comes before %s", mark.Close(), mark.Open())
	case len(ends) == 1:
		inside = strings.Join(lines[starts[0]+1:ends[0]], "")
		if after := strings.Join(lines[ends[0]+1:], ""); open && strings.TrimSpace(after) != "" {
			return "", named, errors.New("the thinking was not closed, so what belongs to it cannot be told")
		}
	case strings.Count(inside, mark.Close()) == 1 && strings.HasSuffix(strings.TrimSpace(inside), mark.Close()):
		inside, _, _ = strings.Cut(inside, mark.Close()) // a last line without an end
	default:
		return "", named, fmt.Errorf("%s is missing in a line of its own after the content", mark.Close())
	}
	content, err = Clean(inside, name, old)
	return content, named, err
}

const fence = "```"

// isFence says whether a line is a fence, and what it says about its language.
func isFence(line string) (language string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), fence)
	rest = strings.TrimLeft(rest, "`")
	return strings.TrimSpace(rest), ok && !strings.Contains(rest, "`")
}

// fenced reads the one fenced block of an answer without marks.
func fenced(lines []string, name, old string) (string, error) {
	var at []int
	for i, line := range lines {
		if _, ok := isFence(line); ok {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return "", ErrNone
	}
	first, last := at[0], at[len(at)-1]
	if len(at) > 2 && !isProse(name) || len(at) == 1 {
		return "", errors.New("there are fences and no marks, so what belongs to the file cannot be told")
	}
	if isProse(name) && (strings.TrimSpace(strings.Join(lines[:first], "")) != "" || strings.TrimSpace(strings.Join(lines[last+1:], "")) != "") {
		return "", errors.New("there are fences and no marks, so what belongs to the file cannot be told")
	}
	return Clean(strings.Join(lines[first:last+1], ""), name, old)
}

// isProse knows files in which fences may stand.
func isProse(name string) bool {
	return slices.Contains([]string{".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc", ".qmd", ".rmd"}, strings.ToLower(path.Ext(name)))
}

var (
	preface = regexp.MustCompile(`(?i)^(here(’s|'s| is| are)|below is|this is|sure|certainly|of course|okay|i(’ve|'ve| have) )[^{};=<>]*[:!.]$`)
	// prosePreface knows those that no document begins with.
	prosePreface = regexp.MustCompile(`(?i)^(?:(?:here|below)\b.*\b(?:file|readme|content|document|version)\b.*:|(?:sure|certainly|of course|okay)[,!:.].*[:!.])$`)
	remark       = regexp.MustCompile(`(?i)^(let me know|(i )?hope (this|that|it)|feel free|please (let|note)|note that|this (file|code|version|implementation) |explanation:|that's it|enjoy)`)
)

// Clean takes the fence or the thinking off that stands around a content. An error
// says what else is there that is no part of a file. A line that the old text has is
// no remark.
func Clean(content, name, old string) (string, error) {
	content, err := Unwrap(content, name)
	said := strings.TrimSpace(content)
	if err != nil || said == "" {
		return content, err
	}
	first, last := firstLine(said), strings.TrimSpace(said[strings.LastIndexByte(said, '\n')+1:])
	begins, written := preface, isProse(name) || isNotice(name)
	if written {
		begins = prosePreface
	}
	switch {
	case begins.MatchString(first) && !strings.Contains(old, first):
		return "", fmt.Errorf("the content begins with a remark: %.80q", first)
	case !written && last != said && remark.MatchString(last) && !strings.Contains(old, last):
		return "", fmt.Errorf("the content ends with a remark: %.80q", last)
	}
	return content, nil
}

// isNotice knows files such as LICENSE, which are written for people.
func isNotice(name string) bool {
	base := path.Base(name)
	return strings.ToUpper(base) == base && !strings.Contains(base, ".")
}

// Unwrap takes the fence or the thinking off that stands around a text, or says why
// that cannot be told from it.
func Unwrap(content, name string) (string, error) {
	content = withoutLeadingThought(content)
	if strings.HasPrefix(strings.TrimSpace(content), "<think") && thinkOpen.MatchString(firstLine(content)) {
		return "", errors.New("the content begins with thinking that is not closed")
	}
	lines := strings.SplitAfter(content, "\n")
	first := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
	if first < 0 {
		return content, nil
	}
	last := len(lines) - 1
	for strings.TrimSpace(lines[last]) == "" {
		last--
	}
	language, fencedFirst := isFence(lines[first])
	end, fencedLast := isFence(lines[last])
	switch {
	case fencedFirst && fencedLast && last > first && end == "" && wraps(lines[first+1:last], language, name):
		inner := strings.Join(lines[first+1:last], "")
		return Unwrap(inner, name)
	case fencedFirst && isProse(name) && fencedLast && last > first && noFences(lines[first+1:last]):
		return "", errors.New("whether the fence around the content belongs to the file cannot be told")
	case fencedFirst && !isProse(name):
		return "", errors.New("the content begins with a fence, and there is something after the fence")
	}
	return content, nil
}

var elision = regexp.MustCompile(`(?i)^\W*(?:\.\.\.|…).*\b(?:rest|remaining|existing|unchanged|same|previous|other|omitted)\b|^\W*(?:the )?(?:rest|remainder|remaining|existing|previous|other)\b.*\b(?:unchanged|the same|as before|omitted|\.\.\.|goes here|stays?)\W*(?:\.\.\.|…)?\W*$`)

// Elided gives the first line of a text that stands for others, such as "... the rest
// is unchanged", unless it stood in the old text already.
func Elided(text, old string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if elision.MatchString(line) && !strings.Contains(old, line) {
			return line
		}
	}
	return ""
}

// wraps says whether a fence is around a content and no part of it.
func wraps(inner []string, language, name string) bool {
	if !isProse(name) {
		return true
	}
	if language != "" && language != "markdown" && language != "md" && language != "text" && language != "txt" {
		return false
	}
	if language == "" && noFences(inner) {
		return false
	}
	for _, line := range inner {
		if info, ok := isFence(line); ok {
			return info != "" // else it ends the first one
		}
	}
	return true
}

func noFences(lines []string) bool {
	return !slices.ContainsFunc(lines, func(l string) bool { _, ok := isFence(l); return ok })
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
