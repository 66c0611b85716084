package validate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

const maxHTML = 1 << 20

// void are the elements that have no end, optional those whose end may be left out.
var (
	void = []string{
		"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
	}
	optional = []string{
		"html", "head", "body", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup", "caption",
		"option", "optgroup", "rp", "rt",
	}
)

// isTemplate says that something fills the page in before it is one.
func isTemplate(content []byte) bool {
	return bytes.Contains(content, []byte("{{")) || bytes.Contains(content, []byte("{%")) || bytes.Contains(content, []byte("<%"))
}

// open is an element whose end is awaited.
type openElement struct {
	name string
	line int
}

// eachToken visits the tokens of a page, each with the line that it begins in. A
// template has none. The error is that of visit, or of what cannot be read.
func eachToken(content []byte, visit func(z *html.Tokenizer, kind html.TokenType, line int) error) error {
	if isTemplate(content) {
		return nil
	}
	z := html.NewTokenizer(bytes.NewReader(content))
	for line := 1; ; {
		kind := z.Next()
		at := line
		line += bytes.Count(z.Raw(), []byte{'\n'})
		if kind == html.ErrorToken {
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return fmt.Errorf("line %d: %w", at, err)
			}
			return nil
		}
		if err := visit(z, kind, at); err != nil {
			return err
		}
	}
}

// checkHTML finds elements that are never closed and ends of what was never opened.
func checkHTML(content []byte) error {
	var open []openElement
	err := eachToken(content, func(z *html.Tokenizer, kind html.TokenType, line int) (err error) {
		switch kind {
		case html.StartTagToken:
			name, _ := z.TagName()
			if !slices.Contains(void, string(name)) {
				open = append(open, openElement{string(name), line})
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			open, err = closeElement(open, string(name), line)
		}
		if len(open) > 10*maxNesting {
			return fmt.Errorf("line %d: elements are nested more than %d deep", line, 10*maxNesting)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, o := range open {
		if !slices.Contains(optional, o.name) {
			return fmt.Errorf("line %d: the element <%s> is not closed", o.line, o.name)
		}
	}
	return nil
}

// closeElement takes an element and what may end with it from those that are open.
func closeElement(open []openElement, name string, line int) ([]openElement, error) {
	if slices.Contains(void, name) || name == "p" { // </p> alone is an empty paragraph
		if i := lastOpen(open, name); i < 0 {
			return open, nil
		}
	}
	i := lastOpen(open, name)
	if i < 0 {
		return nil, fmt.Errorf("line %d: </%s> ends an element that was not begun", line, name)
	}
	for _, inner := range open[i+1:] {
		if !slices.Contains(optional, inner.name) {
			return nil, fmt.Errorf("line %d: the element <%s> is not closed before </%s> in line %d", inner.line, inner.name, name, line)
		}
	}
	return open[:i], nil
}

func lastOpen(open []openElement, name string) int {
	for i := len(open) - 1; i >= 0; i-- {
		if open[i].name == name {
			return i
		}
	}
	return -1
}

// links are the attributes that name other files.
var links = map[string]string{"href": "", "src": "", "poster": "", "data": "object"}

// errElsewhere says that links of a page are relative to another place.
var errElsewhere = errors.New("the links lead elsewhere")

// deadLinks says which links and assets of a page lead to no file of the tree.
func deadLinks(name string, content []byte, files map[string]bool) []string {
	var dead []string
	err := eachToken(content, func(z *html.Tokenizer, kind html.TokenType, line int) error {
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			return nil
		}
		tag, more := z.TagName()
		if string(tag) == "base" {
			return errElsewhere
		}
		for more {
			var key, value []byte
			key, value, more = z.TagAttr()
			only, known := links[string(key)]
			if !known || only != "" && only != string(tag) {
				continue
			}
			if target := strings.TrimSpace(string(value)); !leadsSomewhere(name, target, files) {
				dead = append(dead, fmt.Sprintf("line %d: %s=%q leads to no file of the project", line, key, Cut(target, 100)))
			}
		}
		return nil
	})
	if errors.Is(err, errElsewhere) {
		return nil
	}
	return dead // what cannot be read is found by checkHTML
}

// leadsSomewhere judges relative links alone. One from the root is relative to
// whatever folder is served: any folder above the page may be that.
func leadsSomewhere(page, target string, files map[string]bool) bool {
	target, _, _ = strings.Cut(target, "#")
	target, _, _ = strings.Cut(target, "?")
	scheme, _, hasColon := strings.Cut(target, ":")
	if target == "" || strings.HasPrefix(target, "//") || hasColon && !strings.Contains(scheme, "/") || strings.ContainsAny(target, "{}$%<>") {
		return true
	}
	if path.Ext(target) == "" || strings.HasSuffix(target, "/") {
		return true // a route, or a folder
	}
	if rest, rooted := strings.CutPrefix(target, "/"); rooted {
		for dir := path.Dir(page); ; dir = path.Dir(dir) {
			if files[path.Join(dir, rest)] || files[path.Join(dir, "public", rest)] || files[path.Join(dir, "static", rest)] {
				return true
			}
			if dir == "." {
				return false
			}
		}
	}
	dir := path.Dir(page)
	return files[path.Join(dir, target)] || files[path.Join(dir, "public", target)]
}
