package template

import (
	_ "embed" // the vocabulary
	"maps"

	"github.com/bundle-delivery/svc/internal/glossary"
)

// class says what a phrase of the vocabulary means; the value of its meaning says which one.
type (
	class   = string
	meaning = glossary.Meaning
)

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

var (
	//go:embed vocabulary.txt
	vocabularyText string
	//go:embed tables.txt
	tablesText string
)

// vocabulary is every phrase that has a meaning wherever it stands; the tables are
// asked where they matter: by name, what a phrase means there.
var (
	vocabulary = maps.Collect(glossary.Phrases(vocabularyText))
	tables     = glossary.Tables(tablesText)
)

// is says whether a phrase is in a table.
func is(table class, phrase string) bool { _, ok := tables[table][phrase]; return ok }
