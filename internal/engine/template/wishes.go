package template

import (
	"regexp"
	"slices"
	"strings"
)

// wishes is what a prompt asks for, before it is known whether it can be had.
// Empty means that the prompt does not say.
type wishes struct {
	language string
	title    string // a name as people write it
	port     string
	database string // a value of the constraint, or dbAny
	auth     string
	cors     string
	license  string
	// missing is a technology that is named outright and not on offer.
	missing *refusal
	// rest is the prompt in lower case without its name and without what it
	// says no to.
	rest string
}

// dbAny asks for whatever database suits the language.
const dbAny = "yes"

// refusal names a wish that cannot be met: the constraint and the value asked.
type refusal struct{ key, value string }

const (
	introIn = `\b(?:in|using|with|on|to|of|and|for)\s+(?:plain |pure )?`
	program = `(?:\s+(?:rest|http|web|json|crud))*[\s-]+(?:api|service|server|backend|microservice|app|application|program|project|code)\b`
)

var (
	reGo         = regexp.MustCompile(`\bgolang\b|\b(?:in|using|with|to) go\b|\bgo` + program)
	reTypeScript = regexp.MustCompile(`\btypescript\b|\bnode\b|\bnode\.?js\b|\b(?:in|using) ts\b|\b(?:in|using) javascript\b|\bjavascript` + program)
	rePython     = regexp.MustCompile(`\bpython3?\b`)
	reStatic     = regexp.MustCompile(`\bstatic (?:web ?)?(?:site|page|html)\b|\bweb ?sites?\b|\blanding[ -]pages?\b|\bhome ?page\b|\bweb ?page\b|\bportfolio\b|\bhtml5?\b|\b(?:one|single)[ -]page\b|\b(?:an?|my|our|the) (?:\w+ ){0,2}site\b|\bsite (?:for|about|of)\b`)
	reServer     = regexp.MustCompile(`\bapis?\b|\bbackend\b|\brest\b|\bmicroservices?\b|\bcrud\b|\bserver\b`)
	otherLangs   = `(rust|java|kotlin|ruby|php|c#|csharp|c\+\+|elixir|swift|scala|haskell|perl|dart|clojure|zig|lua|erlang|ocaml|julia|\.net|deno|bun)`
	reOtherLang  = regexp.MustCompile(introIn + otherLangs + `(?:$|[^\w+#])|\b` + otherLangs + program)

	reFramework = regexp.MustCompile(`\b(fastapi|django|express\.?js|next\.?js|nest\.?js|nuxt|laravel|symfony|ruby on rails|spring boot|vue\.?js|angular|svelte|graphql|grpc|trpc|tailwind|bootstrap)\b|` +
		introIn + `(express|flask|gin|echo|chi|react|vue|rails|koa|fastify|hono|tornado)(?:$|[.,;!]| and | framework)`)

	reDBOther    = regexp.MustCompile(`\b(mysql|mariadb|mongodb|mongo|redis|dynamodb|oracle|cassandra|mssql|sql server|firebase|supabase|neo4j|elasticsearch|cockroachdb|duckdb)\b`)
	reDBPostgres = regexp.MustCompile(`\bpostgres(?:ql)?\b`)
	reDBSQLite   = regexp.MustCompile(`\bsqlite3?\b`)
	reDBFile     = regexp.MustCompile(`\bjson[ -]file\b|\bfile[ -](?:based|backed)\b|\bfile (?:store|storage|database)\b|\b(?:in|to) a file\b|\bon disk\b`)
	reDBMemory   = regexp.MustCompile(`\bin[ -]memory\b`)
	reDBNone     = regexp.MustCompile(`\b(?:databases?|dbs?|persist\w*|postgres(?:ql)?|sqlite3?)\b`)
	reDBAny      = regexp.MustCompile(`\bdatabases?\b|\bdb\b|\bpersist(?:s|ed|ent|ence|ently)?\b|\bdurable\b|\bsurvives? (?:a )?restarts?\b`)

	reAuthOther = regexp.MustCompile(`\b(oauth2?|openid(?: connect)?|oidc|saml|ldap|jwts?|sso|passkeys?|webauthn|2fa|mfa)\b`)
	reAuthNone  = regexp.MustCompile(`\b(?:auth|authentication|authori[sz]ation|log ?ins?|sign[ -]?ins?|tokens?|api[ -]keys?)\b`)
	reAuthToken = regexp.MustCompile(`\bbearer\b|\bapi[ -]keys?\b|\b(?:access|api) tokens?\b`)
	reAuth      = regexp.MustCompile(`\bauth\b|\bauthenticat\w+\b|\bauthoriz\w+\b|\bbearer\b|\bapi[ -]keys?\b|\b(?:access|api) tokens?\b|\blog ?ins?\b|\bsign[ -]?ins?\b|\bpassword[ -]protect\w*\b|\bprotected\b|\bsecure (?:it|the api)\b`)

	reCORS = regexp.MustCompile(`\bcors\b|\bcross[ -]origin\b`)

	rePort = regexp.MustCompile(`\bports?\s*(?:number\s*)?(?:to|is|=|:)?\s*(\d{1,6})\b|\blisten\w*\s+(?:on|at)\s+:?(\d{2,6})\b|\blocalhost:(\d{2,6})\b`)

	reLicense      = regexp.MustCompile(`\b(mit|isc)[ -](?:style )?licen[sc]ed?\b|\blicen[sc]ed?(?: (?:under|is|as|to|the|:))* (mit|isc)\b|\bunder (?:the )?(mit|isc)\b`)
	reLicenseOther = regexp.MustCompile(`\b(gpl|agpl|lgpl|apache|bsd|mpl|unlicense|gplv[23])\b[^.]{0,12}\blicen[sc]ed?\b|\blicen[sc]ed?(?: (?:under|is|as|to|the|:))* (gpl|agpl|lgpl|apache|bsd|mpl|gplv[23])\b`)
	reLicenseNone  = regexp.MustCompile(`\blicen[sc]es?\b`)

	// rePart tells "a resource called x" from the name of the project.
	rePart    = regexp.MustCompile(`(?i)\b(?:resources?|endpoints?|entity|entities|collections?|fields?|sections?|models?|tables?|routes?)\s+$`)
	reNamed   = regexp.MustCompile(`(?i)\b(?:called|named|titled|entitled|name it|call it|name is)\s+(.+)`)
	reRenamed = regexp.MustCompile(`(?i)\brenam\w*\s+(?:\S+\s+){0,5}?(?:to|as|into)\b:?\s+(.+)|\bchange\s+(?:the|its)\s+(?:\w+\s+)?name\s+to\b:?\s+(.+)`)
)

