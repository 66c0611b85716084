package template

import (
	"fmt"
	"strings"
)

// Why something that a request names is left out of the project.
var (
	whySecret       = "keeping passwords needs hashing and sign-in rules, which this engine does not write"
	whyTaken        = "the name has a meaning of its own in the generated code"
	whyManyFields   = fmt.Sprintf("a resource has at most %d fields", maxFields)
	whyManySections = fmt.Sprintf("a page has at most %d sections", maxSections)
	whyManyThings   = fmt.Sprintf("a project has at most %d resources", maxResources)
)

// maxLeft bounds how many omissions are told one by one.
const maxLeft = 12

var (
	// secretFields are asked for like fields and need more than a field.
	secretFields = wordsFrom(`password passwords passphrase passphrases`)
	// secretUses are the words before which a password is a way to sign in.
	secretUses = wordsFrom(`auth authentication login logins protection protected based hashing signin reset`)
)

// leftOut gathers what a request names and the project does not get, so that
// nobody has to find out by looking for it.
type leftOut []string

func (l *leftOut) add(what, why string) {
	entry := fmt.Sprintf("%s (%s)", what, why)
	for _, old := range *l {
		if old == entry {
			return
		}
	}
	*l = append(*l, entry)
}

// fieldsOf adds the fields of a thing that its resource did not get.
func (l *leftOut) fieldsOf(t thing, r resource) {
	for _, d := range t.dropped {
		l.add(d.name+" of "+r.Plural, d.why)
	}
	for _, f := range t.fields {
		if !hasField(r.Fields, f.Name) {
			l.add(f.Name+" of "+r.Plural, whyManyFields)
		}
	}
}

// String tells what was left out in one sentence, or nothing.
func (l leftOut) String() string {
	if len(l) == 0 {
		return ""
	}
	told := l
	more := ""
	if len(told) > maxLeft {
		more = fmt.Sprintf("; and %d more", len(told)-maxLeft)
		told = told[:maxLeft]
	}
	return "Left out: " + strings.Join(told, "; ") + more + "."
}
