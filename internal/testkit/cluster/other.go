//go:build !unix

package cluster

import (
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

// forTest has no cluster to offer where its engines do not run.
func forTest(testing.TB, string, []string) (*harness.Service, bool) { return nil, false }
