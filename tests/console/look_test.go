package console

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/oidctest"
)

const (
	templatesOfPages = "../../internal/web/console/templates/pages"
	axeCore          = "../../internal/web/console/testdata/axe.min.js"
)

// looks are the ways in which every page is looked at. A short test has both schemes
// and both widths, and a long one each in each.
var looks = []struct {
	scheme        string
	width, height int64
}{{"light", 1280, 860}, {"dark", 1280, 860}, {"dark", 390, 844}, {"light", 390, 844}}

// look inspects the page that is shown in every way, and leaves the window wide and light.
// The name of a page begins with that of its template.
func (b *browser) look(name string) {
	b.t.Helper()
	axe, err := os.ReadFile(axeCore)
	if err != nil {
		b.t.Fatal(err)
	}
	b.run(chromedp.Evaluate(string(axe)+";0", nil))
	for n, look := range looks {
		if n%2 == 1 && os.Getenv("SVC_TEST_LONG") == "" && os.Getenv("SVC_SCREENSHOTS") == "" {
			continue
		}
		b.scheme(look.scheme)
		b.run(chromedp.EmulateViewport(look.width, look.height))
		b.drawn()
		what := fmt.Sprintf("%s-%d-%s", name, look.width, look.scheme)
		b.shoot(what)
		b.inspect(what)
		b.fits(what)
	}
	b.scheme(looks[0].scheme)
	b.run(chromedp.EmulateViewport(looks[0].width, looks[0].height))
	b.looked[name] = true
}

// lookAt opens pages and looks at each.
func (b *browser) lookAt(pages [][2]string) {
	b.t.Helper()
	for _, page := range pages {
		b.open(page[1])
		b.look(page[0])
	}
}

// fits says whether a page is as wide as its window.
func (b *browser) fits(what string) {
	b.t.Helper()
	if wide := b.eval("document.documentElement.scrollWidth > innerWidth"); wide != "false" {
		b.t.Errorf("%s is wider than the window", what)
	}
}

