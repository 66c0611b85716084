package template

import (
	_ "embed" // the vocabulary
	"iter"
	"maps"
	"strings"
)

// class says what a phrase of the vocabulary means; the value says which one.
type class string

const (
	isStop      class = "stop"      // says nothing
	isKind      class = "kind"      // what is to be made
	isLanguage  class = "language"  // what it is written in
	isDatabase  class = "database"  // where records are kept
	isAuth      class = "auth"      // who may use it
	isCORS      class = "cors"      // what browsers may do
	isLicense   class = "license"   // under which license
	isGiven     class = "given"     // every project has it, or its kind
	isDetail    class = "detail"    // known, and left out: the value says what
	isHeart     class = "heart"     // known, and nothing without it: refused
	isPort      class = "port"      // a number follows
	isModule    class = "module"    // a module path follows
	isNamed     class = "named"     // a name follows
	opensThings class = "things"    // names of things follow
	opensFields class = "fields"    // fields of a thing, or parts of a page, follow
	opensPlace  class = "place"     // a place follows
	isRelation  class = "relation"  // the thing to which another belongs follows
	isJoin      class = "join"      // joins two of a list
	isDenial    class = "denial"    // what follows is not wanted
	isContainer class = "container" // holds the things before it
	isOperation class = "operation" // what a command does
	isAdding    class = "adding"
	isRemoving  class = "removing"
	isRenaming  class = "renaming"
	isTo        class = "to" // the end of a change: add price to books
)

// meaning is one entry of the vocabulary.
type meaning struct {
	class class
	value string
}

var (
	//go:embed vocabulary.txt
	vocabularyText string
	//go:embed tables.txt
	tablesText string
)

// vocabulary is every phrase that has a meaning wherever it stands.
var vocabulary = maps.Collect(rows(vocabularyText))

// tables are asked where they matter: by name, what a phrase means there.
var tables = func() map[class]map[string]string {
	out := map[class]map[string]string{}
	for phrase, m := range rows(tablesText) {
		if out[m.class] == nil {
			out[m.class] = map[string]string{}
		}
		out[m.class][phrase] = m.value
	}
	return out
}()

// rows reads the phrases of a text with the meaning that their heading gives them.
func rows(text string) iter.Seq2[string, meaning] {
	return func(yield func(string, meaning) bool) {
		var m meaning
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if heading, ok := strings.CutPrefix(line, "["); ok {
				name, value, _ := strings.Cut(strings.TrimSuffix(heading, "]"), " ")
				m = meaning{class(name), value}
				continue
			}
			for phrase := range strings.SplitSeq(strings.TrimSuffix(line, ","), ",") {
				if line != "" && line[0] != '#' && !yield(strings.TrimSpace(phrase), m) {
					return
				}
			}
		}
	}
}

// is says whether a phrase is in a table.
func is(table class, phrase string) bool { _, ok := tables[table][phrase]; return ok }
