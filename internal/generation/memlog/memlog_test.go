package memlog

import (
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/conformance"
)

func TestEventLog(t *testing.T) {
	conformance.EventLog(t, func(*testing.T) svc.EventLog { return New() })
}