// drawn waits until the page is drawn in the window that it has now, and its plots have
// the width of their places.
func (b *browser) drawn() {
	b.t.Helper()
	const frames = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done(0)))))`
	b.run(chromedp.Evaluate(frames, nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	const fit = `[...document.querySelectorAll("[data-plot]")].every(p => Math.abs(p.querySelector(".u-wrap").clientWidth - p.clientWidth) < 2)`
	eventually(b.t, "plots are drawn anew", func() bool { return b.eval(fit) == "true" })
	const grey = `[...document.querySelectorAll("[data-plot] canvas")].filter(c => {
		const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
		for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 0 && Math.abs(d[i] - d[i + 2]) > 40) return false;
		return true;
	}).length`
	if plots := b.eval("document.querySelectorAll('[data-plot] canvas').length"); plots != "0" && b.eval(grey) == plots {
		b.t.Error("no plot has a colour")
	}
}

// scheme chooses between light and dark.
func (b *browser) scheme(name string) {
	b.t.Helper()
	b.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name},
		{Name: "prefers-reduced-motion", Value: "reduce"}, // colours are looked at where they end
	}))
}

// shoot keeps a picture of the page where SVC_SCREENSHOTS names a folder.
func (b *browser) shoot(name string) {
	b.t.Helper()
	folder := os.Getenv("SVC_SCREENSHOTS")
	if folder == "" {
		return
	}
	var picture []byte
	b.run(chromedp.CaptureScreenshot(&picture))
	picture, err := shrink(picture)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// shrink makes a picture with the 256 colours that most of it has.
func shrink(picture []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	area := from.Bounds()
	pixels, to := image.NewRGBA(area), image.NewPaletted(area, nil)
	draw.Draw(pixels, area, from, area.Min, draw.Src)
	often := map[[4]byte]int{}
	for n := 0; n < len(pixels.Pix); n += 4 {
		often[[4]byte(pixels.Pix[n:])]++
	}
	for _, c := range slices.SortedFunc(maps.Keys(often), func(a, b [4]byte) int { return often[b] - often[a] }) {
		colour := color.RGBA{c[0], c[1], c[2], c[3]}
		if len(to.Palette) < 256 {
			to.Palette = append(to.Palette, colour)
		}
		often[c] = to.Palette.Index(colour) // from here on, which colour it becomes
	}
	for n := range to.Pix {
		to.Pix[n] = uint8(often[[4]byte(pixels.Pix[4*n:])])
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&out, to)
	return out.Bytes(), err
}

// finding is what axe-core reports.
type finding struct {
	ID, Help string
	Nodes    []struct{ HTML, FailureSummary string }
}

// inspect runs axe-core, which look has put into the page.
func (b *browser) inspect(what string) {
	b.t.Helper()
	const run = `axe.run(document, {preload: false, resultTypes: ["violations"], runOnly: ["wcag2a","wcag2aa","wcag21a","wcag21aa","wcag22aa","best-practice"]})
		.then(r => JSON.stringify(r.violations.map(v => ({ID: v.id, Help: v.help, Nodes: v.nodes.map(n => ({HTML: n.html, FailureSummary: n.failureSummary}))}))))`
	var text string
	b.run(chromedp.Evaluate(run, &text, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	var found []finding
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		b.t.Fatal(err)
	}
	for _, f := range found {
		for _, n := range f.Nodes {
			b.t.Errorf("%s: %s (%s)\n%s\n%s", what, f.Help, f.ID, n.HTML, n.FailureSummary)
		}
	}
}

// The ways in, and what an account without anything sees.
var doorPages = []string{"sign-in", "sign-up", "link", "error", "onward"}

// Promise: console-accessible
func TestPagesOfANewServiceAreAccessible(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t, true)
	i := start(t, byProvider(t, provider, "--sign-up", "open")...)
	b := i.browse()
	link := i.setUpLink()
	b.lookAt([][2]string{
		{"sign-in", "/console/sign-in"}, {"sign-up", "/console/sign-up"}, {"link-set-up", link}, {"error-signed-out", "/console/nothing"},
	})
	b.openOnward(provider)
	b.setUp(link)
	b.lookAt([][2]string{
		{"overview-empty", "/console/"},
		{"projects-empty", "/console/projects"},
		{"bundles-empty", "/console/bundles"},
		{"generations-empty", "/console/generations"},
		{"usage-empty", "/console/usage"},
		{"keys-empty", "/console/settings/keys"},
		{"error", "/console/projects/proj_00000000000000000000"},
	})
	invited := i.operate("account", "invite", "--email", "bob@example.com", "--plan", "hobby")
	reset := i.operate("account", "reset-password", "--email", email)
	b.lookAt([][2]string{{"link-invite", strings.TrimSpace(invited)}, {"link-reset", strings.TrimSpace(reset)}})
	b.forgive("404") // the browser told of the pages that are not there

	// What a refused sign-in and a wrong form look like.
	b.open("/console/settings")
	b.tabTo("Current password")
	b.press("not the password" + kb.Tab + "another password" + kb.Enter)
	b.see("#failure")
	b.look("settings-refused")
	b.follow("Sign out", "Sign in")
	b.look("sign-in-signed-out")
	b.press(email + kb.Tab + "not the password" + kb.Enter)
	b.see("#failure")
	b.look("sign-in-refused")
	b.forgive("422")
	b.forgive("401")
	b.lookedAtAll(doorPages)
}

// Promise: console-accessible
func TestPagesInUseAreAccessible(t *testing.T) {
	needs.Long(t, "every page in use, in light and dark, wide and narrow")
	t.Parallel()
	i := start(t, "--client-dir", clientRelease(t), "--cleanup-interval", "50ms")
	b := i.browse()
	b.setUp(i.setUpLink())
	v := i.visitor()
	v.want(303, "/console/sign-in", credentials(email, password))
	run, told := v.generate("A todo list API in Go with a Dockerfile and tests")
	project, bundle := projectPattern.FindString(told), bundlePattern.FindString(told)
	foreign := i.importFiles(email, map[string]string{"notes.txt": "n\n"}).ProjectID // which the engine does not continue
	failed := v.want(303, "/console/generations", url.Values{"prompt": {"A shop"}, "constraints": {"language = cobol"}, "project": {foreign}}).header.Get("Location")
	site := projectPattern.FindString(v.ended(v.want(303, "/console/generations", url.Values{"prompt": {"a web site for a bakery in Bristol"}}).header.Get("Location")))
	v.ended(v.want(303, "/console/generations", url.Values{"prompt": {"add a pricing section"}, "project": {strings.TrimPrefix(site, "/console/projects/")}}).header.Get("Location"))
	laptop := v.want(200, "/console/settings/keys", url.Values{"name": {"laptop"}, "expiry": {"90"}})
	i.want(200, "", "GET", "/projects", string(keyPattern.Find(laptop.body)))
	revoke := func(name string) string {
		made := v.want(200, "/console/settings/keys", url.Values{"name": {name}})
		return "/console/settings/keys/" + string(keyPattern.Find(made.body))[4:12] + "/revoke"
	}
	v.want(303, revoke("build server"), url.Values{})
	i.seedUsage(email)
	other := revoke("old laptop")
	i.account("grace@example.com")
	file := regexp.MustCompile(`/console/projects/proj_[a-z0-9]+/file\?path=[^"]+\.go`).FindString(string(v.want(200, project, nil).body))
	b.lookAt([][2]string{
		{"overview", "/console/"},
		{"projects", "/console/projects"},
		{"project", project},
		{"project-site", site},
		{"difference-site", site + "/revisions/2/difference"},
		{"file", file},
		{"project-delete", project + "/delete"},
		{"bundles", "/console/bundles"},
		{"bundle", bundle},
		{"generations", "/console/generations"},
		{"generation-new", "/console/generations/new"},
		{"generation", run + "?file=" + url.QueryEscape(storyFile)},
		{"generation-prose", run},
		{"generation-failed", failed},
		{"usage", "/console/usage"},
		{"settings", "/console/settings"},
		{"keys", "/console/settings/keys"},
		{"passkeys-without-name", "/console/settings/passkeys"},
		{"key", strings.TrimSuffix(other, "/revoke")},
		{"revoke", other},
		{"find", "/console/find?q=todo"},
		{"find-nothing", "/console/find?q=nothing+of+that+name"},
		{"report-key", "/console/report-key"},
		{"clients", "/console/clients"},
		{"people", "/console/settings/people"},
		{"audit", "/console/settings/audit"},
	})
	// Pages that answer a form cannot be asked for by address.
	b.open("/console/settings/people")
	b.tabTo("Reset link")
	b.press(kb.Enter)
	b.see("#one-time")
	b.look("people-link")
	b.open("/console/settings/people")
	b.tabTo("E-mail address")
	b.press("dora@example.com" + kb.Enter)
	b.see("#invitation")
	b.look("people-invitation")
	b.open("/console/settings/keys")
	b.tabTo("Name")
	b.press("desk" + kb.Enter)
	b.see("#full-key")
	b.look("keys-new")
	b.open("/console/settings/keys")
	b.follow("desk", "Key desk")
	b.tabTo("Roll this key")
	b.press(kb.Enter)
	b.see(".secret a[href$='/revoke']")
	b.look("keys-rolled")
	i.lookAtEnds(b, v)
	b.lookedAtAll(nil)
}

