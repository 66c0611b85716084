package lexicon

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/words"
)

// The tables hold what the program expects of them.
func TestTheVocabularyIsSound(t *testing.T) {
	t.Parallel()
	seen := map[string]glossary.Meaning{}
	for phrase, m := range glossary.Phrases(vocabularyText) {
		if n := len(strings.Fields(phrase)); n == 0 || n > words.MaxPhrase {
			t.Errorf("%q has %d words", phrase, n)
		}
		if other, twice := seen[phrase]; twice {
			t.Errorf("%q means %v and %v", phrase, other, m)
		}
		seen[phrase] = m
	}
	for _, text := range []string{vocabularyText, tablesText} {
		lines := strings.Split(text, "\n")
		for i, line := range lines[1:] { // a phrase that goes on in the next line would be two
			if before := lines[i]; line != "" && before != "" && !strings.ContainsAny(line[:1]+before[:1], "#[") && !strings.HasSuffix(before, ",") {
				t.Errorf("%q ends within a phrase", before)
			}
		}
	}
	for _, table := range []string{"deniable", "ends-name", "english", "serverless"} {
		for name := range Tables[table] {
			if !slices.ContainsFunc(slices.Collect(maps.Values(Vocabulary)), func(m glossary.Meaning) bool { return m.Class == name }) {
				t.Errorf("%s speaks of the class %s, which nothing is of", table, name)
			}
		}
	}
}
