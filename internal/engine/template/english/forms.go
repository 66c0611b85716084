package english

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Form is one of the forms, with a sentence that shows it.
type Form struct {
	Example string
	pattern string // of an option, or from ^ to $ of a sentence; see compile
	// read uses the groups of a match, or returns false to leave the words unread.
	read func(r *reader, groups []string) bool
}

// Pieces of patterns. Those of options begin with lead and end before tail, their last
// group: an option in the middle of a name is part of it, as in memory cards and a
// database id. A language may also begin a sentence: a Python book API.
const (
	lead    = ` (?:{lead} )*`
	tail    = ` ((?:(?:[,:.()]|and|{lead}|{for}|{has}|{can}|{api}|{app}) |$))`
	a       = `(?:{the} )*`
	having  = `(?: ,)?(?: (?:also|should|must))*(?: {has}| :)(?: (?:{following}|:))* (.+) $`
	purpose = `(?:(?: (?:{can}|{for}|and|,))* {for}(?:(?: {the})* (?:{app}|track))?(?: of)? (.+?))?`
	stored  = ` (?:database|db|storage|store)`
	called  = `(?:called|named) `

	store = lead + `(?:(?:{data} (?:{lead} )*{keep}|{keep} ` + a + `{data}|stored|(?:with|and|,) data) (?:{lead} )*)?` +
		`(?:{sql}|(?:with|using|to|add|and|,) ` + a + `(?:database|db)|file storage|json file|in-memory|in memory)(?:(?: for| as)?(?: {the})*` + stored + `)?` + tail
	auth    = lead + `(?:{without}|{with}) ` + a + `(?:(?:api key|bearer|(?:bearer |api )?token) {auth}|{auth}|(?:api key|(?:bearer |api )?token)s?)` + tail
	port    = lead + `port (?:(?:to|is|number|:) )*(\d+)` + tail
	cors    = lead + `(?:{without} )?{cors}(?: (?:support|enabled))?` + tail
	license = lead + `(?:licensed? (?:(?:it|{lead}) )*{license}|{license} licensed?)` + tail
)

// rewritten are patterns and what they become: the rule or kind of a field, the fields
// of a record in parentheses, a reference, and a sentence that begins in the middle of
// another.
var rewritten = [][2]string{
	{` \( ({rules}) \) `, ` $1 `},
	{` \( (` + strings.Join(spec.Kinds, "|") + `) \) `, ` :$1 `},
	{` : (string|integer|money|boolean) `, ` :$1 `}, // date and text may be names
	{` ([\w-]+s) \( ([^()]*) \) `, ` $1 . $1 : $2 . $1 `},
	{` and belongs? to (?:{the} )*`, ` . has -> `},
	{` belongs? to (?:{the} )*`, ` has -> `},
	{` : ([\w-]+s (?:with|:)) `, ` . $1 `},
	{` (?:(?:,|:|and|where|which) )+((?:{each} )?(?:[\w-]+ ){0,2}(?:should |must )?(?:has|have)|{each} with) `, ` . $1 `},
}

// Begin lists the forms of a request for a new project, in the order in which they
// are tried.
var Begin = []Form{
	{"a todo list API in Go", `(?:^ (?:{nothing} )*{language} |` + lead + `{language}(?: language)?` + tail + `)`, option("language")},
	{"a todo list API with SQLite", store, option("store")},
	{"a todo list API with authentication", auth, option("auth")},
	{"a todo list API on port 9100", port, option("port")},
	{"a todo list API with CORS", cors, option("cors")},
	{"a todo list API under the MIT license", license, option("license")},
	{"a todo list API with tests and a Dockerfile", lead + `{with} ` + a + `(?:unit |full )?{tests}(?: operations| endpoints)?` + tail, func(*reader, []string) bool { return true }},
	{"a todo list API called errands", ` ` + called + `((?-i:[A-Z][\w'-]*(?: (?:and |of |the )?[A-Z][\w'-]*)*)|[\w-]+)` + tail, option("name")},
	{"a web site for a bakery in Bristol", `^(.*?)(?: (?:{landing}|{site}))* {site}(?: for ((?:{the} )*)(.+?)((?-i: in [A-Z][a-z]+)?)|( .+?))??(?:` + having + `| $)`, (*reader).site},
	{"an API for books and authors", `^(.*?)((?:(?: web)? {api}| {app}| {catalog})+)((?: .*?)??)` + purpose + `(?:` + having + `| $)`, (*reader).api},
	{"an API for books. Books have a title and an author", `^(?: {for})*((?: {each})?)((?: .*?)??)` + having, (*reader).having},
	{"books and authors", `^( .*) $`, (*reader).nouns},
}

// Changes lists the forms of a request for a change; see lines.
var Changes = []Form{
	{"use port 9100", port, option("port")},
	{"add a database", store, option("store")},
	{"add authentication", auth, option("auth")},
	{"add CORS", cors, option("cors")},
	{"use the MIT license", license, option("license")},
	{"add a section menu", `^ {add} (?:new )?` + a + `(?:new )?(?:sections? (?:` + called + `)?)?(.+?)(?: sections?)? $`, lines("add section $1")},
	{"remove the section menu", `^ {remove} ` + a + `(?:sections? )?(.+?)(?: sections?)? $`, lines("remove section $1")},
	{"rename the field title of books to headline", `^ rename ` + a + `(?:field )?(.+) (?:of|in|from) (.+) (?:to|as) ([\w -]+) $`, lines("rename NOUN2.$1 $3")},
	{"rename notes to memos", `^ rename (.+?) (?:to|as) ([\w -]+) $`, lines("rename NOUN1 NOUN2")},
	{"make the isbn of books unique", `^ (?:make )?(.+) (?:of|in|on) (.+?) ({rules}) $`, lines("NOUN2.$1 $3")},
	{"add a field due date to tasks", `^ {add} (?:new )?` + a + `(?:new )?(?:fields? (?:` + called + `)?)?(.+?)(?: field)? to (.+) $`, lines("add NOUN2.$1")},
	{"remove the field isbn from books", `^ {remove} ` + a + `(?:fields? )?(.+?)(?: field)? (?:of|from|in) (.+) $`, lines("remove NOUN2.$1")},
	{"add notes with title and text", `^ {add} (?:new )?` + a + `(?:{api} for )?(.+?)` + having, lines("add NOUN1: $2")},
	{"remove notes", `^ {remove} (.+) $`, lines("remove NOUN1")},
}
