package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/engines"
	"github.com/bundle-delivery/svc/internal/testkit/markup"
)

// hostile is text that would be a script if any page took it for markup.
const hostile = `"'><script>mark()</script><img src=x onerror=mark()>{{.}}`

// generate starts a generation in the console and waits for its end.
func (v *visitor) generate(prompt, constraints string) (run, page string) {
	v.t.Helper()
	form := url.Values{"prompt": {prompt}, "constraints": {constraints}, "once": {"form-1"}}
	run = v.want(http.StatusSeeOther, "/console/generations", form).header.Get("Location")
	again := v.want(http.StatusSeeOther, "/console/generations", form)
	if again.header.Get("Location") != run {
		v.t.Error("a form that was sent twice started two generations")
	}
	return run, v.ended(run)
}

// ended waits for the end of a generation and gives its page.
func (v *visitor) ended(run string) (page string) {
	v.t.Helper()
	eventually(v.t, "the generation ends", func() bool {
		page = string(v.want(http.StatusOK, run, nil).body)
		return !strings.Contains(page, "data-stream=")
	})
	return page
}

var (
	projectPattern = regexp.MustCompile(`/console/projects/proj_[a-z0-9]+`)
	bundlePattern  = regexp.MustCompile(`/console/bundles/[0-9a-f-]{36}`)
	filePattern    = regexp.MustCompile(`/console/projects/proj_[a-z0-9]+/file\?path=[^"]+`)
)

// Promise: console-attacks
func TestNothingGeneratedBecomesMarkup(t *testing.T) {
	t.Parallel()
	i := start(t, "--engine", "exec", "--engine-command", engines.Hostile(t))
	v := i.setUp()
	run, told := v.generate(hostile, "tone = "+hostile)
	project, bundle := projectPattern.FindString(told), bundlePattern.FindString(told)
	if project == "" || bundle == "" {
		t.Fatalf("the run did not succeed:\n%s", told)
	}
	v.want(http.StatusOK, "/console/settings/keys", url.Values{"name": {hostile}})
	pages := []string{
		"/console/", run, project, bundle, project + "/delete", project + "/revisions/1/difference", "/console/projects", "/console/bundles", "/console/generations",
		"/console/generations/new?project=" + url.QueryEscape(hostile), "/console/usage", "/console/settings", "/console/settings/keys",
		"/console/settings/people", "/console/projects?q=" + url.QueryEscape(hostile), "/console/settings/keys?q=" + url.QueryEscape(hostile),
		"/console/generations?project=" + url.QueryEscape(hostile) + "&status=" + url.QueryEscape(hostile), "/console/" + url.PathEscape(hostile),
		"/console/projects?done=" + url.QueryEscape(hostile), project + "?q=" + url.QueryEscape(hostile),
	}
	files := filePattern.FindAllString(string(v.want(http.StatusOK, project, nil).body), -1)
	if len(files) != 2 {
		t.Fatalf("the project lists %q", files)
	}
	for _, path := range append(pages, files...) {
		got := v.do(strings.ReplaceAll(path, "&amp;", "&"), nil)
		markup.Check(t, path, got.header, got.body)
		if got.status != http.StatusOK && !strings.Contains(path, "%3Cscript") {
			t.Errorf("%s answers %d", path, got.status)
		}
	}
	if body := v.want(http.StatusOK, files[0], nil).body; !bytes.Contains(body, []byte("mark")) {
		t.Error("the file's content is not shown")
	}
	form := credentials(hostile, hostile)
	form.Set("next", hostile)
	refused := i.visitor().want(http.StatusUnauthorized, "/console/sign-in", form)
	markup.Check(t, "sign-in", refused.header, refused.body)
}

