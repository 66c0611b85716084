package telling_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/telling"
	"github.com/bundle-delivery/svc/internal/scaffold"
)

// project has the file "same", and "other" with another content.
func project() engine.Request {
	return engine.Request{Prompt: "12345678", Project: engine.Project{
		Files: []engine.FileInfo{{Path: "same", Size: 3}, {Path: "other", Size: 3}, {Path: "torn", Size: 3}},
		Open: func(path string) (io.ReadCloser, error) {
			if path == "torn" {
				return nil, errors.New("gone")
			}
			return io.NopCloser(strings.NewReader(map[string]string{"same": "one", "other": "two"}[path])), nil
		},
	}}
}

// Promise: template-deterministic
func TestOnlyWhatBecomesDifferentIsTold(t *testing.T) {
	t.Parallel()
	var told, actions []string
	req := project()
	req.Findings = []string{"blamed:1: no"}
	run := telling.New(context.Background(), req, func(o engine.Output) error {
		told = append(told, fmt.Sprintf("%T", o))
		if status, ok := o.(engine.ToolStatus); ok && status.File != "" {
			actions = append(actions, status.File+" "+status.Action)
		}
		return nil
	}, func(err error) error { return err })
	for _, path := range []string{"same", "other", "new", "blamed"} {
		run.Write(scaffold.File{Path: path, Content: []byte("one")})
	}
	run.Delete("other")
	run.Delete("never")
	run.Declare([]engine.Port{{Name: "web"}, {Name: "database"}}, []engine.Port{{Name: "web"}})
	run.Finish("model")
	want := "ToolStatus Token File ToolStatus Token File ToolStatus Token File Delete Port Port ToolStatus Usage"
	if got := strings.ReplaceAll(strings.Join(told, " "), "engine.", ""); got != want || run.Err != nil {
		t.Errorf("%s, %v; want %s", got, run.Err, want)
	}
	if got, want := strings.Join(actions, ", "), "other generate_file, new generate_file, blamed repair_file"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// Promise: template-deterministic
func TestARunThatWasStoppedSaysNothingMore(t *testing.T) {
	t.Parallel()
	stop, n := errors.New("stop"), 0
	run := telling.New(context.Background(), project(), func(engine.Output) error {
		n++
		return stop
	}, func(err error) error { return err })
	run.Emit(engine.ToolStatus{})
	run.Write(scaffold.File{Path: "new"})
	run.Finish("model")
	if n != 1 || !errors.Is(run.Err, stop) {
		t.Errorf("told %d things, %v", n, run.Err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if run = telling.New(ctx, project(), func(engine.Output) error { return nil }, nil); run.Err == nil {
		if run.Emit(engine.ToolStatus{}); !errors.Is(run.Err, context.Canceled) {
			t.Errorf("cancelled: %v", run.Err)
		}
	}
}

// Promise: template-deterministic
func TestAFileThatCannotBeReadIsADefect(t *testing.T) {
	t.Parallel()
	defect := errors.New("a defect")
	run := telling.New(context.Background(), project(), func(engine.Output) error { return nil }, func(error) error { return defect })
	if run.Write(scaffold.File{Path: "torn", Content: []byte("one")}); !errors.Is(run.Err, defect) {
		t.Errorf("%v", run.Err)
	}
}
