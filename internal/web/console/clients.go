package console

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/web/clientdir"
)

// clientHandlers give out the client.
type clientHandlers struct{ *core }

// clientsPage is what the page of clients shows.
type clientsPage struct {
	Mine   *client // for the machine that asks, as far as its browser tells
	Others []client
}

// client is an archive, as the page shows it.
type client struct{ clientdir.Archive }

// Machine says what an archive is for.
func (c client) Machine() string {
	system := map[string]string{"linux": "Linux", "darwin": "macOS", "windows": "Windows"}[c.OS]
	switch {
	case c.OS == "darwin" && c.Arch == "arm64":
		return system + " on Apple silicon"
	case c.OS == "darwin":
		return system + " on Intel"
	case c.Arch == "arm64":
		return system + " on ARM"
	}
	return system + " on x86-64"
}

// Check is a line that says whether a download is what this page promises.
func (c client) Check() string {
	switch c.OS {
	case "windows":
		return fmt.Sprintf("(Get-FileHash %s).Hash -eq '%s'", c.Name, c.SHA256)
	case "darwin":
		return fmt.Sprintf("echo '%s  %s' | shasum -a 256 --check", c.SHA256, c.Name)
	}
	return fmt.Sprintf("echo '%s  %s' | sha256sum --check", c.SHA256, c.Name)
}

// Unpack is a line that takes the program out of the archive.
func (c client) Unpack() string {
	if c.OS == "windows" {
		return "Expand-Archive " + c.Name + " svc"
	}
	return "tar -xzf " + c.Name + " svc"
}

// clients shows where somebody gets the client: who was invited has no session yet,
// and needs it all the same.
func (s *clientHandlers) clients(w http.ResponseWriter, r *http.Request, v *visit) error {
	var p clientsPage
	if s.Clients != nil {
		offered, err := s.Clients.List()
		if err != nil {
			s.Log.Warn("the folder of clients offers none", "error", err)
		}
		guess := guessPlatform(r.UserAgent())
		for _, a := range offered {
			if p.Mine == nil && a.Platform == guess {
				p.Mine = &client{a}
				continue
			}
			p.Others = append(p.Others, client{a})
		}
		// What is for the same system comes first: a browser on a Mac does not tell its
		// processor.
		slices.SortStableFunc(p.Others, func(a, b client) int {
			switch {
			case a.OS == guess.OS && b.OS != guess.OS:
				return -1
			case a.OS != guess.OS && b.OS == guess.OS:
				return 1
			}
			return 0
		})
	}
	return s.render(w, r, v, http.StatusOK, "clients", page{Title: "Get the client", Body: p})
}

// clientFile gives an archive out.
func (s *clientHandlers) clientFile(w http.ResponseWriter, r *http.Request, _ *visit) error {
	if s.Clients == nil {
		return errNotThere
	}
	archive, content, err := s.Clients.Read(r.PathValue("name"))
	if errors.Is(err, fs.ErrNotExist) {
		return errNotThere
	}
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // it was only read
	if err := boundDownload(w, archive.Size); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/gzip")
	if path.Ext(archive.Name) == ".zip" {
		h.Set("Content-Type", "application/zip")
	}
	h.Set("Content-Disposition", `attachment; filename="`+archive.Name+`"`)
	h.Set("ETag", `"`+archive.SHA256+`"`) // browsers take up a broken download by it
	http.ServeContent(w, r, "", time.Time{}, content)
	return nil
}

// guessPlatform reads a browser's signature. Telephones have no client.
func guessPlatform(agent string) clientdir.Platform {
	arch := "amd64"
	if strings.Contains(agent, "aarch64") || strings.Contains(agent, "arm64") || strings.Contains(agent, "ARM64") {
		arch = "arm64"
	}
	has := func(word string) bool { return strings.Contains(agent, word) }
	switch {
	case has("Android") || has("iPhone") || has("iPad"):
		return clientdir.Platform{}
	case has("Windows"):
		return clientdir.Platform{OS: "windows", Arch: arch}
	case has("Mac OS"):
		return clientdir.Platform{OS: "darwin", Arch: "arm64"} // all that are sold; the others say the same
	case has("Linux") || has("CrOS"):
		return clientdir.Platform{OS: "linux", Arch: arch}
	}
	return clientdir.Platform{}
}
