package template

import (
	_ "embed" // the vocabulary
	"strings"
)

// class says what a phrase of the vocabulary means; the value says which one.
// Classes that have no name here are tables that are asked where they matter;
// the vocabulary says what each is for.
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

// meaningful are the classes whose phrases mean the same wherever they stand.
var meaningful = []class{
	isStop, isKind, isLanguage, isDatabase, isAuth, isCORS, isLicense, isGiven, isDetail, isHeart, isPort, isModule, isNamed,
	opensThings, opensFields, opensPlace, isRelation, isJoin, isDenial, isContainer, isOperation, isAdding, isRemoving, isRenaming, isTo,
}

// meaning is one entry of the vocabulary.
type meaning struct {
	class class
	value string
}

//go:embed vocabulary.txt
var vocabularyText string

// classes holds the whole vocabulary: by class, what each phrase of it means.
var classes = readVocabulary(vocabularyText)

// vocabulary is every phrase that has a meaning wherever it stands.
var vocabulary = func() map[string]meaning {
	out := map[string]meaning{}
	for _, c := range meaningful {
		for phrase, value := range classes[c] {
			out[phrase] = meaning{c, value}
		}
	}
	return out
}()

// maxPhrase is the number of words of the longest phrase.
const maxPhrase = 5

// readVocabulary reads the tables; they are part of the program, so there is no
// question of a mistake in them that a test would not find.
func readVocabulary(text string) map[class]map[string]string {
	out := map[class]map[string]string{}
	var c class
	value := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "["); ok {
			name, rest, _ := strings.Cut(strings.TrimSuffix(heading, "]"), " ")
			if c, value = class(name), rest; out[c] == nil {
				out[c] = map[string]string{}
			}
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		for phrase := range strings.SplitSeq(strings.TrimSuffix(line, ","), ",") {
			out[c][strings.TrimSpace(phrase)] = value
		}
	}
	return out
}

// is says whether a phrase is of a class.
func is(c class, phrase string) bool { _, ok := classes[c][phrase]; return ok }
