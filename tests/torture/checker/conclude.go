package checker

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/tests/viewer"
)

// conclude holds the end of a run, as its viewers heard it, against its record
// and its bundle. Then it is downloaded and acknowledged, as users do.
func (c *Checker) conclude(r *run) {
	if c.ctx.Err() != nil || len(r.viewers) != watchersOf {
		return // what is wrong is noted, or will be when no viewer has seen the end
	}
	whole := r.viewers[0]
	for _, other := range r.viewers[1:] {
		if other.Digest() != whole.Digest() {
			c.problem("two viewers of %s heard %d and %d events, and not the same", r.id, whole.Last, other.Last)
			return
		}
	}
	record, ok := c.record(r)
	if !ok {
		return
	}
	until := c.current()
	r.mu.Lock()
	r.over, r.until, r.outcome = true, until, r.judge(whole)
	r.mu.Unlock()
	c.countAttempts(r, whole.Attempt)
	if whole.Error != nil {
		e, status := record.Error, "failed"
		if whole.Error.Code == "CANCELLED" {
			status = "cancelled"
		}
		if e == nil || record.Status != status || record.BundleID != "" || e.Code != whole.Error.Code || e.Message != whole.Error.Message {
			c.problem("the stream of %s ends with %+v, its record is %+v", r.id, *whole.Error, record)
			return
		}
		c.tally(r.since, "end", "run "+e.Code, r.outcome == failed, 0, fmt.Sprintf("%s: %s", r.id, e.Message))
		c.leaveFiles(r, r.before)
		return
	}
	ready := whole.Ready
	if record.Status != "succeeded" || record.Error != nil || record.BundleID != ready.BundleID || r.projectID != ready.ProjectID {
		c.problem("the stream of %s ends with %+v, its record is %+v", r.id, *ready, record)
		return
	}
	c.tally(r.since, "end", "run succeeded", false, 0, "")
	b := &bundle{id: ready.BundleID, projectID: r.projectID, owner: r.owner, made: r.asked, size: ready.TotalSizeBytes, sha256: ready.SHA256}
	c.mu.Lock()
	c.bundles[b.id] = b
	c.mu.Unlock()
	if archive := c.fetch(b); archive != nil {
		c.compare(r, whole, archive)
		c.confirmReceipt(b)
	}
}

// countAttempts blames the service for a run whose engine was asked again. One that
// another worker took up before that has waited, and nothing was paid for in vain: a
// database that is killed may have given a run to a worker who never heard of it.
func (c *Checker) countAttempts(r *run, attempt int64) {
	asked := int(attempt)
	if c.config.Asked != nil {
		var err error
		if asked, err = c.config.Asked(r.seed); err != nil {
			c.problem("how often was the engine asked for %s? %v", r.id, err)
			return
		}
	}
	switch {
	case asked > 1:
		c.tally(r.since, "end", Anew, true, 0, fmt.Sprintf("%s, asked %d times", r.id, asked))
	case attempt > 1:
		c.tally(r.since, "end", "run taken up late", false, 0, "")
	}
}

// compare holds the files of a bundle against those that the stream told.
func (c *Checker) compare(r *run, seen *viewer.Viewer, archive []byte) {
	files, err := Unzip(archive)
	if err != nil {
		c.problem("the bundle of %s: %v", r.id, err)
		return
	}
	want := maps.Clone(r.before)
	if want == nil {
		want = map[string]string{}
	}
	maps.Copy(want, seen.Files())
	if diff := cmp.Diff(want, files); diff != "" {
		c.problem("the files of %s that were told and those of the bundle (-told +bundle):\n%.2000s", r.id, diff)
		return
	}
	c.leaveFiles(r, files)
}

// leaveFiles lets another run continue the project.
func (c *Checker) leaveFiles(r *run, files map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files = files
}

// record is what the service keeps of a run.
type record struct {
	Status   string `json:"status"`
	BundleID string `json:"bundleId"`
	Error    *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// record asks until there is an answer.
func (c *Checker) record(r *run) (found record, ok bool) {
	for c.ctx.Err() == nil {
		a := c.ask(r.owner, opRecord, http.MethodGet, "/generations/"+r.id, nil)
		if a.status == http.StatusOK && !a.failed() {
			if err := json.Unmarshal(a.body, &found); err != nil {
				c.problem("the record of %s: %v", r.id, err)
				return found, false
			}
			return found, true
		}
		if !a.failed() {
			return found, false // which is a problem, and noted
		}
		rest(c.ctx, retryRest)
	}
	return found, false
}

// Unzip gives the files of a bundle without its manifest.
func Unzip(archive []byte) (map[string]string, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	files := make(map[string]string)
	for _, f := range z.File {
		if f.Name == "manifest.json" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		files[f.Name] = string(text)
	}
	return files, nil
}
