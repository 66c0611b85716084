package main

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/html"
)

// A static site has no compiler. It builds if every page is whole and everything
// that a page or a style sheet refers to inside the site is there.

// siteRoots are where a site's first page may lie.
var siteRoots = []string{".", "site", "public", "docs", "src", "dist", "www"}

// siteRoot is the folder of the site; empty: this is none.
func (r result) siteRoot() string {
	for _, dir := range siteRoots {
		if _, ok := r.files[path.Join(dir, "index.html")]; ok {
			return dir
		}
	}
	return ""
}

// page is what one page refers to and can be referred to by.
type page struct {
	links []string
	ids   map[string]bool
	title bool
	whole bool // has a doctype
}

func readPage(text string) page {
	p := page{ids: map[string]bool{}}
	for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return p
		case html.DoctypeToken:
			p.whole = true
		case html.StartTagToken, html.SelfClosingTagToken:
			p.element(tokens.Token())
		}
	}
}

func (p *page) element(e html.Token) {
	p.title = p.title || e.Data == "title"
	for _, a := range e.Attr {
		switch a.Key {
		case "id", "name":
			p.ids[a.Val] = true
		case "href", "src":
			p.links = append(p.links, a.Val)
		}
	}
}

// brokenSite says what is wrong with the pages of a site.
func brokenSite(r result, root string) []string {
	pages := map[string]page{}
	for name, text := range r.files {
		if strings.HasSuffix(name, ".html") && inside(name, root) {
			pages[name] = readPage(text)
		}
	}
	var wrong []string
	for name, p := range pages {
		if !p.whole || !p.title {
			wrong = append(wrong, name+": no doctype or no title")
		}
		for _, link := range p.links {
			if problem := follow(r, pages, root, name, link); problem != "" {
				wrong = append(wrong, fmt.Sprintf("%s: %q %s", name, link, problem))
			}
		}
	}
	return wrong
}

func inside(name, root string) bool { return root == "." || strings.HasPrefix(name, root+"/") }

// follow says what is wrong with a link; empty: nothing, or it leads outside.
func follow(r result, pages map[string]page, root, from, link string) string {
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil {
		return "is no address"
	}
	if u.Scheme != "" || u.Host != "" {
		return ""
	}
	target := from
	switch {
	case strings.HasPrefix(u.Path, "/"):
		target = path.Join(root, u.Path)
	case u.Path != "":
		target = path.Join(path.Dir(from), u.Path)
	}
	if _, ok := r.files[target]; !ok {
		target = path.Join(target, "index.html")
		if _, ok := r.files[target]; !ok {
			return "is not there"
		}
	}
	if p, isPage := pages[target]; isPage && u.Fragment != "" && u.Fragment != "top" && !p.ids[u.Fragment] {
		return "leads to no place in its page"
	}
	return ""
}
