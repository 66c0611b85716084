package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// oldSection gives the section of the page that words name.
func (r *reader) oldSection(from, to int) string {
	said := strings.ToLower(r.told(from, to))
	k := slices.IndexFunc(r.old, func(old string) bool { return old == plaintext.Slug(said) || one(old) == plaintext.Slug(one(said)) })
	if k < 0 {
		return ""
	}
	return r.old[k]
}

// changePage reads what a later request changes of a page that has these sections, and says whether it could.
func (r *reader) changePage(sections []string) bool {
	r.old = sections
	tree, far := rules().Read("pagechange", r, 0, len(r.Tokens))
	if tree == nil {
		r.notUnderstood(far)
		return false
	}
	r.Kind = project.Site
	r.take(tree)
	for i, t := range r.Tokens {
		if t.Low == "page" && r.Is("article", r.At(i-1).Low) && r.At(i+1).Low == "about" {
			r.Leave("a page of its own", "a site of this engine is one page")
		}
	}
	r.finishPage()
	return len(r.Unknown)+len(r.Hearts) == 0
}

// change takes what becomes of sections and facts of a page.
func (r *reader) change(n *grammar.Node) {
	var old []string
	for _, p := range children(n, "{old", "{datum") {
		if p.Name == "{datum" {
			r.Dropped = append(r.Dropped, tables()["datum"][r.Words(p.From, p.To-p.From)])
		} else {
			old = append(old, r.oldSection(p.From, p.To))
		}
	}
	added := child(n, "{part", "{section", "{quoted")
	switch n.Note {
	case "removing":
		r.Removed = append(r.Removed, old...)
		return
	case "renaming":
		r.Moves = append(r.Moves, Move{old[0], "renamed", plaintext.Slug(strings.ReplaceAll(r.written(added.From, added.To), "&", "and"))})
		return
	case "adding":
		r.take(added)
		old = append([]string{r.Sections[len(r.Sections)-1]}, old...)
	}
	move := Move{Section: old[0], Where: child(n, "where2").Note}
	if len(old) > 1 {
		move.Other = old[1]
	}
	r.Moves = append(r.Moves, move)
}
