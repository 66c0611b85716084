package console

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
)

// assetNames gives the address of a file below static; it changes with the
// content, so that browsers may keep the file for ever.
func assetNames(root string) (func(name string) (string, error), error) {
	versions := map[string]string{}
	err := fs.WalkDir(files, "static", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		versions[strings.TrimPrefix(path, "static/")] = hex.EncodeToString(sum[:6])
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the static files of the console: %w", err)
	}
	return func(name string) (string, error) {
		version, ok := versions[name]
		if !ok {
			return "", fmt.Errorf("there is no static file %q", name)
		}
		return root + "/static/" + name + "?v=" + version, nil
	}, nil
}

// static serves the files that pages load, and no folder. The templates lie beside
// them: a name that would lead there is none that a file can have.
func (s *Console) static() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/console/")
		if info, err := fs.Stat(files, name); err != nil || info.IsDir() {
			s.fail(w, r, &visit{}, errNotThere)
			return
		}
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		http.ServeFileFS(w, r, files, name) //nolint:gosec // the name is one of the embedded files
	})
}
