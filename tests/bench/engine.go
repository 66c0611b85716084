package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
)

// phasedEngine is the engine of the stream benchmark: all its runs wait for a
// phase, emit the events of it together, and wait for the next.
type phasedEngine struct {
	mu     sync.Mutex
	runs   int
	joined chan struct{} // gets one for each run
	next   *phase
}

// phase is what every run emits. It can be read once it was announced.
type phase struct {
	announced chan struct{}
	events    int           // of each run; 0: the run is over
	pause     time.Duration // between two events
	emitted   sync.WaitGroup
	next      *phase
}

var _ engine.Engine = (*phasedEngine)(nil)

func newPhase() *phase { return &phase{announced: make(chan struct{})} }

func newPhasedEngine() *phasedEngine {
	return &phasedEngine{joined: make(chan struct{}, 1<<16), next: newPhase()}
}

// Generate is engine.Engine. The prompt is the number of events that are emitted
// before the first phase.
func (e *phasedEngine) Generate(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
	first, err := strconv.Atoi(req.Prompt)
	if err != nil {
		return fmt.Errorf("the prompt is a number of events: %w", err)
	}
	var text numberedText
	token := func() error {
		t := text.next()
		return emit(engine.Token{File: t.File, Delta: t.Delta})
	}
	for range first {
		if err := token(); err != nil {
			return err
		}
	}
	e.mu.Lock()
	p := e.next
	e.runs++
	e.mu.Unlock()
	e.joined <- struct{}{}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.announced:
		}
		if p.events == 0 {
			// The end that costs least: nothing is packaged.
			return &engine.Error{Code: engine.CodeUpstreamOutage, Message: "The bench is over."}
		}
		err := p.emit(ctx, token)
		p.emitted.Done()
		if err != nil {
			return err
		}
		p = p.next
	}
}

func (p *phase) emit(ctx context.Context, token func() error) error {
	// Runs begin at any time within a pause, or all would speak at once.
	begin := time.Now()
	if p.pause > 0 {
		begin = begin.Add(rand.N(p.pause))
	}
	wait := time.NewTimer(0)
	defer wait.Stop()
	for n := range p.events {
		if p.pause > 0 {
			wait.Reset(time.Until(begin.Add(time.Duration(n) * p.pause)))
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-wait.C:
			}
		}
		if err := token(); err != nil {
			return err
		}
	}
	return nil
}

// await waits for so many more runs.
func (e *phasedEngine) await(ctx context.Context, runs int) error {
	for range runs {
		select {
		case <-e.joined:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// emit lets every run emit events and returns when all have.
func (e *phasedEngine) emit(events int, pause time.Duration) {
	e.mu.Lock()
	p := e.next
	p.events, p.pause, p.next = events, pause, newPhase()
	p.emitted.Add(e.runs)
	e.next = p.next
	close(p.announced)
	e.mu.Unlock()
	p.emitted.Wait()
}

func (e *phasedEngine) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.next.announced)
}

// numberedText makes the events of a run: each delta holds its number and the
// time at which it was made, and is as long as a few words.
type numberedText struct {
	number int
	offset int64
}

const deltaLength = 48

func (t *numberedText) next() svc.TokenEvent {
	t.number++
	delta := append(strconv.AppendInt(make([]byte, 0, deltaLength), int64(t.number), 10), ' ')
	delta = append(strconv.AppendInt(delta, time.Now().UnixNano(), 10), ' ')
	for len(delta) < deltaLength {
		delta = append(delta, '.')
	}
	e := svc.TokenEvent{File: "src/story.txt", Attempt: 1, Offset: t.offset, Delta: string(delta)}
	t.offset += int64(len(delta))
	return e
}
