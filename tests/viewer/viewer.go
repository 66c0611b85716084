// Package viewer reads the events of a run as the contract tells viewers to, and
// accepts none that the contract does not allow there.
package viewer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"

	svc "github.com/bundle-delivery/svc"
)

// Event is an event as it comes over the wire.
type Event struct {
	ID   int64
	Name svc.EventName
	Data []byte
}

// ReadEvents hands on the events of a stream, each when its blank line was read:
// one that was cut off is none. It returns nil at the end of the stream, and
// otherwise what the stream or each failed with.
func ReadEvents(stream io.Reader, each func(Event) error) error {
	in := bufio.NewReader(stream)
	var e Event
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		field, value, _ := bytes.Cut(bytes.TrimSuffix(line, []byte{'\n'}), []byte(": "))
		switch string(field) {
		case "id":
			if e.ID, err = strconv.ParseInt(string(value), 10, 64); err != nil {
				return fmt.Errorf("an event's id: %w", err)
			}
		case "event":
			e.Name = svc.EventName(value)
		case "data":
			e.Data = value
		case "":
			if e.Name == "" {
				continue // after a comment or the opening
			}
			if err := each(e); err != nil {
				return err
			}
			e = Event{}
		}
	}
}

// Viewer is what one viewer knows of a run.
type Viewer struct {
	Last    int64 // number of the last event
	Attempt int64 // of the run, as its last plan says
	Rewrite int   // files that were begun again

	// How it ended: one of them, once it has.
	Ready *svc.BundleReadyEvent
	Error *svc.ErrorEvent

	cost  int64 // number of the cost summary
	files map[string]*file
	sum   hash.Hash
}

// file is a file as far as it was told.
type file struct {
	attempt int
	text    []byte
}

// New begins with nothing heard.
func New() *Viewer { return &Viewer{files: make(map[string]*file), sum: sha256.New()} }

// Over says whether the run has ended.
func (v *Viewer) Over() bool { return v.Ready != nil || v.Error != nil }

// Digest is that of all events heard: two viewers of a run have the same.
func (v *Viewer) Digest() [sha256.Size]byte { return [sha256.Size]byte(v.sum.Sum(nil)) }

// Files are the files as they were told.
func (v *Viewer) Files() map[string]string {
	files := make(map[string]string, len(v.files))
	for path, f := range v.files {
		files[path] = string(f.text)
	}
	return files
}

// Add takes the next event.
func (v *Viewer) Add(e Event) error {
	if v.Over() {
		return fmt.Errorf("event %d (%s) comes after the terminal one", e.ID, e.Name)
	}
	if e.ID != v.Last+1 {
		return fmt.Errorf("event %d follows on %d", e.ID, v.Last)
	}
	v.Last = e.ID
	_, _ = fmt.Fprintf(v.sum, "%d %s %s\n", e.ID, e.Name, e.Data) // a hash takes everything
	if v.cost != 0 && e.Name != svc.EventBundleReady {
		return fmt.Errorf("event %d (%s) stands between cost_summary and bundle_ready", e.ID, e.Name)
	}
	var version struct {
		V int `json:"v"`
	}
	if err := json.Unmarshal(e.Data, &version); err != nil || version.V != svc.EventVersion {
		return fmt.Errorf("event %d (%s) has data %s", e.ID, e.Name, e.Data)
	}
	if err := v.understand(e); err != nil {
		return fmt.Errorf("event %d (%s): %w", e.ID, e.Name, err)
	}
	return nil
}

func (v *Viewer) understand(e Event) error {
	switch e.Name {
	case svc.EventToken:
		var t svc.TokenEvent
		if err := json.Unmarshal(e.Data, &t); err != nil {
			return err
		}
		return v.token(t)
	case svc.EventToolStatus:
		var t svc.ToolStatusEvent
		if err := json.Unmarshal(e.Data, &t); err != nil {
			return err
		}
		return v.tool(t)
	case svc.EventCostSummary:
		v.cost = e.ID
	case svc.EventBundleReady:
		if v.cost == 0 {
			return errors.New("there was no cost_summary")
		}
		v.Ready = new(svc.BundleReadyEvent)
		return json.Unmarshal(e.Data, v.Ready)
	case svc.EventError:
		v.Error = new(svc.ErrorEvent)
		return json.Unmarshal(e.Data, v.Error)
	case svc.EventStateUpdate, svc.EventMemoryUpdate:
	default:
		return errors.New("there is no such event")
	}
	return nil
}

func (v *Viewer) token(t svc.TokenEvent) error {
	f := v.files[t.File]
	switch {
	case f == nil || t.Attempt > f.attempt:
		if f != nil {
			v.Rewrite++
		}
		f = &file{attempt: t.Attempt}
		v.files[t.File] = f
	case t.Attempt < f.attempt:
		return fmt.Errorf("attempt %d at %s comes after attempt %d", t.Attempt, t.File, f.attempt)
	}
	if t.Offset != int64(len(f.text)) {
		return fmt.Errorf("%s goes on at byte %d and has %d", t.File, t.Offset, len(f.text))
	}
	f.text = append(f.text, t.Delta...)
	return nil
}

// tool hears a plan: above the first attempt it voids what precedes it.
func (v *Viewer) tool(t svc.ToolStatusEvent) error {
	if t.Action != "plan" || t.RunAttempt == 0 {
		return nil
	}
	if t.RunAttempt <= v.Attempt {
		return fmt.Errorf("run attempt %d comes after %d", t.RunAttempt, v.Attempt)
	}
	v.Attempt = t.RunAttempt
	clear(v.files)
	return nil
}
