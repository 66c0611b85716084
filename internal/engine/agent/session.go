package agent

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/agent/lines"
	"github.com/bundle-delivery/svc/internal/engine/agent/modelproxy"
	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/validate"
)

// session is the working copy of a run, with what leads out of it. It lives from
// the run's first attempt to its last.
type session struct {
	engine *Engine
	box    *sandbox.Box
	root   *os.Root // the working copy, as the agent sees it
	token  string   // by which the agent is known to the relay
	// conversation is what the agent calls it; empty: it has not said.
	conversation string
	reader       lines.Reader
	files        *ledger
	calls        int // of the model, in former attempts

	branch  *sandbox.Outlet
	handler atomic.Pointer[modelproxy.Handler] // nil: the model is not asked now
	hangUp  context.CancelFunc
	serving sync.WaitGroup
}

// open makes the working copy of a run.
func (e *Engine) open(ctx context.Context, req engine.Request) (_ *session, err error) {
	s := &session{engine: e, token: "run-" + rand.Text(), reader: e.Preset.Reader(), files: newLedger()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	spec, err := e.outfit(ctx)
	if err != nil {
		return nil, err
	}
	if s.branch, err = e.outlet.Branch(); err != nil {
		return nil, err
	}
	spec.Forward = s.branch.Forward(wayOut)
	s.serve()
	if s.box, err = e.Sandbox.Open(ctx, spec); err != nil {
		return nil, err
	}
	tree, err := s.workingCopy(req.Project)
	if err != nil {
		return nil, err
	}
	if err := e.Equip(ctx, s.box, tree); err != nil {
		return nil, err
	}
	if e.Preset.Files != nil {
		config := e.Preset.Files(Model{Name: e.Model, URL: "http://" + wayOut + "/v1", AnswerTokens: e.AnswerTokens})
		if err := s.put(ctx, sandbox.Home, config); err != nil {
			return nil, err
		}
	}
	s.root, err = s.box.Look(sandbox.Source)
	return s, err
}

// serve relays what the agent sends, until the session ends.
func (s *session) serve() {
	ctx, cancel := context.WithCancel(context.Background())
	s.hangUp = cancel
	s.serving.Go(func() {
		err := s.engine.Relay.Serve(ctx, s.branch, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h := s.handler.Load(); h != nil {
				h.ServeHTTP(w, r)
				return
			}
			http.Error(w, "there is no model here", http.StatusNotFound)
		}))
		if err != nil {
			s.engine.Log.Error("the way out of an agent ended", "error", err)
		}
	})
}

// Close ends everything that belongs to the run.
func (s *session) Close() error {
	var err error
	if s.root != nil {
		err = s.root.Close()
	}
	if s.box != nil {
		s.box.Close()
	}
	if s.branch != nil {
		s.hangUp()
		s.serving.Wait()
		err = errors.Join(err, s.branch.Close())
	}
	return err
}

// workingCopy lists the files of the project that lie under its root, and notes
// what they hold.
func (s *session) workingCopy(p engine.Project) (validate.Tree, error) {
	tree := validate.Tree{Open: p.Open}
	for _, f := range p.Files {
		if f.Place.Base == string(bundlezip.Home) {
			continue // it is not in the folder, and stays as it is
		}
		executable := f.Place.Mode == string(bundlezip.Executable)
		tree.Files = append(tree.Files, validate.File{Path: f.Path, Size: f.Size, Executable: executable})
		r, err := p.Open(f.Path)
		if err != nil {
			return tree, fmt.Errorf("open %s: %w", f.Path, err)
		}
		sum := sha256.New()
		_, err = io.Copy(sum, r)
		if err = errors.Join(err, r.Close()); err != nil {
			return tree, fmt.Errorf("read %s: %w", f.Path, err)
		}
		s.files.begin(f.Path, f.Size, [sha256.Size]byte(sum.Sum(nil)), executable)
	}
	return tree, nil
}

// put writes small files into a folder of the box.
func (s *session) put(ctx context.Context, dir string, files map[string]string) error {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))}); err != nil {
			return err
		}
		if _, err := io.WriteString(w, content); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return s.box.Unpack(ctx, dir, &archive, int64(archive.Len()))
}

// tailTime is how long the end of a file may take to be read.
const tailTime = 10 * time.Second

// complaint is the end of what the agent wrote to its standard error.
func (s *session) complaint(ctx context.Context) string {
	r, err := s.box.Run(ctx, sandbox.Command{Args: []string{"tail", "-c", "2000", stderrFile}, Time: tailTime})
	if err != nil || !r.OK() {
		return ""
	}
	return s.withoutToken(string(r.Output))
}
