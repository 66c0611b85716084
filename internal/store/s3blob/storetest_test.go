package s3blob_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/s3blob"
	"github.com/bundle-delivery/svc/internal/testkit/s3test"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

func openAt(t *testing.T, address string) *s3blob.Store {
	t.Helper()
	s, err := s3blob.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	server := s3test.Start(t)
	var made atomic.Int32
	storetest.Blobs(t, func(t *testing.T) storetest.OpenBlobs {
		address := server.Bucket(t, fmt.Sprintf("bucket-%d", made.Add(1)))
		return func(t *testing.T) svc.Blobs { return openAt(t, address) }
	})
}
