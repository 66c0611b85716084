package pull

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/sleep"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// AckDelays are the pauses before the attempts to acknowledge. Tests shorten them.
var AckDelays = []time.Duration{0, 500 * time.Millisecond, 2 * time.Second}

// acknowledge confirms a bundle that is applied. If that fails, the sentinel
// remembers it: the pull has succeeded all the same. The error is only about
// writing that down, or an interruption.
func (s *Session) acknowledge(ctx context.Context, log *workdir.Log) error {
	var err error
	for _, delay := range AckDelays {
		if err = sleep.For(ctx, delay); err != nil {
			break
		}
		var at time.Time
		if at, err = s.client.Acknowledge(ctx, log.BundleID); err == nil {
			log.Ack = workdir.Ack{Status: workdir.AckAcknowledged, DownloadedAt: svc.FormatTime(at)}
			break
		}
		if client.StatusOf(err) == http.StatusGone {
			log.Ack = workdir.Ack{Status: workdir.AckSettled}
			err = nil
			break
		}
	}
	if err == nil {
		// The server knows, which is what counts; the log only tells of it.
		if err := retryWhileBusy(ctx, func() error { return s.Folder.SetAck(log.BundleID, log.Ack) }); err != nil {
			s.warn("The bundle is acknowledged, but %s could not be told so: %s", workdir.LogName, firstLine(err))
		}
		s.dropPending(ctx, workdir.Pending{BundleID: log.BundleID, APIURL: s.client.BaseURL()})
		return nil
	}
	s.warn("The bundle is applied, but could not be acknowledged (%s). The next svc pull here tries again.", firstLine(err))
	written := retryWhileBusy(ctx, func() error {
		return s.Folder.AddPending(workdir.Pending{BundleID: log.BundleID, APIURL: s.client.BaseURL()})
	})
	if written == nil {
		log.Ack = workdir.Ack{Status: workdir.AckPending}
		written = retryWhileBusy(ctx, func() error { return s.Folder.SetAck(log.BundleID, log.Ack) })
	} else {
		// The log goes on saying that nothing was sent, and so the next pull
		// sends it all the same.
		written = fmt.Errorf("%s cannot be written: %w", workdir.PendingName, written)
	}
	if errors.Is(err, context.Canceled) {
		return errors.Join(written, err)
	}
	return written
}

// How long and how often a change to a folder waits for another svc there.
const (
	busyPatience = 5 * time.Second
	busyPause    = 50 * time.Millisecond
)

// retryWhileBusy repeats a change while another svc is at work in the folder: what
// an acknowledgement has to note there is small and must not be lost. After Ctrl-C it
// tries once: what is not noted is found out by the next pull.
func retryWhileBusy(ctx context.Context, change func() error) error {
	for end := time.Now().Add(busyPatience); ; {
		err := change()
		if !errors.Is(err, workdir.ErrBusy) || time.Now().After(end) || sleep.For(ctx, busyPause) != nil {
			return err
		}
	}
}

// checkSentinel makes sure that an acknowledgement can be remembered before
// there is one to remember.
func (s *Session) checkSentinel() error {
	if _, err := s.Folder.PendingAcks(); err != nil {
		return fmt.Errorf("%s cannot be used, and so nothing was pulled: %w", workdir.PendingName, err)
	}
	return nil
}

// sendMissingAck sends the acknowledgement of a pull whose process died after the
// commit and before it could, and gives its log, or an empty one if there was
// nothing to send. Only a log that this user's client has signed is believed.
func (s *Session) sendMissingAck(ctx context.Context) (owed workdir.Log, err error) {
	log, err := s.Folder.ReadLog()
	if err != nil || log.Ack.Status != workdir.AckNotSent {
		return owed, nil //nolint:nilerr // whoever needs the log says what is wrong with it
	}
	if delivered, err := s.Folder.Delivered(); err != nil || !delivered.Authentic {
		return owed, nil //nolint:nilerr // a stranger's log sends nothing
	}
	if err := s.acknowledge(ctx, &log); err != nil {
		return owed, err
	}
	if log.Ack.Status != workdir.AckPending {
		s.note("Bundle %s, applied earlier, is acknowledged now.", log.BundleID)
	}
	return log, nil
}

// dropPending takes an acknowledgement that is sent out of the sentinel, where
// an earlier pull of the same bundle may have left it.
func (s *Session) dropPending(ctx context.Context, p workdir.Pending) {
	pending, err := s.Folder.PendingAcks()
	if err == nil && slices.Contains(pending, p) {
		err = retryWhileBusy(ctx, func() error { return s.Folder.SettlePending(p) })
	}
	if err != nil {
		s.warn("%s cannot be changed: %s", workdir.PendingName, firstLine(err))
	}
}

// sendPending sends the acknowledgements that earlier pulls could not, and gives
// the bundles. They go only to the configured address, whatever the sentinel
// says. Failure is no reason not to pull.
//
// The bundle that is about to be pulled is left out unless it is the one that
// is applied here: its archive goes with its acknowledgement, and after a
// rollback it is wanted once more. The one that was just tried in vain is left
// out as well.
func (s *Session) sendPending(ctx context.Context, wanted, tried string) (sent []string) {
	pending, err := s.Folder.PendingAcks()
	if err != nil {
		s.warn("%s cannot be read: %s", workdir.PendingName, firstLine(err))
		return nil
	}
	log, err := s.Folder.ReadLog()
	applied := err == nil && log.BundleID == wanted
	for _, p := range pending {
		if p.APIURL != s.client.BaseURL() || p.BundleID == tried || p.BundleID == wanted && !applied {
			continue
		}
		_, err := s.client.Acknowledge(ctx, p.BundleID)
		if status := client.StatusOf(err); err != nil && status != http.StatusGone && status != http.StatusNotFound {
			s.warn("Bundle %s still cannot be acknowledged: %s", p.BundleID, firstLine(err))
			continue
		}
		sent = append(sent, p.BundleID)
		s.note("Bundle %s, applied earlier, is acknowledged now.", p.BundleID)
		s.dropPending(ctx, p)
	}
	return sent
}
