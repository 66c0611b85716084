package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// asset is a file that pages load.
type asset struct {
	version string // of its content
	packed  []byte // compressed; nil where that gains little
}

// readAssets reads the files below static and compresses them once.
func readAssets() (map[string]asset, error) {
	assets := map[string]asset{}
	err := fs.WalkDir(files, "static", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // it is a level
		if _, err := w.Write(content); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		found := asset{version: hex.EncodeToString(sum[:6])}
		if packed.Len() < len(content)*9/10 {
			found.packed = packed.Bytes()
		}
		assets[strings.TrimPrefix(path, "static/")] = found
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the static files of the console: %w", err)
	}
	return assets, nil
}

// address is where a file is served; it changes with the content, so that browsers
// may keep the file for ever.
func (s *core) address(name string) (string, error) {
	found, ok := s.assets[name]
	if !ok {
		return "", fmt.Errorf("there is no static file %q", name)
	}
	return s.root + "/static/" + name + "?v=" + found.version, nil
}

// static serves the files that pages load, and no folder. The templates lie beside
// them: a name that would lead there is none that a file can have.
func (s *core) static() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/console/static/")
		found, ok := s.assets[name]
		if !ok {
			s.fail(w, r, &visit{}, errNotThere)
			return
		}
		h := w.Header()
		h.Set("Cache-Control", "no-cache") // under this address the content may change
		if r.URL.Query().Get("v") == found.version {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		h.Set("Vary", "Accept-Encoding")
		if found.packed == nil || !acceptsGzip(r) {
			http.ServeFileFS(w, r, files, "static/"+name) //nolint:gosec // the name is one of the embedded files
			return
		}
		h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.Itoa(len(found.packed)))
		_, _ = w.Write(found.packed) // whoever has left misses nothing
	})
}

// acceptsGzip says whether a browser can read what is compressed.
func acceptsGzip(r *http.Request) bool {
	for _, offer := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(offer), ";")
		if strings.EqualFold(name, "gzip") {
			return !strings.Contains(strings.ReplaceAll(quality, " ", "")+";", "q=0;")
		}
	}
	return false
}
