package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
)

// director is the engine of the stream benchmark: all its runs wait for a scene,
// play it together, and wait for the next.
type director struct {
	mu     sync.Mutex
	actors int
	joined chan struct{} // gets one for each actor
	next   *scene
}

// scene is what every actor tells. It can be read once it was announced.
type scene struct {
	announced chan struct{}
	events    int           // of each actor; 0: the play is over
	pause     time.Duration // between two events
	played    sync.WaitGroup
	next      *scene
}

var _ engine.Engine = (*director)(nil)

func newScene() *scene { return &scene{announced: make(chan struct{})} }

func newDirector() *director { return &director{joined: make(chan struct{}, 1<<16), next: newScene()} }

// Generate is engine.Engine. The prompt is the number of events that are told
// before the first scene.
func (d *director) Generate(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
	prologue, err := strconv.Atoi(req.Prompt)
	if err != nil {
		return fmt.Errorf("the prompt is a number of events: %w", err)
	}
	var text teller
	say := func() error {
		t := text.next()
		return emit(engine.Token{File: t.File, Delta: t.Delta})
	}
	for range prologue {
		if err := say(); err != nil {
			return err
		}
	}
	d.mu.Lock()
	s := d.next
	d.actors++
	d.mu.Unlock()
	d.joined <- struct{}{}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.announced:
		}
		if s.events == 0 {
			// The end that costs least: nothing is packaged.
			return &engine.Error{Code: engine.CodeUpstreamOutage, Message: "The bench is over."}
		}
		err := s.play(ctx, say)
		s.played.Done()
		if err != nil {
			return err
		}
		s = s.next
	}
}

func (s *scene) play(ctx context.Context, say func() error) error {
	if s.pause == 0 {
		for range s.events {
			if err := say(); err != nil {
				return err
			}
		}
		return nil
	}
	// Actors begin at any time within a pause, or all would speak at once.
	offset := rand.N(s.pause)
	begin := time.Now().Add(offset)
	timer := time.NewTimer(offset)
	defer timer.Stop()
	for n := range s.events {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
		if err := say(); err != nil {
			return err
		}
		timer.Reset(time.Until(begin.Add(time.Duration(n+1) * s.pause)))
	}
	return nil
}

// await waits for so many more actors.
func (d *director) await(ctx context.Context, actors int) error {
	for range actors {
		select {
		case <-d.joined:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// tell lets every actor tell events and returns when all have.
func (d *director) tell(events int, pause time.Duration) {
	d.mu.Lock()
	s := d.next
	s.events, s.pause, s.next = events, pause, newScene()
	s.played.Add(d.actors)
	d.next = s.next
	close(s.announced)
	d.mu.Unlock()
	s.played.Wait()
}

func (d *director) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.next.announced)
}

// teller makes the events of a run: each delta holds its number and the time at
// which it was said, and is as long as a few words.
type teller struct {
	number int
	offset int64
}

const deltaLength = 48

var padding = strings.Repeat(".", deltaLength)

func (t *teller) next() svc.TokenEvent {
	t.number++
	var space [2 * deltaLength]byte
	delta := strconv.AppendInt(space[:0], int64(t.number), 10)
	delta = strconv.AppendInt(append(delta, ' '), time.Now().UnixNano(), 10)
	delta = append(delta, ' ')
	delta = append(delta, padding[:max(deltaLength-len(delta), 0)]...)
	e := svc.TokenEvent{File: "src/story.txt", Attempt: 1, Offset: t.offset, Delta: string(delta)}
	t.offset += int64(len(delta))
	return e
}
