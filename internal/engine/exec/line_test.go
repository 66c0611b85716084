package exec

import (
	"errors"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
)

// FuzzLine looks for lines that break the reader: whatever a program says is an
// output or an error of the engine, never both, never neither.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		`{"type":"token","file":"a","delta":"x"}`, `{"type":"file","path":"a","content":null}`, `{"type":"port","name":"p","port":1,"uses":[null]}`,
		`{"type":"error"}`, `{"type":"usage","cost_usd":1e400}`, `[]`, `null`, `{"type":null}`, "\xff", `{"type":"state_update","key":"\ud800","value":""}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := parseLine(text)
		if (out == nil) == (err == nil) {
			t.Fatalf("%q gives %v and %v", text, out, err)
		}
		if _, ok := errors.AsType[*engine.Error](err); err != nil && !ok {
			t.Fatalf("%q ends with %v, which viewers cannot be told", text, err)
		}
	})
}

func TestHalfCharactersAreRefused(t *testing.T) {
	for text, want := range map[string]bool{
		`"plain"`:               false,
		`"\ud83d\ude00"`:        false,
		`"\u00e9\ud83d\ude00!"`: false,
		`"\\ud83d"`:             false, // a backslash, then letters
		`"\\\ud83d\ude00"`:      false,
		`"\uD83D"`:              true,
		`"\ud83dx\ude00"`:       true,
		`"\ud83d\n"`:            true,
		`"\ude00"`:              true,
		`"\ud83d\ud83d\ude00"`:  true,
		`"\ud83d\u00e9"`:        true,
		`\ud83d`:                true,
	} {
		_, err := parseLine([]byte(`{"type":"memory_update","content":` + text + `,"content":` + text + `}`))
		if (err != nil) != want {
			t.Errorf("%s: %v, want an error: %v", text, err, want)
		}
	}
}
