package s3blob_test

import (
	"errors"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/s3test"
)

func TestVacantSeesWhatIsBelowThePrefix(t *testing.T) {
	server := s3test.Start(t)
	address := server.Bucket(t, "vacant")
	whole := openAt(t, address)
	part := openAt(t, strings.Replace(address, "s3://vacant", "s3://vacant/part", 1))
	check := func(wholeErr, partErr error) {
		t.Helper()
		if err := whole.Vacant(t.Context()); !errors.Is(err, wholeErr) {
			t.Errorf("the bucket: %v", err)
		}
		if err := part.Vacant(t.Context()); !errors.Is(err, partErr) {
			t.Errorf("the part: %v", err)
		}
	}
	put := func(b svc.Blobs) {
		t.Helper()
		w, err := b.Create(t.Context(), "a/b")
		if err == nil {
			_, err = w.Write([]byte("x"))
			err = errors.Join(err, w.Commit())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	check(nil, nil)
	put(whole)
	check(svc.ErrConflict, nil)
	put(part)
	check(svc.ErrConflict, svc.ErrConflict)
}
