package client

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/web/api"
)

// How hard a download is tried.
const (
	maxDownloadRetries = 4
	downloadRetryTime  = 20 * time.Second
	firstDownloadPause = 250 * time.Millisecond
	stallTimeout       = 30 * time.Second

	// A download may take slowStart, and a second for each leastSpeed bytes that have
	// come: what the server demands of its clients, with more time for breaks.
	slowStart  = 2 * time.Minute
	leastSpeed = 16 << 10
)

// MaxArchive is the size of the largest archive that is fetched.
const MaxArchive = 272 << 20

// ErrArchiveTooLarge says that a server announced more than MaxArchive, or sent
// more.
var ErrArchiveTooLarge = errors.New("the archive is larger than 272 MiB and is not fetched")

// errCorrupt says that bytes came other than announced.
var errCorrupt = errors.New("the download is damaged")

// Downloaded is an archive that was fetched.
type Downloaded struct {
	Size   int64
	SHA256 string // in lower-case hexadecimal
}

// Download fetches a bundle into a file that is empty. It resumes after a break, tries again what failed in passing, and compares length
// and digest with what the server announced. The file is to be used only if the
// error is nil. Progress, if not nil, is told how many of how many bytes are
// there, or that their number is not known (-1); it may go back to 0.
func (c *Client) Download(ctx context.Context, id string, to *os.File, progress func(have, total int64)) (Downloaded, error) {
	d := &download{client: c, path: api.RouteBundles + "/" + url.PathEscape(id) + "/download", to: to, progress: progress}
	var failing time.Time
	for retries := 0; ; {
		err := c.retryWhenLimited(ctx, func() error { return d.fetch(ctx) })
		if err == nil {
			return Downloaded{Size: d.have, SHA256: hex.EncodeToString(d.sum.Sum(nil))}, nil
		}
		if !temporary(err) {
			return Downloaded{}, err
		}
		if d.have > d.best { // a break further on than any before begins a new count
			d.best = d.have
			retries, failing = 0, time.Time{}
		}
		now := c.opts.Now()
		if failing.IsZero() {
			failing = now
		}
		pause := c.jittered(firstDownloadPause << retries)
		if retries++; retries > maxDownloadRetries || now.Add(pause).Sub(failing) > downloadRetryTime {
			return Downloaded{}, err
		}
		if err := c.opts.Wait(ctx, pause, err); err != nil {
			return Downloaded{}, err
		}
	}
}

// download is one file on its way.
type download struct {
	client   *Client
	path     string
	to       *os.File
	progress func(have, total int64)

	begun  time.Time // when the first body began
	have   int64
	best   int64 // the most that was there at the end of an attempt
	total  int64
	etag   string
	digest []byte
	sum    hash.Hash
}

// restart begins from nothing.
func (d *download) restart() error {
	d.have, d.total, d.etag, d.digest, d.sum = 0, 0, "", nil, sha256.New()
	if err := d.to.Truncate(0); err != nil {
		return err
	}
	_, err := d.to.Seek(0, io.SeekStart)
	return err
}

// fetch makes one request for what is missing.
func (d *download) fetch(ctx context.Context) error {
	if d.etag == "" || d.have == 0 {
		if err := d.restart(); err != nil {
			return err
		}
	}
	// A peer that falls silent is given up, so that the rest is asked for anew.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(headerTimeout+stallTimeout, func() { cancel(errSilent) })
	defer watchdog.Stop()

	req, err := d.client.request(ctx, http.MethodGet, d.path, nil, nil)
	if err != nil {
		return err
	}
	if !d.begun.IsZero() && d.left() <= 0 {
		return &NetworkError{Host: req.URL.Host, Err: errTooSlow}
	}
	req.Header.Set("Accept", "application/zip, application/json")
	if d.have > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(d.have, 10)+"-")
		req.Header.Set("If-Range", d.etag)
	}
	resp, err := d.client.send(req)
	if StatusOf(err) == http.StatusRequestedRangeNotSatisfiable {
		return errors.Join(d.restart(), &NetworkError{Host: req.URL.Host, Err: errCorrupt})
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if err := d.begin(resp); err != nil {
		if errors.Is(err, ErrArchiveTooLarge) || errors.Is(err, errForeign) {
			return err
		}
		return networkError(req, err)
	}
	tooSlow := time.AfterFunc(d.left(), func() { cancel(errTooSlow) })
	defer tooSlow.Stop()
	body := &activityReader{from: resp.Body, alive: func() {
		watchdog.Reset(stallTimeout)
		tooSlow.Reset(d.left())
	}}
	if err := d.copy(body); err != nil {
		if errors.Is(context.Cause(ctx), errTooSlow) {
			return &NetworkError{Host: req.URL.Host, Err: errTooSlow}
		}
		if errors.Is(err, errDisk) || errors.Is(err, ErrArchiveTooLarge) {
			return err
		}
		return networkError(req, err)
	}
	if err := d.verify(); err != nil {
		return errors.Join(d.restart(), &NetworkError{Host: req.URL.Host, Err: err})
	}
	return nil
}

