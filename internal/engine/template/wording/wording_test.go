package wording

import (
	"strconv"
	"strings"
	"testing"
)

func TestOnlySoMuchIsToldOneByOne(t *testing.T) {
	t.Parallel()
	var all []string
	for n := range maxTold + 3 {
		all = append(all, strconv.Itoa(n))
	}
	for n, want := range map[int]string{1: "0", maxTold: strings.Join(all[:maxTold], "; "), maxTold + 1: strings.Join(all[:maxTold], "; ") + "; and 1 more", maxTold + 3: strings.Join(all[:maxTold], "; ") + "; and 3 more"} {
		if got := told(all[:n], "; "); got != want {
			t.Errorf("%d are told as %q, want %q", n, got, want)
		}
	}
}

func TestNamesAreWrittenAsGoExportsThem(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"book": "Book", "due_date": "DueDate", "line_2": "Line2"} {
		if got := goName(name); got != want {
			t.Errorf("%s is written %s, want %s", name, got, want)
		}
	}
}

func TestTheNearestRequestNamesWhatWasUnderstood(t *testing.T) {
	t.Parallel()
	about := map[string]any{"Kind": "api", "Language": "python", "Plurals": []string{"pets"}, "Database": "sqlite", "Auth": "token"}
	if got, want := Say("nearest", about), "A Python API for pets with sqlite that requires a token"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTextsAreFilled(t *testing.T) {
	t.Parallel()
	word := strings.Repeat("x", 49)
	for text, want := range map[string]string{"": "", "a  b": "a b", word + " " + word + " c": word + " " + word + "\nc", strings.Repeat(word, 3) + " a": strings.Repeat(word, 3) + "\na"} {
		if got := filled(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestATextThatIsNotThereIsADefect(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("nothing was said, and nobody told")
		}
	}()
	Say("no such text", nil)
}
