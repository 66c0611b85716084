package delivery

import (
	"context"
	"errors"
	"fmt"

	svc "github.com/bundle-delivery/svc"
)

// Download is an archive on its way out. The caller closes Content.
type Download struct {
	Bundle  svc.Bundle
	Content svc.BlobReader
}

// Download admits one download of the account, then looks for the bundle and
// opens its archive. It changes no state; an archive that is open when the
// acknowledgement deletes it can be read to its end. CodeTooManyRequests,
// CodeBundleNotFound, CodeBundleDownloaded, CodeBundleExpired.
func (s *Service) Download(ctx context.Context, accountID, id string) (Download, error) {
	var found *svc.Bundle
	err := s.Store.TxLocked(ctx, func(r svc.Records) error {
		if _, err := s.takeSlot(ctx, r, accountID, svc.OpDownload, s.Limits.Downloads); err != nil {
			return err
		}
		var err error
		found, err = s.lookUp(ctx, r, accountID, id)
		return err
	})
	if err != nil {
		s.observeRefusal(svc.OpDownload, err)
		return Download{}, err
	}
	b, err := visible(found)
	if err != nil {
		return Download{}, err
	}
	content, err := s.Blobs.Open(ctx, b.Blob)
	if errors.Is(err, svc.ErrNotFound) {
		// An acknowledgement came between the record and the bytes, or the
		// bytes are lost: only the record can tell.
		if _, again := s.Bundle(ctx, accountID, id); again != nil {
			return Download{}, again
		}
	}
	if err != nil {
		return Download{}, fmt.Errorf("open the archive of bundle %s: %w", id, err)
	}
	if content.Size() != b.Size {
		_ = content.Close()
		return Download{}, fmt.Errorf("the archive of bundle %s has %d bytes instead of %d", id, content.Size(), b.Size)
	}
	return Download{Bundle: b, Content: content}, nil
}
