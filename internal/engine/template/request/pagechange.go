package request

import (
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// oldSection gives the section of the page that words name.
func (r *reader) oldSection(from, to int) string {
	said := strings.ToLower(r.told(from, to))
	if r.At(from).Quoted {
		said = strings.ToLower(r.At(from).Text)
	}
	k := slices.IndexFunc(r.old, func(old string) bool { return old == plaintext.Slug(said) || one(old) == plaintext.Slug(one(said)) })
	if k < 0 {
		return ""
	}
	return r.old[k]
}

// changePage reads what a later request changes of a page that has these sections, and says whether it could.
func (r *reader) changePage(sections []string, hours string) bool {
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
	some := slices.ContainsFunc(r.Tokens, func(t words.Token) bool { return t.Low == "closed" || t.Low == "also" })
	if r.Hours != "" && strings.Contains(r.said(0, len(r.Tokens)), "also open") || hours != "" && r.Hours != "" && (some || r.days(r.Hours) == 1 && r.days(hours) != 1) { // closed on mondays: and open as before?
		r.Refuse(r.Hours + ": tell all the hours")
	}
	r.finishPage()
	return len(r.Unknown)+len(r.Hearts) == 0
}

// days counts the days that some hours name.
func (r *reader) days(hours string) (sum int) {
	for _, w := range strings.FieldsFunc(strings.ToLower(hours), func(c rune) bool { return !unicode.IsLetter(c) }) {
		if is("day", w) && w != "daily" {
			sum++
		}
	}
	return sum
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
	if n.Note == "renaming" && added == nil {
		added = child(n, "{capname")
	}
	switch n.Note {
	case "removing":
		r.Removed = append(r.Removed, old...)
		return
	case "renaming":
		r.Moves = append(r.Moves, Move{old[0], "renamed", plaintext.Slug(strings.ReplaceAll(r.written(added.From, added.To), "&", "and"))})
		return
	case "movingit":
		if len(r.Sections) == 0 {
			r.Refuse(r.Written(n.From, n.To))
			return
		}
		old = append([]string{r.Sections[len(r.Sections)-1]}, old...)
	case "swapping":
		first, second := old[0], old[1]
		if slices.Index(r.old, first) > slices.Index(r.old, second) {
			first, second = second, first
		}
		back := Move{Section: second, Where: "first"}
		if i := slices.Index(r.old, first); i > 0 {
			back = Move{second, "behind", r.old[i-1]}
		}
		r.Moves = append(r.Moves, Move{first, "behind", second}, back)
		return
	case "ordering":
		for i, section := range old {
			if move := (Move{Section: section, Where: "first"}); i == 0 {
				r.Moves = append(r.Moves, move)
			} else {
				r.Moves = append(r.Moves, Move{section, "behind", old[i-1]})
			}
		}
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
