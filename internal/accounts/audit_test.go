package accounts_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// lines reads the audit log, without ids and times.
func lines(t *testing.T, w *deliverytest.World, q svc.AuditQuery) []svc.AuditEntry {
	t.Helper()
	q.Limit = accounts.AuditPage
	found, err := w.Accounts.Audit.List(t.Context(), q)
	must.Do(t, err)
	for i := range found {
		if found[i].ID == "" || found[i].At.IsZero() {
			t.Errorf("%+v has no id or time", found[i])
		}
		found[i].ID, found[i].At = "", time.Time{}
	}
	return found
}

// Promise: audit-log
func TestWhatIsDoneHasItsLine(t *testing.T) {
	w := deliverytest.New(t)
	root := svc.Actor{Kind: svc.ActorOperator, Name: "root", Address: "host"}
	admin := svc.Actor{Kind: svc.ActorPerson, Name: "admin@example.com", AccountID: "acct_admin", Address: "192.0.2.1"}
	shown := admin
	shown.AccountID = "" // an entry says whose it is by itself
	visitor := svc.Actor{Kind: svc.ActorVisitor, Address: "192.0.2.9"}
	as := func(a svc.Actor) context.Context { return svc.WithActor(t.Context(), a) }
	last := func(want svc.AuditEntry) {
		t.Helper()
		w.Clock.Advance(time.Second)
		since := svc.AuditQuery{Since: w.Clock.Now().Add(-time.Second)}
		if diff := cmp.Diff([]svc.AuditEntry{want}, lines(t, w, since)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Action, diff)
		}
	}
	w.Clock.Advance(time.Minute)
	a, err := w.Accounts.Create(as(root), accounts.NewAccount{Email: "ada@example.com", Plan: svc.PlanHobby, Password: secret, Admin: true})
	must.Do(t, err)
	about := func(e svc.AuditEntry) svc.AuditEntry {
		e.AccountID, e.Email = a.ID, a.Email
		return e
	}
	last(about(svc.AuditEntry{Action: svc.AuditAccountCreated, Actor: root, Subject: a.Email, Detail: "hobby, administrator"}))

	must.Do(t, w.Accounts.SetPlan(as(root), a.ID, svc.PlanDeveloper))
	last(about(svc.AuditEntry{Action: svc.AuditPlanChanged, Actor: root, Subject: "developer", Detail: "was hobby"}))

	_, _, err = w.Accounts.SignIn(as(visitor), accounts.SignIn{Email: a.Email, Password: secret, Network: "192.0.2.9:1", Browser: "Firefox on Linux"})
	must.Do(t, err)
	person := svc.Actor{Kind: svc.ActorPerson, Name: a.Email, Address: "192.0.2.9"}
	last(about(svc.AuditEntry{Action: svc.AuditSignedIn, Actor: person, Subject: "Firefox on Linux", Detail: "password"}))

	must.Do(t, w.Accounts.ChangePassword(as(person), a, "192.0.2.9:1", secret, secret+" new"))
	last(about(svc.AuditEntry{Action: svc.AuditPasswordChanged, Actor: person}))

	token, err := w.Accounts.ResetLink(as(admin), a.ID)
	must.Do(t, err)
	last(about(svc.AuditEntry{Action: svc.AuditResetLinkMade, Actor: shown, Subject: a.Email}))
	_, err = w.Accounts.FollowLink(as(visitor), token, "", secret)
	must.Do(t, err)
	last(about(svc.AuditEntry{Action: svc.AuditPasswordChanged, Actor: visitor, Detail: "by a link"}))

	token, err = w.Accounts.Invite(as(admin), "bob@example.com", svc.PlanDeveloper)
	must.Do(t, err)
	last(svc.AuditEntry{Action: svc.AuditInvited, AccountID: admin.AccountID, Actor: shown, Subject: "bob@example.com", Detail: "developer"})
	bob, err := w.Accounts.FollowLink(as(visitor), token, "", secret)
	must.Do(t, err)
	last(svc.AuditEntry{Action: svc.AuditAccountCreated, AccountID: bob.ID, Email: bob.Email, Actor: visitor, Subject: bob.Email, Detail: "developer"})

	full, key, err := w.Accounts.CreateKey(as(person), accounts.NewKey{AccountID: a.ID, Name: "laptop"})
	must.Do(t, err)
	last(about(svc.AuditEntry{Action: svc.AuditKeyCreated, Actor: person, Subject: key.Prefix, Detail: "laptop"}))
	ended, err := w.Accounts.ReportFound(t.Context(), accounts.FoundKeys{Keys: []string{full, full}, Address: "203.0.113.7:9", URL: "a chat"})
	if err != nil || len(ended) != 2 {
		t.Errorf("%v ended, %v", ended, err)
	}
	last(about(svc.AuditEntry{
		Action: svc.AuditKeyReported, Subject: key.Prefix, Detail: "a chat", Actor: svc.Actor{Kind: svc.ActorVisitor, Address: "203.0.113.7"},
	}))
	_, key, err = w.Accounts.CreateKey(as(person), accounts.NewKey{AccountID: a.ID, Name: "ci"})
	must.Do(t, err)
	w.Clock.Advance(time.Minute)
	must.Do(t, w.Accounts.RevokeKey(as(root), key.Prefix))
	must.Do(t, w.Accounts.RevokeOwnKey(as(person), a.ID, key.Prefix)) // which changes nothing
	last(about(svc.AuditEntry{Action: svc.AuditKeyRevoked, Actor: root, Subject: key.Prefix, Detail: "ci"}))

	must.Do(t, w.Accounts.Audit.Note(as(root), svc.AuditEntry{Action: svc.AuditDataExported, Subject: "a\x00\xff"}))
	last(svc.AuditEntry{Action: svc.AuditDataExported, Actor: root, Subject: "a��"})

	must.Do(t, w.Accounts.Delete(as(root), a.ID))
	last(about(svc.AuditEntry{Action: svc.AuditAccountDeleted, Actor: root, Subject: a.Email}))
	for _, e := range lines(t, w, svc.AuditQuery{}) {
		if text := fmt.Sprint(e); !e.Action.Valid() || strings.Contains(text, full) || strings.Contains(text, secret) || strings.Contains(text, token) {
			t.Errorf("%s has an action that is none, or a secret", text)
		}
	}
}