// Promise: console-accounts
func TestAnotherAccountsPagesAreNotThere(t *testing.T) {
	t.Parallel()
	i := start(t)
	i.setUp()
	owner, other := i.member("owner@example.com"), i.member("other@example.com")
	run, told := owner.generate("a todo list API in Go", "")
	project, bundle := projectPattern.FindString(told), bundlePattern.FindString(told)
	key := string(keyPattern.Find(owner.want(http.StatusOK, "/console/settings/keys", url.Values{"name": {"ci"}}).body))
	file := filePattern.FindString(string(owner.want(http.StatusOK, project, nil).body))
	for _, path := range []string{
		run, run + "/stream", project, project + "/delete", project + "/revisions/1/difference", project + "/preview", file, bundle, bundle + "/download",
		"/console/settings/keys/" + key[4:12] + "/revoke", "/console/settings/people",
	} {
		other.want(http.StatusNotFound, path, nil)
	}
	for _, path := range []string{
		run + "/cancel", project + "/repackage", project + "/delete", "/console/settings/keys/" + key[4:12] + "/revoke", "/console/settings/people",
	} {
		other.want(http.StatusNotFound, path, url.Values{})
	}
	i.want(http.StatusOK, "", http.MethodGet, "/projects", key)
	if got := other.want(http.StatusNotFound, "/console/generations", url.Values{"prompt": {"x"}, "project": {strings.TrimPrefix(project, "/console/projects/")}}); bytes.Contains(got.body, []byte("todo")) {
		t.Error("a foreign project is named")
	}

	// The owner can do all of it.
	zip := owner.want(http.StatusOK, bundle+"/download", nil)
	if !bytes.HasPrefix(zip.body, []byte("PK")) || zip.header.Get("Content-Type") != "application/zip" {
		t.Error("the download is no archive")
	}
	fresh := owner.want(http.StatusSeeOther, project+"/repackage", url.Values{})
	owner.want(http.StatusOK, fresh.header.Get("Location"), nil)
	owner.want(http.StatusSeeOther, project+"/delete", url.Values{})
	owner.want(http.StatusNotFound, project, nil)
	owner.want(http.StatusNotFound, bundle, nil)
	owner.want(http.StatusNotFound, run, nil)
}

func TestAdministratorsInviteAndReset(t *testing.T) {
	t.Parallel()
	i := start(t)
	admin := i.setUp()
	invited := admin.want(http.StatusOK, "/console/settings/people", url.Values{"email": {"Bob@Example.com"}, "plan": {"hobby"}})
	link := linkPattern.FindString(string(invited.body))
	bob := i.visitor()
	if page := bob.want(http.StatusOK, link, nil); !bytes.Contains(page.body, []byte("bob@example.com")) {
		t.Error("the invitation does not name the address")
	}
	bob.want(http.StatusUnprocessableEntity, link, credentials("", "short"))
	bob.want(http.StatusSeeOther, link, credentials("eve@example.com", password))
	if page := bob.want(http.StatusOK, "/console/", nil); !bytes.Contains(page.body, []byte("bob@example.com")) || !bytes.Contains(page.body, []byte("3 of 3 generations left")) {
		t.Errorf("bob sees:\n%s", page.body)
	}
	bob.want(http.StatusNotFound, link, credentials("", password))
	admin.want(http.StatusUnprocessableEntity, "/console/settings/people", url.Values{"email": {"bob@example.com"}, "plan": {"hobby"}})
	people := admin.want(http.StatusOK, "/console/settings/people?q=bob", nil)
	if !bytes.Contains(people.body, []byte(`<span title="bob@example.com">`)) || bytes.Contains(people.body, []byte(`<span title="`+email)) {
		t.Error("the filter leaves others in")
	}
	reset := regexp.MustCompile(`/console/settings/people/acct_[a-z0-9]+/reset`).FindString(string(people.body))
	link = linkPattern.FindString(string(admin.want(http.StatusOK, reset, url.Values{}).body))
	i.visitor().want(http.StatusSeeOther, link, credentials("", "another password"))
	bob.want(http.StatusSeeOther, "/console/", nil)
	bob.want(http.StatusSeeOther, "/console/sign-in", credentials("bob@example.com", "another password"))
}