// read finds the wishes of a prompt.
func read(prompt string) wishes {
	title, rest := readName(prompt)
	rest, no := splitDenials(strings.ToLower(rest))
	w := wishes{title: title, rest: rest}
	low := oneLine(rest, len(rest))

	w.language = readLanguage(low)
	w.database = readDatabase(low, no)
	if m := rePort.FindStringSubmatch(low); m != nil {
		w.port = firstOf(m[1:])
	}
	switch {
	case reAuthNone.MatchString(no) && !reAuthToken.MatchString(low):
		w.auth = authNone
	case reAuth.MatchString(low):
		w.auth = authToken
	}
	switch {
	case reCORS.MatchString(no):
		w.cors = switchOff
	case reCORS.MatchString(low):
		w.cors = switchOn
	}
	switch m := reLicense.FindStringSubmatch(low); {
	case reLicenseNone.MatchString(no) && m == nil:
		w.license = licenseNone
	case m != nil:
		w.license = firstOf(m[1:])
	}
	w.missing = readMissing(low, w)
	return w
}

// readMissing looks for a technology that is named outright and cannot be had.
func readMissing(low string, w wishes) *refusal {
	for _, probe := range []struct {
		key  string
		re   *regexp.Regexp
		when bool
	}{
		{"language", reOtherLang, w.language == ""},
		{"framework", reFramework, true},
		{"database", reDBOther, true},
		{"auth", reAuthOther, true},
		{"license", reLicenseOther, w.license == ""},
	} {
		if !probe.when {
			continue
		}
		if m := probe.re.FindStringSubmatch(low); m != nil {
			return &refusal{probe.key, firstOf(m[1:])}
		}
	}
	return nil
}

// readLanguage takes the language that is named first. Words for a web page
// count only where nothing speaks of a server.
func readLanguage(low string) string {
	best, at := "", len(low)+1
	for _, probe := range []struct {
		language string
		re       *regexp.Regexp
	}{{langGo, reGo}, {langTypeScript, reTypeScript}, {langPython, rePython}} {
		if loc := probe.re.FindStringIndex(low); loc != nil && loc[0] < at {
			best, at = probe.language, loc[0]
		}
	}
	if best == "" && reStatic.MatchString(low) && !reServer.MatchString(low) {
		return langStatic
	}
	return best
}

// readDatabase reads what is asked for and what is denied; a database that is
// named outright outranks a denial of databases as such.
func readDatabase(low, no string) string {
	switch {
	case reDBMemory.MatchString(low):
		return dbNone
	case reDBPostgres.MatchString(low):
		return dbPostgres
	case reDBSQLite.MatchString(low):
		return dbSQLite
	case reDBFile.MatchString(low):
		return dbFile
	case reDBNone.MatchString(no):
		return dbNone
	case reDBAny.MatchString(low):
		return dbAny
	}
	return ""
}

// readName finds "called X", "named X" and "rename … to X", and gives the
// prompt without it, so that a name is not read as a noun.
func readName(prompt string) (title, rest string) {
	for _, re := range []*regexp.Regexp{reRenamed, reNamed} {
		m := re.FindStringSubmatchIndex(prompt)
		if m == nil {
			continue
		}
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		if rePart.MatchString(prompt[:m[0]]) {
			return "", prompt[:m[0]] + prompt[from:]
		}
		name, used := nameAt(prompt[from:to])
		if cleanTitle(name) == "" {
			continue
		}
		return cleanTitle(name), prompt[:m[0]] + " . " + prompt[from+used:]
	}
	return "", prompt
}

// nameAt reads a name at the start of text: what stands between quotation
// marks, or up to four words before the sentence goes on.
func nameAt(text string) (name string, used int) {
	for _, q := range []struct{ open, end string }{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"«", "»"}, {"`", "`"}} {
		if !strings.HasPrefix(text, q.open) {
			continue
		}
		if i := strings.Index(text[len(q.open):], q.end); i >= 0 {
			end := len(q.open) + i
			return text[len(q.open):end], end + len(q.end)
		}
	}
	end, words := 0, 0
	for _, w := range strings.SplitAfter(text, " ") {
		bare := strings.TrimSpace(w)
		if words == 4 || nameEnds[strings.ToLower(bare)] {
			break
		}
		end += len(w)
		words++
		if strings.ContainsAny(bare, ".,;:!?()\"") {
			break
		}
	}
	return strings.Trim(text[:end], " .,;:!?()\"'"), end
}

func firstOf(groups []string) string {
	if i := slices.IndexFunc(groups, func(g string) bool { return g != "" }); i >= 0 {
		return groups[i]
	}
	return ""
}
