package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/text/printable"
)

//go:embed templates static
var files embed.FS

// pages are the templates, each with the layout around it.
type pages map[string]*template.Template

// page is what a template is given.
type page struct {
	Title   string
	Section string // of the navigation
	Account *svc.Account
	Done    string // what was just done
	Script  string // a script that this page needs beside the common one
	Icon    string // of the browser's tab; empty: the console's own
	Theme   string // light or dark; empty: as the system has it
	Body    any
	// Reported are keys of the account that somebody found lately.
	Reported []svc.Key
}

func (s *core) parsePages() (pages, error) {
	funcs, err := s.functions()
	if err != nil {
		return nil, err
	}
	layout, err := template.New("layout.html").Funcs(funcs).ParseFS(files, "templates/layout.html", "templates/parts.html", "templates/passkeys.html")
	if err != nil {
		return nil, fmt.Errorf("read the layout of the console: %w", err)
	}
	names, err := fs.Glob(files, "templates/pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("find the pages of the console: %w", err)
	}
	all := pages{}
	for _, name := range names {
		t, err := layout.Clone()
		if err == nil {
			t, err = t.ParseFS(files, name)
		}
		if err != nil {
			return nil, fmt.Errorf("read a page of the console: %w", err)
		}
		all[strings.TrimSuffix(path.Base(name), ".html")] = t
	}
	return all, nil
}

// messages are what can be said to have been done; the address of a page names
// one of them and cannot say anything else.
var messages = map[string]string{
	"signed-out":      "You are signed out.",
	"linked":          "The identity is linked. It opens this account from now on.",
	"unlinked":        "The identity is unlinked, and opens this account no longer. Every other browser is signed out.",
	"let-in":          "You are signed in, this once. Add a way to sign in here within 15 minutes, so that you can come back.",
	"revoked":         "The key is revoked. Requests that use it are refused from now on.",
	"password":        "Your password is changed, and every other browser is signed out.",
	"passkey-added":   "The passkey is added. It signs you in from now on.",
	"passkey-removed": "The passkey is removed, and every other browser is signed out.",
	"password-set":    "The password is set, and every other browser is signed out.",
	"sessions":        "All other browsers are signed out.",
	"repackaged":      "A fresh bundle is ready.",
	"project-deleted": "The project is deleted with its bundles and generations.",
	"cancelled":       "The generation is being cancelled.",
	"no-password":     "The password is removed: passkeys are the way in. Every other browser is signed out.",
	"renamed":         "The new name is saved.",
	"session":         "That browser is signed out.",
	"theme":           "The new colours are saved for this browser.",
	"acknowledged":    "Thank you. The bundle counts as received, and its archive is deleted here.",
}

// render answers with a page. It is made in memory first: half a page is none.
func (s *core) render(w http.ResponseWriter, r *http.Request, v *visit, status int, name string, p page) error {
	if v.signedIn() {
		p.Account = &v.account
		p.Reported = s.lateReports(r, v)
	}
	p.Theme = themeOf(r)
	if p.Done == "" {
		p.Done = messages[r.URL.Query().Get("done")]
	}
	var body bytes.Buffer
	if err := s.pages[name].ExecuteTemplate(&body, "layout.html", p); err != nil {
		return fmt.Errorf("make the page %s: %w", name, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // whoever has left misses nothing
	return nil
}

// renderPart answers with a part of a page, for a script to put into it.
func (s *core) renderPart(w http.ResponseWriter, name, part string, body any) error {
	var made bytes.Buffer
	if err := s.pages[name].ExecuteTemplate(&made, part, body); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(made.Bytes()) // whoever has left misses nothing
	return nil
}

// base is what clients are told, without a slash at its end.
func (s *core) base() string { return strings.TrimRight(s.BaseURL, "/") }

// functions are what templates can call.
func (s *core) functions() (template.FuncMap, error) {
	icons, err := readIcons()
	if err != nil {
		return nil, err
	}
	return template.FuncMap{
		"root":       func() string { return s.root },
		"base":       s.base,
		"authline":   func() string { return authLine(s.base(), s.Fingerprint) },
		"invitation": func(link string) string { return Invitation(s.BaseURL, link, s.Fingerprint) },
		"sum":        func(a, b int64) int64 { return a + b },
		"add":        func(a, b int) int { return a + b },
		"asset":      s.address,
		"icon": func(name string) (template.HTML, error) {
			svg, ok := icons[name]
			if !ok {
				return "", fmt.Errorf("there is no icon %q", name)
			}
			return svg, nil
		},
		"ago":    func(t time.Time) string { return ago(s.Now().Sub(t)) },
		"left":   func(t time.Time) string { return left(t.Sub(s.Now())) },
		"date":   func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04") + " UTC" },
		"after":  func(d time.Duration) time.Time { return s.Now().Add(d) },
		"iso":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"past":   func(t time.Time) bool { return !t.IsZero() && !t.After(s.Now()) },
		"wait":   wait,
		"long":   func(d time.Duration) bool { return d > 2*time.Minute },
		"bytes":  byteText,
		"number": numberText,
		"usd":    usdText,
		"spent":  spentText,
		"prose":  isProse,
		"plan":   planName,
		"short":  short,
		"state":  stateName,
		"merges": mergeName,
		"deed":   deedName,
		"shell":  printable.ShellWord,
		"dict":   dict,
		"identityError": func(e *svc.Error) bool {
			return e != nil && (e.Field == "identity" || e.Field == "way" || e.Code == svc.CodeUnavailable)
		},
		"provider": func() string {
			if s.Provider == nil {
				return ""
			}
			return s.ProviderName
		},
		"again":  s.again,
		"allows": func(way string) bool { return s.Accounts.Allows(accounts.Way(way)) },
	}, nil
}

// dict lets a template hand several values to another.
func dict(pairs ...any) (map[string]any, error) {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("%v is no name", pairs[i])
		}
		m[name] = pairs[i+1]
	}
	return m, nil
}

// readIcons reads the icons as markup. They are files of this package, and
// images of what stands beside them in words.
func readIcons() (map[string]template.HTML, error) {
	names, err := fs.Glob(files, "static/vendor/icons/*.svg")
	if err != nil {
		return nil, fmt.Errorf("find icons: %w", err)
	}
	icons := map[string]template.HTML{}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read icon: %w", err)
		}
		_, svg, found := strings.Cut(string(text), "<svg")
		if !found {
			return nil, fmt.Errorf("icon %s is no SVG", name)
		}
		svg = `<svg aria-hidden="true" focusable="false"` + svg
		icons[strings.TrimSuffix(path.Base(name), ".svg")] = template.HTML(svg) //nolint:gosec // a file of this package
	}
	return icons, nil
}
