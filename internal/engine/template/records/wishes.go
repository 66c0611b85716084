package records

import (
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/words"
)

// allOperations is why a project does more with its records than was asked for.
const allOperations = "every record gets all operations"

// wishes looks at what is asked of the project as a whole: none of it may be lost, whatever it was read as.
func (r *reader) wishes() {
	if !r.command {
		r.operations()
		r.reasons()
		r.ofProject()
		r.guarded()
	}
}

// ofProject refuses sentences that tell of the project, its answers and those who ask it, and were taken for what records hold: each
// response should have a status code, the path should be /kitties.
func (r *reader) ofProject() {
	for k, s := range sentences(r.Text) {
		for _, t := range slices.Clone(r.Things) {
			if t.at >= s[0] && t.at < s[1] && t != r.Things[0] && (k > 0 && r.aboutProject(t) || r.headed(t)) {
				r.Refuse(r.said(max(s[0], t.at-1), s[1]))
				r.Things = slices.DeleteFunc(r.Things, func(o *Thing) bool { return o == t })
			}
		}
		at := r.After(s[0], "the", "all", "our", "its", "each", "every", "base")
		low := r.At(at).Low
		ruled := r.Is("field", low) && !r.Is("token-word", low) && r.needs(r.After(at+2, "be")) != "" // the url is required
		if !ruled && r.After(at+1, "is", "are", "should", "must", "will", "shall") > at+1 && r.Is("of-project-value", low) && !r.elsewhere(at, at+1) && r.isName(at, at+1) {
			r.Refuse(r.said(s[0], s[1]))
		}
	}
	for i := range r.Tokens {
		if n := r.After(i+1, "(", ":", "as", "a", "should", "must", "is", "are", "be"); r.Is("own-id", r.At(i).Low) && r.Is("other-id", r.At(n).Low) && !(n == i+1 && r.isName(i, n+1)) { // id (uuid), but not an id number
			r.Leave(r.At(i).Low+" as "+r.At(n).Low, "ids are random texts")
		}
		if r.Is("flat-or-solid", r.At(i).Low) && r.hasName(english.Singular(r.At(i+1).Low)) && !r.isName(i, i+1) { // 3D prints
			r.Leave(r.Words(i, 2), "names begin with a letter")
		}
		if n := r.Length(i, "memory-database"); n > 0 {
			r.Refuse(r.Words(i, n))
		}
	}
}

// aboutProject says whether a thing is none, as only one sentence tells of it, and nothing has to do with it: it is a word for what is
// sent to a project or by it, or must have something, or may do something.
func (r *reader) aboutProject(t *Thing) bool {
	behind := t.at + len(strings.Fields(t.said))
	if len(t.Parents) > 0 || r.At(behind).Mark || slices.ContainsFunc(r.Things, func(o *Thing) bool { return o != t && r.related(o, t) }) {
		return false
	}
	wish := func(f Field) bool { _, last := cutLast(f.Name); return r.Is("granted", last) }
	obliged := r.obliged(t) && !r.elsewhere(t.at, behind) && t.field("name") == nil && t.field("title") == nil && !slices.ContainsFunc(r.Things, func(o *Thing) bool { return o != t && r.obliged(o) })
	return r.Is("of-project", t.Name) || obliged || len(t.Fields) > 0 && !slices.ContainsFunc(t.Fields, func(f Field) bool { return !wish(f) })
}

// headed says whether a thing is but the heading of what else is told of the project, or of what it is for: framework: gin. Nothing
// else tells of it, and nothing that stands below it is what records hold.
func (r *reader) headed(t *Thing) bool {
	asked, end := r.Things[0], t.at+len(strings.Fields(t.said))
	if r.At(end).Low != ":" || len(t.Parents) > 0 || t.known || r.elsewhere(t.at, end) || slices.ContainsFunc(r.Things, func(o *Thing) bool { return o != t && r.related(o, t) }) {
		return false
	}
	held := func(f Field) bool {
		_, last := cutLast(f.Name)
		return !strings.Contains(f.Name, "_or_") && (f.told != "" || f.Ref != "" || f.Choices != nil || r.Is("field", last) && !r.Is("has-phone", last))
	}
	return r.Is("project-heading", t.said) || r.Is("operations-head", t.said) || r.Is("aspect", t.said) || !r.Ends(asked.at-1) && !slices.ContainsFunc(t.Fields, held)
}

// obliged says whether a sentence tells what things must have: members must have an email.
func (r *reader) obliged(t *Thing) bool {
	for i, w := range r.Tokens {
		if !w.Mark && english.Singular(w.Low) == t.Name[strings.LastIndex(t.Name, "_")+1:] && r.Is("may", r.At(i+1).Low) {
			return true
		}
	}
	return false
}

