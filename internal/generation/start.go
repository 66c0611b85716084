package generation

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/validate"
)

// What a request may ask.
const (
	maxPrompt      = 32768 // characters
	maxConstraints = 64
	maxConstraint  = 4096 // bytes of a name or a value
	maxSpec        = 32 << 10
	specConstraint = "spec" // whose value is a whole request, and may have maxSpec bytes
)

const (
	// drainSpan is the longest time over which the drain rate is measured.
	drainSpan = 10 * time.Minute
	// An estimate below or above these helps nobody.
	shortestWait = time.Second
	longestWait  = 2 * time.Minute
	// unknownWait is told while nothing has drained yet.
	unknownWait = 30 * time.Second
	// storageWait is an estimate: bundles go when they are acknowledged.
	storageWait = time.Minute
)

// Start asks for a run.
type Start struct {
	AccountID string
	// ProjectID is the project to continue; empty makes a new one.
	ProjectID   string
	Prompt      string
	Constraints map[string]string
	// Key is the client's idempotency key, or empty.
	Key string
	// Encode turns a queued run into the answer that is given now and, byte for
	// byte, again. It is called inside the transaction that keeps the answer.
	Encode func(run svc.Run, position int) (svc.Answer, error)
}

// Started is the answer to a Start.
type Started struct {
	// Run is the run as it was queued. A replay has only the Answer.
	Run      svc.Run
	Answer   svc.Answer
	Replayed bool
}

// Start queues a run, or gives the answer again that the same key was given
// less than ReplayFor ago.
//
// CodeInvalidRequest, CodeIdempotencyMismatch, CodeUnresolvable,
// CodePlanLimitReached, CodeProjectNotFound, CodeStorageLimitReached, CodeQueueFull.
func (s *Service) Start(ctx context.Context, q Start) (Started, error) {
	if err := q.check(); err != nil {
		return Started{}, err
	}
	q = q.withoutSecrets()
	if q.ProjectID != "" && !svc.ValidProjectID(q.ProjectID) {
		q.Key = "" // what is no id is no part of a key; not to be found is not kept
	}
	// Read before the transaction: that takes a processor's time, and locks nothing.
	unresolvable, err := s.unresolvable(ctx, q)
	if err != nil {
		return Started{}, err
	}
	var out Started
	err = s.Store.Tx(ctx, func(r svc.Records) error {
		out = Started{}
		known, replay, err := s.replay(ctx, r, q)
		if err != nil || replay {
			out = Started{Answer: answerOf(known), Replayed: replay}
			return err
		}
		if unresolvable != nil {
			return unresolvable
		}
		out.Run, err = s.admit(ctx, r, q)
		if err != nil {
			return err
		}
		position, err := r.Runs().Position(ctx, out.Run.ID)
		if err != nil {
			return fmt.Errorf("find the place of a run: %w", err)
		}
		if out.Answer, err = q.Encode(out.Run, position); err != nil {
			return fmt.Errorf("encode the answer: %w", err)
		}
		return s.keep(ctx, r, q, known, out)
	})
	if err != nil {
		if e, ok := errors.AsType[*svc.Error](err); ok && e.RetryAfter > 0 {
			s.Observer.Refused(e.Code)
		}
		return Started{}, err
	}
	if out.Replayed {
		s.Observer.Replayed()
		return out, nil
	}
	s.Observer.Accepted()
	notifyQueued(s.Notifier, s.Log)
	return out, nil
}

func notifyQueued(n Notifier, log *slog.Logger) {
	if n == nil {
		return
	}
	if err := n.NotifyQueued(); err != nil {
		log.Debug("workers were not woken; they look by themselves", "error", err)
	}
}

func (q Start) check() error {
	if n := utf8.RuneCountInString(q.Prompt); strings.TrimSpace(q.Prompt) == "" || n > maxPrompt {
		return svc.Invalid("prompt", "The prompt has to have between 1 and %d characters.", maxPrompt)
	}
	if !storable(q.Prompt) {
		return svc.Invalid("prompt", "The prompt is not UTF-8, or holds a NUL character.")
	}
	if len(q.Constraints) > maxConstraints {
		return svc.Invalid("constraints", "There may be at most %d constraints.", maxConstraints)
	}
	for name, value := range q.Constraints {
		most := maxConstraint
		if name == specConstraint {
			most = maxSpec
		}
		if name == "" || len(name) > maxConstraint || len(value) > most {
			return svc.Invalid("constraints", "A constraint has a name, and neither name nor value may exceed %d bytes, but for the value of spec, which may have %d.", maxConstraint, maxSpec)
		}
		if !storable(name) || !storable(value) {
			return svc.Invalid("constraints", "A constraint is not UTF-8, or holds a NUL character.")
		}
	}
	return nil
}

