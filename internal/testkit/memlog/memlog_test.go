package memlog

import (
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

func TestEventLog(t *testing.T) {
	storetest.EventLog(t, func(*testing.T) svc.EventLog { return New() })
}
