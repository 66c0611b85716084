package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// formerProjects is where the projects of the version before specs are, with what its
// engine recorded of them.
const formerProjects = "../../internal/engine/template/stack/testdata/former/"

// formerEngine writes a program that makes a project of the version before specs, as
// the template engine of that version did.
func formerEngine(t *testing.T, name string) string {
	t.Helper()
	var recorded struct {
		State  map[string]string
		Memory string
	}
	text, err := os.ReadFile(formerProjects + name + ".json")
	if err == nil {
		err = json.Unmarshal(text, &recorded)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	say := func(line map[string]string) {
		if err := json.NewEncoder(&out).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	for key, value := range recorded.State {
		say(map[string]string{"type": "state_update", "key": key, "value": value})
	}
	say(map[string]string{"type": "memory_update", "content": recorded.Memory})
	archive, err := os.ReadFile(formerProjects + name + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range unzip(t, archive) {
		say(map[string]string{"type": "file", "path": path, "content": content})
	}
	lines := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(lines, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return engineScript(t, "cat > /dev/null\ncat '"+lines+"'\n")
}

// former makes a project of the version before specs in a service, and restarts the
// service with the template engine of today.
func former(t *testing.T, name string) (i *instance, key, project string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	i = startOne(t, dir, "--engine", "exec", "--engine-command", formerEngine(t, name))
	key = i.account(email)
	_, record := i.generated(t, key, "/generations")
	if record.field(t, "status") != "succeeded" {
		t.Fatalf("the run is %s", record.body)
	}
	project = record.field(t, "projectId")
	if code := i.stop(); code != exitOK {
		t.Fatalf("exit %d", code)
	}
	return startOne(t, dir), key, project
}

// A command-line tool, which the template engine no longer generates, is refused by its
// name; it is delivered, repackaged and pushed as before.
func TestAFormerCommandIsDelivered(t *testing.T) {
	t.Parallel()
	i, key, project := former(t, "go-command")
	for _, prompt := range []string{"license mit", "add a flag for lines", "api in go\\nbook: title"} {
		got := i.send("POST", "/projects/"+project+"/generations", key, `{"prompt":"`+prompt+`"}`)
		if got.status != 422 || got.field(t, "code") != "CONSTRAINT_UNRESOLVABLE" || !strings.Contains(got.field(t, "error"), "(command)") {
			t.Errorf("%s is answered with %d %s", prompt, got.status, got.body)
		}
	}

	latest := i.want(200, "", "GET", "/bundles/latest", key)
	archive := i.want(200, "", "GET", "/bundles/"+latest.field(t, "bundleId")+"/download", key).body
	want, err := os.ReadFile(formerProjects + "go-command.zip")
	if err != nil {
		t.Fatal(err)
	}
	got := unzip(t, archive)
	for path, content := range unzip(t, want) {
		if got[path] != content {
			t.Errorf("%s is delivered as\n%s", path, got[path])
		}
	}
	i.want(200, "", "POST", "/bundles/"+latest.field(t, "bundleId")+"/ack", key)
	again := i.want(200, "", "POST", "/projects/"+project+"/bundles/repackage", key)
	archive = i.want(200, "", "GET", "/bundles/"+again.field(t, "bundleId")+"/download", key).body

	note, err := client.Changes{Base: fmt.Sprintf("%x", sha256.Sum256(archive))}.Note()
	if err != nil {
		t.Fatal(err)
	}
	var changes bytes.Buffer
	if err := bundlezip.WriteChanges(&changes, note, []bundlezip.StateFile{{Path: "more.go", Content: bundlezip.Bytes([]byte("package main\n"))}}); err != nil {
		t.Fatal(err)
	}
	if answer := i.send("POST", "/projects/"+project+"/changes", key, changes.String(), "Content-Type: application/zip"); answer.status != 200 {
		t.Fatalf("the push is answered with %d: %s", answer.status, answer.body)
	}
	last := i.want(200, "", "POST", "/projects/"+project+"/bundles/repackage", key)
	archive = i.want(200, "", "GET", "/bundles/"+last.field(t, "bundleId")+"/download", key).body
	if !strings.Contains(fmt.Sprint(unzip(t, archive)), "more.go") {
		t.Error("what was pushed is not delivered")
	}
}

// An API continues: its next bundle has the migration that moves its rows, and its record
// shows its spec.
func TestAFormerAPIContinues(t *testing.T) {
	t.Parallel()
	i, key, project := former(t, "python-sqlite")
	queued := i.send("POST", "/projects/"+project+"/generations", key, `{"prompt":"add book.shelf: integer"}`)
	if queued.status != 202 {
		t.Fatalf("%d %s", queued.status, queued.body)
	}
	run := "/generations/" + queued.field(t, "generationId")
	i.follow(key, i.open("GET", run+"/stream", key, ""))
	record := i.want(200, "", "GET", run, key)
	if record.field(t, "status") != "succeeded" {
		t.Fatalf("the run is %s", record.body)
	}
	archive := i.want(200, "", "GET", "/bundles/"+record.field(t, "bundleId")+"/download", key).body
	found := false
	for path, content := range unzip(t, archive) {
		found = found || strings.HasSuffix(path, "migrations/sqlite/0001_authors_and_books.sql") && strings.Contains(content, "documents")
	}
	if spec := i.want(200, "", "GET", "/projects/"+project, key).field(t, "spec"); !found || !strings.Contains(spec, "shelf: integer") || !strings.Contains(spec, "price: number 0..") {
		t.Errorf("the migration is there: %t; the spec is\n%s", found, spec)
	}
}
