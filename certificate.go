package svc

import (
	"context"
	"time"
)

// CertificateFile is a small file that all processes share so that one of them
// can get a certificate and all of them can show it: a certificate, its private
// key, the account at the authority, or the answer to a challenge.
type CertificateFile struct {
	Name      string // components with a slash between them, such as "certificates/ca/name.key"
	Content   []byte
	ChangedAt time.Time
}

// CertificateFiles are the steps on these files, and on the locks that keep two
// processes from asking for the same certificate at once.
type CertificateFiles interface {
	// Put makes a file or replaces it.
	Put(ctx context.Context, f CertificateFile) error
	// Get returns a file. ErrNotFound when there is none of this name.
	Get(ctx context.Context, name string) (CertificateFile, error)
	// Delete removes a file and all files below its name. What is not there is
	// no error.
	Delete(ctx context.Context, name string) error
	// List returns the names of the files below a folder, at any depth, sorted.
	// The folder "" holds them all.
	List(ctx context.Context, folder string) ([]string, error)
	// Lock takes a lock for an owner until the lease ends; one that the owner has
	// already is taken again. A lock whose lease is over at the given time is
	// anybody's. It says whether the owner now has the lock.
	Lock(ctx context.Context, name, owner string, now, lease time.Time) (bool, error)
	// Prolong moves the end of the lease of a lock that the owner has, and says
	// whether the owner has it. It never takes one: a sign of life that comes late
	// does not bring back a lock that was given back.
	Prolong(ctx context.Context, name, owner string, lease time.Time) (bool, error)
	// Unlock gives a lock back, if the owner still has it.
	Unlock(ctx context.Context, name, owner string) error
}
