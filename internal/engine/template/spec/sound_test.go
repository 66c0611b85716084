package spec_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Whatever is sound of a text can be sent, and a text without a mistake is sound.
// Promise: request-language
func TestWhatIsSoundCanBeSent(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		"api", "site", " in go", " in rust", " with postgres", ", port 80", ", cors", ", ", "\n", "\n", "book", "loan", "con", "a!b", " (books)", ": ", ": ", "title", "xmin",
		": integer", ": sting", " 1..3", " 9..1", " unique", " default x", " one of a/a", "-> book", "-> loan", "-> x", " required", "\nsection menu: Bread", "\ntext phone: x", "\"", "#",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, each := range rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces") {
			text += each
		}
		read, err := spec.Parse(text)
		sound := read.Sound()
		again, wrong := spec.Parse(sound.String())
		if wrong != nil {
			t.Fatalf("%q became %q: %v", text, sound, wrong)
		}
		if full, _, wrong := again.Complete(); wrong != nil || full.String() != sound.String() {
			t.Fatalf("%q is not %q: %v", full, sound, wrong)
		}
		if full, _, _ := read.Complete(); err == nil && full.String() != sound.String() {
			t.Fatalf("%q has no mistake and became %q", text, sound)
		}
	})
}

func TestWhatResemblesASpec(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"api in go, port 80\nbook: title":             true,
		"api in rust\n\n# books\nbook (books): title": true,
		"site, colour red\nsection menu":              true,
		"api with oracle\nbook: title":                true,
		"api\nbook: title":                            true,
		"api in rust":                                 false,
		"API in Go.\nbooks: title":                    false,
		"an api in rust\nbook: title":                 false,
		"api in rust\nmake it fast":                   false,
		"":                                            false,
	} {
		if got := spec.Resembles(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Promise: request-language
func TestCirclesAndPluralsAreMended(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"api in go with file, port 8080, auth none, license none, name x\na: -> b, name\nb: -> a, name": "api in go with file, port 8080, auth none, license none, name x\na: -> b, name\nb: -> a optional, name\n",
		"api in go with file, port 8080, auth none, license none, name x\nbook (b!): title":             "api in go with file, port 8080, auth none, license none, name x\nbook: title\n",
	} {
		read, err := spec.Parse(text)
		if got := read.Sound().String(); err == nil || got != want {
			t.Errorf("%q: %v\n%s", text, err, got)
		}
	}
}
