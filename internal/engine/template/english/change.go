package english

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Changes lists the forms of a request for a change, in the order in which they are
// read.
var Changes = []Form{
	{"use port 9100", port, option("port")},
	{"add a database", store, option("store")},
	{"add authentication", auth, option("auth")},
	{"add CORS", cors, option("cors")},
	{"use the MIT license", license, option("license")},
	{"rename the field title to headline", `^rename (?:{articles} )?(?:(?:field|record) )?(.+?)(?: (?:of|in|from|on) (.+?))? (?:to|as) (.+)$`, (*reader).rename},
	{"add a section menu", `^({add}|{remove}) (?:(?:new|{articles}) )*(?:sections? |pages? )?(?:{named} )?(.+)$`, (*reader).changeSections},
	{"make isbn unique", `^(?:make )?(.+?)(?: (?:of|in|on) (.+?))?(?: (?:should|must) be| is)? ({rules})$`, (*reader).rule},
	{"add a field due date to tasks", `^{add} (?:(?:new|{articles}) )*(?:fields?(?: {named})? )?(.+?)(?: field)? (?:to|for) (.+)$`, (*reader).addFields},
	{"tasks should have a priority", `^(?:({each}) )?(.+?)` + having + `$`, (*reader).having},
	{"tasks belong to a project", belongs, (*reader).belonging},
	{"remove the field isbn from books", `^{remove} (?:{articles} )?(?:fields? )?(.+?)(?: field)?(?: (?:of|from|in|on) (.+))?$`, (*reader).remove},
	{"add notes with title and text", `^{add} (?:(?:new|{articles}) )*(?:{api} for )?(.+?)(?:` + having + `)?$`, (*reader).addRecords},
}

// recordOf returns the noun of the record of the project that words name, or nothing.
func (r *reader) recordOf(text string) string {
	words := strings.Fields(strings.ToLower(text))
	for len(words) > 1 && (is("each", words[0]) || is("articles", words[0])) {
		words = words[1:]
	}
	if at := find(*r.old, strings.Join(words, " ")); at >= 0 && len(words) > 0 {
		return r.old.Records[at].Noun
	}
	return ""
}

// path returns NOUN.FIELD of a field of the record that is named, or else of the
// only record that has it.
func (r *reader) path(name, of string) (path string) {
	noun, name := r.recordOf(of), trim(strings.ToLower(name))
	for _, rec := range r.old.Records {
		has := slices.ContainsFunc(rec.Fields, func(f spec.Field) bool { return spec.ColumnName(f.Name) == spec.ColumnName(name) })
		switch {
		case !has || of != "" && rec.Noun != noun:
		case path != "":
			return ""
		default:
			path = rec.Noun + "." + name
		}
	}
	return path
}

func (r *reader) say(line string) bool {
	r.lines = append(r.lines, line)
	return true
}

func (r *reader) rename(m []string) bool {
	to := strings.ToLower(trim(m[3]))
	if !plainName.MatchString(to) {
		return false
	}
	if noun := r.recordOf(m[1]); noun != "" && m[2] == "" {
		return r.say("rename " + noun + " " + nounOf(to))
	}
	path := r.path(m[1], m[2])
	return path != "" && r.say("rename "+path+" "+to)
}

// changeSections adds or removes sections of a site.
func (r *reader) changeSections(m []string) bool {
	if r.old.Kind != spec.Site {
		return false
	}
	if is("add", m[1]) {
		r.sections(r.list(m[2]))
		return true
	}
	for _, one := range r.list(m[2]) {
		r.say("remove section " + strings.TrimSuffix(one.name, " section"))
	}
	return true
}

func (r *reader) rule(m []string) bool {
	path := r.path(m[1], m[2])
	return path != "" && r.say(path+" "+strings.ToLower(m[3]))
}

func (r *reader) addFields(m []string) bool {
	noun := r.recordOf(m[2])
	if noun == "" {
		return false
	}
	r.fields(r.spec.Find(noun), r.list(m[1]))
	return true
}

// remove reads the removal of a record, or of a field.
func (r *reader) remove(m []string) bool {
	what := r.path(m[1], m[2])
	if noun := r.recordOf(m[1]); noun != "" && m[2] == "" {
		what = noun
	}
	return what != "" && r.say("remove "+what)
}

// addRecords reads the records of an addition as those of a new project.
func (r *reader) addRecords(m []string) bool {
	had := len(r.spec.Records)
	if r.old.Kind != spec.API {
		return false
	}
	r.things(m[1])
	if fields := r.list(m[2]); len(r.spec.Records) == had+1 {
		r.fields(had, fields)
	} else {
		r.doubt(m[2])
	}
	r.doubt(r.subject)
	r.subject = ""
	return len(r.spec.Records) > had
}

// additions are the lines that add what the changed spec has and the old one has not.
func (r *reader) additions() {
	for i, rec := range r.spec.Records {
		if i >= len(r.old.Records) {
			r.say("add " + rec.String())
			continue
		}
		for _, f := range rec.Fields[len(r.old.Records[i].Fields):] {
			r.say("add " + rec.Noun + "." + f.String())
		}
	}
	for _, x := range r.spec.Sections[len(r.old.Sections):] {
		r.say("add section " + x.Name)
	}
}