// noPaper is a database that does everything but keep the audit log.
type noPaper struct{ svc.Store }

type noPaperRecords struct{ svc.Records }

type fullLog struct{ svc.Audit }

var errFull = errors.New("the log is full")

func (s noPaper) Tx(ctx context.Context, fn func(svc.Records) error) error {
	return s.Store.Tx(ctx, func(r svc.Records) error { return fn(noPaperRecords{r}) })
}

func (r noPaperRecords) Audit() svc.Audit { return fullLog{r.Records.Audit()} }

func (fullLog) Append(context.Context, svc.AuditEntry) error { return errFull }

// Promise: audit-transaction
func TestNothingIsDoneWithoutItsLine(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	full := w.Key(a)
	prefix, _ := svc.ParseKey(full)
	reset, err := w.Accounts.ResetLink(t.Context(), a.ID)
	must.Do(t, err)
	state := func() string {
		t.Helper()
		all, err := w.Accounts.List(t.Context(), "")
		must.Do(t, err)
		keys, err := w.Accounts.ListKeys(t.Context(), a.ID)
		must.Do(t, err)
		sessions, err := w.Accounts.Sessions(t.Context(), a.ID)
		must.Do(t, err)
		return fmt.Sprintf("%+v\n%+v\n%+v", all, keys, sessions)
	}
	before := state()
	s := accounts.New(noPaper{w.Store}, w.Clock.Now)
	for name, do := range map[string]func() error{
		"account": func() error {
			_, err := s.Create(t.Context(), accounts.NewAccount{Email: "bob@example.com", Plan: svc.PlanHobby})
			return err
		},
		"plan":     func() error { return s.SetPlan(t.Context(), a.ID, svc.PlanHobby) },
		"password": func() error { return s.SetPassword(t.Context(), a.ID, secret) },
		"link": func() error {
			_, err := s.FollowLink(t.Context(), reset, "", secret)
			return err
		},
		"another link": func() error {
			_, err := s.ResetLink(t.Context(), a.ID)
			return err
		},
		"invitation": func() error {
			_, err := s.Invite(t.Context(), "bob@example.com", svc.PlanHobby)
			return err
		},
		"session": func() error {
			_, err := s.OpenSession(t.Context(), a.ID, accounts.SignIn{})
			return err
		},
		"key": func() error {
			_, _, err := s.CreateKey(t.Context(), accounts.NewKey{AccountID: a.ID, Name: "x"})
			return err
		},
		"revocation": func() error { return s.RevokeKey(t.Context(), prefix) },
		"report": func() error {
			_, err := s.ReportFound(t.Context(), accounts.FoundKeys{Keys: []string{full}})
			return err
		},
		"deletion": func() error { return s.Delete(t.Context(), a.ID) },
	} {
		if err := do(); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Errorf("something was done (-before +after):\n%s", diff)
	}
	if _, err := s.Link(t.Context(), reset); err != nil {
		t.Errorf("the link was used or replaced: %v", err)
	}
}

