package console

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	downloads "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp/kb"
)

// clientRelease is a folder with archives as a release has them.
func clientRelease(t *testing.T) string {
	t.Helper()
	dir, sums := t.TempDir(), ""
	for n, platform := range []string{"linux_amd64.tar.gz", "linux_arm64.tar.gz", "darwin_amd64.tar.gz", "darwin_arm64.tar.gz", "windows_amd64.zip", "windows_arm64.zip"} {
		name, content := "svc_0.1.0_"+platform, bytes.Repeat([]byte(platform), 290_000-7000*n)
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name)
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(sums), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// From an invitation to a bundle on the machine: the client is found without a
// session, and a card ticks what is done while somebody works elsewhere.
// Promise: console-client, console-first-steps
func TestAnInvitationLeadsToAFirstBundle(t *testing.T) {
	t.Parallel()
	i := start(t, "--client-dir", clientRelease(t))
	i.setUp()
	b := i.browse()
	link := strings.TrimSpace(i.operate("account", "invite", "--email", "grace@example.com", "--plan", "developer"))
	b.open(link)
	b.follow("get the client", "Get the client")
	b.look("clients-signed-out")
	if check := b.text("#check-line"); !strings.Contains(check, b.text("#sum")) || !strings.Contains(check, "svc_0.1.0_linux_") {
		t.Errorf("the download is checked by %q", check)
	}
	// By keyboard: the download, the lines to copy, those for other machines, the way on.
	folder, sum := t.TempDir(), b.text("#sum")
	b.run(downloads.SetDownloadBehavior(downloads.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(folder))
	b.tabTo("Download")
	b.press(kb.Enter)
	var names []string
	eventually(t, "the client is on the disk", func() bool {
		names, _ = filepath.Glob(filepath.Join(folder, "svc_0.1.0_*[pz]")) // not while it is being written
		return len(names) == 1
	})
	if content, err := os.ReadFile(names[0]); err != nil || fmt.Sprintf("%x", sha256.Sum256(content)) != sum {
		t.Errorf("the download has not the sum that is shown (%v)", err)
	}
	for _, id := range []string{"check-line", "unpack-line"} {
		b.tabTo(b.eval("document.getElementById('" + id + "').innerText"))
		b.press(kb.Tab)
		if copies := b.eval("document.activeElement.dataset.copy"); copies != id {
			t.Errorf("after #%s comes the button that copies %s", id, copies)
		}
	}
	b.tabTo(b.eval("document.querySelector('.clients li:last-child a').innerText"))
	b.follow("sign in", "Sign in")
	b.forgive("ERR_ABORTED") // a download is no page

	b.open(link)
	b.focused("password")
	b.press(password + kb.Enter)
	b.titled("Overview")
	b.eval("window.samePage = 'yes'")
	done := func(steps int) {
		t.Helper()
		eventually(t, fmt.Sprintf("%d steps are done", steps), func() bool {
			return b.eval("document.querySelectorAll('#steps li.done').length") == fmt.Sprint(steps)
		})
	}
	done(1)
	b.look("overview-first-steps")
	grace := i.visitor()
	grace.want(http.StatusSeeOther, "/console/sign-in", credentials("grace@example.com", password))
	made := grace.want(http.StatusOK, "/console/settings/keys", map[string][]string{"name": {"laptop"}})
	done(2)
	key := string(keyPattern.Find(made.body))
	i.want(http.StatusOK, "", "GET", "/projects", key)
	done(3)
	bundle := i.importFiles("grace@example.com", map[string]string{"main.go": "package main\n"}).BundleID
	i.want(http.StatusOK, "", "POST", "/bundles/"+bundle+"/ack", key)
	done(4)
	if b.eval("window.samePage") != "yes" {
		t.Error("the page was loaded anew")
	}
	b.look("overview-all-set")
	b.open("/console/")
	if b.eval("!!document.querySelector('#steps')") != "false" {
		t.Error("steps that are all done are shown again")
	}
}

// Promise: console-first-steps
func TestFirstStepsAreHiddenByKeyboard(t *testing.T) {
	t.Parallel()
	i := start(t)
	b := i.browse()
	b.setUp(i.setUpLink())
	b.tabTo("Hide")
	b.press(kb.Enter)
	eventually(t, "the card is gone", func() bool {
		return b.eval("document.readyState === 'complete' && !document.querySelector('#steps') && document.title.startsWith('Overview')") == "true"
	})
	b.look("overview-without-steps")
	b.open("/console/clients")
	b.see("#build-line")
	b.look("clients-none")
}
