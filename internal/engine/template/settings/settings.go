// Package settings reads what a request says of a project whatever kind it is: its
// language, database, license, port and name, what it is to have and every project has,
// and what of it cannot be had.
package settings

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

var hostLike = regexp.MustCompile(`^[a-z0-9. -]+\.[a-z]{2,}$`)

var versionLike = regexp.MustCompile(`^v?\d+\.\d+(?:\.\d+)*\+?$`)

// Background is why something is left out that only tells who asks, and what for.
const Background = "background"

// Omission is something that a project does not get, and why.
type Omission struct{ What, Why string }

// Settings is what was read; empty means that the request does not say.
type Settings struct {
	Language, Title, Module       string
	Database, Auth, CORS, License string
	Port, PageSize                int
	Left                          []Omission // what is understood and not to be had, or says nothing of the project
	Hearts                        []Omission // what cannot be had, and not be left out either
	Unknown, Given                []string
	kept                          bool     // records are to outlive the program, wherever they are
	memory                        bool     // records are to be kept in memory
	without                       []string // databases that are not wanted
}

// Leave notes what the project does not get.
func (s *Settings) Leave(what, why string) {
	each := Omission{what, why}
	if what != "" && !slices.Contains(s.Left, each) {
		s.Left = append(s.Left, each)
	}
}

// Refuse notes words that nobody understands.
func (s *Settings) Refuse(what string) {
	if what = strings.TrimSpace(what); what != "" && !slices.Contains(s.Unknown, what) {
		s.Unknown = append(s.Unknown, what)
	}
}

// Take reads the setting that begins at a place and gives the place behind it: the same place where none begins.
func (s *Settings) Take(x words.Text, i int) int {
	if size, end := sized(x, i); end > i {
		s.PageSize = size
		return end
	}
	if port, end := runsOn(x, i); end > i {
		s.listen(x, i, port)
		return end
	}
	if k := x.Length(i, "asks-token"); k > 0 { // every request must carry a token
		if at := x.After(i+k, "a", "an", "the", "its", "valid"); x.ClassAt(at) == "auth" {
			return s.Take(x, at)
		}
	}
	m, n := x.Phrase(i)
	switch m.Class {
	case "port", "module", "named", "page-size":
		return s.valued(x, m.Class, i, n)
	case "denial":
		return s.denied(x, i, n)
	case "language", "database", "auth", "cors", "license", "given", "heart":
		if x.Is("owns", x.At(i+n).Low) && m.Class == "database" || storesUnits(x, m, i+n) { // a file has a reference
			return i
		}
		phrase := x.Words(i, n)
		if m.Value == project.AnyDatabase && (x.At(i+n).Low == ":" && x.ClassAt(i+n+1) == "denial" || phrase == "storage" && x.ClassAt(i+n) == "kind") { // storage: no database, a storage service
			return i + n
		}
		if k := x.After(i+n, ":", "is"); x.Length(k, "nothing") > 0 || x.At(k).Low == "no" && k > i+n && x.Ends(k+1) { // auth: none
			s.deny(m, phrase)
			return k + max(1, x.Length(k, "nothing"))
		}
		s.option(m, phrase)
		if end := s.defaulted(x, i+n, phrase); end > i+n {
			return end
		}
		if version := x.At(i + n).Raw; m.Class == "language" && versionLike.MatchString(version) { // Go 1.22
			s.Leave(phrase+" "+version, "the version is the one that the templates were tried with")
			return i + n + 1
		}
		if end := x.After(i+n+1, "yes", "true", "on", "required", "enabled", "needed"); x.At(i+n).Low == ":" && end > i+n+1 {
			return end
		}
		switch m.Class {
		case "auth":
			return behindAuth(x, i+n)
		case "cors":
			return s.origin(x, i, i+n)
		case "database":
			return s.databasePort(x, i, i+n)
		}
		return i + n
	}
	return i
}