func use(t *testing.T, s *accounts.Service, full, address string) {
	t.Helper()
	if _, err := s.Authenticate(t.Context(), full, address); err != nil {
		t.Error(err)
	}
}

// Promise: audit-first-use
func TestAKeyAtANewNetworkIsWrittenDownOnceAndAside(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	full := w.Key(a)
	prefix, _ := svc.ParseKey(full)
	query, begun := svc.AuditQuery{Action: svc.AuditKeyNewNetwork}, svc.AuditQuery{Action: svc.AuditKeyFirstUsed}
	for _, address := range []string{
		"192.0.2.1:1", "192.0.2.200:2", "[::ffff:192.0.2.3]:3", "198.51.100.1:1",
		"[2001:db8:1::1]:4", "[2001:db8:1:ffff::2]:5", "[2001:db8:2::1]:6", "no address", "",
	} {
		use(t, w.Accounts, full, address)
	}
	if found := append(lines(t, w, query), lines(t, w, begun)...); len(found) != 0 {
		t.Errorf("written on the request: %v", found)
	}
	must.Do(t, w.Accounts.Audit.WriteNotices(t.Context()))
	var networks []string
	for _, e := range append(lines(t, w, query), lines(t, w, begun)...) {
		networks = append(networks, string(e.Action)+" "+e.Detail+" by "+e.Actor.Address)
		e.Detail, e.Actor.Address = "", ""
		want := svc.AuditEntry{
			Action: e.Action, AccountID: a.ID, Email: a.Email, Subject: prefix, Actor: svc.Actor{Kind: svc.ActorKey, Name: prefix},
		}
		if diff := cmp.Diff(want, e); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	slices.Sort(networks)
	want := []string{
		"key_first_used 192.0.2.0/24 by 192.0.2.1", // where a key is used first is no new network
		"key_new_network 198.51.100.0/24 by 198.51.100.1", "key_new_network 2001:db8:1::/48 by 2001:db8:1::1", "key_new_network 2001:db8:2::/48 by 2001:db8:2::1",
	}
	if diff := cmp.Diff(want, networks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// Another process, or this one after a restart, knows nothing by itself.
	other := accounts.New(w.Store, w.Clock.Now)
	use(t, other, full, "192.0.2.1:1")
	second := w.Key(a)
	use(t, other, second, "192.0.2.1:1")
	gone := w.Account("bob@example.com")
	use(t, other, w.Key(gone), "192.0.2.1:1")
	must.Do(t, w.Accounts.Delete(t.Context(), gone.ID))
	must.Do(t, other.Audit.WriteNotices(t.Context()))
	if found, first := lines(t, w, query), lines(t, w, begun); len(found) != 3 || len(first) != 2 {
		t.Errorf("only the second key is new: %v, %v", found, first)
	}
}

// deafStore answers about one key, and refuses every change while it is deaf.
type deafStore struct {
	touches
	audit *deafAudit
}

type deafAudit struct {
	svc.Audit
	deaf  bool
	lines atomic.Int64
}

func (s deafStore) Audit() svc.Audit { return s.audit }

func (s deafStore) Tx(_ context.Context, fn func(svc.Records) error) error {
	if s.audit.deaf {
		return errFull
	}
	return fn(s)
}

func (a *deafAudit) NoteNetwork(context.Context, string, string, time.Time) (int, error) {
	return 1, nil
}

func (a *deafAudit) Append(context.Context, svc.AuditEntry) error {
	a.lines.Add(1)
	return nil
}

// Promise: audit-first-use
func TestLinesWaitForTheDatabaseAndThoseWithoutRoomAreCounted(t *testing.T) {
	full, key := svc.NewKey()
	store := deafStore{touches{keys: &touchedKeys{key: key}}, &deafAudit{deaf: true}}
	s := accounts.New(store, time.Now)
	const room = 10_000
	address := func(i int) string { return fmt.Sprintf("10.%d.%d.1:1", i/256, i%256) }
	for i := range room + 3 {
		use(t, s, full, address(i))
	}
	if got := s.Audit.Dropped(); got != 3 {
		t.Errorf("%d dropped", got)
	}
	err := s.Audit.WriteNotices(t.Context())
	if !errors.Is(err, errFull) || !strings.Contains(err.Error(), "3 lines of the audit log were dropped") {
		t.Errorf("told %v", err)
	}
	if err := s.Audit.WriteNotices(t.Context()); err == nil || strings.Contains(err.Error(), "dropped") {
		t.Errorf("told once more: %v", err)
	}
	store.audit.deaf = false
	must.Do(t, s.Audit.WriteNotices(t.Context()))
	if got := store.audit.lines.Load(); got != room {
		t.Errorf("%d lines", got)
	}
	use(t, s, full, address(room+1)) // which had no room, and is not forgotten
	use(t, s, full, address(1))
	must.Do(t, s.Audit.WriteNotices(t.Context()))
	if got := store.audit.lines.Load(); got != room+1 || s.Audit.Dropped() != 3 {
		t.Errorf("%d lines, %d dropped", got, s.Audit.Dropped())
	}
}

func (a *deafAudit) List(context.Context, svc.AuditQuery) ([]svc.AuditEntry, error) {
	if a.deaf {
		return nil, errFull
	}
	return nil, nil
}

// A log that cannot be read is not shown as an empty one.
func TestAnAuditLogThatCannotBeReadIsNotEmpty(t *testing.T) {
	audit := &deafAudit{deaf: true}
	s := accounts.New(deafStore{touches{}, audit}, time.Now)
	if found, err := s.Audit.List(t.Context(), svc.AuditQuery{}); !errors.Is(err, errFull) {
		t.Errorf("%v, %v", found, err)
	}
	audit.deaf = false
	_, err := s.Audit.List(t.Context(), svc.AuditQuery{})
	must.Do(t, err)
}

// Promise: audit-first-use
func TestRunAuditWritesAsideAndOnceMoreAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full, key := svc.NewKey()
		store := deafStore{touches{keys: &touchedKeys{key: key}}, &deafAudit{}}
		s := accounts.New(store, time.Now)
		ctx, stop := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() {
			s.Audit.Run(ctx, func(err error) { t.Error(err) })
			close(over)
		}()
		use(t, s, full, "192.0.2.1:1")
		synctest.Wait()
		if n := store.audit.lines.Load(); n != 0 {
			t.Errorf("%d lines on the request", n)
		}
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		if n := store.audit.lines.Load(); n != 1 {
			t.Errorf("%d lines", n)
		}
		use(t, s, full, "198.51.100.1:1")
		stop()
		<-over
		if n := store.audit.lines.Load(); n != 2 {
			t.Errorf("%d lines after the end", n)
		}
	})
}

// Promise: audit-log
func TestASignInThatFailsIsWrittenForAnAccountAndForNothingElse(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	must.Do(t, w.Accounts.SetPassword(t.Context(), a.ID, secret))
	for _, email := range []string{a.Email, "nobody@example.com", "my secret password"} {
		_, _, err := w.Accounts.SignIn(t.Context(), accounts.SignIn{Email: email, Password: "not it at all", Network: "192.0.2.1:5", Browser: "curl"})
		wantCode(t, err, svc.CodeNotFound, "")
	}
	must.Do(t, w.Accounts.Audit.WriteNotices(t.Context()))
	want := []svc.AuditEntry{{
		Action: svc.AuditSignInFailed, AccountID: a.ID, Email: a.Email, Subject: "curl", Detail: "password",
		Actor: svc.Actor{Kind: svc.ActorVisitor, Address: "192.0.2.1"},
	}}
	failed := lines(t, w, svc.AuditQuery{Action: svc.AuditSignInFailed})
	if diff := cmp.Diff(want, failed, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if all := fmt.Sprint(lines(t, w, svc.AuditQuery{})); strings.Contains(all, "secret") || strings.Contains(all, "not it") {
		t.Errorf("what was typed is in the log: %s", all)
	}
}