// lookAtEnds looks at what became of bundles, of a pushed project, and of a key that
// somebody found.
func (i *instance) lookAtEnds(b *browser, v *visitor) {
	i.t.Helper()
	key := string(keyPattern.Find(v.want(200, "/console/settings/keys", url.Values{"name": {"build server"}}).body))
	notes := map[string]string{"notes.md": "# Notes\n\nThe old house.\n", "old.txt": "old\n"}
	over := i.importFiles(email, notes, "--bundle-ttl", "1ms").BundleID
	eventually(i.t, "the bundle expires", func() bool { return i.ask("GET", "/bundles/"+over, key, "").status == 410 })
	pushed := i.importFiles(email, notes)
	archive := i.want(200, "", "GET", "/bundles/"+pushed.BundleID+"/download", key).body
	note, err := client.Changes{Base: fmt.Sprintf("%x", sha256.Sum256(archive)), Deleted: []string{"old.txt"}}.Note()
	if err != nil {
		i.t.Fatal(err)
	}
	var changes bytes.Buffer
	if err := bundlezip.WriteChanges(&changes, note, []bundlezip.StateFile{
		{Path: "notes.md", Content: bundlezip.Bytes([]byte("# Notes\n\nThe new house.\n"))}, {Path: "more.md", Content: bundlezip.Bytes([]byte("More.\n"))},
	}); err != nil {
		i.t.Fatal(err)
	}
	project := "/console/projects/" + pushed.ProjectID
	if answer := i.ask("POST", "/projects/"+pushed.ProjectID+"/changes", key, changes.String(), "Content-Type: application/zip"); answer.status != 200 {
		i.t.Fatalf("the push is answered with %d: %s", answer.status, answer.body)
	}
	i.want(200, "", "POST", "/bundles/"+pushed.BundleID+"/ack", key)
	b.lookAt([][2]string{
		{"bundle-expired", "/console/bundles/" + over},
		{"bundle-downloaded", "/console/bundles/" + pushed.BundleID},
		{"project-pushed", project},
		{"difference-pushed", project + "/revisions/2/difference"},
	})
	report := func(keys string) {
		b.open("/console/report-key")
		b.tabTo("Keys, whole")
		b.press(keys)
		b.tabTo("Where you found them")
		b.press("https://paste.example/7h2k9")
		b.follow("Revoke them", "Report a key")
	}
	report(strings.Repeat("k ", 21)) // too many
	b.see("#failure")
	b.look("report-key-refused")
	report(key)
	b.see(".notice.good")
	b.look("report-key-received")
	eventually(i.t, "the key is revoked", func() bool { return i.ask("GET", "/projects", key, "").status == 401 })
	b.lookAt([][2]string{{"overview-reported", "/console/"}, {"keys-reported", "/console/settings/keys"}})
	b.forgive("422")
}

