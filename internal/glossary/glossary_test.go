package glossary

import (
	"maps"
	"slices"
	"testing"
)

const text = `# what sounds

[sound loud noise]
drum, tin whistle,
horn

[color]
horn
`

func TestPhrasesHaveTheMeaningOfTheirHeading(t *testing.T) {
	t.Parallel()
	loud := Meaning{"sound", "loud noise"}
	var order []string
	for phrase, m := range Phrases(text) {
		if order = append(order, phrase); len(order) < 4 && m != loud || len(order) == 4 && m != (Meaning{Class: "color"}) {
			t.Errorf("%s means %v", phrase, m)
		}
	}
	if len(order) != 4 || order[1] != "tin whistle" || order[3] != "horn" {
		t.Errorf("%q", order)
	}
	for range Phrases(text) {
		break // who has heard enough is told no more
	}
}

func TestAPhraseMayBeInSeveralTables(t *testing.T) {
	t.Parallel()
	tables := Tables(text)
	if want := map[string]string{"drum": "loud noise", "tin whistle": "loud noise", "horn": "loud noise"}; !maps.Equal(tables["sound"], want) {
		t.Errorf("%q", tables["sound"])
	}
	if value, ok := tables["color"]["horn"]; !ok || value != "" || len(tables) != 2 {
		t.Errorf("%q", tables)
	}
}

func TestBracketsGiveAPhraseForEachOfTheirWords(t *testing.T) {
	t.Parallel()
	var got []string
	for phrase := range Phrases("[age]\n(old|not young) than (a |)day, new") {
		got = append(got, phrase)
	}
	if want := []string{"old than a day", "old than day", "not young than a day", "not young than day", "new"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for range Phrases("[age]\n(old|new)") {
		break // who has heard enough is told no more
	}
}
