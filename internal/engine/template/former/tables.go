package former

import (
	_ "embed" // the tables
	"maps"

	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/words"
)

//go:embed words.txt
var wordsText string

//go:embed change.txt
var changeText string

//go:embed prose.txt
var proseText string

var own = glossary.Tables(wordsText + "\n" + changeText + "\n" + proseText)

// withTables gives a text the tables of records too.
func withTables(x words.Text) words.Text {
	tables := maps.Clone(x.Tables)
	maps.Copy(tables, own)
	x.Tables = tables
	return x
}
