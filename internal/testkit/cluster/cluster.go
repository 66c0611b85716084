//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
	"github.com/bundle-delivery/svc/internal/web/certs"
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
	Servers  []*harness.Server
	Balancer *Balancer

	ownEngines bool
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
	if c.Balancer, err = NewBalancer(ctx); err != nil {
		return err
	}
	c.Base = "https://" + c.Balancer.Address()
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
	for i, flags := range cfg.Servers {
		found := c.Engines.Addresses()
		if cfg.Route != nil {
			if found, err = cfg.Route(i, found); err != nil {
				return err
			}
		}
		name := fmt.Sprintf("svcd%d", i+1)
		s, err := harness.NewServer(harness.Config{
			Name: name, Program: c.Program, Data: filepath.Join(cfg.Dir, name),
			Listen: addresses[2*i], Admin: addresses[2*i+1], Authority: authority.AuthorityFile(),
			Environment: append(c.Tenant.Environment(found), "SVCD_BASE_URL="+c.Base),
			Flags: slices.Concat([]string{
				"--tls-cert", filepath.Join(c.Data, "tls", "leaf.pem"), "--tls-key", filepath.Join(c.Data, "tls", "leaf-key.pem"),
			}, cfg.Flags, flags),
		})
		if err != nil {
			return err
		}
		c.Servers = append(c.Servers, s)
		if s.Base != "" {
			c.Balancer.Add(s.Address, s.Ready)
		}
	}
	return nil
}

// Stop ends everything that was started, in the order in which it depends on
// each other.
func (c *Cluster) Stop() error {
	var err error
	for _, s := range c.Servers {
		err = errors.Join(err, s.Stop())
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
