package request

import (
	_ "embed" // the tables
	"maps"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/words"
)

var (
	//go:embed grammar.txt
	grammarText string
	//go:embed pages.txt
	pagesText string

	grammarTables = glossary.Tables(grammarText + "\n" + pagesText)
)

// withGrammar gives a lexicon the tables of the grammar too.
func withGrammar(l words.Lexicon) words.Lexicon {
	tables := maps.Clone(l.Tables)
	maps.Copy(tables, grammarTables)
	return words.Lexicon{Vocabulary: l.Vocabulary, Tables: tables}
}

// class gives what the vocabulary says of one word.
func (p *parser) class(i int) string {
	if t := p.At(i); t.Mark || t.Quoted {
		return ""
	}
	return p.Vocabulary[p.At(i).Low].Class
}

// fieldWord says whether a word names a field in most requests.
func (p *parser) fieldWord(w string) bool {
	return p.Is("field", w) || p.Is("field", english.Singular(w))
}

// fieldOnly says whether a word names a field and hardly ever a thing.
func (p *parser) fieldOnly(w string) bool {
	kind := p.Tables["field"][w]
	return kind != "" && (kind != "string" && kind != "strings" || p.Is("only-field", w))
}

// ends says whether a part of a list ends at a place, or the words that are read do.
func (p *parser) ends(i int) bool { return p.Ends(i) }

// begins says whether a clause or a part of a list begins at a place.
func (p *parser) begins(i int) bool { return i == 0 || p.Ends(i-1) }

// text gives words in lower case, without marks.
func (p *parser) text(from, to int) string {
	var out []string
	for i := from; i < to; i++ {
		if t := p.At(i); !t.Mark {
			out = append(out, t.Low)
		}
	}
	return strings.Join(out, " ")
}
