package pull

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// Fetched is a bundle that was downloaded and found good.
type Fetched struct {
	Archive *bundlezip.Archive

	file        *tempArchive
	state       string // the digest of the archive
	attestation []byte // nil: the service does not sign, or nobody cares
	pin         pin    // what is believed of the service from now on
}

// Close gives the place of the bundle back.
func (f *Fetched) Close() error { return f.file.discard() }

// Fetch downloads a bundle to a temporary file and checks who made it, unless it may be
// unsigned, and what is in it. The caller closes it.
func (s *Session) Fetch(ctx context.Context, id string, unsigned bool) (_ *Fetched, err error) {
	if err := s.connect(); err != nil {
		return nil, err
	}
	clearTempArchives(os.TempDir(), time.Now())
	file, err := newTempArchive()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.discard())
		}
	}()
	downloaded, err := s.client.Download(ctx, id, file.File, s.Progress)
	if err != nil {
		return nil, inTemp(err)
	}
	got := &Fetched{file: file, state: downloaded.SHA256}
	if unsigned {
		s.warn("Not verified: nobody vouches for this bundle, since its attestation is not looked at.")
	} else if got.attestation, got.pin, err = s.attestation(ctx, id, got.state); err != nil {
		return nil, refused(err)
	}
	got.Archive, err = bundlezip.Check(file, downloaded.Size)
	if workdir.IsFull(err) {
		return nil, inTemp(err)
	}
	if err != nil {
		return nil, refused(err)
	}
	return got, nil
}

func refused(err error) error {
	return fmt.Errorf("the bundle is refused, and nothing was written: %w", err)
}