// origin leaves out whose pages alone may call a project: CORS from http://localhost:3000.
func (s *Settings) origin(x words.Text, from, i int) int {
	at := x.After(i, ":", "for", "from", "to", "with", "only", "the", "origin", "origins", "on", "at", "by", "is", "http", "https")
	if x.At(i).Low == "on" && x.Ends(i+1) { // cors on
		return i + 1
	}
	if x.At(at).Low != "localhost" && !hostLike.MatchString(x.At(at).Low) {
		return i
	}
	end, origin := at+1, x.At(at).Low
	if x.At(end).Low == ":" && isNumber(x.At(end+1).Text) {
		end, origin = end+2, origin+":"+x.At(end+1).Text
	}
	end = x.After(end, "only")
	s.Leave(x.Words(from, i-from)+" for "+origin, "all origins are allowed, and CORS_ORIGIN narrows that to one")
	if more := x.After(end, ",", "and"); s.origin(x, from, more) > more {
		return s.origin(x, from, more)
	}
	return end
}

// databasePort passes over the port of a database, which is told behind it: Postgres runs on port 5432. A port that is none
// that databases have may be the one of the project: with Postgres on port 8080.
func (s *Settings) databasePort(x words.Text, from, i int) int {
	at := i
	for x.Is("database-runs", x.At(at).Low) {
		at++
	}
	m, n := x.Phrase(at)
	number := x.After(at+n, ":", "port")
	text := x.At(number).Text
	switch {
	case m.Class != "port" || !isNumber(text) || !x.Ends(from-1) && !x.Is("database-port", text):
		return i
	case text != "5432":
		s.Leave(x.Words(from, i-from)+" on port "+text, "the database has its usual port")
	}
	return number + 1
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// listen takes the port that a project listens on. It has one, and what is told of something else beside it, as of a
// frontend, may be another's.
func (s *Settings) listen(x words.Text, i, port int) {
	from := i
	for from > 0 && !x.At(from-1).Mark {
		from--
	}
	told := fmt.Sprintf("port %d", port)
	switch {
	case port < 1024 || port > 65535:
		s.Hearts = append(s.Hearts, Omission{told, "a port is a number from 1024 to 65535"})
	case x.Any("listens-too", from, i), x.Is("database-port", strconv.Itoa(port)):
		s.Hearts = append(s.Hearts, Omission{told, "it may be the port of something else"})
	case s.Port != 0 && s.Port != port:
		s.Hearts = append(s.Hearts, Omission{fmt.Sprintf("port %d and %s", s.Port, told), "a project listens on one port"})
	}
	s.Port = port
}

// behindAuth passes over what says no more of a token: is required for everything.
func behindAuth(x words.Text, i int) int {
	for x.Length(i, "behind-auth") > 0 {
		i += x.Length(i, "behind-auth")
	}
	return i
}

// Is says whether a setting begins at a place that a project is asked to have or to be without.
func Is(x words.Text, i int) bool {
	if x.Length(i, "asks-token") > 0 && (&Settings{}).Take(x, i) > i {
		return true
	}
	m, n := x.Phrase(i)
	switch m.Class {
	case "language", "database", "auth", "cors", "license", "given":
		return (m.Class != "database" || !x.Is("owns", x.At(i+n).Low)) && !storesUnits(x, m, i+n)
	case "port", "module", "page-size":
		return (&Settings{}).valued(x, m.Class, i, n) > i
	case "denial":
		return (&Settings{}).denied(x, i, n) > i
	}
	_, sized := sized(x, i)
	_, runs := runsOn(x, i)
	return sized > i || runs > i
}

// runsOn reads the port that a project runs on, where it is not called one and can be nothing else: should run on 4000.
func runsOn(x words.Text, i int) (port, end int) {
	port, err := strconv.Atoi(x.At(i + 2).Text)
	year := port > 1900 && port < 2100
	if !x.Is("runs-on", x.Words(i, min(2, len(x.Tokens)-i))) || err != nil || port < 1024 || port > 65535 || year || !x.Ends(i+3) && i+3 < len(x.Tokens) {
		return 0, i
	}
	return port, i + 3
}

// storesUnits says whether a word for a database or a license only begins the name of things that are listed: storage units
// (code, shelf), license keys, fields key.
func storesUnits(x words.Text, m glossary.Meaning, i int) bool {
	usual, next := m.Value == project.AnyDatabase || m.Class == "license" && m.Value == project.None, x.At(i+1).Low
	return usual && x.ClassAt(i) == "" && !x.At(i).Mark && english.IsPlural(x.At(i).Low) && (next == "(" || next == ":" || next == "," && x.ClassAt(i+2) == "fields")
}

// sized reads how many records a page has: 20 per page, max 50 orders per page.
func sized(x words.Text, i int) (size, end int) {
	at := x.After(i, "max", "maximum", "most")
	size, err := strconv.Atoi(cmp.Or(x.Tables["figure"][x.At(at).Low], x.At(at).Low))
	for k := at + 1; err == nil && k < at+3 && !x.At(k-1).Mark; k++ {
		if m, n := x.Phrase(k); m.Class == "page-size" {
			return size, k + n
		}
	}
	return 0, i
}

// defaulted reads how many records a page has behind words that ask for pages: limit/offset, default 50, max 200. How many it
// may have at most is left out.
func (s *Settings) defaulted(x words.Text, i int, phrase string) int {
	at, end := x.After(i, ",", ":", "with", "a"), i
	if !x.Is("paging", phrase) {
		return i
	}
	if size, err := strconv.Atoi(x.At(x.After(i, ":")).Text); err == nil && x.Ends(x.After(i, ":")+1) { // paging 100
		s.PageSize = size
		return x.After(i, ":") + 1
	}
	if x.At(i).Low == "(" && x.Closes(i) > 0 {
		at = i + 1
	}
	for n := x.Length(at, "page-default"); n > 0 || x.Is("at-most", x.At(at).Low); n = x.Length(at, "page-default") {
		number := x.After(at+max(n, 1), ":", "to", "of", "is", "limit", "size", "page")
		size, err := strconv.Atoi(x.At(number).Text)
		switch {
		case err != nil || !x.Ends(number+1):
			return end
		case n > 0:
			s.PageSize = size
		default:
			s.Leave(x.Words(at, number+1-at), "all pages have one size")
		}
		end = number + 1
		at = x.After(end, ",", "and")
	}
	if x.At(i).Low == "(" && end > i && x.At(end).Low == ")" {
		end++
	}
	return end
}

// atMost leaves out how many records a page may have at most: and max 100.
func (s *Settings) atMost(x words.Text, i int) int {
	at := x.After(i, ",", "and", "with", "a", "but")
	number := x.After(at+1, ":", "to", "of", "is", "limit", "size", "page")
	if _, err := strconv.Atoi(x.At(number).Text); err != nil || !x.Is("at-most", x.At(at).Low) || !x.Ends(number+1) {
		return i
	}
	s.Leave(x.Words(at, number+1-at), "all pages have one size")
	return number + 1
}

// valued reads a word that a value follows.
func (s *Settings) valued(x words.Text, class string, i, n int) int {
	at := x.After(i+n, ":", "is", "should", "be", "must", "to", "number", "the", "port", "on", "named", "path", "of")
	text := x.At(at).Text
	number, err := strconv.Atoi(text)
	switch {
	case class == "named" && x.Length(i+n, "rule") > 0: // the name is required
	case words.PathLike.MatchString(text) && (class == "module" || class == "named"): // called github.com/ada/lockers
		s.Module = text
		return at + 1
	case class == "named":
		capital := plaintext.IsCapital(x.At(x.After(i+n, ":", "it")).Text) || x.At(x.After(i+n, ":", "it")).Quoted
		if c := x.ClassAt(i + n); !capital && (c == "stop" || c == "place") { // called at, named after
			return i
		}
		if title, end := x.NameAt(i + n); title != "" && (capital || x.At(i+n-1).Low != "is") { // the name is a must
			if x.Is("named-too", x.At(i-1).Low) { // the token is called EEL_TOKEN
				s.Leave(x.Words(i-1, end-i+1), "only the project has a name")
				return end
			}
			s.Title = title
			return end
		}
	case class == "module" && (x.At(at).Quoted || !x.At(at).Mark && x.Ends(x.Behind(at)) && (x.Behind(at) > at+1 || strings.HasSuffix(x.Words(i, n), " name"))): // module bean-tracker
		title, why := plaintext.Title(cmp.Or(x.At(at).Raw, text)), "the project is called so"
		if s.Title = cmp.Or(s.Title, title); s.Title != title { // module name bean-tracker, package name beans
			why = "the project is called " + s.Title
		}
		s.Leave(x.Words(i, n)+" "+cmp.Or(x.At(at).Raw, text), why)
		return x.Behind(at)
	case class == "port" && err == nil:
		s.listen(x, i, number)
		return at + 1
	case class == "page-size" && err == nil:
		s.PageSize = number
		return s.atMost(x, x.After(at+1, "by", "default"))
	}
	return i
}

// denied reads what is not wanted, and what else "and" or "or" joins to it.
func (s *Settings) denied(x words.Text, i, n int) int {
	end := i
	for at := i + n; ; {
		for (x.Vocabulary[x.At(at).Low].Class == "stop" || x.At(at).Low == "in" && x.ClassAt(at) == "place") && !x.At(at).Mark { // instead of in a file
			at++
		}
		m, k := x.Phrase(at)
		more := end > i && !slices.Contains([]string{"given", "detail", "heart", "auth"}, m.Class)
		if k == 0 || !x.Is("deniable", m.Class) || more {
			return end
		}
		if m.Class == "auth" && refuses(x, i) { // 401 without a token
			s.option(m, x.Words(at, k))
		} else {
			s.deny(m, x.Words(at, k))
		}
		end = at + k
		if m.Class == "auth" {
			end = behindAuth(x, end)
		}
		if at = x.After(end, "and", "or", "no"); at == end {
			return end
		}
	}
}

// refuses says whether the sentence that holds a place speaks of requests that are turned away.
func refuses(x words.Text, i int) bool {
	from, to := i, i
	for from > 0 && !(x.At(from-1).Mark && x.At(from-1).Low != "(") {
		from--
	}
	for to < len(x.Tokens) && !x.At(to).Mark {
		to++
	}
	return x.Any("unauthorized", from, to)
}

// option takes what is asked for.
func (s *Settings) option(m glossary.Meaning, phrase string) {
	to := s.of(m.Class)
	switch {
	case m.Class == "given":
		s.Given = append(s.Given, phrase)
	case m.Class == "heart":
		s.Hearts = append(s.Hearts, Omission{phrase, m.Value})
	case m.Value == project.AnyDatabase:
		s.kept = true
		s.keep()
	case to == nil || m.Class == "license" && m.Value == project.None:
	case m.Class == "language" && *to != "" && *to != m.Value:
		s.Hearts = append(s.Hearts, Omission{"two languages", ""})
	case m.Class == "license" && *to != "" && *to != m.Value:
		s.Leave(phrase, "a project has one license")
	default:
		*to, s.memory = m.Value, s.memory || m.Class == "database" && m.Value == project.None
	}
}

// deny takes what is not wanted.
func (s *Settings) deny(m glossary.Meaning, phrase string) {
	to := s.of(m.Class)
	switch {
	case m.Class == "given" && !english.HasSuffix(phrase, "dependencies", "libraries", "packages", "framework", "frameworks"):
		s.Leave("no "+phrase, "every project has it")
	case m.Class == "database" && m.Value != project.None:
		s.without = append(s.without, m.Value)
		s.keep()
	case to == nil, m.Class == "language", m.Class == "database":
	case m.Class == "cors":
		*to = "off"
	default:
		*to = project.None
	}
}

// keep settles where records are kept of which only is told that they are to last, or where they are not to be.
func (s *Settings) keep() {
	no := func(database string) bool { return slices.Contains(s.without, database) }
	named := s.memory || s.Database != "" && s.Database != project.None && s.Database != project.AnyDatabase
	switch {
	case named && no(s.Database): // with SQLite, without SQLite
		s.Refuse("no " + s.Database)
	case named:
	case !s.kept:
		s.Database = project.None
	case len(s.without) == 0:
		s.Database = project.AnyDatabase
	case no(project.AnyDatabase), no(project.SQLite) && no(project.Postgres):
		s.Database = project.File
	case no(project.Postgres):
		s.Database = project.SQLite
	default:
		s.Database = project.Postgres
	}
}

func (s *Settings) of(class string) *string {
	return map[string]*string{"language": &s.Language, "database": &s.Database, "auth": &s.Auth, "cors": &s.CORS, "license": &s.License}[class]
}

// Clause gives the place where the clause that holds a place ends: a mark, or a word that joins something else to it that is
// asked of the project.
func Clause(x words.Text, i int) int {
	for !x.At(i).Mark && !(x.ClassAt(i) == "join" && Is(x, i+1)) {
		i++
	}
	return i
}