// left returns the time in which the next bytes have to come, for the download not to
// be slower than leastSpeed.
func (d *download) left() time.Duration {
	if d.begun.IsZero() {
		d.begun = d.client.opts.Now()
	}
	allowed := slowStart + time.Duration(max(d.best, d.have)/leastSpeed)*time.Second
	return allowed - d.client.opts.Now().Sub(d.begun)
}

// errTooSlow says that a server sent a bundle so slowly that it might never end.
var errTooSlow = fmt.Errorf("the download was slower than %d KiB a second and was given up; try again later, or over another network", leastSpeed>>10)

// errSilent says that nothing came for too long.
var errSilent = errors.New("nothing came for too long")

// errDisk marks failures of the local file.
var errDisk = errors.New("the download cannot be stored")

// begin reads the header of an answer and makes ready for its body.
func (d *download) begin(resp *http.Response) error {
	if resp.StatusCode == http.StatusPartialContent {
		want := fmt.Sprintf("bytes %d-%d/%d", d.have, d.total-1, d.total)
		if d.have == 0 || resp.Header.Get("Content-Range") != want || resp.Header.Get("ETag") != d.etag {
			d.etag = ""
			return errCorrupt
		}
		return nil
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s to a download", resp.Status)
	}
	if isWebPage(resp.Header) {
		return foreign(resp.Request, resp.Header, nil)
	}
	if err := d.restart(); err != nil {
		return err
	}
	if resp.ContentLength > MaxArchive {
		return ErrArchiveTooLarge
	}
	// Without a length the end of the body is the end of the archive, as far as
	// the digest agrees, and a break means starting over.
	d.total = resp.ContentLength
	if etag := resp.Header.Get("ETag"); strings.HasPrefix(etag, `"`) && d.total >= 0 { // a strong one
		d.etag = etag
	}
	var err error
	d.digest, err = reprDigest(resp.Header.Get(api.HeaderReprDigest))
	return err
}

// reprDigest reads the SHA-256 out of a Repr-Digest header (RFC 9530); none is
// nil.
func reprDigest(header string) ([]byte, error) {
	for member := range strings.SplitSeq(header, ",") {
		value, ok := strings.CutPrefix(strings.TrimSpace(member), "sha-256=:")
		if !ok {
			continue
		}
		sum, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(value, ":"))
		if err != nil || len(sum) != sha256.Size {
			return nil, fmt.Errorf("the server's digest %q is malformed", header)
		}
		return sum, nil
	}
	return nil, nil
}

func (d *download) copy(body io.Reader) error {
	buffer := make([]byte, 128<<10)
	for {
		n, err := body.Read(buffer)
		switch {
		case d.total < 0 && d.have+int64(n) > MaxArchive:
			return ErrArchiveTooLarge
		case d.total >= 0 && int64(n) > d.total-d.have:
			return errCorrupt
		}
		if n > 0 {
			if _, err := d.to.Write(buffer[:n]); err != nil {
				return fmt.Errorf("%w: %w", errDisk, err)
			}
			_, _ = d.sum.Write(buffer[:n])
			d.have += int64(n)
			if d.progress != nil {
				d.progress(d.have, d.total)
			}
		}
		switch {
		case errors.Is(err, io.EOF) && d.have < d.total:
			return io.ErrUnexpectedEOF
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (d *download) verify() error {
	if d.total >= 0 && d.have != d.total {
		return errCorrupt
	}
	if d.digest != nil && string(d.sum.Sum(nil)) != string(d.digest) {
		return fmt.Errorf("%w: its digest is not the one that the server announced", errCorrupt)
	}
	return nil
}

// activityReader reports every sign of life.
type activityReader struct {
	from  io.Reader
	alive func()
}

func (w *activityReader) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if n > 0 {
		w.alive()
	}
	return n, err
}
