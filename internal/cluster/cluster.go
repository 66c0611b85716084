//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/bundle-delivery/svc/internal/certs"
	"github.com/bundle-delivery/svc/internal/harness"
	"github.com/bundle-delivery/svc/internal/toolbox"
)

// Config says what to start. The zero value and a folder will do.
type Config struct {
	// Dir is the folder for everything; it has to exist.
	Dir string
	// Program is the svcd to run. Empty: it is built.
	Program string
	// Engines are used, if given, and left alone at the end. Nil: own ones.
	Engines *Engines
	// Servers are the flags of each svcd, beside those that make it one of the
	// cluster. Nil: three without any.
	Servers [][]string
	// Flags are for every svcd.
	Flags []string
	// Route says by which addresses a svcd, counted from 0, finds the engines.
	// Nil: by their own.
	Route func(server int, own Addresses) (Addresses, error)
}

// Cluster is a running service of many processes.
type Cluster struct {
	harness.Service // at the address of the balancer

	Engines  *Engines
	Tenant   *Tenant
	Servers  []*Server
	Balancer *Balancer

	ownEngines bool
}

// Server is one svcd.
type Server struct {
	*Process
	harness.Service        // at its own address; without Base when it has no API
	Metrics         string // http address of its admin listener, with /metrics
}

// Start starts a cluster. When it fails nothing is left running.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	c := &Cluster{Engines: cfg.Engines}
	if err := c.start(ctx, cfg); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, cfg Config) (err error) {
	c.Program = cfg.Program
	if c.Program == "" {
		if c.Program, err = harness.Build(ctx, cfg.Dir); err != nil {
			return err
		}
	}
	if c.Engines == nil {
		if c.Engines, err = StartEngines(ctx, cfg.Dir); err != nil {
			return err
		}
		c.ownEngines = true
	}
	if c.Tenant, err = c.Engines.Tenant(ctx); err != nil {
		return err
	}
	if cfg.Servers == nil {
		cfg.Servers = make([][]string, 3)
	}
	if err := c.prepare(cfg); err != nil {
		return err
	}
	for _, s := range c.Servers {
		// One after the other: the first brings the schema.
		if err := s.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the certificate, the balancer and the servers behind it.
func (c *Cluster) prepare(cfg Config) error {
	c.Data = filepath.Join(cfg.Dir, "shared")
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return fmt.Errorf("prepare the cluster: %w", err)
	}
	authority, err := certs.OpenLocal(filepath.Join(c.Data, "tls"), "127.0.0.1", time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	if c.Client, err = harness.Trusting(authority.AuthorityFile()); err != nil {
		return err
	}
	c.Environment = c.Tenant.Environment(c.Engines.Addresses())
	addresses, err := toolbox.FreeAddresses(2 * len(cfg.Servers))
	if err != nil {
		return err
	}
	var targets []Target
	for i := range cfg.Servers {
		s, err := c.server(cfg, i, addresses[2*i], addresses[2*i+1])
		if err != nil {
			return err
		}
		c.Servers = append(c.Servers, s)
		if s.Base != "" {
			targets = append(targets, Target{Address: s.Address, Ready: s.ready})
		}
	}
	if len(targets) == 0 {
		return errors.New("prepare the cluster: no svcd has the api role")
	}
	if c.Balancer, err = Balance(targets); err != nil {
		return err
	}
	c.Base = "https://" + c.Balancer.Address
	for i, s := range c.Servers {
		s.args = append(s.args, "--base-url", c.Base)
		s.args = slices.Concat(s.args, cfg.Flags, cfg.Servers[i])
	}
	return nil
}

func (c *Cluster) server(cfg Config, i int, address, admin string) (*Server, error) {
	name := fmt.Sprintf("svcd%d", i+1)
	data := filepath.Join(cfg.Dir, name)
	found := c.Engines.Addresses()
	if cfg.Route != nil {
		var err error
		if found, err = cfg.Route(i, found); err != nil {
			return nil, err
		}
	}
	client, err := harness.Trusting(filepath.Join(c.Data, "tls", "ca.pem"))
	if err != nil {
		return nil, err
	}
	environment := c.Tenant.Environment(found)
	s := &Server{
		Service: harness.Service{Base: "https://" + address, Data: data, Client: client, Program: c.Program, Environment: environment},
		Metrics: "http://" + admin,
		Process: &Process{
			Name: name, Address: address, LogFile: data + ".log", program: c.Program,
			environment: append(plainEnvironment(), environment...),
			args: []string{
				"serve", "--data-dir", data, "--listen", address, "--admin-listen", admin,
				"--tls-cert", filepath.Join(c.Data, "tls", "leaf.pem"), "--tls-key", filepath.Join(c.Data, "tls", "leaf-key.pem"),
			},
			stop: syscall.SIGTERM, kill: syscall.SIGKILL,
		},
	}
	s.ready = func(ctx context.Context) error { return answers(ctx, client, s.Base+"/readyz") }
	if !servesAPI(append(slices.Clone(cfg.Flags), cfg.Servers[i]...)) {
		s.Base = ""
		s.ready = func(ctx context.Context) error { return answers(ctx, http.DefaultClient, s.Metrics+"/metrics") }
	}
	return s, nil
}

// servesAPI reads the roles in the flags of a svcd.
func servesAPI(flags []string) bool {
	roles := "api"
	for i, flag := range flags {
		if flag == "--roles" && i+1 < len(flags) {
			roles = flags[i+1]
		}
	}
	return slices.Contains(strings.Split(roles, ","), "api")
}

// plainEnvironment is this process's without what would be settings of svcd.
func plainEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SVCD_") || strings.HasPrefix(v, "AWS_") })
}

// Stop ends everything that was started, in the order in which it depends on
// each other.
func (c *Cluster) Stop() error {
	var err error
	for _, s := range c.Servers {
		err = errors.Join(err, s.Stop())
		s.Client.CloseIdleConnections()
	}
	if c.Balancer != nil {
		err = errors.Join(err, c.Balancer.Close())
	}
	if c.Client != nil {
		c.Client.CloseIdleConnections()
	}
	if c.ownEngines {
		err = errors.Join(err, c.Engines.Stop())
	}
	return err
}
