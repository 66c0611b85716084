package delivery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	svc "github.com/bundle-delivery/svc"
)

const (
	cleanUpJob = "cleanup"
	// cleanUpLease is how long a process that dies keeps the job from others.
	cleanUpLease = time.Minute
	// cleanUpWork is how long one round works before it gives the job back,
	// unfinished and due at once: well within its lease.
	cleanUpWork = 20 * time.Second
	// cleanBatch is how many records one transaction changes.
	cleanBatch = 200
	// pruneBatches is how many batches of one kind a round prunes.
	pruneBatches = 50
	// sweepEvery is how often the ledger is swept.
	sweepEvery = time.Minute
	// sweepLease is how long garbage that one process deletes is kept from the
	// others: until the next round at most.
	sweepLease = 50 * time.Second
	// deleteTime is how long the deletion of one blob may take. A store that has
	// gone silent is left alone until the next round.
	deleteTime = 3 * time.Second
	// deleteManyTime is how long the deletion of a batch may take.
	deleteManyTime = 15 * time.Second
	// tryAgain is when a blob that could not be deleted has its next turn.
	tryAgain = 10 * time.Minute
	// answersRest is how long an idempotent request is remembered beyond its end:
	// far longer than the work for one lasts, so that none that is late finds its
	// key counting anew.
	answersRest = 10 * time.Minute
)

// Cleaned is what a round of the clean-up or the sweep did.
type Cleaned struct {
	Expired       int  // bundles that expired
	Deleted       int  // blobs that were deleted
	Idempotencies int  // stored answers that were forgotten
	PrunedRuns    int  // records of runs whose time was over
	PrunedBundles int  // records of gone bundles whose time was over
	PrunedAudit   int  // entries of the audit log whose time was over
	Job           bool // it was the clean-up job, and not the sweep
	Complete      bool // it was the job, and it came to its end without an error
	Took          time.Duration
}

// Cleaner lets bundles expire when the clean-up job runs, and deletes what no
// record points at. Any number of processes may run one: the job is held in the
// records by one at a time, and each sweeps what no other does.
type Cleaner struct {
	Store svc.Store
	Blobs svc.Blobs
	// Interval is the time from one start of the job to the next.
	Interval time.Duration
	// RunRetention, BundleRetention and AuditRetention are how long the records of
	// finished runs and of gone bundles and entries of the audit log are kept; 0: for
	// ever.
	RunRetention, BundleRetention, AuditRetention time.Duration

	Observer Observer    // may be nil
	Report   func(error) // told of failures that the next round mends; may be nil
}

// Run sweeps at once and every minute, and does the clean-up when it is due,
// until the context ends.
func (c *Cleaner) Run(ctx context.Context) {
	look := time.NewTicker(min(max(c.Interval/4, 50*time.Millisecond), time.Minute))
	defer look.Stop()
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	c.round(ctx, c.sweepRound)
	c.round(ctx, c.cleanRound)
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			c.round(ctx, c.sweepRound)
		case <-look.C:
			c.round(ctx, c.cleanRound)
		}
	}
}

func (c *Cleaner) round(ctx context.Context, work func(context.Context) error) {
	if err := work(ctx); err != nil && ctx.Err() == nil && c.Report != nil {
		c.Report(err)
	}
}

func (c *Cleaner) sweepRound(ctx context.Context) error {
	_, err := c.Sweep(ctx)
	return err
}

func (c *Cleaner) cleanRound(ctx context.Context) error {
	_, _, err := c.CleanUp(ctx)
	return err
}

