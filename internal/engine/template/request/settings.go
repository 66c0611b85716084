package request

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// background is why something is left out that only tells who asks, and what for.
const background = "background"

// Omission is something that a project does not get, and why.
type Omission struct{ What, Why string }

// settings is what was read of a project whatever its kind.
type settings struct {
	Language, Title, Module       string
	Database, Auth, CORS, License string
	Port, PageSize                int
	Left                          []Omission // what is understood and not to be had, or says nothing of the project
	Hearts                        []Omission // what cannot be had, and not be left out either
	Unknown, Given                []string
	denied                        []string // databases that are not wanted
}

// Leave notes what the project does not get.
func (s *settings) Leave(what, why string) {
	if each := (Omission{what, why}); what != "" && !slices.Contains(s.Left, each) {
		s.Left = append(s.Left, each)
	}
}

// Refuse notes words that nobody understands.
func (s *settings) Refuse(what string) {
	if what = strings.TrimSpace(what); what != "" && !slices.Contains(s.Unknown, what) {
		s.Unknown = append(s.Unknown, what)
	}
}

// setting takes what a part of a derivation says of a project whatever its kind, if it does.
func (r *reader) setting(n *grammar.Node) bool {
	switch n.Name {
	case "inlanguage":
		if n.Note != "anylanguage" || len(children(n, "{language")) < 2 {
			return false
		}
		r.take(child(n, "{language")) // Go or Python, whichever you like
	case "{language", "{database", "{auth", "{cors", "{license", "{given":
		if next := n.To + 1; n.Name == "{database" && r.At(n.From-2).Low == "logging" && r.At(n.From-1).Low == "to" || n.Name == "{auth" && r.At(n.To).Low == "for" && r.nameWord(next) && is("people", one(r.At(next).Low)) && !is("calls", r.At(next).Low) { // login token for users, logging to a file
			r.Refuse(r.Written(n.From, min(next+1, len(r.Tokens))))
		}
		m := r.Vocabulary[r.Words(n.From, n.To-n.From)]
		r.option(m, r.Words(n.From, n.To-n.From))
	case "version":
		if before := r.ClassAt(n.From - 1); before == "database" || child(n, "{dotted") != nil {
			r.Leave(r.Written(n.From-1, n.To), "the project tells which version it is made for")
		}
	case "open":
		r.without(n)
	case "writing":
		r.Auth = "token"
		r.Leave(r.Written(n.From, n.To), "every request needs the token, those that read too")
	case "onport":
		if r.ClassAt(n.From-1) == "database" { // Postgres runs on port 6000
			r.Refuse(r.Written(n.From-1, n.To))
		}
		if p := child(n, "{port"); p != nil {
			port, _ := strconv.Atoi(r.At(p.From).Low)
			r.listen(port)
		}
	case "pagesize", "sized":
		if p := child(n, "{number"); p != nil {
			size, _ := strconv.Atoi(r.At(p.From).Low)
			if r.PageSize > 0 && r.PageSize != size {
				r.Refuse(r.Written(n.From, n.To))
			}
			r.PageSize = size
		}
	case "softdatabase":
		if m := r.Vocabulary[r.Words(n.Parts[0].From, n.Parts[0].To-n.Parts[0].From)]; m.Value != project.AnyDatabase { // a storage service
			r.option(m, "")
		}
	case "title":
		if words.PathLike.MatchString(r.At(n.From).Text) {
			r.Module = r.At(n.From).Text
			return true
		}
		if r.class(r.At(n.From-2).Low) == "database" || r.At(n.From-1).Low == ":" && r.Is("field", r.said(n.From, n.To)) { // a database called fishery; project: title
			r.Refuse(r.Written(n.From-1, n.To))
		}
		r.Title, _ = r.NameAt(n.From)
	case "entitled":
		r.Title = plaintext.Title(r.At(n.From).Text)
	case "{path":
		if r.Module = r.At(n.From).Text; !words.PathLike.MatchString(r.Module) {
			r.Title, r.Module = plaintext.Title(r.Module), ""
		}
	case "leftout":
		phrase := child(n, "{detail", "{detailby")
		if phrase == nil { // look up museums by city
			r.Leave(r.Written(n.From, n.To), "filtering")
			return true
		}
		r.Leave(r.Written(n.From, n.To), r.Vocabulary[r.Words(phrase.From, phrase.To-phrase.From)].Value)
	case "{kind-command":
		r.Kind = cmp.Or(r.Kind, project.Command)
	case "sharing":
		r.CORS = "on"
	case "overhttp":
		r.Kind = cmp.Or(r.Kind, project.API)
	case "kind":
		if n.Note != "" && r.Kind != "" && r.Kind != n.Note {
			r.Hearts = append(r.Hearts, Omission{r.Written(n.From, n.To) + " beside another project", "one project at a time"})
		}
		if n.Note != "" && r.Kind == "" {
			r.Kind = n.Note
		}
		r.Scripted = r.Scripted || strings.Contains(r.Words(n.From, n.To-n.From), "script")
	default:
		return false
	}
	return true
}