// lookedAtAll says which template no page was made of. Those of the ways in are
// looked at by a test of their own.
func (b *browser) lookedAtAll(only []string) {
	b.t.Helper()
	paths, err := filepath.Glob(templatesOfPages + "/*.html")
	if err != nil || len(paths) == 0 {
		b.t.Fatalf("no templates are found: %v", err)
	}
	elsewhere := strings.Join(doorPages, " ") + " "
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".html")
		door := strings.Contains(elsewhere, name+" ")
		if door == (only == nil) {
			continue
		}
		seen := false
		for page := range b.looked {
			seen = seen || page == name || strings.HasPrefix(page, name+"-")
		}
		if !seen {
			b.t.Errorf("no page of the template %s was looked at", name)
		}
	}
}

// Names are as long as people make them; a page is not wider for that.
// Promise: console-accessible
func TestLongNamesFitIntoNarrowWindows(t *testing.T) {
	t.Parallel()
	i := start(t)
	b := i.browse()
	b.setUp(i.setUpLink())
	v := i.visitor()
	v.want(303, "/console/sign-in", credentials(email, password))
	long := strings.Repeat("Donaudampfschiff", 12)
	run, told := v.generate("api in go, book(title) # " + long)
	project, bundle := projectPattern.FindString(told), bundlePattern.FindString(told)
	if bundle == "" || !strings.Contains(told, "The whole request") {
		t.Fatalf("the run did not succeed, or its prompt is not shown whole:\n%s", told)
	}
	made := v.want(200, "/console/settings/keys", url.Values{"name": {long[:100]}})
	i.account(long[:60] + "@" + long[:60] + "." + long[:60] + ".example.com")
	foreign := i.importFiles(email, map[string]string{"notes.txt": "n\n"}).ProjectID // which the engine does not continue
	v.want(303, "/console/generations", url.Values{"prompt": {"api in go, book(title) # " + long}, "project": {foreign}})
	pages := []string{
		"/console/", "/console/projects", project, project + "/delete", "/console/bundles", bundle, "/console/generations", run,
		"/console/generations/new?project=" + strings.TrimPrefix(project, "/console/projects/"), "/console/settings/keys",
		"/console/settings/keys/" + string(keyPattern.Find(made.body))[4:12] + "/revoke", "/console/settings/people",
		"/console/projects?q=" + long,
	}
	for _, look := range looks[1:3] {
		b.run(chromedp.EmulateViewport(look.width, look.height))
		for n, page := range pages {
			b.open(page)
			b.shoot(fmt.Sprintf("long-%02d-%d-light", n, look.width))
			b.fits(fmt.Sprintf("%s at %d", page, look.width))
		}
	}
}
