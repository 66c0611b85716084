package main

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/hostile"
)

// TestHostileArchives pulls every archive of the collection from a server that
// means harm: it announces the right length and digest. Each is refused with
// exit 1, nothing written and nothing acknowledged.
// Promise: pull-invalid, terminal-safe
func TestHostileArchives(t *testing.T) {
	const id = "01890a5d-ac96-774b-bcce-b302099a8057"
	var body []byte
	acks := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/ack") {
			acks++
			_, _ = w.Write([]byte(`{"bundleId":"` + id + `","status":"downloaded","downloadedAt":"2026-01-01T00:00:00.000Z"}`))
			return
		}
		if !strings.HasSuffix(r.URL.Path, "/download") { // it never signed
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(body)
	}))
	defer server.Close()
	pull := func(t *testing.T) (code int, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		env := map[string]string{"SVC_API_URL": server.URL, "SVC_TOKEN": "svc_abcdefgh_0123456789abcdef0123456789abcdef", "HOME": t.TempDir()}
		code = Main(context.Background(), []string{"pull", "--allow-global", id}, Streams{
			In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(name string) string { return env[name] },
		})
		if entries, err := os.ReadDir(env["HOME"]); code != exitOK && (err != nil || len(entries) > 0) {
			t.Errorf("the home folder has %v, %v", entries, err)
		}
		return code, errs.String()
	}
	cases := hostile.Cases()
	if len(cases) < 60 {
		t.Errorf("only %d hostile archives", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			top := t.TempDir()
			work, tmp := filepath.Join(top, "a", "work"), filepath.Join(top, "tmp")
			for _, dir := range []string{work, tmp} {
				if err := os.MkdirAll(dir, 0o750); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(work)
			t.Setenv("TMPDIR", tmp)
			body, acks = c.Bytes, 0
			code, stderr := pull(t)
			if code != exitUser || !strings.Contains(stderr, "nothing was written") || !strings.Contains(stderr, c.Want) {
				t.Errorf("exit %d: %s", code, stderr)
			}
			if err := raw(stderr); err != nil {
				t.Errorf("%v is printed: %q", err, stderr)
			}
			if acks != 0 {
				t.Error("it was acknowledged")
			}
			files := 0
			if err := filepath.WalkDir(top, func(_ string, e fs.DirEntry, err error) error {
				if err == nil && !e.IsDir() {
					files++
				}
				return err
			}); err != nil || files != 0 {
				t.Errorf("%d files were written, %v", files, err)
			}
		})
	}
	t.Run("a good one", func(t *testing.T) {
		t.Chdir(t.TempDir())
		body, acks = hostile.Good(), 0
		if code, stderr := pull(t); code != exitOK || acks != 1 {
			t.Errorf("exit %d, %d acknowledgements: %s", code, acks, stderr)
		}
	})
}
