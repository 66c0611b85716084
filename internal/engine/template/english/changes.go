package english

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Changes lists the forms of a request for a change, in the order in which they are
// read.
var Changes = []Form{
	{"use port 9100", (*reader).changePort},
	{"add a database", (*reader).changeStore},
	{"add authentication", (*reader).changeAuth},
	{"add CORS", (*reader).changeCORS},
	{"use the MIT license", (*reader).changeLicense},
	{"rename the field title to headline", (*reader).renameThing},
	{"add a section menu", (*reader).addSection},
	{"remove the section menu", (*reader).removeSection},
	{"add a field due date to tasks", (*reader).addFieldsTo},
	{"remove the field isbn from books", (*reader).removeFields},
	{"add notes with title and text", (*reader).addRecords},
	{"remove notes", (*reader).removeRecords},
}

func (r *reader) say(line string, from, to int) {
	r.lines = append(r.lines, line)
	r.use(from, to)
}

// verb returns the place of the verb of a list that stands before i, with nothing
// but words without meaning between, or -1.
func (r *reader) verb(i int, these ...string) int {
	for i--; i >= 0 && !r.words[i].mark; i-- {
		for _, list := range these {
			if is(list, r.low(i)) {
				return i
			}
		}
		if !is("nothing", r.low(i)) && !is("in", r.low(i)) && !is("to", r.low(i)) && !is("for", r.low(i)) {
			return -1
		}
	}
	return -1
}

func (r *reader) changePort() {
	for i := range r.words {
		if n, err := strconv.Atoi(r.low(r.behind(i+1, "to"))); r.low(i) == "port" && err == nil {
			from := i
			if k := r.verb(i, "change", "in"); k >= 0 {
				from = k
			}
			r.say("port "+strconv.Itoa(n), from, r.behind(i+1, "to")+1)
		}
	}
}

func (r *reader) changeStore() {
	r.setting("store", func(meant string, i int) int {
		if r.verb(i, "add", "change", "in", "for") < 0 || !once(&r.spec.Store, meant) {
			return 0
		}
		from := r.verb(i, "add", "change", "in", "for")
		for from > 0 && slices.Contains([]string{"store", "save", "keep", "it", "the", "data", "records"}, r.low(from-1)) {
			from--
		}
		r.say("store "+meant, from, i)
		return r.behind(i+1, "database", "db")
	})
}

func (r *reader) changeAuth() {
	r.setting("auth", func(_ string, i int) int {
		value, k := spec.Token, r.verb(i, "add", "in", "change")
		if gone := r.verb(i, "remove"); gone >= 0 {
			value, k = spec.None, gone
		}
		if k < 0 || !once(&r.spec.Auth, value) {
			return 0
		}
		r.say("auth "+value, k, i)
		return r.behind(i+1, "authentication", "auth")
	})
}

func (r *reader) changeCORS() {
	r.setting("cors", func(_ string, i int) int {
		if k := r.verb(i, "add", "in"); k >= 0 {
			r.say("cors on", k, i)
			return i + 1
		}
		if k := r.verb(i, "remove"); k >= 0 {
			r.say("cors off", k, i)
			return i + 1
		}
		return 0
	})
}

func (r *reader) changeLicense() {
	r.setting("license", func(meant string, i int) int {
		at := i
		if is("licensed", r.low(i+1)) {
			at = i + 1
		} else if k := r.verb(i, "licensed"); k < 0 {
			return 0
		} else {
			r.use(k, i)
		}
		if k := r.verb(i, "in", "change", "add"); k >= 0 {
			r.use(k, i)
		}
		r.lines = append(r.lines, "license "+meant)
		return at + 1
	})
}

// recordOf returns the record of the project that a word names.
func (r *reader) recordOf(i int) (spec.Record, bool) {
	for _, rec := range r.old.Records {
		words := strings.Fields(strings.ToLower(rec.Noun))
		if last := words[len(words)-1]; r.low(i) != "" && (r.low(i) == last || r.low(i) == spec.PluralOf(last)) {
			return rec, true
		}
	}
	return spec.Record{}, false
}

// fieldOf returns "noun.field" of a field that one record alone has, or of the
// record that stands behind "of", "from" or "in".
func (r *reader) fieldOf(name string, behind int) (path string, end int) {
	at := r.skip(behind + 1)
	if slices.Contains([]string{"of", "from", "in", "to"}, r.low(behind)) {
		if rec, found := r.recordOf(at); found && hasField(rec, name) {
			return rec.Noun + "." + name, at + 1
		}
		if r.low(behind) != "to" {
			return "", behind
		}
	}
	for _, rec := range r.old.Records {
		if hasField(rec, name) {
			if path != "" {
				return "", behind
			}
			path = rec.Noun + "." + name
		}
	}
	return path, behind
}