// storable says whether every store can keep a text.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

func (q Start) id() svc.IdempotencyID {
	return svc.IdempotencyID{AccountID: q.AccountID, Scope: "generation/" + q.ProjectID, Key: q.Key}
}

// digest is the same for requests that ask the same.
func (q Start) digest() ([sha256.Size]byte, error) {
	text, err := json.Marshal(struct {
		Prompt      string            `json:"prompt"`
		Constraints map[string]string `json:"constraints"`
	}{q.Prompt, q.Constraints})
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("digest a request: %w", err)
	}
	return sha256.Sum256(text), nil
}

// replay looks for an answer that is kept. CodeIdempotencyMismatch when the key
// was used for another request.
func (s *Service) replay(ctx context.Context, r svc.Records, q Start) (svc.Idempotency, bool, error) {
	if q.Key == "" {
		return svc.Idempotency{}, false, nil
	}
	known, now, err := r.Idempotencies().Lock(ctx, q.id())
	if err != nil {
		return known, false, fmt.Errorf("lock the idempotency key: %w", err)
	}
	if known.Answer == nil || !now.Before(known.Expires) {
		return known, false, nil
	}
	asked, err := q.digest()
	if err != nil {
		return known, false, err
	}
	if asked != known.Request {
		return known, false, &svc.Error{
			Code:    svc.CodeIdempotencyMismatch,
			Message: "This Idempotency-Key was used for another request a moment ago.",
			Hint:    "Use a new key for a new request, and the old one only to repeat the same request.",
		}
	}
	return known, true, nil
}

func answerOf(known svc.Idempotency) svc.Answer {
	if known.Answer == nil {
		return svc.Answer{}
	}
	return *known.Answer
}

func (s *Service) keep(ctx context.Context, r svc.Records, q Start, known svc.Idempotency, out Started) error {
	if q.Key == "" {
		return nil
	}
	asked, err := q.digest()
	if err != nil {
		return err
	}
	now, err := r.Now(ctx)
	if err != nil {
		return err
	}
	known.ID, known.Request, known.Fence = q.id(), asked, known.Fence+1
	known.Lease, known.Answer, known.Expires = time.Time{}, &out.Answer, now.Add(s.Limits.ReplayFor)
	if err := r.Idempotencies().Save(ctx, known); err != nil {
		return fmt.Errorf("keep the answer: %w", err)
	}
	return nil
}

// admit applies the limits in their order and queues the run. A refusal rolls
// back everything, the place in the plan's window too.
func (s *Service) admit(ctx context.Context, r svc.Records, q Start) (svc.Run, error) {
	account, room, err := pack.LockAccount(ctx, r, q.AccountID, "", s.Limits.PendingBytes)
	if err != nil {
		return svc.Run{}, err
	}
	if account.Plan == svc.PlanHobby {
		if err := s.countHobby(ctx, r, account.ID); err != nil {
			return svc.Run{}, err
		}
	}
	now, err := r.Now(ctx)
	if err != nil {
		return svc.Run{}, err
	}
	run := svc.Run{
		ID: svc.NewGenerationID(), AccountID: q.AccountID, ProjectID: q.ProjectID,
		Prompt: q.Prompt, Constraints: q.Constraints, Status: svc.RunQueued, CreatedAt: now,
	}
	project, err := s.projectFor(ctx, r, q, now)
	if err != nil {
		return svc.Run{}, err
	}
	run.ProjectID = project.ID
	if err := s.checkStorage(project, room); err != nil {
		return svc.Run{}, err
	}
	if err := s.checkQueue(ctx, r, q.AccountID, now); err != nil {
		return svc.Run{}, err
	}
	if err := r.Runs().Insert(ctx, run); err != nil {
		return svc.Run{}, fmt.Errorf("queue a run: %w", err)
	}
	return run, nil
}

