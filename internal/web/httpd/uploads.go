package httpd

import (
	"io"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
)

const (
	// maxAccountUploads is how many bytes of bodies one account has on their way to
	// this process at a time, and maxUploads how many all have: on disk for pushes, in
	// memory for everything else.
	maxAccountUploads = 64 << 20
	maxUploads        = 1 << 30
	// leastUpload is what a body counts at least: a connection, and what is made of it.
	leastUpload = 64 << 10
	// uploadsWait is an estimate: a body arrives when its client sends it.
	uploadsWait = 10 * time.Second
)

// uploads counts bodies that are on their way or at work, by what they may become.
type uploads struct {
	mu      sync.Mutex
	total   int64
	account map[string]int64
}

// take reserves room for a body until release. CodeTooManyRequests where the account
// has too much on its way already, CodeUnavailable where all have.
func (u *uploads) take(accountID string, size int64) (release func(), err error) {
	size = max(size, leastUpload)
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.account[accountID]+size > maxAccountUploads:
		e := svc.Errorf(svc.CodeTooManyRequests, "Bodies of requests with %d bytes are on their way from this account, and no more may.", u.account[accountID])
		e.Hint = "Send one after the other."
		e.RetryAfter = uploadsWait
		return nil, e
	case u.total+size > maxUploads:
		e := svc.Errorf(svc.CodeUnavailable, "Too much is sent to this service at the moment.")
		e.RetryAfter = uploadsWait
		return nil, e
	}
	if u.account == nil {
		u.account = make(map[string]int64)
	}
	u.account[accountID] += size
	u.total += size
	return sync.OnceFunc(func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.total -= size
		if u.account[accountID] -= size; u.account[accountID] == 0 {
			delete(u.account, accountID)
		}
	}), nil
}

// upload is the body of a request. Room is taken for it when a handler begins to read
// it: one that nobody reads is not taken in.
type upload struct {
	io.ReadCloser
	// keep says that what was read is kept until the request is done; otherwise little
	// is kept of it.
	keep    bool
	take    func() (release func(), err error)
	release func()
}

// Read implements io.Reader; an error may be that of uploads.take.
func (u *upload) Read(p []byte) (n int, err error) {
	if u.release == nil {
		if u.release, err = u.take(); err != nil {
			return 0, err
		}
	}
	if n, err = u.ReadCloser.Read(p); err != nil && !u.keep {
		u.release()
	}
	return n, err
}

// done gives the room back.
func (u *upload) done() {
	if u.release != nil {
		u.release()
	}
}
