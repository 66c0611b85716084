package modelproxy

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// A run that has ended reads none of its requests to their end.
// Promise: agent-relay-bounded
func TestAReadingEndsWithItsRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	body := []byte(`{"input":[` + strings.Repeat("[],", 1<<20) + `0]}`)
	if _, err := readRequest(ctx, responses, body); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	s := newScan(ctx, body)
	for s.tokens < 1<<21 {
		if _, err := s.next(); err != nil {
			break
		}
	}
	if s.tokens > checkEvery {
		t.Errorf("it ended after %d tokens", s.tokens)
	}
}
