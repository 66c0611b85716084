//go:build unix

package cluster

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// natsTenants is how many services can share the servers without hearing of
// each other: each has an account of NATS.
const natsTenants = 256

// natsSettings is the configuration of one server. The others are not told to
// clients, which know all of them: whoever puts something between a client and
// a server wants it to stay there.
const natsSettings = `server_name: %[1]s
listen: %[2]s
http: %[3]s
jetstream { store_dir: %[4]q, max_file_store: 1TB }
cluster {
  name: svc
  listen: %[5]s
  no_advertise: true
  routes: [ %[6]s ]
}
accounts {
%[7]s  SYS { users: [ { user: sys, password: sys } ] }
}
system_account: SYS
`

// natsPermissions are what docs/operate.md says that the service needs.
const natsPermissions = `{ publish: ["svc.>", "$JS.API.>", "_INBOX.>"], subscribe: ["svc.>", "_INBOX.>"] }`

// newNATS prepares servers that make a cluster with JetStream.
func (e *Engines) newNATS(ctx context.Context, dir string, servers int) ([]*harness.Process, error) {
	program, err := toolbox.Build(ctx, toolbox.NATS())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", needs.ErrMissing, err)
	}
	addresses, err := toolbox.FreeAddresses(3 * servers)
	if err != nil {
		return nil, err
	}
	clients, routes, monitors := addresses[:servers], addresses[servers:2*servers], addresses[2*servers:]
	all := make([]*harness.Process, servers)
	for i := range all {
		home := filepath.Join(dir, fmt.Sprintf("nats%d", i+1))
		store := filepath.Join(home, "store")
		if err := os.MkdirAll(store, 0o700); err != nil {
			return nil, fmt.Errorf("prepare NATS: %w", err)
		}
		if err := e.place(filepath.Base(home), store); err != nil {
			return nil, err
		}
		settings := filepath.Join(home, "nats.conf")
		text := fmt.Sprintf(natsSettings, filepath.Base(home), clients[i], monitors[i], store,
			routes[i], natsRoutes(routes), natsAccounts())
		if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
			return nil, fmt.Errorf("prepare NATS: %w", err)
		}
		all[i] = &harness.Process{
			Name: filepath.Base(home), Address: clients[i], LogFile: home + ".log",
			Command: func() *exec.Cmd { return exec.Command(program, "--config", settings) },
			Ready: func(ctx context.Context) error {
				return harness.Answers(ctx, http.DefaultClient, "http://"+monitors[i]+"/healthz")
			},
		}
	}
	return all, nil
}

func natsRoutes(addresses []string) string {
	quoted := make([]string, len(addresses))
	for i, a := range addresses {
		quoted[i] = fmt.Sprintf("%q", "nats://"+a)
	}
	return strings.Join(quoted, ", ")
}

func natsAccounts() string {
	var b strings.Builder
	for i := range natsTenants {
		name, password := natsUser(i)
		fmt.Fprintf(&b, "  T%d { jetstream: enabled, users: [ { user: %s, password: %s, permissions: %s } ] }\n", i, name, password, natsPermissions)
	}
	return b.String()
}

func natsUser(tenant int) (name, password string) {
	return fmt.Sprintf("tenant%d", tenant), fmt.Sprintf("secret%d", tenant)
}

// natsURL names all servers, for one tenant.
func natsURL(addresses []string, tenant int) string {
	name, password := natsUser(tenant)
	urls := make([]string, len(addresses))
	for i, a := range addresses {
		urls[i] = "nats://" + name + ":" + password + "@" + a
	}
	return strings.Join(urls, ",")
}
