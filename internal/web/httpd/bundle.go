package httpd

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

func (s *server) bundleRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Pattern: api.RouteBundles, Handle: s.listBundles},
		{Method: http.MethodGet, Pattern: api.RouteLatestBundle, Handle: s.latestBundle},
		{Method: http.MethodGet, Pattern: api.RouteBundle, Handle: s.getBundle},
		{Method: http.MethodGet, Pattern: api.RouteDownload, Handle: s.downloadBundle},
		{Method: http.MethodPost, Pattern: api.RouteAcknowledge, Handle: s.acknowledgeBundle},
		{Method: http.MethodGet, Pattern: api.RouteAttestation, Handle: s.getAttestation},
	}
}

func (s *server) listBundles(w http.ResponseWriter, r *http.Request, call *Call) error {
	q := readQuery(r)
	selected := svc.BundleQuery{
		AccountID: call.AccountID(), ProjectID: q.text("projectId"), Status: q.status(), After: q.cursor(), Limit: q.limit(),
	}
	if q.err != nil {
		return q.err
	}
	bundles, next, err := s.Delivery.List(r.Context(), selected)
	if err != nil {
		return err
	}
	page := api.BundleList{Bundles: make([]api.BundleRecord, 0, len(bundles)), NextCursor: api.EncodeCursor(next)}
	for _, b := range bundles {
		page.Bundles = append(page.Bundles, api.NewBundleRecord(b))
	}
	return writeJSON(w, http.StatusOK, page)
}

func (s *server) latestBundle(w http.ResponseWriter, r *http.Request, call *Call) error {
	q := readQuery(r)
	projectID := q.text("projectId")
	if q.err != nil {
		return q.err
	}
	b, err := s.Delivery.Latest(r.Context(), call.AccountID(), projectID)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.NewBundle(b))
}

func (s *server) getBundle(w http.ResponseWriter, r *http.Request, call *Call) error {
	b, err := s.Delivery.Bundle(r.Context(), call.AccountID(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.NewBundle(b))
}

func (s *server) getAttestation(w http.ResponseWriter, r *http.Request, call *Call) error {
	envelope, err := s.Delivery.Attestation(r.Context(), call.AccountID(), r.PathValue("id"))
	if err != nil {
		return err
	}
	writeBody(w, http.StatusOK, envelope)
	return nil
}

func (s *server) acknowledgeBundle(w http.ResponseWriter, r *http.Request, call *Call) error {
	ctx, done := detachedContext(r)
	defer done()
	b, err := s.Delivery.Acknowledge(ctx, call.AccountID(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.Acknowledged{BundleID: b.ID, Status: b.Status, DownloadedAt: api.Time(b.DownloadedAt)})
}

// A download that is slower than this is given up: it would hold its file open
// for as long as its reader pleases.
const (
	slowestBytesPerSecond = 16 << 10
	downloadTimeout       = time.Minute
)

func (s *server) downloadBundle(w http.ResponseWriter, r *http.Request, call *Call) error {
	id := r.PathValue("id")
	if r.Method == http.MethodHead {
		// Looking at the headers uses no slot and opens no archive.
		b, err := s.Delivery.Bundle(r.Context(), call.AccountID(), id)
		if err != nil {
			return err
		}
		serveArchive(w, r, b, sized(b.Size), call.RequestID)
		return nil
	}
	d, err := s.Delivery.Download(r.Context(), call.AccountID(), id)
	if err != nil {
		return err
	}
	defer func() { _ = d.Content.Close() }() // it was only read

	control := http.NewResponseController(w)
	timeout := downloadTimeout + time.Duration(d.Bundle.Size/slowestBytesPerSecond)*time.Second
	if err := control.SetWriteDeadline(time.Now().Add(timeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	serveArchive(w, r, d.Bundle, d.Content, call.RequestID)
	// What is still buffered is sent after this; the next answer on the connection
	// has a deadline of its own, or none.
	_ = control.SetWriteDeadline(time.Now().Add(downloadTimeout))
	return nil
}

// serveArchive writes an archive, or the part that is asked for.
func serveArchive(w http.ResponseWriter, r *http.Request, b svc.Bundle, content io.ReadSeeker, requestID string) {
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="bundle-`+b.ID+`.zip"`)
	h.Set("ETag", `"`+hex.EncodeToString(b.SHA256[:])+`"`)
	h.Set(api.HeaderReprDigest, "sha-256=:"+base64.StdEncoding.EncodeToString(b.SHA256[:])+":")
	h["Cache-Control"] = noStore
	if asked := r.Header.Get("Range"); asked != "" && (r.Method == http.MethodHead || !strings.HasPrefix(asked, "bytes=")) {
		// HTTP defines ranges for GET alone, and has other units ignored.
		r = r.Clone(r.Context())
		r.Header.Del("Range")
	}
	http.ServeContent(&archiveGuard{ResponseWriter: w, size: b.Size, requestID: requestID}, r, "", time.Time{}, content)
}

// archiveGuard writes the failure of a range or a condition in the one shape of
// failures; all else passes through.
type archiveGuard struct {
	http.ResponseWriter
	size      int64
	requestID string
	refused   bool
}

// Unwrap lets http.ResponseController reach the connection.
func (g *archiveGuard) Unwrap() http.ResponseWriter { return g.ResponseWriter }

// WriteHeader replaces what net/http has for a range it cannot serve, and for an
// archive that is not the one asked for.
func (g *archiveGuard) WriteHeader(status int) {
	h := g.Header()
	var e *svc.Error
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		e = svc.Invalid("Range", "The archive does not have the range that was asked for.")
		h.Set("Content-Range", "bytes */"+strconv.FormatInt(g.size, 10))
	case http.StatusPreconditionFailed:
		e = svc.Invalid("If-Match", "The archive is not the one that was asked for.")
	default:
		g.ResponseWriter.WriteHeader(status)
		return
	}
	g.refused = true
	for _, name := range []string{"Content-Disposition", "ETag", api.HeaderReprDigest} {
		h.Del(name)
	}
	_, body, err := encodeError(e, g.requestID)
	if err != nil {
		body = nil
	}
	h["Cache-Control"] = noStore
	writeBody(g.ResponseWriter, status, body)
}

// Write drops the text that belongs to a refusal.
func (g *archiveGuard) Write(p []byte) (int, error) {
	if g.refused {
		return len(p), nil
	}
	return g.ResponseWriter.Write(p)
}

// ReadFrom lets the server move a file in its own way.
func (g *archiveGuard) ReadFrom(r io.Reader) (int64, error) {
	if g.refused {
		return io.Copy(io.Discard, r)
	}
	return io.Copy(g.ResponseWriter, r)
}

// sized is content of which only the size matters: that of an answer to HEAD.
type sized int64

func (s sized) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekEnd {
		return int64(s) + offset, nil
	}
	return offset, nil
}

func (s sized) Read([]byte) (int, error) {
	return 0, errors.New("the archive of " + strconv.FormatInt(int64(s), 10) + " bytes is not open")
}
