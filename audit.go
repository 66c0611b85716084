package svc

import (
	"context"
	"slices"
	"time"
)

// AuditAction is what an entry of the audit log tells.
type AuditAction string

// The actions. Beside each stands what its entry has as subject and, after a
// semicolon, as detail.
const (
	AuditAccountCreated   AuditAction = "account_created"   // address; plan
	AuditAccountDeleted   AuditAction = "account_deleted"   // address
	AuditSignedIn         AuditAction = "signed_in"         // browser; how
	AuditSignInFailed     AuditAction = "sign_in_failed"    // browser; how
	AuditInvited          AuditAction = "invited"           // address; plan
	AuditPlanChanged      AuditAction = "plan_changed"      // the new plan; the old one
	AuditPasswordChanged  AuditAction = "password_changed"  // ; how
	AuditResetLinkMade    AuditAction = "reset_link_made"   // address
	AuditPasskeyAdded     AuditAction = "passkey_added"     // its name
	AuditPasskeyRemoved   AuditAction = "passkey_removed"   // its name; how, if not in the console
	AuditIdentityLinked   AuditAction = "identity_linked"   // issuer
	AuditIdentityUnlinked AuditAction = "identity_unlinked" // issuer; how, if not in the console
	AuditKeyCreated       AuditAction = "key_created"       // prefix; name
	AuditKeyFirstUsed     AuditAction = "key_first_used"    // prefix; network
	AuditKeyNewNetwork    AuditAction = "key_new_network"   // prefix; network
	AuditKeyRevoked       AuditAction = "key_revoked"       // prefix; name
	AuditKeyReported      AuditAction = "key_reported"      // prefix; where it was found, as they say
	AuditDataExported     AuditAction = "data_exported"     // what; where to
	AuditDataRestored     AuditAction = "data_restored"     // from what
)

// AuditActions are all actions, in the order in which people are shown them.
func AuditActions() []AuditAction {
	return []AuditAction{
		AuditSignedIn, AuditSignInFailed,
		AuditKeyCreated, AuditKeyFirstUsed, AuditKeyNewNetwork, AuditKeyRevoked, AuditKeyReported,
		AuditPlanChanged, AuditPasswordChanged, AuditResetLinkMade,
		AuditPasskeyAdded, AuditPasskeyRemoved, AuditIdentityLinked, AuditIdentityUnlinked,
		AuditInvited, AuditAccountCreated, AuditAccountDeleted,
		AuditDataExported, AuditDataRestored,
	}
}

// Valid says whether a is one of the actions.
func (a AuditAction) Valid() bool { return slices.Contains(AuditActions(), a) }

// ActorKind is what kind of actor did something.
type ActorKind string

// The kinds of actors.
const (
	ActorPerson   ActorKind = "person"   // signed in to the console; the name is an e-mail address
	ActorKey      ActorKind = "key"      // a program with an API key; the name is its prefix
	ActorOperator ActorKind = "operator" // at a command of the server; the name is that of the login
	ActorVisitor  ActorKind = "visitor"  // at the other end of a connection; nobody knows who
	ActorSystem   ActorKind = "system"   // the service itself
)

// Actor is who does something, and from where. It travels with the context, so
// that whatever is done is written down as theirs.
type Actor struct {
	Kind      ActorKind
	Name      string
	AccountID string // of a person
	// Address is the network address that a request came from, or the name of the
	// machine that an operator is at; empty where there is none.
	Address string
}

type actorKey struct{}

// WithActor gives what is done with the context to an actor.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf tells who acts: the service itself, where nobody else was named.
func ActorOf(ctx context.Context) Actor {
	if a, ok := ctx.Value(actorKey{}).(Actor); ok {
		return a
	}
	return Actor{Kind: ActorSystem}
}

// AuditEntry is one line of the audit log. It holds no secret.
type AuditEntry struct {
	ID        string
	At        time.Time
	Action    AuditAction
	AccountID string // whose it is; empty: nobody's
	// Email is the address that the account had at that time: it may be gone since.
	Email   string
	Actor   Actor
	Subject string // what it was done to
	Detail  string // what else is to be said
}

// AuditQuery asks for entries. What is empty or zero asks for nothing.
type AuditQuery struct {
	AccountID string
	Email     string // that the account had when it happened
	Action    AuditAction
	// About finds entries that have exactly this text as the name or the address of
	// the actor, or as the subject.
	About        string
	Since, Until time.Time // from the one on, before the other
	// OldestFirst turns the order around; otherwise the newest comes first.
	OldestFirst bool
	After       *Cursor // nil: from the beginning of the order
	Limit       int
}

// Audit are the steps on the audit log. Entries are added, and go when their time
// is over; nothing else can be done with them, whoever asks the database.
type Audit interface {
	// Append adds an entry, whose Email it finds out. It may be put off.
	Append(ctx context.Context, e AuditEntry) error
	// List returns entries, in the order of their time.
	List(ctx context.Context, q AuditQuery) ([]AuditEntry, error)
	// Prune removes entries of the given time and before, the oldest first, at most
	// limit, and says how many.
	Prune(ctx context.Context, by time.Time, limit int) (int, error)
	// Horizon tells until when entries were removed because their time was over:
	// the log is whole from then on. The zero time: none were.
	Horizon(ctx context.Context) (time.Time, error)
	// NoteNetwork notes that a key was used from a network, and says how many it was
	// used from by now. It is 0 where that is nothing new, and for a key that is gone.
	NoteNetwork(ctx context.Context, prefix, network string, at time.Time) (int, error)
}
