package generation

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
)

// heldThing notes that it was closed.
type heldThing struct{ closed int }

func (k *heldThing) Close() error {
	k.closed++
	return nil
}

// What an engine keeps is there in the next attempt, and is closed when the run is
// over, however it ends.
func TestWhatAnEngineKeepsLivesAsLongAsItsRun(t *testing.T) {
	inHouse(t, func(h *house) {
		for _, mends := range []bool{true, false} {
			var held *heldThing
			run := h.start("", "keep it")
			stop := h.work(engineFunc(func(_ context.Context, req engine.Request, emit func(engine.Output) error) error {
				if req.Attempt == 1 {
					held = &heldThing{}
					req.Kept.Closer = held
				} else if req.Kept.Closer != held || held.closed > 0 {
					t.Errorf("attempt %d found %+v", req.Attempt, req.Kept.Closer)
				}
				content := "{"
				if req.Attempt > 1 && mends {
					content = "{}"
				}
				return emit(engine.File{Path: "a.json", Content: []byte(content)})
			}), 1)
			h.watchAll(run.ID, 0)
			stop()
			if held.closed != 1 {
				t.Errorf("it was closed %d times (mended: %v)", held.closed, mends)
			}
		}
	})
}

// A file that is no text is delivered and told by its name; a port can be taken out.
func TestFilesThatAreNoTextAndPortsThatAreGone(t *testing.T) {
	inHouse(t, func(h *house) {
		binary := "\x00\xff\x01"
		run := h.start("", "an icon")
		defer h.work(says(
			engine.File{Path: "icon.png", Content: []byte("text at first")},
			engine.File{Path: "icon.png", Content: []byte(binary), Binary: true},
			engine.File{Path: ".env", Content: []byte("PORT=1\n")},
			engine.Port{Name: "web", Port: 2, Uses: []engine.PortUse{{Path: ".env", Template: "PORT={port}"}}},
			engine.Port{Name: "web"},
			engine.ToolStatus{Action: engine.ActionGenerateFile, Detail: "draws"},
		), 1)()
		events := h.watchAll(run.ID, 0)
		done := h.run(run.ID)
		if done.Status != svc.RunSucceeded {
			t.Fatalf("%+v", done)
		}
		if diff := cmp.Diff(map[string]string{"icon.png": binary, ".env": "PORT=1\n"}, h.projectFiles(done)); diff != "" {
			t.Error(diff)
		}
		var told []string
		for _, e := range events {
			if e.Name == svc.EventToolStatus {
				s := payload[svc.ToolStatusEvent](t, e)
				told = append(told, s.File+" "+s.Detail)
			}
		}
		if all := strings.Join(told, "; "); !strings.Contains(all, "icon.png 3 bytes that are no text") || !strings.Contains(all, "draws") {
			t.Errorf("told: %s", all)
		}
	})
}
