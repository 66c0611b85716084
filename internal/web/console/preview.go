package console

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// A preview shows a static site as its project has it, on a path that nobody can
// guess and that works for ten minutes. What lies there was generated: a browser
// gives it an origin of its own, which has no cookies, reads nothing of the console and
// sends it no form, also when the address is opened directly. Whoever has the address
// needs no cookie, and none is looked at.

// previewHandlers serve previews.
type previewHandlers struct {
	*core
	shelf shelf
}

const (
	previewLife = 10 * time.Minute
	// previewPolicy is all that a page of a preview may do.
	previewPolicy = "sandbox allow-scripts; connect-src 'none'; form-action 'none'"
	// largestPreviewed is the largest file that a preview serves.
	largestPreviewed = 16 << 20
)

// previewed is what the token of a preview says, sealed so that nobody else can make
// one, or read it.
type previewed struct {
	Account string `json:"a"`
	Project string `json:"p"`
	State   string `json:"s"`
	Folder  string `json:"f,omitempty"` // of the site in the project
	Ends    int64  `json:"e"`           // in seconds since 1970
}

// siteFolders are where a site lies in a project, and the page that shows that it does.
var siteFolders = []string{"", "site", "public"}

const indexPage = "index.html"

// programs are the endings of files that are run on a server, or have to be built first:
// a project with one of them is more than a site.
var programs = strings.Fields(".go .py .rb .php .rs .java .kt .scala .cs .ex .exs .clj .ts .tsx .jsx .vue .svelte .astro")

// siteFolder finds the static site in a project, if it is one.
func siteFolder(files []bundlezip.File) (folder string, found bool) {
	for _, f := range files {
		if slices.Contains(programs, strings.ToLower(path.Ext(f.Path))) {
			return "", false
		}
	}
	for _, folder := range siteFolders {
		if slices.ContainsFunc(files, func(f bundlezip.File) bool {
			return f.Base == bundlezip.ProjectRoot && f.Path == path.Join(folder, indexPage)
		}) {
			return folder, true
		}
	}
	return "", false
}

// hasPreview says whether a project is a site that can be shown.
func (s *previewHandlers) hasPreview(files []bundlezip.File) bool {
	_, found := siteFolder(files)
	return found && s.PreviewKey != nil
}

// startPreview makes the address of a preview and leads there.
func (s *previewHandlers) startPreview(w http.ResponseWriter, r *http.Request, v *visit) error {
	if s.PreviewKey == nil {
		return errNotThere
	}
	project, files, err := s.Delivery.OpenProject(r.Context(), v.account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }() // it was only read
	folder, found := siteFolder(files.Manifest().Files)
	if !found {
		return errNotThere
	}
	token, err := s.sealPreview(r.Context(), previewed{
		Account: v.account.ID, Project: project.ID, State: project.Pack.State(), Folder: folder, Ends: s.Now().Add(previewLife).Unix(),
	})
	if err != nil {
		return err
	}
	return s.goTo(w, r, "/preview/"+token+"/", "")
}

// servePreview answers for a file of a preview.
func (s *previewHandlers) servePreview(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", previewPolicy)
	h.Set("Referrer-Policy", "no-referrer")
	// The page has an origin of its own, so that its files come from another one.
	h.Del("Cross-Origin-Opener-Policy")
	h.Del("Cross-Origin-Resource-Policy")
	h.Set("Access-Control-Allow-Origin", "*")
	err := s.previewFile(w, r)
	switch {
	case err == nil:
	case errors.Is(err, errPreviewOver):
		http.Error(w, "This preview is over. Open it again from the console.", http.StatusGone)
	case errors.Is(err, fs.ErrNotExist), svc.CodeOf(err) == svc.CodeProjectNotFound:
		http.Error(w, "There is no such file in this preview.", http.StatusNotFound)
	case errors.Is(err, errPreviewLarge):
		http.Error(w, "This file is too large for a preview.", http.StatusRequestEntityTooLarge)
	case errors.Is(err, errPreviewBusy):
		h.Set("Retry-After", "10")
		http.Error(w, "Too many files of your previews are loaded at a time.", http.StatusTooManyRequests)
	case r.Context().Err() != nil:
	default:
		s.Log.Error("a preview failed", "error", err)
		http.Error(w, "The preview cannot be shown.", http.StatusInternalServerError)
	}
}

var (
	errPreviewOver  = errors.New("the preview is over")
	errPreviewLarge = errors.New("the file is too large for a preview")
)

