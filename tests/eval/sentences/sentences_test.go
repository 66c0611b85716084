// Package sentences judges how the default engine reads sixty requests that were
// written by somebody who knew neither its forms nor its code. sentences.jsonl is
// never changed; judged.jsonl has a person's verdict about each spec.
package sentences

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/template"
)

// The verdicts.
const (
	atOnce = "at once" // generated at once, and right
	edited = "edited"  // right after at most two lines of the spec that is shown are edited
	poor   = "poor"    // the spec that is shown is of little use
	wrong  = "wrong"   // something was generated that neither the sentence nor a shown spec has
)

// The floors of the verdicts. More are better; wrong stays at none.
const (
	leastAtOnce = 6
	leastEdited = 37
)

type sentence struct {
	ID       int    `json:"id"`
	Sentence string `json:"sentence"`
}

// verdict is what a person said of the spec that a sentence became.
type verdict struct {
	ID      int    `json:"id"`
	Sure    bool   `json:"sure"` // it is generated at once
	Spec    string `json:"spec"`
	Verdict string `json:"verdict"`
	Why     string `json:"why"`
}

//go:embed sentences.jsonl
var sentenceLines []byte

//go:embed judged.jsonl
var judgedLines []byte

func readLines[T any](t *testing.T, lines []byte) (all []T) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(lines))
	for decoder.More() {
		var one T
		if err := decoder.Decode(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// read returns the spec that a sentence becomes, and whether it is generated at once.
func read(t *testing.T, prompt string) (text string, sure bool) {
	t.Helper()
	err := template.Reader().Check(prompt, nil, nil)
	if refused, ok := errors.AsType[*engine.Error](err); ok {
		if refused.Suggestion == nil {
			t.Fatalf("%q is refused without a spec: %v", prompt, err)
		}
		return refused.Suggestion.Spec, false
	}
	if err != nil {
		t.Fatal(err)
	}
	err = template.New().Generate(t.Context(), engine.Request{Prompt: prompt, Attempt: 1}, func(o engine.Output) error {
		if d, is := o.(engine.StateUpdate); is && d.Key == "spec" {
			text = d.Value
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%q: %v", prompt, err)
	}
	return text, true
}

// A spec that is another than the one that was judged needs another verdict. With
// SVC_JUDGE set to a file, the specs are written there to be judged.
// Promise: request-language
func TestSentencesAreReadAsTheyWereJudged(t *testing.T) {
	t.Parallel()
	judged := map[int]verdict{}
	for _, v := range readLines[verdict](t, judgedLines) {
		judged[v.ID] = v
	}
	var toJudge bytes.Buffer
	count := map[string]int{}
	for _, s := range readLines[sentence](t, sentenceLines) {
		text, sure := read(t, s.Sentence)
		v := judged[s.ID]
		line, err := json.Marshal(map[string]any{"id": s.ID, "sentence": s.Sentence, "sure": sure, "spec": text})
		if err != nil {
			t.Fatal(err)
		}
		toJudge.Write(append(line, '\n'))
		if v.Spec != text || v.Sure != sure {
			t.Errorf("%d %q: sure %v, judged as\n%sis now\n%s", s.ID, s.Sentence, sure, v.Spec, text)
			continue
		}
		if sure && v.Verdict != atOnce && v.Verdict != wrong || !sure && v.Verdict != edited && v.Verdict != poor {
			t.Errorf("%d: sure %v cannot be %q", s.ID, sure, v.Verdict)
		}
		count[v.Verdict]++
	}
	if count[atOnce] < leastAtOnce || count[edited] < leastEdited || count[wrong] > 0 {
		t.Errorf("verdicts: %v", count)
	}
	t.Logf("verdicts: %v", count)
	if file := os.Getenv("SVC_JUDGE"); file != "" {
		if err := os.WriteFile(file, toJudge.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
