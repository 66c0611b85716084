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

// checkHTML finds elements that are never closed and ends of what was never opened.
func checkHTML(content []byte) error {
	if isTemplate(content) {
		return nil
	}
	var open []openElement
	z := html.NewTokenizer(bytes.NewReader(content))
	line := 1
	for {
		kind := z.Next()
		at := line
		line += bytes.Count(z.Raw(), []byte{'\n'})
		switch kind {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return fmt.Errorf("line %d: %w", at, err)
			}
			for _, o := range open {
				if !slices.Contains(optional, o.name) {
					return fmt.Errorf("line %d: the element <%s> is not closed", o.line, o.name)
				}
			}
			return nil
		case html.StartTagToken:
			name, _ := z.TagName()
			if !slices.Contains(void, string(name)) {
				open = append(open, openElement{string(name), at})
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			var err error
			if open, err = closeElement(open, string(name), at); err != nil {
				return err
			}
		}
		if len(open) > 10*maxNesting {
			return fmt.Errorf("line %d: elements are nested more than %d deep", at, 10*maxNesting)
		}
	}
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

// deadLinks says which links and assets of a page lead to no file of the tree.
func deadLinks(name string, content []byte, files map[string]bool) []string {
	if isTemplate(content) {
		return nil
	}
	var dead []string
	z := html.NewTokenizer(bytes.NewReader(content))
	line := 1
	for {
		kind := z.Next()
		at := line
		line += bytes.Count(z.Raw(), []byte{'\n'})
		if kind == html.ErrorToken {
			return dead
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		tag, more := z.TagName()
		if string(tag) == "base" {
			return nil // they lead elsewhere
		}
		for more {
			var key, value []byte
			key, value, more = z.TagAttr()
			only, known := links[string(key)]
			if !known || only != "" && only != string(tag) {
				continue
			}
			if target := strings.TrimSpace(string(value)); !leadsSomewhere(name, target, files) {
				dead = append(dead, fmt.Sprintf("line %d: %s=%q leads to no file of the project", at, key, Cut(target, 100)))
			}
		}
	}
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
