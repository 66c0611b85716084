package follow

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

var seed = flag.Uint64("follow.seed", uint64(time.Now().UnixNano()), "seed of what is told and where it is cut")

// patience is how long everything may take on a machine that is busy with
// other things.
const patience = 8 * time.Minute

// followed is what a follower made of a run.
type followed struct {
	Files   map[string]string `json:"files"`
	Events  int64             `json:"events"`
	Resumed int               `json:"resumed"`
	End     struct {
		Name    string `json:"name"`
		Payload struct {
			BundleID string `json:"bundle_id"`
			Code     string `json:"code"`
			Message  string `json:"message"`
		} `json:"payload"`
	} `json:"end"`
}

// follower watches the stream at an address to the end of its run.
type follower struct {
	name   string
	needs  []string // programs
	follow func(t *testing.T, s *stage, stream string) (followed, error)
}

var followers = []follower{
	{"browser", []string{"chromium"}, followInBrowser},
	{"eventsource", []string{"node", "npm"}, followWithEventSource},
	{"curl", []string{"curl"}, followWithCurl},
}

// stage is a server with an account, and the cutter in front of it.
type stage struct {
	service *harness.Service
	cutter  *cutter
	key     string
	caFile  string
	// modules is the folder with the npm package; empty: there is none.
	modules string
}

// TestFollowers lets all followers watch the same run at the same time, cut off
// again and again: one run that makes a bundle, and one that fails, whose last
// event has the name that clients give to their own errors.
// Promise: stream-followers
func TestFollowers(t *testing.T) {
	t.Logf("seed %d", *seed)
	s := newStage(t)
	t.Run("rebuild every file", func(t *testing.T) {
		task := fmt.Sprintf(`{"seed":%d,"files":6,"pieces":60,"pause_ms":25}`, *seed>>12)
		s.followAll(t, task, func(t *testing.T, got followed) {
			t.Helper()
			if got.End.Name != "bundle_ready" || got.End.Payload.BundleID == "" {
				t.Fatalf("the run ended with %+v", got.End)
			}
			if got.Resumed < 3 {
				t.Errorf("the follower resumed %d times: nothing was proved", got.Resumed)
			}
			want := s.bundle(t, got.End.Payload.BundleID)
			if diff := cmp.Diff(want, got.Files); diff != "" {
				t.Errorf("files of the bundle and as rebuilt (-bundle +rebuilt):\n%s", diff)
			}
		})
	})
	t.Run("hear the error", func(t *testing.T) {
		task := fmt.Sprintf(`{"seed":%d,"files":2,"pieces":20,"pause_ms":10,"ending":"outage"}`, *seed>>12)
		s.followAll(t, task, func(t *testing.T, got followed) {
			t.Helper()
			if got.End.Name != "error" || got.End.Payload.Code != "UPSTREAM_OUTAGE" || got.End.Payload.Message != "The model is “out” – for now." {
				t.Errorf("the run ended with %+v", got.End)
			}
		})
	})
}

// followAll begins a run, lets everybody follow it, and checks what each saw.
func (s *stage) followAll(t *testing.T, task string, check func(*testing.T, followed)) {
	t.Helper()
	run := s.begin(t, task)
	type outcome struct {
		followed
		err error
	}
	outcomes := make([]chan outcome, len(followers))
	for i, f := range followers {
		outcomes[i] = make(chan outcome, 1)
		if f.lacks(s) != "" {
			continue
		}
		go func() {
			got, err := f.follow(t, s, s.cutter.streamOf(run))
			outcomes[i] <- outcome{got, err}
		}()
	}
	for i, f := range followers {
		t.Run(f.name, func(t *testing.T) {
			if lack := f.lacks(s); lack != "" {
				needs.Missing(t, "%s", lack)
			}
			got := <-outcomes[i]
			if got.err != nil {
				t.Fatal(got.err)
			}
			check(t, got.followed)
			t.Logf("%d events, resumed %d times, %d files", got.Events, got.Resumed, len(got.Files))
		})
	}
}

// lacks says what a follower would need; empty: nothing.
func (f follower) lacks(s *stage) string {
	for _, p := range f.needs {
		if _, err := exec.LookPath(p); err != nil {
			return fmt.Sprintf("%s is not installed", p)
		}
	}
	if f.name == "eventsource" && s.modules == "" {
		return "the npm package eventsource could not be installed"
	}
	return ""
}

func newStage(t *testing.T) *stage {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	engine := filepath.Join(dir, "randomengine")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", engine, "../randomengine").CombinedOutput(); err != nil {
		t.Fatalf("build the engine: %v: %s", err, out)
	}
	d := cluster.ServiceForTest(t, "--engine", "exec", "--engine-command", engine)
	if _, err := d.Admin(ctx, "account", "create", "--email", "follow@example.com", "--plan", "developer"); err != nil {
		t.Fatal(err)
	}
	key, err := d.Admin(ctx, "key", "create", "--account", "follow@example.com", "--name", "follow")
	if err != nil {
		t.Fatal(err)
	}
	return &stage{
		service: d, cutter: newCutter(t, d, *seed), key: key, caFile: filepath.Join(d.Data, "tls", "ca.pem"),
		modules: installPackage(t),
	}
}

// begin starts a run and returns its id.
func (s *stage) begin(t *testing.T, task string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"prompt": task})
	if err != nil {
		t.Fatal(err)
	}
	answer := s.ask(t, http.MethodPost, "/generations", http.StatusAccepted, body)
	var queued struct {
		GenerationID string `json:"generationId"`
	}
	if err := json.Unmarshal(answer, &queued); err != nil {
		t.Fatal(err)
	}
	return queued.GenerationID
}

func (s *stage) ask(t *testing.T, method, path string, want int, body []byte) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.service.Base+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := s.service.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != want {
		t.Fatalf("%s %s answers %d: %s", method, path, resp.StatusCode, answer)
	}
	return answer
}

// bundle downloads a bundle and gives its files.
func (s *stage) bundle(t *testing.T, id string) map[string]string {
	t.Helper()
	archive := s.ask(t, http.MethodGet, "/bundles/"+id+"/download", http.StatusOK, nil)
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	if !strings.Contains(files["manifest.json"], `"manifest_version"`) {
		t.Fatalf("the bundle's manifest is %q", files["manifest.json"])
	}
	delete(files, "manifest.json")
	return files
}