func hasField(rec spec.Record, name string) bool {
	return slices.ContainsFunc(rec.Fields, func(f spec.Field) bool { return spec.ColumnName(f.Name) == spec.ColumnName(name) })
}

func (r *reader) renameThing() {
	for i := range r.words {
		if !is("rename", r.low(i)) || r.words[i].used {
			continue
		}
		at := r.skip(i + 1)
		at = r.skip(r.behind(at, "field", "record", "section"))
		var name []string
		for end := at; r.free(end) && len(name) < 4; end++ {
			name = append(name, r.low(end))
			path, next := r.fieldOf(strings.Join(name, " "), end+1)
			if rec, found := r.recordOf(end); path == "" && found && len(name) == 1 {
				path, next = rec.Noun, end+1
			}
			if to, stop := r.item(r.skip(next + 1)); path != "" && r.low(next) == "to" && to.name != "" && to.rule == "" {
				if !strings.Contains(path, ".") {
					to.name = spec.SingularOf(to.name)
				}
				r.say("rename "+path+" "+to.name, i, stop)
				break
			}
		}
	}
}

func (r *reader) addSection() { r.sections("add", "add section ") }

func (r *reader) removeSection() { r.sections("remove", "remove section ") }

// sections reads "add a section menu" and "add a menu section".
func (r *reader) sections(verb, line string) {
	for i := range r.words {
		if r.old.Kind != spec.Site || !is(verb, r.low(i)) || r.words[i].used {
			continue
		}
		list, _ := r.items(r.skip(r.behind(r.skip(i+1), "section", "sections")))
		for _, one := range list {
			name := strings.TrimSuffix(one.name, " section")
			if one.rule == "" && name != "section" {
				r.say(line+name, one.from, one.to)
				r.use(i, one.from)
			}
		}
	}
}

// addFieldsTo reads "add a field due date to tasks".
func (r *reader) addFieldsTo() {
	for i := range r.words {
		if !is("add", r.low(i)) || r.words[i].used {
			continue
		}
		list, end := r.items(r.skip(r.behind(r.skip(i+1), "field", "fields")))
		rec, found := r.recordOf(r.skip(end + 1))
		if !found || r.low(end) != "to" || len(list) == 0 {
			continue
		}
		for _, one := range list {
			if name := strings.TrimSuffix(one.name, " field"); !isPlural(name) || spec.IsUsual(name) {
				r.say(strings.TrimSpace("add "+rec.Noun+"."+name+" "+one.rule), one.from, one.to)
			}
		}
		r.use(i, list[0].from)
		r.use(end, r.skip(end+1)+1)
	}
}

// removeFields reads "remove the field isbn from books".
func (r *reader) removeFields() {
	for i := range r.words {
		if !is("remove", r.low(i)) || r.words[i].used {
			continue
		}
		one, end := r.item(r.skip(r.behind(r.skip(i+1), "field", "fields")))
		if path, next := r.fieldOf(strings.TrimSuffix(one.name, " field"), end); path != "" {
			r.say("remove "+path, i, next)
		}
	}
}

// addRecords reads "add notes" and "add notes with title and text".
func (r *reader) addRecords() {
	for i := range r.words {
		if r.old.Kind != spec.API || !is("add", r.low(i)) || r.words[i].used {
			continue
		}
		noun, end := r.plural(r.skip(i + 1))
		if at := r.skip(i + 1); r.low(at+1) == "for" && (r.low(at) == "endpoint" || is("api", r.low(at))) {
			noun, end = r.plural(r.skip(at + 2))
		}
		if _, there := r.recordOf(end - 1); noun == "" || there {
			continue
		}
		line := "add " + noun + ": "
		fields := usual()[noun]
		if slices.Contains([]string{"with", "(", ":"}, r.low(end)) {
			list, next := r.items(end + 1)
			fields = nil
			for _, one := range list {
				if !isPlural(one.name) || spec.IsUsual(one.name) {
					fields = append(fields, spec.Field{Name: one.name, Unique: one.rule == "unique"})
					r.use(one.from, one.to)
				}
			}
			if r.use(end, end+1); len(fields) == len(list) {
				end = next
			}
		}
		if len(fields) == 0 {
			fields = []spec.Field{{Name: "name"}}
		}
		for k, f := range fields {
			if k > 0 {
				line += ", "
			}
			if line += f.Name; f.Unique {
				line += " unique"
			}
		}
		r.say(line, i, min(end, len(r.words)))
	}
}

// removeRecords reads "remove notes".
func (r *reader) removeRecords() {
	for i := range r.words {
		if !is("remove", r.low(i)) || r.words[i].used {
			continue
		}
		if rec, found := r.recordOf(r.skip(i + 1)); found {
			r.say("remove "+rec.Noun, i, r.skip(i+1)+1)
		}
	}
}