// guarded tells of wishes for privacy where no token is asked for, whatever they were read as: only I can access it.
func (r *reader) guarded() {
	if r.Auth == "token" || r.Auth == project.None { // only I use it, no login
		return
	}
	for i := 0; i < len(r.Tokens); i++ {
		n := r.Length(i, "private-wish")
		if n == 0 || r.isName(i, i+n) || r.Is("personal", r.At(i).Low) && r.ClassAt(i+n) != "kind" && !r.Is("copula", r.At(i-1).Low) {
			continue
		}
		from, to := i, r.NextMark(i)
		for ; from > 0 && !r.At(from-1).Mark; from-- {
		}
		if r.ClassAt(i+n) == "kind" { // a private API
			from, to = i, i+n
		}
		if i = to; r.Any("token-word", from, to) { // and no field
			r.Refuse(r.said(from, to))
		}
		r.instead(r.said(from, to), "roles and permissions")
	}
}

// operations tells that every record gets all operations where only some of them are named, or records are not to be changed.
func (r *reader) operations() {
	var said []string
	named := map[string]bool{}
	for _, s := range sentences(r.Text) {
		var all []int
		ops, only := map[string]bool{}, false
		for i := s[0]; i < s[1]; i++ {
			if n := r.Length(i, "operations-limited"); n > 0 && r.isName(i, i+n) && r.asWish(i, i+n) { // immutable entries, append-only
				r.Refuse(r.Words(i, n))
			} else if n > 0 && !r.isName(i, i+n) {
				r.instead(r.Words(i, n), allOperations)
			}
			if op := r.operation(i); op != "" {
				ops[op], all = true, append(all, i)
				only = only || r.method(i) || r.Length(s[0], "operations-head") > 0 || r.Any("restricts", max(s[0], i-3), i) || r.Is("restricts", r.At(i+1).Low)
			}
		}
		if guarded := slices.ContainsFunc(r.Tokens[s[0]:s[1]], func(t words.Token) bool { return r.Is("token-word", t.Low) }); (len(ops) > 1 || only) && !guarded {
			maps.Copy(named, ops)
			said = append(said, r.doings(all))
		}
	}
	if named["create"] && named["update"] && named["delete"] || r.Any("all-operations", 0, len(r.Tokens)) {
		return
	}
	for _, each := range said {
		r.instead(each, allOperations)
	}
}

// heldBy takes what values or records are held to in words that no rule is read from: of a field only what no rule says, as a limit that
// was not understood would be lost.
func (r *reader) heldBy(n *grammar.Node) {
	why := "rules between records"
	rest, name := n.Parts[len(n.Parts)-1], n.Parts[len(n.Parts)-3]
	field := r.exact(r.nameOf(name.From, name.To)) == nil && len(r.owners(r.nameOf(name.From, name.To))) > 0
	all := strings.Fields(r.said(rest.From, rest.To))
	switch {
	case !field:
	case r.Any("compares", rest.From, rest.To) && slices.ContainsFunc(all, func(w string) bool { return len(r.owners(w)) > 0 }):
		why = "rules between fields"
	case r.Any("hides", rest.From, rest.To):
		why = "every answer has all fields"
	case r.Any("reckoned", rest.From, rest.To):
		why = "values that are computed"
	case r.limits(all):
		r.Refuse(r.said(n.From, n.To))
		return
	default:
		why = "rules that fields do not have"
	}
	r.leaveOut(n, why)
}

// limits says whether one of some words is of a rule that there is for fields.
func (r *reader) limits(all []string) bool {
	return slices.ContainsFunc(all, func(w string) bool { return r.Is("limit-word", w) || strings.ContainsAny(w, "0123456789") })
}

