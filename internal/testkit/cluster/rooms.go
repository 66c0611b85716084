//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// Rooms gives the services of a package's tests places on engines that they share.
// The zero value is ready for use; the engines start with the first room.
type Rooms struct {
	once    sync.Once
	dir     string
	running *Engines
	err     error

	mu   sync.Mutex
	made map[string]*Room // by data folder: a service that is started again finds its own
}

// Room is the place of one service: on the engines, and behind a balancer.
type Room struct {
	*Tenant
	Balancer  *Balancer
	addresses []string
}

// Part is one process of a service.
type Part struct {
	Dir   string
	Flags []string
}

// For returns the room of the service with this data folder.
func (r *Rooms) For(t testing.TB, dir string) *Room {
	t.Helper()
	r.once.Do(r.start)
	needs.Check(t, r.err)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made[dir] != nil {
		return r.made[dir]
	}
	made := &Room{
		Tenant:    must.Get(r.running.Tenant(t.Context()))(t),
		Balancer:  must.Get(NewBalancer(t.Context()))(t),
		addresses: must.Get(toolbox.FreeAddresses(3))(t),
	}
	for _, a := range made.addresses {
		made.Balancer.Add(a, harness.Listening("tcp", a))
	}
	t.Cleanup(func() {
		if err := made.Balancer.Close(); err != nil {
			t.Error(err)
		}
	})
	r.made[dir] = made
	return made
}

func (r *Rooms) start() {
	if r.dir, r.err = os.MkdirTemp("", "svc-engines"); r.err != nil {
		return
	}
	r.made = make(map[string]*Room)
	if r.running, r.err = StartEngines(context.Background(), r.dir); r.err != nil {
		return
	}
	for name, text := range Keys() {
		r.err = errors.Join(r.err, os.Setenv(name, text)) // for all tests, which run in parallel
	}
}

// Close ends the engines, if there are any.
func (r *Rooms) Close() error {
	if r.running == nil {
		return nil
	}
	http.DefaultClient.CloseIdleConnections()
	return errors.Join(r.running.Stop(), os.RemoveAll(r.dir))
}

// Parts returns the processes of a service with these flags. They have to be started
// one after the other.
func (r *Room) Parts(dir string, flags []string) []Part {
	given := func(flag string) bool { return slices.Contains(flags, flag) }
	flags = append(slices.Clone(flags), "--database-url", r.DatabaseURL(), "--blob-url", r.BlobURL(), "--nats-url", r.NATSURL())
	if !given("--base-url") {
		flags = append(flags, "--base-url", "https://"+r.Balancer.Address())
	}
	// Each link to begin with voids the one before, and is made after its process serves:
	// only the last process makes one.
	parts := []Part{{dir, append(slices.Clone(flags), "--listen", r.addresses[0], "--print-setup-link=false")}}
	if !given("--tls-cert") { // the first process makes them
		flags = append(flags, "--tls-cert", filepath.Join(dir, "tls", "leaf.pem"), "--tls-key", filepath.Join(dir, "tls", "leaf-key.pem"))
	}
	for n, a := range r.addresses[1:] {
		last := n == len(r.addresses)-2
		own := append(slices.Clone(flags), "--listen", a, fmt.Sprintf("--print-setup-link=%v", last))
		parts = append(parts, Part{fmt.Sprintf("%s-%d", dir, n+2), own})
	}
	return parts
}