// without takes what is not wanted.
func (r *reader) without(n *grammar.Node) {
	for _, p := range children(n, "denied") {
		switch phrase := r.Words(p.From, p.To-p.From); {
		case child(p, "{auth") != nil, child(p, "{signin") != nil:
			if r.Auth = project.None; r.At(n.From-1).Low == "401" || r.Any("unauthorized", max(0, n.From-4), n.From) { // 401 without a token
				r.Refuse(r.Written(max(0, n.From-1), n.To))
			}
		case child(p, "{given") != nil && !english.HasSuffix(phrase, "dependencies", "libraries", "packages", "framework", "frameworks"):
			r.Leave("no "+phrase, "every project has it")
		case p.Note == "nodatabase":
			r.denied = append(r.denied, r.Vocabulary[phrase].Value)
		}
	}
	if n.Note == "open" && child(n, "denied") == nil {
		r.Auth = project.None
	}
}

// database settles where records are kept of which only is told that they are to last, or where they are not to be.
func (r *reader) database() {
	no := func(database string) bool { return slices.Contains(r.denied, database) }
	switch {
	case no(r.Database) && r.Database != project.AnyDatabase, r.Database == "" && no(project.None): // with SQLite, without SQLite; not in memory
		r.Refuse("no " + cmp.Or(r.Database, "memory"))
	case len(r.denied) == 0 || r.Database != "" && r.Database != project.AnyDatabase:
	case r.Database == "":
		r.Database = project.None
	case no(project.AnyDatabase), no(project.SQLite) && no(project.Postgres):
		r.Database = project.File
	case no(project.Postgres):
		r.Database = project.SQLite
	default:
		r.Database = project.Postgres
	}
}

// listen takes the port that a project listens on.
func (r *reader) listen(port int) {
	told := fmt.Sprintf("port %d", port)
	switch {
	case project.NotPort(port):
		r.Hearts = append(r.Hearts, Omission{told, "a port is a number from 1024 to 65535"})
	case r.Is("database-port", strconv.Itoa(port)):
		r.Hearts = append(r.Hearts, Omission{told, "it may be the port of something else"})
	case r.Port != 0 && r.Port != port:
		r.Hearts = append(r.Hearts, Omission{fmt.Sprintf("port %d and %s", r.Port, told), "a project listens on one port"})
	}
	r.Port = port
}

// option takes what is asked for.
func (r *reader) option(m glossary.Meaning, phrase string) {
	to := map[string]*string{"language": &r.Language, "database": &r.Database, "auth": &r.Auth, "cors": &r.CORS, "license": &r.License}[m.Class]
	switch {
	case m.Class == "given":
		r.Given = append(r.Given, phrase)
	case to == nil || m.Class == "license" && m.Value == project.None:
	case m.Class == "database" && *to != "" && (m.Value == project.AnyDatabase && *to == project.None || m.Value == project.None && *to == project.AnyDatabase):
		r.Refuse(phrase)
	case m.Class == "database" && m.Value == project.AnyDatabase:
		*to = cmp.Or(*to, m.Value)
	case m.Class == "license" && *to != "" && *to != m.Value:
		r.Leave(phrase, "a project has one license")
	case *to != "" && *to != m.Value && !(m.Class == "database" && *to == project.AnyDatabase):
		r.Hearts = append(r.Hearts, Omission{"two of " + m.Class + ": " + *to + " and " + m.Value, ""})
	default:
		*to = m.Value
	}
}
