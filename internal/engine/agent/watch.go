package agent

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/sandbox"
)

const (
	// restless is how long a file that does not come to rest waits before it is
	// told as it is.
	restless = 600 * time.Millisecond
	// maxToldLive is how much of files is told while the agent works. More is told
	// when it is done: an agent that writes the same file again and again would
	// use up what a run may write.
	maxToldLive = 64 << 20
	// maxFilesLive is how many files the run is told of while the agent works: one
	// that unpacks thousands may still remove them.
	maxFilesLive = 1500
)

// watcher tells of files while the agent writes them.
type watcher struct {
	*attempt
	last    look
	since   map[string]time.Time // files that are not as the run knows them, and since when
	missing map[string]bool      // files of this run that the last look did not find
	bytes   int64
}

// newWatcher takes a first look, before the agent begins.
func (a *attempt) newWatcher(ctx context.Context) (*watcher, error) {
	first, err := a.look(ctx)
	return &watcher{attempt: a, last: first, since: map[string]time.Time{}, missing: map[string]bool{}}, err
}

// watch looks into the folder until ctx ends, and stops an agent that is silent or
// has used its time.
func (w *watcher) watch(ctx context.Context) {
	a := w.attempt
	timer := time.NewTimer(a.engine.Look)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		began := time.Now()
		if err := w.lookOnce(ctx); err != nil {
			a.stop(err)
			return
		}
		if err := a.overdue(); err != nil {
			a.stop(err)
			return
		}
		// A large folder is not looked through all the time.
		timer.Reset(max(a.engine.Look, 4*time.Since(began)))
	}
}

// lookOnce tells what has changed and come to rest.
func (w *watcher) lookOnce(ctx context.Context) error {
	now, err := w.look(ctx)
	if err != nil {
		return nil //nolint:nilerr // the folder may be swapped or crowded for a moment; the result is looked at again
	}
	before := w.last
	w.last = now
	for _, name := range slices.Sorted(maps.Keys(now.files)) {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the agent has ended
		}
		if now.files[name] != before.files[name] || !w.since[name].IsZero() {
			if err := w.tell(name, now.files[name] == before.files[name]); err != nil {
				return err
			}
		}
	}
	return w.vanished(now)
}

// tell tells of a file, if it is at rest or has not been for long.
func (w *watcher) tell(name string, atRest bool) error {
	if w.since[name].IsZero() {
		w.since[name] = time.Now()
		w.alive()
	}
	if !atRest && time.Since(w.since[name]) < restless || w.bytes > maxToldLive || w.files.files[name] == nil && len(w.files.files) >= maxFilesLive {
		return nil
	}
	delete(w.since, name)
	content, executable, ok := w.read(name)
	if !ok {
		return nil // it is looked at again when the agent is done
	}
	w.bytes += int64(len(content))
	if out := w.files.news(name, content, executable, false); out != nil {
		return w.say(out)
	}
	return nil
}

// vanished tells of files that this run made and removed again. Those of the
// project may come back, and are told of when the agent is done.
func (w *watcher) vanished(now look) error {
	for name, f := range w.files.files {
		_, there := now.files[name]
		if there || f.old {
			delete(w.missing, name)
			continue
		}
		if !w.missing[name] {
			w.missing[name] = true
			continue
		}
		delete(w.missing, name)
		delete(w.since, name)
		if err := w.say(w.files.gone(name)); err != nil {
			return err
		}
	}
	return nil
}

// look lists the files of the working copy.
func (a *attempt) look(ctx context.Context) (look, error) {
	return lookAt(ctx, a.engine.LookTime, a.root, a.files.knows)
}

// read gives a file of the folder without the token of the run.
func (s *session) read(name string) (content []byte, executable, ok bool) {
	content, info, err := sandbox.ReadRegular(s.root, name, maxFile)
	if err != nil {
		return nil, false, false
	}
	return bytes.ReplaceAll(content, []byte(s.token), []byte(struck)), info.Mode().Perm()&0o100 != 0, true
}

// struck stands where the token of the run stood.
const struck = "***"

// overdue says why the agent has to be stopped now; nil: it may go on.
func (a *attempt) overdue() error {
	if err := a.meter.Exceeded(); err != nil {
		return err
	}
	// While the run waits for its events to be stored, the agent waits as well.
	a.mu.Lock()
	defer a.mu.Unlock()
	if silent := time.Since(time.Unix(0, a.lastSign.Load())); silent > a.engine.IdleTimeout {
		return &engine.Error{
			Code: engine.CodeInternal, Retryable: true,
			Message: "The agent neither said nor wrote anything for " + a.engine.IdleTimeout.String() + " and was stopped.",
		}
	}
	return nil
}