// reasons gives the true reason for what is left out where words say another one than how they were read.
func (r *reader) reasons() {
	for k, o := range r.Left {
		all := strings.Fields(o.What)
		is := func(table string) bool {
			return slices.ContainsFunc(all, func(w string) bool { return r.Is(table, w) })
		}
		names := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return !r.hasName(english.Singular(w)) })
		fields := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return len(r.owners(w)) == 0 || r.find(w) != nil })
		roles := slices.ContainsFunc(r.Left, func(o settings.Omission) bool { return o.Why == "roles and permissions" })
		switch {
		case roles && o.Why == "a content management system" && slices.Contains(all, "admin"): // roles: admin
			r.Left[k].Why = "roles and permissions"
		case o.Why == "rules between fields" || o.Why == "every answer has all fields":
		case o.Why == "more than keeping records" && r.limits(all) && (len(fields) > 0 || slices.Contains(all, "duplicates")): // duplicates are not allowed, reject ratings above 5
			r.Refuse(o.What)
		case is("forbids") && !is("token-word") && (is("operated") || is("operation")), is("restricts") && is("operated") && (o.Why == "roles and permissions" || o.Why == "rules between records"): // they can't be edited
			r.Left[k].Why = allOperations
		case o.Why == settings.Background && r.Auth == "token" && is("anybody") && is("operation"): // anyone can read
			r.Left[k].Why = "a token is asked for by every request"
		case o.Why == settings.Background && is("secret-word"): // protect with a password
			r.Refuse(o.What)
		case o.Why == "full-text search" && len(fields) > 0 && slices.Contains(all, "by"): // search by name
			r.Left[k].Why = "searching in fields"
		case o.Why == settings.Background && is("path-word"): // base path
			r.Left[k].Why = "paths of your own"
		case o.Why == settings.Background && is("reckoned"): // which is the sum of the items
			r.Left[k].Why = "values that are computed"
		case o.Why == "rules between records" && (is("must") && len(names) == 0 || is("limit-word") && !is("must") && len(names) < 2), o.Why == "colours and themes" && len(names) > 0: // our trainers have to log in; white and black are members
			r.Refuse(o.What)
		case o.Why == "rules between records" && is("must") && len(names) == 1: // members have to be over 18
			r.Left[k].Why = "rules that fields do not have"
		}
	}
	r.Left = slices.DeleteFunc(r.Left, func(o settings.Omission) bool {
		return strings.HasPrefix(o.What, "don't add ") && o.Why == "soft deletion and history"
	})
}

// operation gives which operation a word asks for, if it tells what is done and is no part of a name: to add, list and delete.
func (r *reader) operation(i int) string {
	t, before, next := r.At(i), r.At(i-1), r.At(i+1)
	begins := before.Mark || r.Is("before-deed", before.Low) || r.Is("operation", before.Low) || r.Is("operation", r.At(r.After(i+1, ",", "and", "or")).Low)
	if t.Mark || t.Quoted || !r.method(i) && (!begins || r.isName(i, i+1) || next.Mark && (next.Low == ":" || next.Low == "(")) {
		return ""
	}
	return r.Tables["operation"][strings.ToLower(t.Text)]
}

// method says whether a word is that of a request, with the path behind it: GET /cats.
func (r *reader) method(i int) bool {
	return r.At(i).Low != strings.ToLower(r.At(i).Text) && r.Is("method", strings.ToLower(r.At(i).Text))
}

// doings gives the words that ask for operations.
func (r *reader) doings(all []int) string {
	first, last := all[0], all[len(all)-1]
	if !r.method(first) {
		return r.said(first, max(last+1, r.NextMark(last)))
	}
	var out []string
	for _, i := range all {
		if low := strings.ToLower(r.At(i).Text); !slices.Contains(out, low) {
			out = append(out, low)
		}
	}
	return english.List(out)
}

// asWish says whether words of a name rather tell how all records are: they begin the name of a thing, or are a sentence.
func (r *reader) asWish(from, to int) bool {
	whole := func(i int) bool { return i < 0 || i >= len(r.Tokens) || r.At(i).Low == "." }
	begins := func(t *Thing) bool {
		return t.at == from && t.Name != strings.ReplaceAll(r.Words(from, to-from), " ", "_")
	}
	return whole(from-1) && whole(to) || slices.ContainsFunc(r.Things, begins)
}

// isName says whether words are a part of the name of a thing or a field.
func (r *reader) isName(from, to int) bool {
	return r.hasName(strings.ReplaceAll(r.Words(from, to-from), " ", "_"))
}

// hasName says whether the name of a thing or a field has a part.
func (r *reader) hasName(part string) bool {
	name := "_" + part + "_"
	return slices.ContainsFunc(r.Things, func(t *Thing) bool {
		return strings.Contains("_"+t.Name+"_", name) || slices.ContainsFunc(t.Fields, func(f Field) bool { return strings.Contains("_"+f.Name+"_", name) })
	})
}

// instead leaves words out for a reason, if they are not left out for one yet: none of them are mere background.
func (r *reader) instead(said, why string) {
	if slices.ContainsFunc(r.Left, func(o settings.Omission) bool { return o.Why != settings.Background && strings.Contains(o.What, said) }) {
		return
	}
	r.Left = slices.DeleteFunc(r.Left, func(o settings.Omission) bool {
		return (o.Why == settings.Background || o.Why == why) && strings.Contains(said, o.What)
	})
	r.Leave(said, why)
}
