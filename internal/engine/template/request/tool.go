package request

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// onText are the operations that read what is in files, as text.
var onText = []string{"count", "search", "csv2json", "json2csv", "column", "replace", "lines", "table", "pretty", "extract", "split"}

// tool takes what a part of a derivation says of a tool, if it does.
func (r *reader) tool(n *grammar.Node) bool {
	switch n.Name {
	case "eitherlanguage":
		r.take(child(n, "{language"))
		return true
	case "bothways":
		r.operate("csv2json")
		r.operate("json2csv")
	case "wanted":
		for _, p := range n.Parts {
			r.take(p)
		}
		r.commands(n)
		return true
	case "{terminal":
		r.Kind = cmp.Or(r.Kind, project.Command)
	case "container", "whatdone":
		r.Leave(r.Written(n.From, n.To), background)
		return true
	case "entries":
		r.current = &Thing{Name: "entry", at: n.From, of: "entry"}
		r.Things, r.keeps = append(r.Things, r.current), true
	case "toolcommand", "toolspecial", "keptin":
		for _, p := range children(n, "addwith", "lentout") {
			r.tool(p)
		}
		return true
	case "addwith":
		p := child(n, "{thing")
		t := r.thing(p.From, p.To)
		if first := r.Things[0]; t != first && first.of != "" && t.bare() { // a todo list, and a task in it
			r.Things, r.current = r.Things[:1], first
		} else if t != first {
			r.Refuse(r.Written(n.From, n.To))
		}
		r.take(child(n, "fields"))
		return true
	case "lentout":
		r.lentOut(n)
		return true
	case "toolname":
		r.Scripted = r.Scripted || strings.Contains(r.Words(n.From, n.To-n.From), "script")
	case "count", "search", "duplicates", "checksum", "csv2json", "json2csv", "column", "password", "rename", "sizes", "replace",
		"lines", "uuid", "tree", "table", "pretty", "compare", "extract", "recent", "split":
		r.operate(n.Name)
		unnamed(n)
	}
	if why := tables()["why"][n.Note]; why != "" {
		r.Leave(r.Written(n.From, n.To), why)
	} else if strings.HasPrefix(n.Note, "--") {
		r.Leave(r.Written(n.From, n.To), "with "+strings.NewReplacer(",", " ", "_", " ").Replace(n.Note))
	}
	return false
}

// commands takes what is done with the records that a tool keeps. Whoever marks one as done needs a field that says so.
func (r *reader) commands(n *grammar.Node) {
	for _, p := range children(n, "entry") {
		if thing := child(p, "thing"); child(p, "loan") != nil && thing != nil {
			r.loan(r.thing(thing.From, thing.To), false)
		}
	}
	all := children(n, "toolcommand", "toolspecial", "keptin")
	for _, p := range all {
		switch why := tables()["why"][p.Note]; {
		case r.Kind == project.Command && why != "":
			r.Leave(cmp.Or(r.Written(p.From, p.To), r.said(p.From, p.To)), why) // nothing is written of a part of add/list/search
		case r.Kind != project.Command && p.Name != "toolcommand":
			r.Refuse(r.said(p.From, p.To))
		}
	}
	if r.Kind != project.Command || len(r.Things) == 0 {
		return
	}
	t := r.Things[0]
	r.keeps = r.keeps || len(all) > 1 || len(t.Fields) > 1 || t.of != ""
	for _, f := range t.Fields {
		if is("commandword", f.Name) && !f.Sure {
			r.Refuse(f.Name)
		}
	}
	marks := children(n, "marking", "stateword")
	named := func(f Field) bool { return f.Kind != values.Truth && (f.Kind != values.Texts || f.Sure) }
	if len(marks) > 0 && !t.bare() && !slices.ContainsFunc(t.Fields, named) { // tasks with due dates, done
		r.Refuse("fields of " + plural(t))
	}
	for _, p := range marks {
		if is("for-one", r.At(p.From-1).Low) || slices.ContainsFunc(t.Parents, func(o *Thing) bool { return o != nil }) { // add a run, list them
			r.Refuse(r.Written(p.From, p.To))
		}
		state := "done"
		if s := child(p, "{state", "{happened"); s != nil && !is("finished", r.said(s.From, s.To)) {
			state = r.said(s.From, s.To)
		}
		if usual := r.Tables["has"][t.Name]; !t.bare() || !strings.Contains(usual, state+":"+values.Truth) {
			r.current = t
			if first, kind, _ := strings.Cut(cmp.Or(strings.Split(usual, ",")[0], "name:"+values.Text), ":"); t.bare() {
				r.add(Field{Name: first, Sure: true}, kind, nil)
			}
			if t.field(state) == nil {
				r.add(Field{Name: state, Sure: true}, values.Truth, nil)
			}
		}
		r.Leave(cmp.Or(r.Written(p.From, p.To), r.said(p.From, p.To)), "with set, the number of the record and --"+state+" true")
	}
}

// lentOut takes of what is told which is with whom.
func (r *reader) lentOut(n *grammar.Node) {
	p := child(n, "{thing")
	if t := r.thing(p.From, p.To); t.bare() && !english.IsPlural(t.Name) {
		r.loan(t, child(n, "since") != nil)
		return
	}
	r.Refuse(r.Written(n.From, n.To))
}

