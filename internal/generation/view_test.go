package generation

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
)

// An engine that answers before it has read what it was given reads the project
// as it stood, and beside its own answer: the two share nothing.
func TestEngineSeesTheProjectAsItStood(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		e := engineFunc(func(_ context.Context, req engine.Request, emit func(engine.Output) error) error {
			if req.Attempt == 1 { // the view of the second attempt shows what this one wrote
				return write(emit, "first", "broken.json", "{")
			}
			seen := map[string]string{}
			var reader sync.WaitGroup
			reader.Go(func() {
				for _, f := range req.Project.Files {
					seen[f.Path] = readView(t, req.Project, f.Path)
				}
			})
			err := write(emit, "second", "broken.json", "{}")
			reader.Wait()
			if err != nil {
				return err
			}
			for _, f := range req.Project.Files { // once more, when all of it is another
				if now := readView(t, req.Project, f.Path); now != seen[f.Path] {
					t.Errorf("%s became %q", f.Path, now)
				}
			}
			want := map[string]string{"kept.txt": "kept", "broken.json": "{"}
			for i := range 100 {
				want[fmt.Sprintf("f%d", i)] = "first"
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("the engine saw (-want +got):\n%s", diff)
			}
			return nil
		})
		run, _ := ended(t, h, e)
		if run.Status != svc.RunSucceeded {
			t.Errorf("the run is %s: %+v", run.Status, run.Error)
		}
	})
}

func write(emit func(engine.Output) error, text, path, content string) error {
	for i := range 100 {
		if err := emit(engine.File{Path: fmt.Sprintf("f%d", i), Content: []byte(text)}); err != nil {
			return err
		}
	}
	return emit(engine.File{Path: path, Content: []byte(content)})
}

func readView(t *testing.T, p engine.Project, path string) string {
	r, err := p.Open(path)
	if err != nil {
		t.Errorf("open %s: %v", path, err)
		return ""
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Errorf("read %s: %v", path, err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("close %s: %v", path, err)
	}
	return string(content)
}