func TestOperatorsInvite(t *testing.T) {
	t.Parallel()
	i := start(t)
	i.setUp()
	invite := func() string {
		return strings.TrimSpace(i.operate("account", "invite", "--email", "Bob@example.com", "--plan", "hobby"))
	}
	first, second := invite(), invite()
	if first != linkPattern.FindString(first) || first == second {
		t.Fatalf("the command prints %q, then %q", first, second)
	}
	i.visitor().want(http.StatusNotFound, first, nil) // the second one took its place
	bob := i.visitor()
	bob.want(http.StatusSeeOther, second, credentials("", password))
	if page := bob.want(http.StatusOK, "/console/", nil); !bytes.Contains(page.body, []byte("bob@example.com")) || !bytes.Contains(page.body, []byte("Hobby")) {
		t.Errorf("bob sees:\n%s", page.body)
	}
	bob.want(http.StatusNotFound, "/console/settings/people", nil)
}

// Whoever is invited knows the authority by its whole fingerprint; the link alone is
// what programs read.
// Promise: console-invitation
func TestAnInvitationCarriesTheAuthority(t *testing.T) {
	t.Parallel()
	i := startOne(t, filepath.Join(t.TempDir(), "data"))
	authority, err := os.ReadFile(filepath.Join(i.dir, "tls", "ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(authority)
	fingerprint := fmt.Sprintf("%x", sha256.Sum256(block.Bytes))
	needed := []string{i.base + "/ca.pem", "\n" + fingerprint + "\n", "\nsvc auth --api-key - --api-url " + i.base + " --ca-fingerprint " + fingerprint + "\n"}

	page := string(i.setUp().want(http.StatusOK, "/console/settings/people", url.Values{"email": {"bob@example.com"}, "plan": {"hobby"}}).body)
	text := regexp.MustCompile(`<code id="invitation"[^>]*>([^<]*)</code>`).FindStringSubmatch(page)
	if text == nil {
		t.Fatalf("there is nothing to send:\n%s", page)
	}
	for _, want := range append(needed, "\n"+linkPattern.FindString(page)+"\n") {
		if !strings.Contains(text[1], want) {
			t.Errorf("%q is not sent:\n%s", want, text[1])
		}
	}

	invite := func(flags ...string) (link, rest string) {
		t.Helper()
		code, out, notes := runMain(t, nil, append([]string{"account", "invite", "--email", "eve@example.com", "--plan", "hobby", "--data-dir", i.dir}, flags...)...)
		if link = linkPattern.FindString(out); code != exitOK || out != link+"\n" || strings.Contains(notes, link) {
			t.Fatalf("exit %d, %q, and beside it %q", code, out, notes)
		}
		return link, notes
	}
	_, told := invite()
	for _, want := range needed {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not said:\n%s", want, told)
		}
	}
	for _, flags := range [][]string{{"--acme-domain", "bundles.example.com"}, {"--tls-cert", "x.pem", "--tls-key", "y.pem"}} {
		if _, told := invite(flags...); strings.Contains(told, fingerprint) || strings.Contains(told, "ca.pem") || !strings.Contains(told, "\nsvc auth --api-key - --api-url ") {
			t.Errorf("with %v it is said:\n%s", flags, told)
		}
	}
}

func TestALiveViewEndsWithItsSession(t *testing.T) {
	t.Parallel()
	command, gate := engines.Gated(t)
	i := start(t, "--engine", "exec", "--engine-command", command)
	v := i.setUp()
	run := v.want(http.StatusSeeOther, "/console/generations", url.Values{"prompt": {"anything"}}).header.Get("Location")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, i.base+run+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := v.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Body.Close() }()
	told := bufio.NewReader(stream.Body)
	for line := ""; !strings.Contains(line, "package main"); {
		if line, err = told.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	// Nothing but the session ends: the run waits at its gate.
	v.want(http.StatusSeeOther, "/console/sign-out", url.Values{})
	rest, err := io.ReadAll(told)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(rest), "func main") || !strings.HasSuffix(string(rest), "event: signed_out\ndata: {}\n\n") {
		t.Errorf("a live view went on without its session, or did not say that it ended: %s", rest)
	}
	if again := v.want(http.StatusOK, run+"/stream", nil); string(again.body) != "event: signed_out\ndata: {}\n\n" {
		t.Errorf("a stream without a session: %s", again.body)
	}

	// Signed in again it goes on after what was seen, and the run can be cancelled.
	v.want(http.StatusSeeOther, "/console/sign-in", credentials(email, password))
	v.want(http.StatusSeeOther, run+"/cancel", url.Values{})
	var page string
	eventually(t, "the run is cancelled", func() bool {
		page = string(v.want(http.StatusOK, run, nil).body)
		return strings.Contains(page, "cancelled")
	})
	if _, err := os.Stat(gate); err == nil {
		t.Error("the gate was opened")
	}
	end := v.want(http.StatusOK, run+"/stream?lastEventId=2", nil)
	if !bytes.Contains(end.body, []byte("CANCELLED")) || bytes.Contains(end.body, []byte("id: 2\n")) {
		t.Errorf("the stream after event 2: %s", end.body)
	}
	v.want(http.StatusNoContent, run+"/stream", nil, "Last-Event-ID: 999")
}

