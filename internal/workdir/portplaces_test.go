package workdir

import (
	"fmt"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// ported is a bundle of a project with one port in an .env file and in a text.
func ported(tb testing.TB, projectID, name string, number int, folder string) *bundlezip.Archive {
	tb.Helper()
	return archiveOf(tb, bundlezip.State{
		ProjectID: projectID,
		Ports:     []bundlezip.Port{{Name: name, Port: number, Uses: []bundlezip.PortUse{{Path: folder + ".env", Template: "PORT={port}"}, {Path: folder + "main.go", Template: `":{port}"`}}}},
		Files: []sf{
			{Path: folder + ".env", Content: text(fmt.Sprintf("PORT=%d\n", number))},
			{Path: folder + "main.go", Content: text(fmt.Sprintf("listen(\":%d\")\n", number))},
		},
	})
}

func (b *fixture) checkPort(folder string, number int) {
	b.tb.Helper()
	got := b.tree()
	if env, code := got[folder+".env"], got[folder+"main.go"]; env != fmt.Sprintf("PORT=%d\n", number) || code != fmt.Sprintf("listen(\":%d\")\n", number) {
		b.tb.Errorf("%s.env = %q, main.go = %q, want %d", folder, env, code, number)
	}
}

// TestARenamedPortIsTheSame: what a pull gave it is not the user's.
// Promise: ports-renamed
func TestARenamedPortIsTheSame(t *testing.T) {
	p := &pulls{fixture: newFixture(t)}
	p.pull(ported(t, project, "web", 3000, ""))
	l := p.pull(ported(t, project, "http", 9100, ""))
	p.checkPort("", 9100)
	if e := l.Entries[0]; e.Type != PortConflictResolved || e.Name != "http" || e.From != 3000 || e.To != 9100 {
		t.Errorf("%+v", e)
	}
	p.taken[9100] = true
	p.pull(ported(t, project, "site", 9100, "")) // unprobed
	p.checkPort("", 9100)
	p.rollBackAll()

	// An agent names a port after its number: the old one is published no longer.
	compose := func(numbers ...int) *bundlezip.Archive {
		s := bundlezip.State{ProjectID: project}
		content := "services:\n  web:\n    ports:\n"
		for _, n := range numbers {
			content += fmt.Sprintf("      - \"%d:80\"\n", n)
			s.Ports = append(s.Ports, bundlezip.Port{Name: fmt.Sprintf("port-%d", n), Port: n, Uses: []bundlezip.PortUse{{Path: "compose.yaml", Template: `"{port}:80"`}}})
		}
		s.Files = []sf{{Path: "compose.yaml", Content: text(content)}}
		return archiveOf(t, s)
	}
	b := newFixture(t)
	b.pull(bundle1, compose(3000))
	b.pull(bundle2, compose(9100))
	if got := b.tree()["compose.yaml"]; got != "services:\n  web:\n    ports:\n      - \"9100:80\"\n" {
		t.Errorf("compose.yaml = %q", got)
	}
	// Which of two is which cannot be told: neither takes the other's number.
	b = newFixture(t)
	b.pull(bundle1, compose(3000, 3001))
	b.taken[9100] = true
	b.pull(bundle2, compose(9100, 9200))
	if got := b.tree()["compose.yaml"]; got != "services:\n  web:\n    ports:\n      - \"3000:80\"\n      - \"3001:80\"\n      - \"9101:80\"\n      - \"9200:80\"\n" {
		t.Errorf("compose.yaml = %q", got)
	}
}

// TestANumberOfAnEarlierPullIsOurs: an .env file that was put back to what it was, and
// a number that has gone to another port since.
// Promise: ports-declared
func TestANumberOfAnEarlierPullIsOurs(t *testing.T) {
	b := newFixture(t)
	b.pull(numbered(1), ported(t, project, "web", 3000, ""))
	b.pull(numbered(2), ported(t, project, "web", 9100, ""))
	b.put(".env", "PORT=3000\n")
	b.put("main.go", "listen(\":3000\")\n")
	b.pull(numbered(3), ported(t, project, "web", 9200, ""))
	b.checkPort("", 9200)

	two := func(web, admin int) *bundlezip.Archive {
		use := []bundlezip.PortUse{{Path: "a.txt", Template: "at {port}!"}}
		return archive(t, []bundlezip.Port{{Name: "web", Port: web, Uses: use}, {Name: "admin", Port: admin, Uses: use}},
			sf{Path: "a.txt", MergeStrategy: bundlezip.ThreeWay, Content: text(fmt.Sprintf("web at %d!\n\n\nadmin at %d!\n", web, admin))})
	}
	b = newFixture(t)
	b.pull(numbered(1), two(3000, 3001))
	b.pull(numbered(2), two(3001, 3002))
	b.put("a.txt", "web at 3001!\n\n\nadmin at 3002!\nmine\n")
	b.pull(numbered(3), two(3001, 4000))
	if got := b.tree()["a.txt"]; got != "web at 3001!\n\n\nadmin at 4000!\nmine\n" {
		t.Errorf("a.txt = %q", got)
	}
}

// TestPortsOfTwoProjects: each has its own, and none takes the other's number.
// Promise: ports-renamed
func TestPortsOfTwoProjects(t *testing.T) {
	const one, other = "proj_aaaaaaaaaaaaaaaaaaaa", "proj_bbbbbbbbbbbbbbbbbbbb"
	p := &pulls{fixture: newFixture(t)}
	p.pull(ported(t, one, "web", 3000, "api/"))
	p.pull(ported(t, other, "web", 3000, "site/"))
	p.checkPort("site/", 3001)
	p.taken[3000], p.taken[3001] = true, true // both run
	p.pull(ported(t, one, "web", 3000, "api/"))
	p.checkPort("api/", 3000)
	p.pull(ported(t, other, "web", 3000, "site/"))
	p.checkPort("site/", 3001)
	p.pull(ported(t, other, "web", 4000, "site/"))
	p.checkPort("site/", 4000)
	p.checkPort("api/", 3000)
	p.rollBackAll()
}

// TestEveryMentionOfAPortMoves: also one that the user has added, and back in a push.
// What only looks like one stays.
// Promise: ports-declared
func TestEveryMentionOfAPortMoves(t *testing.T) {
	ports := []bundlezip.Port{{Name: "web", Port: 3000, Uses: []bundlezip.PortUse{{Path: ".env", Template: "PORT={port}"}, {Path: "README.md", Template: "localhost:{port}"}}}}
	env := func(n string) sf {
		return sf{Path: ".env", DestinationType: bundlezip.GlobalConfig, MergeStrategy: bundlezip.EnvMerge, Content: text("PORT=" + n + "\n")}
	}
	readme := func(n string) sf {
		return sf{Path: "README.md", MergeStrategy: bundlezip.ThreeWay, Content: text("Open localhost:" + n + "\n\nend\n")}
	}
	s := newService(t, ports, env("3000"), readme("3000"))
	b := newFixture(t)
	b.taken[3000] = true
	s.pull(b)
	b.put("README.md", "Open localhost:3001\n\nend\ncurl localhost:3001/x, not localhost:30010\n")
	b.put(".env", "NOTE=\"first\nPORT=3001\n\"\nPORT=3001\n")
	must.Do(t, b.with(nil, func(f *Folder) error {
		plan, err := f.PlanPush(nil)
		if err == nil && (len(plan.Files) != 1 || string(plan.Files[0].Content) != "Open localhost:3000\n\nend\ncurl localhost:3000/x, not localhost:30010\n") {
			t.Errorf("pushed: %+v", plan.Files)
		}
		return err
	}))
	s.state.Ports[0].Port = 9100
	s.state.Put(env("9100"))
	s.state.Put(readme("9100"))
	s.pull(b)
	if got := b.tree(); got["README.md"] != "Open localhost:9100\n\nend\ncurl localhost:9100/x, not localhost:30010\n" || got[".env"] != "NOTE=\"first\nPORT=3001\n\"\nPORT=9100\n" {
		t.Errorf("%q, %q", got["README.md"], got[".env"])
	}
}
