package generation

import (
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// streamsWait is an estimate: a stream ends with its run, or when its viewer leaves.
const streamsWait = 10 * time.Second

// openStreams counts what is open in this process, by account.
type openStreams struct {
	mu    sync.Mutex
	count map[string]int
}

// OpenStream takes one of the places that an account has for streams in this
// process, whoever serves them, until release. CodeTooManyStreams.
func (s *Service) OpenStream(accountID string) (release func(), err error) {
	o := &s.streams
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count[accountID] >= s.Limits.AccountStreams {
		s.Observer.Refused(svc.CodeTooManyStreams)
		e := svc.Errorf(svc.CodeTooManyStreams, "%d streams of this account are open, and no more may.", s.Limits.AccountStreams)
		e.Hint = "Close a stream that nobody reads, or wait until a run ends."
		e.RetryAfter = streamsWait
		return nil, e
	}
	if o.count == nil {
		o.count = make(map[string]int)
	}
	o.count[accountID]++
	return sync.OnceFunc(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.count[accountID]--; o.count[accountID] == 0 {
			delete(o.count, accountID)
		}
	}), nil
}