// CleanUp does the clean-up job if it is due and nobody else does it, and says
// whether it did: bundles whose time is over expire, their archives are deleted,
// answers that cannot be replayed are forgotten. It is due again one Interval
// after this start, or at once if the records failed it. A blob that cannot be
// deleted is an error as well, and left to the sweep.
func (c *Cleaner) CleanUp(ctx context.Context) (done Cleaned, ran bool, err error) {
	begun := time.Now()
	start, err := c.Store.Now(ctx)
	if err != nil {
		return done, false, fmt.Errorf("clean up: %w", err)
	}
	ran, err = c.Store.Jobs().Claim(ctx, cleanUpJob, start, start.Add(cleanUpLease))
	if err != nil || !ran {
		return done, false, wrap("claim the clean-up", err)
	}
	done.Job = true
	due := start.Add(c.Interval)
	finished, err := c.expireAll(ctx, start, &done)
	if err == nil {
		err = c.forgetAnswers(ctx, start, &done)
	}
	if err == nil && finished {
		finished, err = c.prune(ctx, start, &done)
	}
	var stuck error
	if err == nil {
		stuck, err = c.sweepNow(ctx, &done)
	}
	if err != nil || !finished {
		due = start // somebody goes on at once
	}
	err = errors.Join(err, stuck, wrap("finish the clean-up", c.Store.Jobs().Finish(context.WithoutCancel(ctx), cleanUpJob, due)))
	done.Complete = err == nil && finished
	c.observe(begun, &done)
	return done, true, err
}

// expireAll expires batch by batch, and says whether it came to the end.
func (c *Cleaner) expireAll(ctx context.Context, start time.Time, done *Cleaned) (bool, error) {
	for now := start; ; {
		n, err := c.expireBatch(ctx, now, done)
		if err != nil {
			return false, err
		}
		if n < cleanBatch {
			return true, nil
		}
		if now, err = c.Store.Now(ctx); err != nil {
			return false, fmt.Errorf("clean up: %w", err)
		}
		if now.Sub(start) > cleanUpWork {
			return false, nil
		}
	}
}

func (c *Cleaner) expireBatch(ctx context.Context, now time.Time, done *Cleaned) (int, error) {
	expired, err := c.Store.Bundles().Expire(ctx, now, cleanBatch)
	if err != nil {
		return 0, fmt.Errorf("expire bundles: %w", err)
	}
	done.Expired += len(expired)
	if len(expired) > 0 && c.Observer != nil {
		c.Observer.Transition(svc.BundleExpired, len(expired))
	}
	return len(expired), nil
}

// prune removes records whose time is over, in small batches, and says whether it came
// to the end: others are not kept waiting by a year that goes at once.
func (c *Cleaner) prune(ctx context.Context, start time.Time, done *Cleaned) (bool, error) {
	for _, kind := range []struct {
		keep   time.Duration
		remove func(context.Context, time.Time, int) (int, error)
		count  *int
	}{
		{c.RunRetention, c.Store.Runs().Prune, &done.PrunedRuns},
		{c.BundleRetention, c.Store.Bundles().Prune, &done.PrunedBundles},
		{c.AuditRetention, c.Store.Audit().Prune, &done.PrunedAudit},
	} {
		for n := cleanBatch; kind.keep > 0 && n == cleanBatch; {
			var err error
			if n, err = kind.remove(ctx, start.Add(-kind.keep), cleanBatch); err != nil {
				return false, fmt.Errorf("prune records: %w", err)
			}
			if *kind.count += n; *kind.count >= pruneBatches*cleanBatch {
				return false, nil
			}
		}
	}
	return true, nil
}

func (c *Cleaner) forgetAnswers(ctx context.Context, now time.Time, done *Cleaned) error {
	for {
		n, err := c.Store.Idempotencies().Sweep(ctx, now.Add(-answersRest), cleanBatch)
		if err != nil {
			return fmt.Errorf("forget stored answers: %w", err)
		}
		done.Idempotencies += n
		if n < cleanBatch {
			return nil
		}
	}
}

