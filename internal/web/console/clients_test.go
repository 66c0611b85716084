package console_test

import (
	"crypto/sha256"
	"fmt"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/clientdir"
	"github.com/bundle-delivery/svc/internal/web/console"
)

// clientRelease puts archives of a version into a folder, with their sums.
func clientRelease(t *testing.T, dir, version string) {
	t.Helper()
	var sums strings.Builder
	for _, platform := range []string{"linux_amd64.tar.gz", "linux_arm64.tar.gz", "darwin_amd64.tar.gz", "darwin_arm64.tar.gz", "windows_amd64.zip"} {
		name := "svc_" + version + "_" + platform
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte(name)), name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"checksums.txt": sums.String(), "secret.txt": "a secret"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Browsers, and what they are offered first.
var agents = map[string]string{
	"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150 Safari/537.36":           "svc_1.2.0_linux_amd64.tar.gz",
	"Mozilla/5.0 (X11; Linux aarch64; rv:140.0) Gecko/20100101 Firefox/140.0":               "svc_1.2.0_linux_arm64.tar.gz",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15":  "svc_1.2.0_darwin_arm64.tar.gz",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150 Safari/537.36": "svc_1.2.0_windows_amd64.zip",
	"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/150 Mobile Safari/537.36":    "",
	"curl/8.5.0": "",
}

// Promise: console-client
func TestTheClientIsOfferedForTheMachineOfWhoeverAsks(t *testing.T) {
	dir := t.TempDir()
	clientRelease(t, dir, "1.2.0")
	d := newSite(t, func(c *console.Config) {
		var err error
		if c.Clients, err = clientdir.Open(dir); err != nil {
			t.Fatal(err)
		}
	})
	d.cookie = "" // an invited person has no session
	for agent, first := range agents {
		page := d.want(http.StatusOK, "/console/clients", nil, "User-Agent: "+agent)
		mine, others, _ := strings.Cut(page, "<ul class=\"plain clients\">")
		if got := strings.Contains(mine, "Download</a>"); got != (first != "") || !strings.Contains(mine, first) {
			t.Errorf("%s is offered\n%s", agent, mine)
		}
		for _, name := range agents {
			sum := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
			if name != "" && (!strings.Contains(page, `href="/console/clients/`+name) || !strings.Contains(page, sum)) {
				t.Errorf("%s does not find %s with its sum", agent, name)
			}
			if name != "" && name != first && !strings.Contains(others, name) {
				t.Errorf("%s does not find %s among the others", agent, name)
			}
		}
	}
	linux := "svc_1.2.0_linux_amd64.tar.gz"
	check := fmt.Sprintf("echo &#39;%x  %s&#39; | sha256sum --check", sha256.Sum256([]byte(linux)), linux)
	contains(t, d.want(http.StatusOK, "/console/clients", nil, "User-Agent: X11; Linux x86_64"), check, "tar -xzf "+linux+" svc")

	answer := d.ask("/console/clients/"+linux, nil)
	if answer.Code != http.StatusOK || answer.Body.String() != linux || answer.Header().Get("Content-Disposition") != `attachment; filename="`+linux+`"` {
		t.Errorf("%d %v %q", answer.Code, answer.Header(), answer.Body)
	}
	rest := d.ask("/console/clients/"+linux, nil, "Range: bytes=4-", "If-Range: "+answer.Header().Get("ETag"))
	if rest.Code != http.StatusPartialContent || rest.Body.String() != linux[4:] {
		t.Errorf("the rest of a broken download: %d %q", rest.Code, rest.Body)
	}
	for _, path := range []string{"secret.txt", "checksums.txt", "..", "../secret.txt", "%2e%2e%2fsecret.txt", "..%2f" + filepath.Base(dir) + "%2fsecret.txt", "", "svc_1.2.0_linux_amd64.tar.gz%00", "/etc/passwd"} {
		answer := d.ask("/console/clients/"+path, nil)
		if answer.Code == http.StatusOK || strings.Contains(answer.Body.String(), "a secret") {
			t.Errorf("%q is given out: %d\n%s", path, answer.Code, answer.Body)
		}
	}

	// A new release is there at once.
	clientRelease(t, dir, "1.3.0")
	contains(t, d.want(http.StatusOK, "/console/clients", nil), "svc_1.3.0_linux_amd64.tar.gz")
	d.want(http.StatusNotFound, "/console/clients/"+linux, nil)
}

// Promise: console-client
func TestWithoutAClientToOfferThePageSaysHowToBuildIt(t *testing.T) {
	empty := t.TempDir()
	for name, d := range map[string]*site{
		"no folder": newSite(t),
		"a folder that is empty": newSite(t, func(c *console.Config) {
			var err error
			if c.Clients, err = clientdir.Open(empty); err != nil {
				t.Fatal(err)
			}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			contains(t, d.want(http.StatusOK, "/console/clients", nil), "go build -o svc ./cmd/svc", "--client-dir", "make run", html.EscapeString(`export PATH="$PWD/bin:$PATH"`))
			d.want(http.StatusNotFound, "/console/clients/svc_1.2.0_linux_amd64.tar.gz", nil)
		})
	}
}

// Promise: console-client
func TestWhoeverIsInvitedFindsTheClient(t *testing.T) {
	d := newSite(t)
	token, err := d.Accounts.Invite(t.Context(), "grace@example.com", svc.PlanDeveloper)
	if err != nil {
		t.Fatal(err)
	}
	d.cookie = ""
	contains(t, d.want(http.StatusOK, "/console/link/"+token, nil), `href="/console/clients"`)
	contains(t, d.want(http.StatusOK, "/console/clients", nil), `href="/console/sign-in"`)
}