// countHobby takes a place in the window, which opens with the first accepted
// run and ends all at once.
func (s *Service) countHobby(ctx context.Context, r svc.Records, accountID string) error {
	w, err := r.Windows().Lock(ctx, accountID, svc.OpGeneration)
	if err != nil {
		return fmt.Errorf("lock the generation window: %w", err)
	}
	admitted := w.Admitted
	if len(admitted) > 0 && !w.Now.Before(admitted[0].Add(s.Limits.HobbyWindow)) {
		admitted = nil
	}
	if len(admitted) >= s.Limits.HobbyRuns {
		ends := admitted[0].Add(s.Limits.HobbyWindow)
		e := svc.Errorf(svc.CodePlanLimitReached, "The Hobby plan has %d generations in %d hours, and they are used until %s.",
			s.Limits.HobbyRuns, int(s.Limits.HobbyWindow.Hours()), svc.FormatTime(ends))
		e.Hint = "Wait until then, or change to a plan without this limit."
		e.RetryAfter = max(wholeSeconds(ends.Sub(w.Now)), time.Second)
		return e
	}
	if err := r.Windows().Save(ctx, accountID, svc.OpGeneration, append(admitted[:len(admitted):len(admitted)], w.Now)); err != nil {
		return fmt.Errorf("save the generation window: %w", err)
	}
	return nil
}

// wholeSeconds rounds up.
func wholeSeconds(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}

// projectFor finds the project to continue, or makes a new one.
func (s *Service) projectFor(ctx context.Context, r svc.Records, q Start, now time.Time) (svc.Project, error) {
	if q.ProjectID != "" {
		p, err := svc.Project{}, svc.ErrNotFound
		if svc.ValidProjectID(q.ProjectID) {
			p, err = r.Projects().Get(ctx, q.AccountID, q.ProjectID)
		}
		if errors.Is(err, svc.ErrNotFound) {
			return p, &svc.Error{
				Code:    svc.CodeProjectNotFound,
				Message: "There is no such project in this account.",
				Hint:    "GET /projects lists the projects of this account.",
			}
		}
		if err != nil {
			return p, fmt.Errorf("read project %s: %w", q.ProjectID, err)
		}
		return p, nil
	}
	p := svc.Project{ID: svc.NewProjectID(), AccountID: q.AccountID, Name: s.nameOf(q), CreatedAt: now, UpdatedAt: now}
	if err := r.Projects().Insert(ctx, p); err != nil {
		return p, fmt.Errorf("make a project: %w", err)
	}
	return p, nil
}

// checkStorage refuses a run whose bundle would find no room, as far as can be
// known: the last one of its project was as large.
func (s *Service) checkStorage(p svc.Project, room int64) error {
	size := p.Pack.Size
	if size == 0 {
		size = min(pack.FirstSize, s.Limits.PendingBytes)
	}
	if size > room || room <= 0 {
		return storageFull(s.Limits.PendingBytes)
	}
	return nil
}

func storageFull(limit int64) *svc.Error {
	e := svc.Errorf(svc.CodeStorageLimitReached, "The archives that wait for this account have reached %d bytes.", limit)
	e.Hint = "Download and acknowledge waiting bundles, or let them expire."
	e.RetryAfter = storageWait
	return e
}

// checkQueue refuses a run for which there is no place.
func (s *Service) checkQueue(ctx context.Context, r svc.Records, accountID string, now time.Time) error {
	length, err := r.Runs().Waiting(ctx, accountID)
	if err != nil {
		return fmt.Errorf("count queued runs: %w", err)
	}
	over := max(length.All-s.Limits.QueueDepth, length.Account-s.Limits.QueueShare) + 1
	if over <= 0 {
		return nil
	}
	const enough = 10_000
	drained, first, err := r.Runs().StartedSince(ctx, now.Add(-drainSpan), enough)
	if err != nil {
		return fmt.Errorf("measure the queue: %w", err)
	}
	e := svc.Errorf(svc.CodeQueueFull, "The queue is full: %d generations are waiting.", length.All)
	if length.Account >= s.Limits.QueueShare {
		e = svc.Errorf(svc.CodeQueueFull, "%d generations of this account are waiting, and no more may.", length.Account)
	}
	e.Hint = "Wait as long as Retry-After says, then send the request again."
	e.RetryAfter = drainTime(over, drained, now.Sub(first))
	return e
}

// drainTime estimates how long so many places take to come free, when so many
// runs left the queue since the first of them did: before that it was empty.
func drainTime(places, drained int, span time.Duration) time.Duration {
	if drained == 0 {
		return unknownWait
	}
	wait := time.Duration(float64(span) / float64(drained) * float64(places))
	return min(max(wholeSeconds(wait), shortestWait), longestWait)
}

// nameOf returns the name of a new project: the title that an engine reads in the
// prompt, or what the prompt asks for.
func (s *Service) nameOf(q Start) string {
	for _, reader := range s.Readers {
		if title := reader.Title(q.Prompt); title != "" {
			return validate.Cut(title, nameLength)
		}
	}
	return nameFrom(q.Prompt)
}
