package template

import (
	"regexp"
	"strings"
)

// The grammar of a denial: a word that denies, perhaps verbs, an article, one
// word of description, and the feature; further features may follow.
const (
	deniable = `(?:databases?|dbs?|persist\w*|postgres(?:ql)?|sqlite3?|mysql|mariadb|mongodb|mongo|redis|` +
		`auth|authentication|authorization|authorisation|log ?ins?|sign[ -]?ins?|(?:access |api )?tokens?|api[ -]keys?|jwts?|oauth2?|` +
		`cors|licen[sc]es?|fastapi|django|express|flask|gin|react|vue|graphql|grpc)`
	articles    = `(?:(?:an?|the|any|its|all|our|my|(?:any )?(?:kind|sort|form|type) of)\s+)?`
	denyVerbs   = `(?:(?:to\s+)?(?:want|need|require|use|have|include|add|like|support|be|set up|get|going|required|expected|actually|really|even)\s+){0,3}(?:to\s+)?`
	denyingWord = `(?:without|no\s+(?:need|use|reason)\s+(?:for|of|to)\s+` + denyVerbs + `|no|(?:not|never)\s+` + denyVerbs +
		`|remov(?:e|ing)|drop|disable|delete|skip|avoid|omit|exclude|get rid of|instead of|rather than)`
	denied = articles + `(?:[a-z]+\s+)?` + deniable + `\b`
)

var (
	reDenial = regexp.MustCompile(`\b` + denyingWord + `\s*\b` + denied +
		`(?:(?:\s*,\s*` + denied + `)*\s*,?\s+n?or\s+` + denied + `|\s+and\s+` + articles + deniable + `\b)*`)
	reNotNeeded   = regexp.MustCompile(`\b` + deniable + `\s+(?:(?:is|are)\s+)?(?:not\s+(?:needed|required|necessary|wanted)|unnecessary)\b`)
	reNotOnly     = regexp.MustCompile(`^(?:not|never)\s+(?:only|just|merely)\b`)
	reDeniesAgain = regexp.MustCompile(`\b(?:not|never)\s+$`)

	reContraction = regexp.MustCompile(`\b(do|does|did|is|are|was|were|should|would|could|must|need|have|has|had)n['’]?t\b`)
	contractions  = strings.NewReplacer("can't", "can not", "can’t", "can not", "cannot", "can not", "won't", "will not", "won’t", "will not")
)

// splitDenials takes what a text in lower case says no to out of it: "no
// database", "does not need a database", "authentication is not required". What
// is denied twice, as in "do not remove the database", is asked for by neither.
func splitDenials(text string) (kept, said string) {
	text = reContraction.ReplaceAllString(contractions.Replace(text), "$1 not")
	var out, no strings.Builder
	for {
		loc := reDenial.FindStringIndex(text)
		if after := reNotNeeded.FindStringIndex(text); after != nil && (loc == nil || after[0] < loc[0]) {
			loc = after
		}
		if loc == nil {
			out.WriteString(text)
			return out.String(), no.String()
		}
		span := text[loc[0]:loc[1]]
		switch {
		case reNotOnly.MatchString(span):
			out.WriteString(text[:loc[1]])
		case reDeniesAgain.MatchString(text[:loc[0]]):
			out.WriteString(text[:loc[0]] + ". ")
		default:
			out.WriteString(text[:loc[0]] + " . ")
			no.WriteString(span + " . ")
		}
		text = text[loc[1]:]
	}
}
