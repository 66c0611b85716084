package records

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/words"
)

// endsList tells of what ends a list of fields, and may be one of them as well: name, average, tests.
func (r *reader) endsList(n *grammar.Node) {
	if r.Is("ticks-off", r.said(n.From, n.To)) {
		r.ticked = n
	}
	said := r.said(n.From, n.To)
	if !r.Is("setting-too", said) && (r.ClassAt(n.From) != "given" || !english.IsPlural(said)) || r.At(n.From-1).Low != "," && r.At(n.From-1).Low != words.Bullet || r.At(n.From-1).Text == ";" || r.current == nil || len(r.current.Fields) == 0 || n.To < len(r.Tokens) && r.At(n.To).Low != "." && r.At(n.To).Low != ")" && !(r.At(n.To).Low == "," && settings.Is(r.Text, n.To+1)) {
		return
	}
	if last := r.current.Fields[len(r.current.Fields)-1].Name; !strings.HasSuffix(last, spelled(r.At(n.From-2))) {
		return
	}
	if r.ClassAt(n.From) != "given" {
		r.Refuse(said)
	}
	r.Leave(said, "taken for a part of the project, and for no field")
}

// guard takes who needs a token; a token is asked for by every request, whoever makes it.
func (r *reader) guard(n *grammar.Node) {
	r.Auth = "token"
	if r.Any("changes", n.From, n.To) || r.At(n.From).Low == "only" {
		r.Leave(r.said(n.From, n.To), "a token is asked for by every request")
	}
}

// lasts takes whether records are to outlive a restart.
func (r *reader) lasts(n *grammar.Node) {
	stays, denied := r.Any("stays", n.From, n.To), r.Any("never", n.From, n.To)
	switch {
	case stays != denied:
		r.durable = n
	case stays || r.Any("fine", n.From, n.To): // need not survive, may be lost
		r.Leave(r.said(n.From, n.To), "records live in memory")
	default: // they are lost now
		r.Refuse(r.said(n.From, n.To))
	}
}

// outlive puts records into a file that are to outlive a restart where nothing else keeps them.
func (r *reader) outlive() {
	memory := r.Any("memory", 0, len(r.Tokens))
	switch {
	case r.durable == nil:
	case memory && (r.Database == project.None || r.Database == ""):
		r.Refuse(r.said(r.durable.From, r.durable.To))
	case r.Database == "", r.Database == project.None, r.Database == project.AnyDatabase:
		r.Database = project.File
	}
}

// either takes one of several languages or tokens that are all right: Go if it is among them, else the first.
func (r *reader) either(n *grammar.Node) {
	said := r.said(n.From, n.To)
	var all []string
	for i := n.From; i < n.To; i++ {
		switch m, k := r.Phrase(i); m.Class {
		case "language":
			all = append(all, m.Value)
		case "heart": // fastapi or just python
			r.Leave(r.said(i, i+k), m.Value)
		}
	}
	if len(all) == 0 {
		r.Auth = "token"
		if strings.Contains(said, "jwt") || strings.Contains(said, "basic") {
			r.Leave(said, "a token is sent as Authorization: Bearer")
		}
		return
	}
	chosen := all[0]
	if slices.Contains(all, project.Go) {
		chosen = project.Go
	}
	if r.Language != "" && r.Language != chosen {
		r.Hearts = append(r.Hearts, settings.Omission{What: "two languages"})
	}
	if r.Language = chosen; len(all) > 1 {
		r.Leave(said, "a project has one language: "+chosen)
	}
}

// background leaves out who asks, and what for; where that asks for more than a project does, it says so.
func (r *reader) background(n *grammar.Node) {
	from, why := n.From, settings.Background
	switch {
	case n.Name == "owner":
		from = r.After(from, "a", "an", "the", "my", "our", "his", "her", "their")
	case n.Name == "why" && r.At(from).Low == "so":
		why = cmp.Or(r.beyond(from, n.To), why)
	}
	r.Leave(r.said(from, n.To), why)
}

// beyond says why a clause is left out that holds a word for more than a project does, or nothing.
func (r *reader) beyond(from, to int) (why string) {
	if r.unparted(strings.Fields(r.said(from, to))) { // email status change date
		return ""
	}
	for k, n := from, 0; k < to; k += max(n, 1) {
		var m glossary.Meaning
		m, n = r.Phrase(k)
		named := r.Is("also-name", r.Words(k, n))
		switch {
		case m.Class == "heart" && !r.soft(m.Value) && !named, m.Class == "kind" && m.Value != project.API, m.Class == "language":
			return ""
		case why != "" || named:
		case m.Class == "detail" && m.Value != "dates" && m.Value != "unique values", m.Class == "heart":
			why = m.Value
		case r.Is("does-more", r.At(k).Low) && !r.At(k).Mark:
			why = "more than keeping records"
		}
	}
	return why
}

// soft says whether what cannot be had can be left out of a project that keeps records.
func (r *reader) soft(why string) bool {
	_, last, _ := strings.Cut(why, ", ")
	return r.Is("soft-heart", why) || r.Is("soft-heart", last)
}

// leaveOut leaves a clause out of a project that keeps records.
func (r *reader) leaveOut(n *grammar.Node, why string) {
	if said := r.said(n.From, n.To); len(r.Things) > 0 {
		r.Leave(said, why)
	} else {
		r.notUnderstood(n.To-1, said)
	}
}