// Promise: console-lists
func TestListsPageAndFilter(t *testing.T) {
	t.Parallel()
	i := start(t)
	v := i.setUp()
	i.seedUsage(email)
	rows := func(path string) (n int, next string) {
		body := string(v.want(http.StatusOK, path, nil).body)
		if m := regexp.MustCompile(`href="(\?[^"]*(?:cursor|page)=[^"]*)">(?:Older|Next)`).FindStringSubmatch(body); m != nil {
			next = strings.ReplaceAll(m[1], "&amp;", "&")
		}
		return strings.Count(body, "<tr") - strings.Count(body, "<thead"), next
	}
	all := 0
	for next, pages := "?", 0; next != ""; pages++ {
		var n int
		if n, next = rows("/console/generations" + next); n == 0 || n > 20 || pages > 5 {
			t.Fatalf("page %d lists %d generations", pages, n)
		}
		all += n
	}
	succeeded, next := rows("/console/generations?status=succeeded")
	failed, _ := rows("/console/generations?status=failed")
	if none, _ := rows("/console/generations?status=queued"); all != 55 || succeeded != 20 || next == "" || failed == 0 || failed > 20 || none != 0 {
		t.Errorf("%d generations; pages of %d succeeded and %d failed, %d queued", all, succeeded, failed, none)
	}
	if !strings.Contains(next, "status=succeeded") {
		t.Errorf("the next page %q forgets the filter", next)
	}
	if n, _ := rows("/console/projects?q=NEWSletter"); n != 1 {
		t.Errorf("%d projects match their name", n)
	}
	if n, _ := rows("/console/projects?q=nothing+like+it"); n != 0 {
		t.Errorf("%d projects match nothing", n)
	}
	for n := range 21 {
		v.want(http.StatusOK, "/console/settings/keys", url.Values{"name": {fmt.Sprintf("machine %d", n)}})
	}
	if n, next := rows("/console/settings/keys"); n != 20 || next == "" {
		t.Errorf("the first page of keys lists %d, next %q", n, next)
	}
	if n, _ := rows("/console/settings/keys?page=2"); n != 1 {
		t.Errorf("the second page of keys lists %d", n)
	}
	if n, _ := rows("/console/settings/keys?q=machine+2&show=usable"); n != 2 {
		t.Errorf("%d keys match machine 2", n)
	}
}
