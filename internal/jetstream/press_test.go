package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	svc "github.com/bundle-delivery/svc"
)

func TestManyWritersAtOnce(t *testing.T) {
	const writers, appends = 100, 20
	b := open(t, t.TempDir())
	var work sync.WaitGroup
	for n := range writers {
		work.Go(func() {
			w, err := b.Events().Writer(t.Context(), svc.RunClaim{ID: fmt.Sprintf("gen_%d", n), Epoch: 1})
			if err != nil {
				t.Error(err)
				return
			}
			for range appends {
				if err := w.Append(t.Context(), []svc.Event{{Name: svc.EventToken, Data: fmt.Appendf(nil, `{"n":%d}`, n)}}); err != nil {
					t.Errorf("writer %d: %v", n, err)
				}
			}
		})
	}
	work.Wait()
	for n := range writers {
		events, err := b.Events().Read(t.Context(), fmt.Sprintf("gen_%d", n), 0)
		if err != nil || len(events) != appends {
			t.Fatalf("run %d has %d events (%v), want %d", n, len(events), err, appends)
		}
		for i, e := range events {
			if want := fmt.Sprintf(`{"n":%d}`, n); e.Seq != int64(i+1) || string(e.Data) != want {
				t.Errorf("run %d has event %d %s, want %d %s", n, e.Seq, e.Data, i+1, want)
			}
		}
	}
}

// listener takes messages that nobody stores, and says what they are.
func listener(t *testing.T, b *Bus, subject string) <-chan *nats.Msg {
	t.Helper()
	heard := make(chan *nats.Msg, 10)
	if _, err := b.conn.ChanSubscribe(subject, heard); err != nil {
		t.Fatal(err)
	}
	if err := b.conn.Flush(); err != nil {
		t.Fatal(err)
	}
	return heard
}

func TestPressDoesNotWaitForEver(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(p *press, leave func())
		want error
	}{
		"the caller leaves": {func(_ *press, leave func()) { leave() }, context.Canceled},
		"no answer comes": {func(p *press, _ func()) {
			for range patience + 1 {
				p.endRound()
			}
		}, errNoAnswer},
		"the connection is closed": {func(p *press, _ func()) { p.close() }, nats.ErrConnectionClosed},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			b := open(t, t.TempDir())
			p := b.events.press
			sent := listener(t, b, "svc.silence")
			ended := make(chan error)
			go func() {
				_, err := p.publish(ctx, "svc.silence", 0, []byte("x"))
				ended <- err
			}()
			<-sent
			c.end(p, leave)
			if err := <-ended; !errors.Is(err, c.want) {
				t.Errorf("publish ended with %v, want %v", err, c.want)
			}
		})
	}
}

// TestLateAnswersReachNobody lets the answer to a message come when its writer
// has given up, and another waits for the answer to its own.
func TestLateAnswersReachNobody(t *testing.T) {
	b := open(t, t.TempDir())
	p := b.events.press
	sent := listener(t, b, "svc.silence")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan answer)
	publish := func(ctx context.Context) {
		place, err := p.publish(ctx, "svc.silence", 0, []byte("x"))
		ended <- answer{place, err}
	}
	go publish(ctx)
	first := <-sent
	stop()
	if a := <-ended; !errors.Is(a.err, context.Canceled) {
		t.Fatalf("the first ended with %v", a.err)
	}
	go publish(t.Context())
	second := <-sent
	for msg, place := range map[*nats.Msg]int{first: 7, second: 8} {
		if err := msg.Respond(fmt.Appendf(nil, `{"stream":"X","seq":%d}`, place)); err != nil {
			t.Fatal(err)
		}
	}
	if a := <-ended; a.place != 8 || a.err != nil {
		t.Errorf("the second got the answer %+v, want place 8", a)
	}
}

func TestPublishWhereNobodyStores(t *testing.T) {
	b := open(t, t.TempDir())
	if _, err := b.events.press.publish(t.Context(), "svc.nowhere", 0, nil); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("publish ended with %v", err)
	}
}

func TestAnswersOfTheLog(t *testing.T) {
	for text, want := range map[string]uint64{
		`{"stream":"SVC_EVENTS","seq":41}`:                             41,
		`{"stream":"SVC_EVENTS","domain":"\"seq\":7,","seq":42}`:       42,
		`{"stream":"SVC_EVENTS", "seq": 43,"duplicate":true}`:          43,
		`{"stream":"SVC_EVENTS","seq":44,"batch":"x","count":2}`:       44,
		`{"stream":"SVC_EVENTS","domain":"\"error\":","seq":45}`:       45,
		`{"stream":"SVC_EVENTS","seq":0}`:                              0,
		`{"stream":"SVC_EVENTS"}`:                                      0,
		`{"stream":"SVC_EVENTS","seq":46`:                              0,
		``:                                                             0,
		`{"error":{"code":400,"err_code":10071},"stream":"X","seq":5}`: 0,
		`{"stream":"X","seq":5,"error":{"code":400,"err_code":10071}}`: 0,
		`{"stream":"X","seq":18446744073709551616}`:                    0,
		`{"stream":"X","seq":-1}`:                                      0,
		`{"stream":"X","seq":"12"}`:                                    0,
	} {
		place, err := readAnswer(&nats.Msg{Data: []byte(text)})
		if place != want || (err == nil) != (want > 0) {
			t.Errorf("%s is read as %d (%v), want %d", text, place, err, want)
		}
	}
	_, err := readAnswer(&nats.Msg{Data: []byte(`{"error":{"code":400,"err_code":10071},"stream":"X","seq":0}`)})
	if refusal, ok := errors.AsType[*jetstream.APIError](err); !ok || refusal.ErrorCode != jetstream.JSErrCodeStreamWrongLastSequence {
		t.Errorf("a refusal by the fence is read as %v", err)
	}
}
