package accounts

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// What is done with an account or a key is written into the audit log in the
// transaction that does it: nothing is done without its line. What is only noticed,
// a key at a new network and a sign-in that failed, waits in memory and is written
// by Audit.Run: no request waits for that, or fails with it.

// note adds a line to the audit log, as a step of the transaction that does what the
// line tells. Who does it, and from where, comes with the context, unless the entry
// says it.
func note(ctx context.Context, r svc.Records, e svc.AuditEntry) error {
	now, err := r.Now(ctx)
	if err != nil {
		return err
	}
	return appendAt(ctx, r, e, now)
}

func appendAt(ctx context.Context, r svc.Records, e svc.AuditEntry, at time.Time) error {
	if e.Actor.Kind == "" {
		e.Actor = svc.ActorOf(ctx)
	}
	e.ID, e.At = svc.NewAuditID(at), at
	for _, text := range []*string{&e.Actor.Name, &e.Actor.Address, &e.Subject, &e.Detail} {
		*text = strings.ReplaceAll(strings.ToValidUTF8(*text, "\uFFFD"), "\x00", "\uFFFD") // which every database can keep
	}
	return r.Audit().Append(ctx, e)
}

// details are what a line tells beyond its subject.
func details(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(one string) bool { return one == "" }), ", ")
}

// Note adds a line to the audit log for what is no change of the records, such as
// data that leave the service. It comes first: when it fails, that must not be done.
func (a *Audit) Note(ctx context.Context, e svc.AuditEntry) error {
	err := a.store.Tx(ctx, func(r svc.Records) error { return note(ctx, r, e) })
	return failed("write the audit log", err)
}

// AuditPage is how many entries Audit.List returns at most.
const AuditPage = 200

// List reads the audit log, at most AuditPage entries at a time.
func (a *Audit) List(ctx context.Context, q svc.AuditQuery) ([]svc.AuditEntry, error) {
	q.Limit = min(max(q.Limit, 1), AuditPage)
	found, err := a.store.Audit().List(ctx, q)
	return found, failed("read the audit log", err)
}

// Horizon returns the time until which entries were removed because their time was over;
// the zero time: none were.
func (a *Audit) Horizon(ctx context.Context) (time.Time, error) {
	at, err := a.store.Audit().Horizon(ctx)
	return at, failed("read the audit log", err)
}

const (
	// maxNotices is how many lines may wait to be written.
	maxNotices = 10_000
	// noticesAtOnce is how many of them one transaction writes.
	noticesAtOnce = 100
	// maxUsedFrom is how many networks of keys a process remembers; then it begins
	// anew, and asks the records once for each.
	maxUsedFrom = 100_000
)

// notice is something that was noticed and is still to be written down.
type notice struct {
	entry svc.AuditEntry
	at    time.Time
	// use is the key and the network of a line that is written only if they are new.
	use usedFrom
}

// usedFrom is a key and the network of somebody who uses it.
type usedFrom struct {
	prefix  string
	network netip.Prefix
}

// Audit is the audit log of a service, with the notices that Run has yet to write.
type Audit struct {
	store records

	mu      sync.RWMutex
	seen    map[usedFrom]struct{}
	waiting []notice
	dropped int64 // since the beginning
	told    int64 // of those
}

// add keeps a notice until it is written, unless there is no room.
func (a *Audit) add(all ...notice) {
	for _, one := range all {
		if len(a.waiting) < maxNotices {
			a.waiting = append(a.waiting, one)
			continue
		}
		a.dropped++
		delete(a.seen, one.use) // the next use brings it back
	}
}

// isNew says whether a key is used from a network that this process does not know
// yet, and knows it from then on.
func (a *Audit) isNew(use usedFrom) bool {
	a.mu.RLock()
	_, known := a.seen[use]
	a.mu.RUnlock()
	if known {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.seen[use]; known {
		return false
	}
	if a.seen == nil || len(a.seen) >= maxUsedFrom {
		a.seen = map[usedFrom]struct{}{}
	}
	a.seen[use] = struct{}{}
	return true
}

// noticeNetwork leaves it to Run to find out whether a key was never used from
// a network before, and to write it down.
func (a *Audit) noticeNetwork(key svc.Key, address string, now time.Time) {
	use := usedFrom{key.Prefix, keyNetwork(address)}
	if !use.network.IsValid() || !a.isNew(use) {
		return
	}
	a.notice(notice{use: use, at: now, entry: svc.AuditEntry{
		Action: svc.AuditKeyNewNetwork, AccountID: key.AccountID, Subject: key.Prefix, Detail: use.network.String(),
		Actor: svc.Actor{Kind: svc.ActorKey, Name: key.Prefix, Address: AddressOf(address)},
	}})
}

func (a *Audit) notice(one notice) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.add(one)
}

// keyNetwork is what counts as one network for the use of a key: wider than a
// household, so that an address that changes every night is nothing new.
func keyNetwork(address string) netip.Prefix {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.Prefix{}
	}
	ip, bits := at.Addr().Unmap().WithZone(""), 48
	if ip.Is4() {
		bits = 24
	}
	network, _ := ip.Prefix(bits) // both numbers are possible
	return network
}

// Dropped returns how many lines this process could not keep until they were
// written.
func (a *Audit) Dropped() int64 {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.dropped
}

// Run writes what was noticed into the audit log, until the context ends, and
// then once more. What cannot be written now waits; failures, and lines that had no
// room to wait, are given to report.
func (a *Audit) Run(ctx context.Context, report func(error)) {
	writeEvery(ctx, a.WriteNotices, report)
}

// WriteNotices writes what was noticed so far. What is left of it when that fails
// waits for the next time.
func (a *Audit) WriteNotices(ctx context.Context) (err error) {
	a.mu.Lock()
	waiting := a.waiting
	a.waiting = nil
	a.mu.Unlock()
	for len(waiting) > 0 && err == nil {
		some := waiting[:min(len(waiting), noticesAtOnce)]
		if err = a.store.Tx(ctx, func(r svc.Records) error { return writeNotices(ctx, r, some) }); err == nil {
			waiting = waiting[len(some):]
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.add(waiting...)
	if err != nil {
		err = fmt.Errorf("write the audit log: %w", err)
	}
	if lost := a.dropped - a.told; lost > 0 {
		a.told = a.dropped
		err = errors.Join(err, fmt.Errorf("%d lines of the audit log were dropped: more came than can wait", lost))
	}
	return err
}

func writeNotices(ctx context.Context, r svc.Records, some []notice) error {
	for _, one := range some {
		if one.use.network.IsValid() {
			networks, err := r.Audit().NoteNetwork(ctx, one.use.prefix, one.use.network.String(), one.at)
			if err != nil {
				return err
			}
			switch networks {
			case 0:
				continue
			case 1: // somebody begins to use it, which is what it was made for
				one.entry.Action = svc.AuditKeyFirstUsed
			}
		}
		if err := appendAt(ctx, r, one.entry, one.at); err != nil {
			return err
		}
	}
	return nil
}
