package console

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// manyFilesEngine is the command of an engine that writes as many files as the number
// in a file says, each in pieces with a pause in seconds after each, and is done
// when it has written all.
func manyFilesEngine(t *testing.T, files, pieces int, pause float64) (command string, allow func(files int)) {
	t.Helper()
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	script := `
import json, sys, time
line = "\tfmt.Println(\"line\", 42) // says where it is\n"
pause = ` + fmt.Sprint(pause) + `
def say(**e):
    print(json.dumps(e))
    if pause:
        sys.stdout.flush()
        time.sleep(pause)
def allowed():
    try: return int(open(` + fmt.Sprintf("%q", gate) + `).read())
    except (OSError, ValueError): return 0
now = 0
for n in range(` + fmt.Sprint(files) + `):
    while n >= now:
        now = allowed()
        if n >= now:
            sys.stdout.flush()
            time.sleep(0.02)
    name = f"internal/part{n // 50}/file{n}.go"
    say(type="token", file=name, delta=f"package part{n // 50}\n\nfunc Do{n}() {{\n")
    for p in range(` + fmt.Sprint(pieces) + `): say(type="token", file=name, delta=line * 3)
    say(type="token", file=name, delta="}\n")
say(type="state_update", key="language", value="go", reason="asked for")
say(type="state_update", key="left_out", value="sorting; colours", reason="named in the request")
`
	path := filepath.Join(dir, "engine.py")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return "python3 " + path, func(files int) {
		t.Helper()
		if err := os.WriteFile(gate, []byte(strconv.Itoa(files)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// sampler looks at every frame as it is painted, from the first file to the last, and
// notes where the end of the written text is and how many nodes the page has. An
// element that changes its size in each frame has it called when all is laid out, and
// after the page's own observers: they are older.
const sampler = `(() => {
	const s = window.samples = { count: 0, outside: 0, nodes: 0, where: "", shown: new Set(), folders: new Set() };
	s.countNodes = () => { s.nodes = Math.max(s.nodes, document.evaluate("count(//node())", document, null, XPathResult.NUMBER_TYPE).numberValue); };
	const text = document.querySelector("#text");
	const look = () => {
		const block = text.lastElementChild;
		if (!block?.textContent.trim() || !document.querySelector("#outcome[data-stream]")) return;
		const range = document.createRange();
		const last = block.textContent.trimEnd().length; // where the last character stands
		range.setStart(block.firstChild, last - 1);
		range.setEnd(block.firstChild, last);
		const end = range.getBoundingClientRect(), box = text.getBoundingClientRect();
		s.count++;
		const name = document.querySelector("#code-name").textContent;
		s.shown.add(name);
		s.folders.add(name.slice(0, name.lastIndexOf("/")));
		if (end.height === 0 || end.top < box.top || end.bottom > box.bottom || box.bottom > innerHeight + 1) {
			s.outside++;
			s.where += name + ": " + [end.top, end.bottom, box.top, box.bottom, innerHeight, text.scrollTop, text.scrollHeight].map(Math.round) + " of " + [...text.children].map((c) => c.dataset.lines + " lines " + c.offsetHeight + "px") + "; ";
		}
		if (s.count % 50 === 0) s.countNodes();
	};
	const probe = document.body.appendChild(document.createElement("i"));
	Object.assign(probe.style, { position: "fixed", visibility: "hidden", height: "1px", width: "1px" });
	new ResizeObserver(look).observe(probe);
	const frame = () => {
		probe.style.width = probe.style.width === "1px" ? "2px" : "1px";
		requestAnimationFrame(frame);
	};
	frame();
})()`

// samples are what the sampler noted.
type samples struct {
	Count, Outside, Files, Folders int
	Nodes                          float64
	Where                          string // the end was when it was outside
}

// moments is how often the sampler has looked so far.
func (b *browser) moments() int {
	b.t.Helper()
	n, err := strconv.Atoi(b.eval("samples.count"))
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// sampled ends the looking; the page is at its fullest now.
func (b *browser) sampled() (seen samples) {
	b.t.Helper()
	text := b.eval(`samples.countNodes(); JSON.stringify({...samples, files: samples.shown.size, folders: samples.folders.size, shown: undefined})`)
	if err := json.Unmarshal([]byte(text), &seen); err != nil {
		b.t.Fatalf("%v in %s", err, text)
	}
	b.t.Logf("%+v", seen)
	return seen
}

// TestTheWorkbenchFollowsAThousandFiles watches a run that writes faster than
// anybody reads: what is written stays in view, and the page answers.
// Promise: console-run-screen
func TestTheWorkbenchFollowsAThousandFiles(t *testing.T) {
	t.Parallel()
	command, allow := manyFilesEngine(t, 1000, 20, 0)
	i := start(t, "--engine", "exec", "--engine-command", command)
	b := i.browse()
	b.setUp(i.setUpLink())
	b.generate("a thousand files", "Generation")
	b.eval(sampler)
	if icon := b.tabIcon(); icon != "icon-busy.svg" {
		t.Errorf("the tab of a run that goes on has %s", icon)
	}
	allow(500)
	eventually(t, "it was looked at for a while", func() bool { return b.moments() >= 20 })
	allow(1000)
	b.see("#pull-line")
	seen := b.sampled()
	if seen.Count < 20 || seen.Outside > 0 || seen.Files < 2 {
		t.Errorf("of %d moments at which something was written it was not in view at %d; %d files were shown", seen.Count, seen.Outside, seen.Files)
	}
	if seen.Nodes < 1000 || seen.Nodes >= 5000 { // fewer were not counted
		t.Errorf("the page has %v nodes", seen.Nodes)
	}
	if count := b.text("#file-count"); count != "1000" {
		t.Errorf("%s files", count)
	}
	if left := b.text("#left-out-list"); left != "sortingcolours" && !strings.Contains(left, "sorting") {
		t.Errorf("left out: %q", left)
	}
	if title := b.eval("document.title"); !strings.HasPrefix(title, "Generation succeeded") {
		t.Errorf("the tab says %q", title)
	}
	if icon := b.tabIcon(); icon != "icon-good.svg" {
		t.Errorf("the tab of a run that succeeded has %s", icon)
	}
	b.endsAsReloaded("internal/part0/file0.go")
	b.coloured()
	b.look("generation-thousand")

	// One page of a run that is over holds one file; another is a click away.
	b.run(chromedp.Reload())
	b.see("#pull-line")
	b.run(chromedp.Click("#tree [data-path='internal/part3/file160.go']", chromedp.ByQuery))
	eventually(t, "the file is shown", func() bool {
		return strings.HasPrefix(b.eval("document.querySelector('#text').textContent"), "package part3\n\nfunc Do160()")
	})
	b.coloured()
}

// endsAsReloaded waits until a run that was followed to its end shows the file that a
// reload would show, from its beginning, and its place in the tree is in view.
func (b *browser) endsAsReloaded(file string) {
	b.t.Helper()
	eventually(b.t, file+" is shown at the end", func() bool {
		return b.eval(`(() => {
			const row = document.querySelector("#tree [aria-current]").getBoundingClientRect(), tree = document.querySelector("#tree").getBoundingClientRect();
			return row.top >= tree.top && row.bottom <= tree.bottom && document.querySelector("#text").scrollTop === 0 ? document.querySelector("#code-name").textContent : "";
		})()`) == file
	})
}

// tabIcon is the file of the icon that the browser's tab has.
func (b *browser) tabIcon() string {
	b.t.Helper()
	return b.eval("new URL(document.querySelector('link[rel=icon]').href).pathname.split('/').pop()")
}

// coloured waits until the words of the code that is shown have their colour.
func (b *browser) coloured() {
	b.t.Helper()
	eventually(b.t, "the code has its colours", func() bool {
		return b.eval(`[...CSS.highlights.get("code-word") ?? []].some((range) => {
			const word = range.startContainer.data.slice(range.startOffset, range.endOffset);
			return ["package", "func"].includes(word) && document.querySelector("#text").contains(range.startContainer);
		})`) == "true"
	})
}

// Follow means follow: a click elsewhere lets go, the button returns.
// Promise: console-run-screen
func TestFollowingLetsGoAndReturns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	script := `say() { printf '{"type":"token","file":"%s","delta":"%s"}\n' "$1" "$2"; }
say first.go 'package first'
say main.go 'package main'
while [ ! -e '` + gate + `' ]; do sleep 0.05; done
say main.go ' // the end'
while [ ! -e '` + gate + `2' ]; do sleep 0.05; done
`
	engine := filepath.Join(dir, "engine.sh")
	if err := os.WriteFile(engine, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	i := start(t, "--engine", "exec", "--engine-command", "sh "+engine)
	b := i.browse()
	b.setUp(i.setUpLink())
	b.generate("two files", "Generation")
	shows := func(text string) {
		t.Helper()
		eventually(t, text+" is shown", func() bool { return b.eval("document.querySelector('#text').textContent") == text })
	}
	shows("package main")
	if b.eval("document.querySelector('#follow').hidden") != "true" {
		t.Error("there is a button to follow while the page follows")
	}
	b.run(chromedp.Click("#tree [data-path='first.go']", chromedp.ByQuery))
	shows("package first")
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.see("#follow")
	if name := b.text("#code-name"); name != "first.go" {
		t.Errorf("%s is shown although somebody chose another", name)
	}
	b.run(chromedp.Click("#follow", chromedp.ByQuery))
	shows("package main // the end")
	if err := os.WriteFile(gate+"2", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.see("#pull-line")

	// The page looks whether the bundle was pulled; a project that is deleted is no
	// server that does not answer.
	b.eval("fetch(document.querySelector('#see-project').href + '/delete', { method: 'POST' }); 0")
	b.visible("gone")
	if b.eval("document.getElementById('trouble').hidden") != "true" {
		t.Error("the page takes what was deleted for a server that does not answer")
	}
	b.forgive("404")
}
