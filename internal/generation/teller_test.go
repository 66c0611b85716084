package generation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
)

// slowWriter appends when the test says so.
type slowWriter struct {
	started chan []svc.Event
	done    func(error)
	last    int64
	refuses error // to begin
}

func (w *slowWriter) Last() int64 { return w.last }

func (w *slowWriter) Append(context.Context, []svc.Event) error {
	return errors.New("a writer that can start was waited for")
}

func (w *slowWriter) Start(_ time.Duration, events []svc.Event, done func(error)) error {
	if w.refuses != nil {
		return w.refuses
	}
	w.done = done
	w.started <- events
	return nil
}

// land ends the append that is under way.
func (w *slowWriter) land(events []svc.Event, err error) {
	if err == nil {
		w.last += int64(len(events))
	}
	w.done(err)
}

// said are the deltas of events.
func said(t *testing.T, events []svc.Event) (deltas []string) {
	t.Helper()
	for _, e := range events {
		deltas = append(deltas, payload[svc.TokenEvent](t, e).Delta)
	}
	return deltas
}

// aloud runs a test with a teller whose writer is slow.
func aloud(t *testing.T, test func(t *testing.T, w *slowWriter, tell *teller, broken chan error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &slowWriter{started: make(chan []svc.Event, 10)}
		broken := make(chan error, 10)
		test(t, w, newTeller(w, Unobserved{}, func(err error) { broken <- err }), broken)
	})
}

func sayAll(t *testing.T, tell *teller, deltas ...string) {
	t.Helper()
	for _, d := range deltas {
		ok(t, tell.say(svc.TokenEvent{File: "f", Attempt: 1, Delta: d}))
	}
}

func TestWhatIsSaidMeanwhileIsStoredNext(t *testing.T) {
	aloud(t, func(t *testing.T, w *slowWriter, tell *teller, _ chan error) {
		sayAll(t, tell, "a")
		first := <-w.started
		sayAll(t, tell, "b", "c")
		time.Sleep(10 * batchTime)
		synctest.Wait()
		if len(w.started) > 0 {
			t.Fatal("two appends are under way")
		}
		w.land(first, nil)
		second := <-w.started
		if diff := cmp.Diff([]string{"b", "c"}, said(t, second)); diff != "" {
			t.Errorf("the second append (-want +got):\n%s", diff)
		}
		sayAll(t, tell, "d")
		w.land(second, nil)
		synctest.Wait()
		if len(w.started) > 0 {
			t.Error("what is young was stored at once")
		}
		time.Sleep(batchTime)
		synctest.Wait()
		third := <-w.started
		w.land(third, nil)
		if last, err := tell.close(); last != 4 || err != nil {
			t.Errorf("the teller ended at %d (%v), want 4", last, err)
		}
	})
}

func TestARunDoesNotOutrunItsLog(t *testing.T) {
	aloud(t, func(t *testing.T, w *slowWriter, tell *teller, _ chan error) {
		sayAll(t, tell, "a")
		first := <-w.started
		through := make(chan struct{})
		go func() {
			sayAll(t, tell, strings.Repeat("b", batchBytes))
			close(through)
		}()
		synctest.Wait()
		select {
		case <-through:
			t.Fatal("a whole batch was said while another was being stored")
		default:
		}
		w.land(first, nil)
		<-through
		w.land(<-w.started, nil)
	})
}

func TestClosingWaitsForWhatIsUnderWay(t *testing.T) {
	aloud(t, func(t *testing.T, w *slowWriter, tell *teller, _ chan error) {
		sayAll(t, tell, "a", "b")
		closed := make(chan string)
		go func() {
			last, err := tell.close()
			closed <- fmt.Sprint(last, err)
		}()
		for range 2 {
			events := <-w.started
			synctest.Wait()
			select {
			case got := <-closed:
				t.Fatalf("closing ended with %s before all was stored", got)
			default:
			}
			w.land(events, nil)
		}
		if got := <-closed; got != "2 <nil>" {
			t.Errorf("closing ended with %s", got)
		}
	})
}

func TestARefusalIsShownToTheNextSay(t *testing.T) {
	refusal := errors.New("refused")
	for name, refuse := range map[string]func(t *testing.T, w *slowWriter, tell *teller){
		"when it lands": func(t *testing.T, w *slowWriter, tell *teller) {
			sayAll(t, tell, "a")
			first := <-w.started
			sayAll(t, tell, "b")
			time.Sleep(2 * batchTime)
			synctest.Wait()
			w.land(first, refusal)
		},
		"at once": func(_ *testing.T, w *slowWriter, tell *teller) {
			w.refuses = refusal
			_ = tell.say(svc.TokenEvent{File: "f", Attempt: 1, Delta: "a"}) // is asked again below
		},
	} {
		t.Run(name, func(t *testing.T) {
			aloud(t, func(t *testing.T, w *slowWriter, tell *teller, broken chan error) {
				refuse(t, w, tell)
				if err := tell.say(svc.TokenEvent{File: "f", Attempt: 1, Delta: "c"}); !errors.Is(err, refusal) {
					t.Errorf("the next say ends with %v", err)
				}
				if _, err := tell.close(); !errors.Is(err, refusal) {
					t.Errorf("closing ends with %v", err)
				}
				if len(broken) != 1 || len(w.started) != 0 {
					t.Errorf("%d refusals were told and %d appends followed, want 1 and 0", len(broken), len(w.started))
				}
			})
		})
	}
}
