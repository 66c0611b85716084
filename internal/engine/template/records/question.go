package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/values"
)

// question takes a field that a clause tells in place of a name.
func (r *reader) question(s *said, n *grammar.Node) {
	first, next := strings.TrimRight(r.At(n.From).Low, "'s"), r.At(n.From+1).Low // what's broken
	rest := r.asked(n.From+1, n.To)
	counted := func(w string) bool { return english.IsPlural(w) || r.Is("field", w) }
	switch measure := r.Tables["how-measure"][next]; {
	case first == "when" && len(rest) > 1 && r.Is("soon", rest[0]): // when I last watered them
		s.name, s.kind = rest, values.DateTime
	case first == "when":
		s.name, s.kind = append([]string{first}, rest...), values.DateTime
	case first == "what" && len(rest) == 0: // what it is
		s.name, s.kind = []string{"description"}, values.Text
	case first == "what" && r.Is("determiner", next): // what the problem is
		s.name = rest
	case first == "what" && len(rest) > 0 && r.Is("how-measure", rest[0]) && (len(rest) == 1 || rest[1] == "for"): // what I paid for it
		s.name = strings.Split(r.Tables["how-measure"][rest[0]], "_")
	case first == "who" && next == "has":
		s.name, s.kind = []string{first, next, "it"}, values.Text
	case first == "how" && r.Is("how-much", next):
		s.name, s.kind = []string{first, next}, values.Text
	case first == "what" && r.whose(n.From): // what's wrong
		s.name, s.kind = append([]string{"whats"}, rest...), values.Text
	case first == "where" || first == "what":
		s.name, s.kind = append([]string{first}, rest...), values.Text
	case first == "who" && len(rest) < 2 && (len(rest) == 0 || r.done(rest[0])): // who did it, who donated it
		s.name, s.kind = append(rest, "by"), values.Text
		if len(rest) == 0 {
			s.name = []string{"done", "by"}
		}
	case first == "who" && len(rest) == 2 && r.Is("particle", rest[1]): // who it was lent to
		s.name, s.kind = rest, values.Text
	case first == "how" && measure != "":
		if s.name = strings.Split(measure, "_"); next == "often" { // how often it is watered
			s.name = append(s.name, rest[1:]...)
		}
	case first == "how" && r.Is("many-or-much", next):
		s.name, s.kind = r.counted(n.From+2, n.To), map[string]string{"many": values.Integer, "much": values.Number}[next]
		if one := r.Tables["how-measure"][strings.Join(s.name, " ")]; one != "" { // how much it weighs
			s.name = strings.Split(one, "_")
		} else if len(s.name) == 1 && r.done(s.name[0]) { // how many were made
			s.name = []string{map[string]string{"many": "number", "much": "amount"}[next], s.name[0]}
		} else if !slices.ContainsFunc(s.name, counted) && (next == "many" || r.Length(n.From+2, "narrator") > 0 || r.Is("someone", r.At(n.From+2).Low)) {
			s.name = append([]string{first, next}, s.name...)
		}
	case first == "who" || first == "how":
		s.name, s.kind = append([]string{first}, rest...), values.Text
	default:
		s.name, s.kind = rest, values.Truth
	}
}

// which takes what a clause behind the name of a field tells: the date it was set, the shelf it is on.
func (r *reader) which(s *said, n *grammar.Node) {
	last, rest := s.name[len(s.name)-1], r.asked(n.From, n.To)
	switch one := rest[max(0, len(rest)-1):]; {
	case len(s.name) == 1 && (r.exact(last) != nil || r.labelled(last, n.From-1, n.From)): // the event they attend
	case len(one) > 0 && (r.exact(one[0]) != nil || r.labelled(one[0], n.To-1, n.To)): // a president which is a member
		s.ref = english.Singular(one[0])
	case last == "time" && len(one) > 0 && r.Is("takes", one[0]): // the time it takes
		s.name, s.kind = []string{"duration"}, values.Number
	case r.Is("dates", last):
		if len(one) > 0 && (r.done(one[0]) || r.Is("particle", one[0])) { // but: the day they come
			s.name = append(s.name, rest...)
		}
		s.kind = map[string]string{"time": values.DateTime, "year": values.Integer, "date": values.Day, "day": values.Day}[last]
	case r.Length(n.From, "narrator") > 0 && len(one) > 0 && r.done(one[0]): // the price I paid, but not the bed they stand in, or the race they ran
		s.name = append(s.name, rest...)
	case r.Length(n.From, "narrator") > 0 && len(one) > 0 && r.Is("copula-inside", r.At(n.From).Low): // days they're free
		r.Refuse(r.said(n.From-1, n.To))
	}
}

// asked gives what a clause tells of a record, without the words that stand for it.
func (r *reader) asked(from, to int) (name []string) {
	for i := from; i < to; i++ {
		if low := r.At(i).Low; !r.Is("copula", low) && !r.Is("light", low) && r.Length(i, "narrator") == 0 && !r.Is("of-it", low) && !r.Is("someone", low) && !r.Is("whom", low) && low != "did" {
			name = append(name, spelled(r.At(i)))
		}
	}
	return name
}

// counted gives of what a clause tells how much there is: how much light they need, how many eggs they laid.
func (r *reader) counted(from, to int) []string {
	who := from
	for who < to && !r.Is("someone", r.At(who).Low) && r.Length(who, "narrator") == 0 {
		who++
	}
	what, does := r.asked(from, who), r.asked(who, to)
	if last := len(does) - 1; last > 0 && does[last] == "for" { // how much I paid for it
		does = does[:last]
	}
	switch n := len(does); {
	case n == 0 || len(what) == 0:
	case r.Is("needs", does[n-1]):
		does = []string{"needed"}
	case r.done(does[n-1]):
	default: // how much honey they gave
		does = nil
	}
	return append(what, does...)
}

// done says whether a word tells what was done: kilometres driven.
func (r *reader) done(w string) bool {
	return r.Is("participle", w) || english.HasSuffix(w, "ed", "en") && len(w) > 3 && !r.Is("setting-too", w) // a token
}
