package s3blob_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/s3blob"
	"github.com/bundle-delivery/svc/internal/testkit/s3test"
)

func TestKeysAreThoseOfTheBlobsBelowThePrefix(t *testing.T) {
	server := s3test.Start(t)
	address := server.Bucket(t, "keys")
	whole, part := openAt(t, address), openAt(t, strings.Replace(address, "s3://keys", "s3://keys/part", 1))
	for _, key := range []string{"packs/one", "packs-two", "bundles/a/b.zip", "single"} {
		put(t, whole, key, []byte("x"))
	}
	put(t, part, "packs/three", []byte("x"))
	for name, tc := range map[string]struct {
		store *s3blob.Store
		want  []string
	}{
		"the bucket": {whole, []string{"bundles/a/b.zip", "packs-two", "packs/one", "single"}},
		"the part":   {part, []string{"packs/three"}},
	} {
		var got []string
		for key, err := range tc.store.Keys(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, key)
		}
		slices.Sort(got)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, err := range whole.Keys(ended) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a listing that was ended tells %v", err)
		}
		return
	}
	t.Error("a listing that was ended looks like an empty bucket")
}

// Promise: move-refuses
func TestVacantSeesWhatIsBelowThePrefix(t *testing.T) {
	server := s3test.Start(t)
	address := server.Bucket(t, "vacant")
	whole := openAt(t, address)
	part := openAt(t, strings.Replace(address, "s3://vacant", "s3://vacant/part", 1))
	check := func(wholeErr, partErr error) {
		t.Helper()
		if err := whole.CheckEmpty(t.Context()); !errors.Is(err, wholeErr) {
			t.Errorf("the bucket: %v", err)
		}
		if err := part.CheckEmpty(t.Context()); !errors.Is(err, partErr) {
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
