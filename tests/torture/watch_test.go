package torture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/tests/torture/checker"
	"github.com/bundle-delivery/svc/tests/viewer"
)

// ask makes one request of the server that is there.
func (c *campaign) ask(run *watchedRun, method, path string, body []byte) (status int, answer []byte, err error) {
	d := c.server()
	if d == nil {
		return 0, nil, c.patience.Err()
	}
	ctx, cancel := context.WithTimeout(c.patience, 3*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, d.Base+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+run.owner.key)
	resp, err := d.Client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// watch follows a run to its end, over all servers, from the last event heard.
func (c *campaign) watch(run *watchedRun) {
	story := viewer.New()
	for tries := 0; !story.Over() && c.patience.Err() == nil; tries++ {
		status, fault := c.listen(run, story)
		run.mu.Lock()
		run.resumed++
		if fault != nil {
			run.faults = append(run.faults, fault.Error())
		}
		run.mu.Unlock()
		if fault != nil {
			return
		}
		if status == http.StatusNoContent && !story.Over() {
			run.fault("a viewer that has seen %d events is told that there are no more", story.Last)
			return
		}
		select {
		case <-c.patience.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	run.mu.Lock()
	defer run.mu.Unlock()
	run.stories = append(run.stories, story)
}

func (r *watchedRun) fault(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// listen hears what one connection has to tell. That it breaks is no fault.
func (c *campaign) listen(run *watchedRun, story *viewer.Viewer) (status int, fault error) {
	d := c.server()
	if d == nil {
		return 0, nil
	}
	req, err := http.NewRequestWithContext(c.patience, http.MethodGet, d.Base+"/generations/"+run.id+"/stream", nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+run.owner.key)
	if story.Last > 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(story.Last, 10))
	}
	resp, err := d.Client.Do(req)
	if err != nil {
		return 0, nil // the server was killed
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNoContent {
		text, _ := io.ReadAll(resp.Body) // what came of it explains the status
		return resp.StatusCode, fmt.Errorf("the stream answers %d: %s", resp.StatusCode, text)
	}
	_ = viewer.ReadEvents(resp.Body, func(e viewer.Event) error { // its error is the kill, or the fault
		fault = story.Add(e)
		return fault
	})
	return resp.StatusCode, fault
}

// verify holds every run against its record, its bundle and what was heard.
func (c *campaign) verify(t *testing.T) {
	t.Helper()
	var succeeded, failed, resumed, again int
	states := make(map[string]map[string]string) // of projects, by the runs so far
	records := make(map[*watchedRun]record)
	for _, run := range c.runs {
		r, err := c.record(run)
		if err != nil {
			t.Errorf("run %s: %v", run.id, err)
		}
		records[run] = r
	}
	// Runs of one project go one after the other: in the order of their ends,
	// each bundle holds what those before it left.
	slices.SortStableFunc(c.runs, func(a, b *watchedRun) int { return records[a].FinishedAt.Compare(records[b].FinishedAt) })
	for _, run := range c.runs {
		story, err := c.agreed(run)
		if err == nil {
			err = c.matches(run, records[run], story, states)
		}
		if err != nil {
			t.Errorf("run %s %s: %v", run.id, run.task, err)
			continue
		}
		resumed += run.resumed - watchersOf
		if story.Attempt > 1 {
			again++
		}
		if story.Ready != nil {
			succeeded++
		} else {
			failed++
		}
	}
	t.Logf("%d runs: %d succeeded, %d failed, %d were taken up again; viewers resumed %d times", len(c.runs), succeeded, failed, again, resumed)
	if len(c.runs) == 0 {
		t.Error("no run was accepted")
	}
}

// record is what the service keeps of a run.
type record struct {
	Status     string    `json:"status"`
	BundleID   string    `json:"bundleId"`
	FinishedAt time.Time `json:"finishedAt"`
	Error      *struct {
		Code      string `json:"code"`
		Message   string `json:"message"`
		Retryable bool   `json:"retryable"`
	} `json:"error"`
}

func (c *campaign) record(run *watchedRun) (r record, err error) {
	status, body, err := c.ask(run, http.MethodGet, "/generations/"+run.id, nil)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("its record answers %d: %s", status, body)
	}
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(body, &r)
}

// agreed reads the whole stream once more: all viewers must have heard the same,
// and whoever has heard it all is told so.
func (c *campaign) agreed(run *watchedRun) (*viewer.Viewer, error) {
	if len(run.faults) > 0 {
		return nil, fmt.Errorf("%q", run.faults)
	}
	whole := viewer.New()
	if _, err := c.listen(run, whole); err != nil {
		return nil, err
	}
	if !whole.Over() {
		return nil, errors.New("its stream has no end")
	}
	if status, err := c.listen(run, whole); err != nil || status != http.StatusNoContent {
		return nil, fmt.Errorf("after the end the stream answers %d (%w)", status, err)
	}
	if len(run.stories) != watchersOf {
		return nil, fmt.Errorf("%d of %d viewers saw the end", len(run.stories), watchersOf)
	}
	for _, heard := range run.stories {
		if heard.Digest() != whole.Digest() {
			return nil, fmt.Errorf("a viewer heard %d other events than the %d of the log", heard.Last, whole.Last)
		}
	}
	return whole, nil
}

// matches compares the end of a story with the record and the bundle.
func (c *campaign) matches(run *watchedRun, r record, story *viewer.Viewer, states map[string]map[string]string) error {
	if story.Error != nil {
		if r.Error == nil || r.Status != "failed" || r.BundleID != "" ||
			r.Error.Code != story.Error.Code || r.Error.Message != story.Error.Message || r.Error.Retryable != story.Error.Retryable {
			return fmt.Errorf("the stream ends with %+v, the record is %+v", *story.Error, r)
		}
		return nil
	}
	ready := story.Ready
	if r.Status != "succeeded" || r.Error != nil || r.BundleID != ready.BundleID || run.projectID != ready.ProjectID {
		return fmt.Errorf("the stream ends with %+v, the record is %+v", *ready, r)
	}
	status, archive, err := c.ask(run, http.MethodGet, "/bundles/"+ready.BundleID+"/download", nil)
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("its bundle answers %d (%w): %.200s", status, err, archive)
	}
	sum := sha256.Sum256(archive)
	if got := hex.EncodeToString(sum[:]); got != ready.SHA256 || int64(len(archive)) != ready.TotalSizeBytes {
		return fmt.Errorf("the bundle has %d bytes, %s; the stream said %+v", len(archive), got, *ready)
	}
	files, err := checker.Unzip(archive)
	if err != nil {
		return err
	}
	if len(files) != ready.FileCount {
		return fmt.Errorf("the bundle has %d files; the stream said %d", len(files), ready.FileCount)
	}
	state := states[run.projectID]
	if state == nil {
		state = make(map[string]string)
		states[run.projectID] = state
	}
	for path, text := range story.Files() {
		state[path] = text
	}
	if diff := cmp.Diff(state, files); diff != "" {
		return fmt.Errorf("the files that were told and those of the bundle (-told +bundle):\n%s", diff)
	}
	return nil
}

// noneLeft looks for engines of servers that are gone.
func (c *campaign) noneLeft(t *testing.T) {
	t.Helper()
	for late := time.Now().Add(lastBreath); ; pause(t, 50*time.Millisecond) {
		links, err := filepath.Glob("/proc/[0-9]*/exe")
		if err != nil {
			t.Fatal(err)
		}
		left := slices.DeleteFunc(links, func(link string) bool {
			program, err := os.Readlink(link)
			return err != nil || program != c.engine
		})
		if len(left) == 0 {
			return
		}
		if time.Now().After(late) {
			t.Errorf("%d engines outlive their server", len(left))
			return
		}
	}
}

// tail is the end of a file, for a failed test.
func tail(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-8000):])
}
