// Package lexicon holds what words mean to the template engine.
//
// vocabulary.txt says what a phrase means wherever it stands, tables.txt what it
// means where that depends on the place. To teach the engine a word is to write it there.
package lexicon

import (
	_ "embed"
	"maps"

	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/words"
)

var (
	//go:embed vocabulary.txt
	vocabularyText string
	//go:embed tables.txt
	tablesText string
)

// Vocabulary is every phrase that has a meaning wherever it stands.
var Vocabulary = maps.Collect(glossary.Phrases(vocabularyText))

// Tables are asked where they matter: by name, what a phrase means there.
var Tables = glossary.Tables(tablesText)

// All is both, as requests are taken apart with them.
var All = words.Lexicon{Vocabulary: Vocabulary, Tables: Tables}

// Is says whether a phrase is in a table.
func Is(table, phrase string) bool { _, ok := Tables[table][phrase]; return ok }