// loan gives things that somebody has for a time what says who, unless it was told what they hold.
func (r *reader) loan(t *Thing, since bool) {
	if !t.bare() {
		return
	}
	first, _, _ := strings.Cut(cmp.Or(r.Tables["has"][t.Name], "name"), ":")
	r.current = t
	r.add(Field{Name: first, Sure: true}, values.Text, nil)
	r.add(Field{Name: "person", Sure: true}, values.Text, nil)
	if since {
		r.add(Field{Name: "since", Sure: true}, values.Day, nil)
	}
}

// unnamed drops what stands in quotes, which an operation is about: no project is called so.
func unnamed(n *grammar.Node) {
	n.Parts = slices.DeleteFunc(n.Parts, func(p *grammar.Node) bool { return p.Name == "{quoted" })
	for _, p := range n.Parts {
		if p.Name != "called" {
			unnamed(p)
		}
	}
}

// operate takes an operation, and refuses what it cannot read.
func (r *reader) operate(name string) {
	r.Kind = project.Command
	for said := range tables()["nofile"] {
		if name == "duplicates" && strings.Contains(" "+r.said(0, len(r.Tokens))+" ", " "+said+" ") { // of what?
			r.Refuse(said)
		}
	}
	if !slices.Contains(r.Operations, name) {
		r.Operations = append(r.Operations, name)
	}
	for i, t := range r.Tokens {
		if slices.Contains(onText, name) && !t.Mark && !t.Quoted && is("binary", t.Low) {
			r.Hearts = append(r.Hearts, Omission{r.Written(i, i+1), "only files of plain text are read"})
		}
	}
}

var (
	numbered  = regexp.MustCompile(`(?i)^[a-z_-]*\d{2,}(?:[_-]|\.[a-z0-9]{2,4})?$`)
	fileNamed = regexp.MustCompile(`^[\w-]+\.[a-z][a-z0-9]{1,3}$`)
	sized     = regexp.MustCompile(`^\d+(?:[.,]\d+)?(?:kb|mb|gb|tb|k|m|g)$`)
	capitals  = regexp.MustCompile(`^[A-Z][A-Z_]{2,}$`)
)

// toolTerminal finds what only the rules of tools ask for, and says whether it knows the name.
func (r *reader) toolTerminal(name string, i int) ([]grammar.Match, bool) {
	t := r.At(i)
	switch name {
	case "n":
		return append(when(number.MatchString(strings.ReplaceAll(t.Low, ",", "")), i+1), r.ofTable(i, tables()["count"])...), true
	case "size":
		return append(when(sized.MatchString(t.Low), i+1), when(number.MatchString(t.Low) && is("sizeunit", r.At(i+1).Low), i+2)...), true
	case "flag":
		return when(strings.HasPrefix(t.Raw, "-"), i+1), true
	case "ext":
		return when(r.fileEnding(i), i+1), true
	case "textext":
		return when(r.fileEnding(i) && !is("binary", t.Low), i+1), true
	case "filename":
		return when(fileNamed.MatchString(t.Low), i+1), true
	case "numbered":
		return when(numbered.MatchString(t.Raw), r.Behind(i)), true
	case "caps":
		return when(capitals.MatchString(t.Text) && !is("extword", t.Low) && !is("textkind", t.Low) && !r.loaded(i), i+1), true
	case "langword":
		return r.ofClass(i, "language", ""), true
	case "any":
		return when(plainWord.MatchString(t.Low) && !is("function", t.Low), i+1), true
	case "csvbefore", "jsonbefore":
		known := slices.ContainsFunc(r.Tokens[:i], func(t words.Token) bool { return t.Low == strings.TrimSuffix(name, "before") })
		return when(known && (t.Low == "it" || t.Low == "them" || t.Low == "these"), i+1), true
	case "tale":
		return r.tale(i), true
	case "folderword":
		return when(r.nameWord(i) && !is("remote", t.Low), i+1), true
	case "intool": // nothing, in a request for a tool
		asked := slices.ContainsFunc(r.Tokens, func(t words.Token) bool { return is("terminal", t.Low) })
		for k := range r.Tokens {
			m, _ := r.Phrase(k)
			asked = asked || m.Class == "kind" && m.Value == project.Command
		}
		return when(asked, i), true
	case "kindword":
		return when(r.nameWord(i) && !is("binary", t.Low) && !is("notext", t.Low), i+1), true
	case "numbername":
		return when(plainWord.MatchString(t.Low) && !is("function", t.Low) && !is("nonumber", t.Low), i+1), true
	case "groupname":
		return when(plainWord.MatchString(t.Low) && !is("function", t.Low) && !is("period", t.Low), i+1), true
	}
	return nil, false
}

// fileEnding says whether an ending of file names stands at a place: .txt, *.txt.
func (r *reader) fileEnding(i int) bool {
	t := r.At(i)
	return strings.HasPrefix(t.Low, ".") && len(t.Low) > 1 && !t.Mark || strings.HasPrefix(t.Raw, "*.")
}

// tale finds words that only tell why somebody asks: what a tool should not do is none.
func (r *reader) tale(i int) (out []grammar.Match) {
	for n := 1; n <= 20 && r.plain(i, n) && (!r.loaded(i+n-1) || is("tale", r.At(i+n-1).Low)); n++ {
		out = append(out, grammar.Match{To: i + n, Cost: 1})
	}
	return out
}

// nearestTool gives the operation of whose words a refused request has most, or "".
func nearestTool(x words.Text) (nearest string) {
	said := map[string]int{}
	for _, t := range x.Tokens {
		if name := tables()["near"][t.Low]; name != "" && !t.Mark {
			if said[name]++; said[name] > said[nearest] {
				nearest = name
			}
		}
	}
	return nearest
}
