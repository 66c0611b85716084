package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	svc "github.com/bundle-delivery/svc"
)

const (
	assembleSubject = "svc.assemble"
	assembleGroup   = "assemblers"
	// maxAssemblies bounds the archives that one process assembles at a time.
	// Further requests wait in line until their deadline.
	maxAssemblies = 8
	// assembleTimeout is for requests without a deadline of their own.
	assembleTimeout = 30 * time.Second
)

// The ways in which an assembly ends, as the answer names them.
const (
	assembledOK       = "ok"
	assembledNoPack   = "pack_not_found"
	assembledTooLate  = "too_late"
	assembledInternal = "failed"
)

type assembleRequest struct {
	Pack     packOnWire `json:"pack"`
	Target   string     `json:"target"`
	Deadline time.Time  `json:"deadline"`
}

type packOnWire struct {
	Blob   string `json:"blob"`
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	Size   int64  `json:"size"`
	SHA256 []byte `json:"sha256"`
}

type assembleAnswer struct {
	Result string `json:"result"`
	Detail string `json:"detail,omitempty"` // for the log of the one who asked
	Size   int64  `json:"size,omitempty"`
	SHA256 []byte `json:"sha256,omitempty"`
}

// Assembler asks whichever process plays the role.
func (b *Bus) Assembler() svc.Assembler { return assemblerClient{b} }

type assemblerClient struct{ bus *Bus }

// Assemble is svc.Assembler. That nobody listens is known at once.
func (c assemblerClient) Assemble(ctx context.Context, a svc.Assembly) (svc.Assembled, error) {
	if a.Deadline.IsZero() {
		a.Deadline = time.Now().Add(assembleTimeout)
	}
	question, err := json.Marshal(assembleRequest{
		Pack: packOnWire{
			Blob: a.Pack.Blob, Files: a.Pack.Extent.Files, Bytes: a.Pack.Extent.Bytes,
			Size: a.Pack.Size, SHA256: a.Pack.SHA256[:],
		},
		Target: a.Target, Deadline: a.Deadline,
	})
	if err != nil {
		return svc.Assembled{}, fmt.Errorf("ask for an assembly: %w", err)
	}
	waiting, cancel := context.WithDeadline(ctx, a.Deadline)
	defer cancel()
	msg, err := c.bus.conn.RequestWithContext(waiting, assembleSubject, question)
	if err != nil {
		if ctx.Err() != nil {
			return svc.Assembled{}, fmt.Errorf("ask for an assembly: %w", ctx.Err())
		}
		// No responders, a closed connection or silence until the deadline.
		return svc.Assembled{}, fmt.Errorf("%w: %w", svc.ErrNoAssembler, err)
	}
	var answer assembleAnswer
	if err := json.Unmarshal(msg.Data, &answer); err != nil {
		return svc.Assembled{}, fmt.Errorf("read the answer of an assembler: %w", err)
	}
	return answer.assembled()
}

func (a assembleAnswer) assembled() (svc.Assembled, error) {
	switch a.Result {
	case assembledOK:
		if len(a.SHA256) != sha256.Size {
			return svc.Assembled{}, errors.New("read the answer of an assembler: it has no digest")
		}
		return svc.Assembled{Size: a.Size, SHA256: [sha256.Size]byte(a.SHA256)}, nil
	case assembledNoPack:
		return svc.Assembled{}, fmt.Errorf("assemble: %s: %w", a.Detail, svc.ErrNotFound)
	case assembledTooLate:
		return svc.Assembled{}, fmt.Errorf("assemble: %s: %w", a.Detail, svc.ErrNoAssembler)
	default:
		return svc.Assembled{}, fmt.Errorf("assemble: %s", a.Detail)
	}
}

// ServeAssembler answers requests for assemblies, also those of other
// processes, until ctx ends; what is being assembled then is finished first.
func (b *Bus) ServeAssembler(ctx context.Context, impl svc.Assembler) error {
	var serving sync.WaitGroup
	requests := make(chan *nats.Msg, 1024)
	sub, err := b.conn.ChanQueueSubscribe(assembleSubject, assembleGroup, requests)
	if err != nil {
		return fmt.Errorf("offer assemblies: %w", err)
	}
	if err := b.conn.FlushTimeout(askTimeout); err != nil {
		return fmt.Errorf("offer assemblies: %w", err)
	}
	defer serving.Wait()
	defer func() { _ = sub.Unsubscribe() }() // fails only when the connection is closed
	places := make(chan struct{}, maxAssemblies)
	for {
		select {
		case <-ctx.Done():
			return nil
		case msg := <-requests:
			select {
			case <-ctx.Done():
				return nil // unanswered: whoever asked asks once more
			case places <- struct{}{}:
			}
			serving.Go(func() {
				defer func() { <-places }()
				b.serveAssembly(context.WithoutCancel(ctx), impl, msg)
			})
		}
	}
}

func (b *Bus) serveAssembly(ctx context.Context, impl svc.Assembler, msg *nats.Msg) {
	answer := assemble(ctx, impl, msg.Data)
	if answer.Result == assembledInternal {
		b.log.Error("an assembly failed", "error", answer.Detail)
	}
	data, err := json.Marshal(answer)
	if err == nil {
		err = msg.Respond(data)
	}
	if err != nil {
		b.log.Warn("the answer to an assembly could not be sent", "error", err)
	}
}

func assemble(ctx context.Context, impl svc.Assembler, question []byte) assembleAnswer {
	var req assembleRequest
	if err := json.Unmarshal(question, &req); err != nil || len(req.Pack.SHA256) != sha256.Size {
		return assembleAnswer{Result: assembledInternal, Detail: "the request cannot be read"}
	}
	ctx, cancel := context.WithDeadline(ctx, req.Deadline)
	defer cancel()
	if ctx.Err() != nil {
		return assembleAnswer{Result: assembledTooLate, Detail: "the deadline passed while the request waited"}
	}
	done, err := impl.Assemble(ctx, svc.Assembly{
		Pack: svc.Pack{
			Blob: req.Pack.Blob, Extent: svc.Extent{Files: req.Pack.Files, Bytes: req.Pack.Bytes},
			Size: req.Pack.Size, SHA256: [sha256.Size]byte(req.Pack.SHA256),
		},
		Target: req.Target, Deadline: req.Deadline,
	})
	switch {
	case err == nil:
		return assembleAnswer{Result: assembledOK, Size: done.Size, SHA256: done.SHA256[:]}
	case errors.Is(err, svc.ErrNotFound):
		return assembleAnswer{Result: assembledNoPack, Detail: err.Error()}
	case ctx.Err() != nil || errors.Is(err, svc.ErrNoAssembler):
		return assembleAnswer{Result: assembledTooLate, Detail: err.Error()}
	default:
		return assembleAnswer{Result: assembledInternal, Detail: err.Error()}
	}
}