// Sweep deletes the blobs that nothing points at any more: garbage that is due,
// and what was announced and never came to be.
func (c *Cleaner) Sweep(ctx context.Context) (Cleaned, error) {
	var done Cleaned
	begun := time.Now()
	start, err := c.Store.Now(ctx)
	if err != nil {
		return done, fmt.Errorf("sweep: %w", err)
	}
	stuck, err := c.sweepLedger(ctx, start, &done)
	err = errors.Join(stuck, err, c.forgetAnswers(ctx, start, &done))
	c.observe(begun, &done)
	return done, err
}

// sweepNow sweeps the ledger by the time at which that begins: its leases count from then.
func (c *Cleaner) sweepNow(ctx context.Context, done *Cleaned) (stuck, err error) {
	now, err := c.Store.Now(ctx)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	return c.sweepLedger(ctx, now, done)
}

// sweepLedger deletes all garbage that is due at a time, and where that is much what has
// come to be due meanwhile. What cannot be deleted is stuck: it stays in the ledger,
// with a later turn, and holds up nothing else.
func (c *Cleaner) sweepLedger(ctx context.Context, now time.Time, done *Cleaned) (stuck, err error) {
	for {
		keys, err := c.Store.Ledger().Collect(ctx, now, now.Add(sweepLease), cleanBatch)
		if err != nil {
			return stuck, fmt.Errorf("collect garbage: %w", err)
		}
		deleted, left, silent, failure := c.delete(ctx, keys)
		if ctx.Err() != nil {
			left = nil // they did not have their turn
		}
		if stuck == nil && failure != nil {
			stuck = fmt.Errorf("delete garbage: %w", failure) // one tells enough
		}
		if err := c.recordDeletions(context.WithoutCancel(ctx), deleted, left, now.Add(tryAgain)); err != nil {
			return stuck, err
		}
		done.Deleted += len(deleted)
		if len(keys) < cleanBatch || silent || ctx.Err() != nil {
			return stuck, ctx.Err()
		}
		if now, err = c.Store.Now(ctx); err != nil {
			return stuck, fmt.Errorf("sweep: %w", err)
		}
	}
}

// recordDeletions takes what is deleted out of the ledger, and puts off what is left.
func (c *Cleaner) recordDeletions(ctx context.Context, deleted, left []string, due time.Time) error {
	if len(deleted) > 0 {
		if err := c.Store.Ledger().Forget(ctx, deleted); err != nil {
			return fmt.Errorf("forget garbage: %w", err)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return wrap("put off garbage", c.Store.Ledger().DiscardAll(ctx, left, due))
}

// delete deletes blobs, and gives the first failure beside those that are left.
// When the store is silent the others do not have their turn.
func (c *Cleaner) delete(ctx context.Context, keys []string) (deleted, left []string, silent bool, failure error) {
	if many, ok := c.Blobs.(svc.BlobsDeleter); ok && len(keys) > 1 {
		return c.deleteTogether(ctx, many, keys)
	}
	for _, key := range keys {
		bounded, cancel := context.WithTimeout(ctx, deleteTime)
		err := c.Blobs.Delete(bounded, key)
		silent = err != nil && bounded.Err() != nil
		cancel()
		if err == nil {
			deleted = append(deleted, key)
			continue
		}
		left = append(left, key)
		if failure == nil {
			failure = err
		}
		if silent {
			break
		}
	}
	return deleted, left, silent, failure
}

// deleteTogether has the store delete many blobs in one request.
func (c *Cleaner) deleteTogether(ctx context.Context, blobs svc.BlobsDeleter, keys []string) (deleted, left []string, silent bool, failure error) {
	ctx, cancel := context.WithTimeout(ctx, deleteManyTime)
	defer cancel()
	left, failure = blobs.DeleteAll(ctx, keys)
	for _, key := range keys {
		if !slices.Contains(left, key) {
			deleted = append(deleted, key)
		}
	}
	return deleted, left, failure != nil && ctx.Err() != nil, failure
}

func (c *Cleaner) observe(begun time.Time, done *Cleaned) {
	done.Took = time.Since(begun)
	if c.Observer != nil {
		c.Observer.Cleaned(*done)
	}
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
