package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
)

// with adds fields to a JSON object, as a newer program may.
func with(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	fields["since_next_version"] = map[string]any{"a": []int{1}}
	if pack, ok := fields["pack"].(map[string]any); ok {
		pack["since_next_version"] = true
	}
	if text, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	return text
}

type assembleFunc func(context.Context, svc.Assembly) (svc.Assembled, error)

func (f assembleFunc) Assemble(ctx context.Context, a svc.Assembly) (svc.Assembled, error) {
	return f(ctx, a)
}

// Programs of two versions ask and answer each other while one replaces the
// other: what a newer one adds is passed over.
// Promise: newer-messages
func TestMessagesOfANewerVersionAreUnderstood(t *testing.T) {
	t.Run("a request for an assembly", func(t *testing.T) {
		sum := sha256.Sum256([]byte("x"))
		question := with(t, assembleRequest{
			Pack: packOnWire{Blob: "p", Size: 7, SHA256: sum[:]}, Target: "t", Deadline: time.Now().Add(time.Hour),
		})
		var got svc.Assembly
		answer := assemble(t.Context(), assembleFunc(func(_ context.Context, a svc.Assembly) (svc.Assembled, error) {
			got = a
			return svc.Assembled{Size: 9, SHA256: sum}, nil
		}), question)
		if answer.Result != assembledOK || got.Target != "t" || got.Pack.Blob != "p" || got.Pack.Size != 7 {
			t.Errorf("answered %+v to %+v", answer, got)
		}
	})
	t.Run("an answer to one", func(t *testing.T) {
		sum := sha256.Sum256([]byte("x"))
		var answer assembleAnswer
		if err := json.Unmarshal(with(t, assembleAnswer{Result: assembledOK, Size: 9, SHA256: sum[:]}), &answer); err != nil {
			t.Fatal(err)
		}
		if got, err := answer.assembled(); err != nil || got != (svc.Assembled{Size: 9, SHA256: sum}) {
			t.Errorf("understood %+v (%v)", got, err)
		}
	})
	t.Run("a batch of events", func(t *testing.T) {
		got, err := decodeBatch([]byte("1 4 7 2 more=1 x\ntoken {\"v\":1,\"delta\":\"a\",\"later\":[1]}\nlater_event {\"v\":2}\n"))
		if err != nil {
			t.Fatal(err)
		}
		want := []svc.Event{
			{Seq: 7, Name: svc.EventToken, Data: []byte(`{"v":1,"delta":"a","later":[1]}`)},
			{Seq: 8, Name: "later_event", Data: []byte(`{"v":2}`)},
		}
		if diff := cmp.Diff(want, got.events); diff != "" || got.epoch != 4 {
			t.Errorf("epoch %d:\n%s", got.epoch, diff)
		}
	})
}
