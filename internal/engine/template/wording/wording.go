// Package wording writes the sentences that the template engine says about
// projects and requests.
package wording

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// maxTold bounds how many words or omissions are told one by one.
const maxTold = 12

//go:embed texts.tmpl
var textsText string

var texts = template.Must(template.New("texts").Funcs(Functions()).Parse(textsText))

// Say writes one of the texts; no request can make that fail, so a defect panics.
func Say(name string, about any) string {
	var b strings.Builder
	if err := texts.ExecuteTemplate(&b, name, about); err != nil {
		panic(err)
	}
	return b.String()
}

// Functions are what templates can call: those of the texts, and those of the files of projects.
func Functions() template.FuncMap {
	return template.FuncMap{
		"markdown": plaintext.Markdown,
		"list":     english.List,
		"told":     told,
		"has":      slices.Contains[[]string],
		"goName":   goName,
		"spaced":   func(name string) string { return strings.NewReplacer("-", " ", "_", " ").Replace(name) },
		"plural":   english.Plural,
		"words":    strings.Fields,
		"lookup":   func(table, phrase string) string { return lexicon.Tables[table][phrase] },
		"article":  english.WithArticle,
		"sentence": plaintext.Capital,
		"filled":   filled,
	}
}

// told joins what is told one by one.
func told(all []string, separator string) string {
	if n := len(all) - maxTold; n > 0 {
		all = append(slices.Clone(all[:maxTold]), fmt.Sprintf("and %d more", n))
	}
	return strings.Join(all, separator)
}

// goName writes words with underscores between as Go exports them.
func goName(name string) string {
	var out strings.Builder
	for w := range strings.SplitSeq(name, "_") {
		out.WriteString(plaintext.Capital(w))
	}
	return out.String()
}

// filled breaks a text into lines of at most 100 characters.
func filled(text string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
		case column+len(word) >= 100:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