func (s *previewHandlers) previewFile(w http.ResponseWriter, r *http.Request) error {
	if s.PreviewKey == nil {
		return fs.ErrNotExist
	}
	p, err := s.openPreview(r.Context(), r.PathValue("token"))
	if err != nil {
		return err
	}
	if !s.Now().Before(time.Unix(p.Ends, 0)) {
		return errPreviewOver
	}
	// Its own pages have an origin of their own: what asks from the console's origin, other
	// than somebody who follows a link, is a page of the console that was tricked.
	if r.Header.Get("Sec-Fetch-Site") == "same-origin" && r.Header.Get("Sec-Fetch-Dest") != "document" {
		return fs.ErrNotExist
	}
	name := r.PathValue("path")
	if name == "" || strings.HasSuffix(name, "/") {
		name += indexPage
	}
	if !fs.ValidPath(name) || hidden(name) {
		return fs.ErrNotExist
	}
	project, err := s.Delivery.Project(r.Context(), p.Account, p.Project)
	if err != nil {
		return err
	}
	if _, kept := stateOf(project, p.State); !kept {
		return errPreviewOver
	}
	endTurn, err := s.shelf.turn(r.Context(), p.Account)
	if err != nil {
		return err
	}
	defer endTurn()
	files, put, err := s.shelf.take(p.Project+" "+p.State, func() (pack, error) {
		// Whoever leaves must not spoil it for the others who wait.
		return s.openState(context.WithoutCancel(r.Context()), p)
	})
	if err != nil {
		return err
	}
	defer put()
	return s.sendPreviewed(w, r, files, p, name)
}

// sendPreviewed answers with a file of a pack.
func (s *previewHandlers) sendPreviewed(w http.ResponseWriter, r *http.Request, files pack, p previewed, name string) error {
	place := path.Join(p.Folder, name)
	all := files.Manifest().Files
	at := slices.IndexFunc(all, func(f bundlezip.File) bool { return f.Base == bundlezip.ProjectRoot && f.Path == place })
	if at < 0 {
		return fs.ErrNotExist
	}
	size := all[at].Size
	if size > largestPreviewed {
		return errPreviewLarge
	}
	if err := boundDownload(w, size); err != nil {
		return err
	}
	if strings.Contains(r.Header.Get("Range"), ",") {
		r.Header.Del("Range") // each of several parts would be unpacked from the beginning
	}
	content := &packedFile{size: size, open: func() (io.ReadCloser, error) { return files.OpenFile(bundlezip.ProjectRoot, place) }}
	defer content.Close()
	w.Header().Set("Content-Type", previewType(name))
	http.ServeContent(w, r, "", time.Time{}, content)
	if content.failure != nil { // the answer has begun: it stays short
		s.Log.Error("a preview failed", "error", fmt.Errorf("read a file of project %s: %w", p.Project, content.failure))
	}
	return nil
}

// stateOf says whether a project still has a state, and whether that is the one before
// its present one.
func stateOf(project svc.Project, state string) (before, kept bool) {
	if project.Pack.State() == state {
		return false, true
	}
	made := project.StateProvenance()
	return true, made != nil && made.Base == state
}

// hidden says whether a path is one that sites do not show: settings, secrets and what
// tools keep for themselves have names that begin with a dot.
func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != ".well-known"
	})
}

// openState opens the files that a preview was made for, as long as the project has
// them: as they are, or as they were before the last change.
func (s *previewHandlers) openState(ctx context.Context, p previewed) (pack, error) {
	project, files, err := s.Delivery.OpenProject(ctx, p.Account, p.Project)
	if err != nil {
		return nil, err
	}
	before, kept := stateOf(project, p.State)
	if kept && !before {
		return files, nil
	}
	_ = files.Close() // it was only read
	if !kept {
		return nil, errPreviewOver
	}
	files, err = s.Delivery.OpenPrevious(ctx, project)
	if errors.Is(err, svc.ErrNotFound) {
		return nil, errPreviewOver
	}
	if err != nil {
		return nil, err
	}
	return files, nil
}

func (s *previewHandlers) previewSeal(ctx context.Context) (cipher.AEAD, error) {
	key, err := s.PreviewKey(ctx)
	if err != nil {
		return nil, fmt.Errorf("get the key of previews: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("use the key of previews: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func (s *previewHandlers) sealPreview(ctx context.Context, p previewed) (string, error) {
	seal, err := s.previewSeal(ctx)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("name a preview: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(seal.Seal(nil, nil, text, nil)), nil //nolint:gosec // the seal makes a random nonce
}

// openPreview reads a token; one that this service did not make names nothing.
func (s *previewHandlers) openPreview(ctx context.Context, token string) (p previewed, err error) {
	seal, err := s.previewSeal(ctx)
	if err != nil {
		return previewed{}, err
	}
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		var text []byte
		if text, err = seal.Open(nil, nil, sealed, nil); err == nil {
			err = json.Unmarshal(text, &p)
		}
	}
	if err != nil {
		return previewed{}, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return p, nil
}

// previewTypes are the types of files that sites are made of. What is none of them is
// bytes: browsers must not guess.
var previewTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8", ".json": "application/json", ".map": "application/json",
	".webmanifest": "application/manifest+json", ".xml": "application/xml", ".txt": "text/plain; charset=utf-8", ".md": "text/plain; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".avif": "image/avif", ".ico": "image/x-icon", ".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf",
	".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".wav": "audio/wav", ".mp4": "video/mp4", ".webm": "video/webm", ".pdf": "application/pdf",
	".wasm": "application/wasm",
}

func previewType(name string) string {
	if known, ok := previewTypes[strings.ToLower(path.Ext(name))]; ok {
		return known
	}
	return "application/octet-stream"
}
