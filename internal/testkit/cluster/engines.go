//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
	"github.com/bundle-delivery/svc/internal/testkit/s3test"
	"github.com/bundle-delivery/svc/internal/testkit/smalldisk"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// Engines are where services keep things: a PostgreSQL, an S3 and a cluster of
// NATS. Several services can use them without knowing of each other.
type Engines struct {
	PostgreSQL *harness.Process
	S3         *harness.Process
	NATS       []*harness.Process

	// records is PostgreSQL's folder: its user could not come through those of
	// this one.
	records string
	disks   *smalldisk.Set
	tenants atomic.Int64
}

// natsServers is the least with which one can be lost.
const natsServers = 3

// StartEngines starts all of them, with what they keep below dir. When it fails
// nothing is left running.
func StartEngines(ctx context.Context, dir string) (*Engines, error) {
	return StartEnginesOn(ctx, dir, nil)
}

// StartEnginesOn starts them on disks of their own, as far as the set has them:
// for postgresql, s3, nats1, nats2 and nats3.
func StartEnginesOn(ctx context.Context, dir string, disks *smalldisk.Set) (*Engines, error) {
	e := &Engines{disks: disks}
	if err := e.start(ctx, dir); err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	return e, nil
}

func (e *Engines) start(ctx context.Context, dir string) error {
	addresses, err := toolbox.FreeAddresses(2)
	if err != nil {
		return err
	}
	// The slowest begins first and is waited for last.
	if err := e.launchNATS(ctx, dir); err != nil {
		return err
	}
	if e.records, err = os.MkdirTemp("", "svc-pg"); err != nil {
		return fmt.Errorf("prepare PostgreSQL: %w", err)
	}
	if err := e.place("postgresql", e.records); err != nil {
		return err
	}
	s3 := filepath.Join(dir, "s3")
	if err := os.MkdirAll(s3, 0o700); err != nil {
		return fmt.Errorf("prepare S3: %w", err)
	}
	if err := e.place("s3", s3); err != nil {
		return err
	}
	if e.PostgreSQL, err = pgtest.New(ctx, e.records, addresses[0]); err != nil {
		return err
	}
	if e.S3, err = s3test.New(ctx, s3, addresses[1]); err != nil {
		return err
	}
	for _, p := range []*harness.Process{e.PostgreSQL, e.S3} {
		if err := p.Start(ctx); err != nil {
			return err
		}
	}
	return e.awaitNATS(ctx)
}

// place gives an engine its disk.
func (e *Engines) place(engine, folder string) error {
	if err := e.disks.Mount(engine, folder); err != nil {
		return fmt.Errorf("prepare %s: %w", engine, err)
	}
	return nil
}

// startNATS starts the servers of NATS and nothing else.
func startNATS(ctx context.Context, dir string, disks *smalldisk.Set) (*Engines, error) {
	e := &Engines{disks: disks}
	err := e.launchNATS(ctx, dir)
	if err == nil {
		err = e.awaitNATS(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	return e, nil
}

func (e *Engines) launchNATS(ctx context.Context, dir string) error {
	servers, err := e.newNATS(ctx, dir, natsServers)
	if err != nil {
		return err
	}
	e.NATS = servers
	for _, p := range e.NATS {
		if err := p.Launch(); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engines) awaitNATS(ctx context.Context) error {
	for _, p := range e.NATS {
		if err := p.AwaitReady(ctx); err != nil {
			return err
		}
	}
	return nil
}

// NATSURL names the servers of NATS for the first service on them.
func (e *Engines) NATSURL() string { return natsURL(e.natsAddresses(), 0) }

func (e *Engines) natsAddresses() []string {
	all := make([]string, len(e.NATS))
	for i, p := range e.NATS {
		all[i] = p.Address
	}
	return all
}

// All are the processes of the engines.
func (e *Engines) All() []*harness.Process {
	all := append([]*harness.Process(nil), e.NATS...)
	for _, p := range []*harness.Process{e.S3, e.PostgreSQL} {
		if p != nil {
			all = append(all, p)
		}
	}
	return all
}

// Stop ends all of them.
func (e *Engines) Stop() error {
	var err error
	for _, p := range e.All() {
		err = errors.Join(err, p.Stop())
	}
	err = errors.Join(err, e.disks.Unmount())
	if e.records != "" {
		err = errors.Join(err, os.RemoveAll(e.records))
	}
	return err
}

// Tenant is room for one service on the engines.
type Tenant struct {
	engines  *Engines
	number   int
	database string
	bucket   string
}

// Tenant makes room for another service: a database, a bucket and an account of
// NATS, all empty.
func (e *Engines) Tenant(ctx context.Context) (*Tenant, error) {
	n := int(e.tenants.Add(1)) - 1
	if n >= natsTenants {
		return nil, fmt.Errorf("there is no room for more than %d services", natsTenants)
	}
	t := &Tenant{engines: e, number: n, database: fmt.Sprintf("svc%d", n), bucket: fmt.Sprintf("svc-%d", n)}
	if err := pgtest.Exec(ctx, pgtest.URL(e.PostgreSQL.Address, "postgres"), "CREATE DATABASE "+t.database); err != nil {
		return nil, fmt.Errorf("make a database: %w", err)
	}
	if err := s3test.MakeBucket(ctx, e.S3.Address, t.bucket); err != nil {
		return nil, fmt.Errorf("make a bucket: %w", err)
	}
	return t, nil
}

// Addresses say where a process finds the engines. Something may stand between.
type Addresses struct {
	PostgreSQL string
	S3         string
	NATS       []string
}

// Addresses are those of the engines themselves.
func (e *Engines) Addresses() Addresses {
	return Addresses{PostgreSQL: e.PostgreSQL.Address, S3: e.S3.Address, NATS: e.natsAddresses()}
}

// DatabaseURL is the address of the tenant's records.
func (t *Tenant) DatabaseURL() string { return pgtest.URL(t.engines.PostgreSQL.Address, t.database) }

// BlobURL is the address of the tenant's bytes.
func (t *Tenant) BlobURL() string { return s3test.URL(t.engines.S3.Address, t.bucket) }

// NATSURL is the address of the tenant's events.
func (t *Tenant) NATSURL() string { return natsURL(t.engines.natsAddresses(), t.number) }

// Keys are the variables that open the buckets.
func Keys() map[string]string {
	return map[string]string{"AWS_ACCESS_KEY_ID": s3test.AccessKey, "AWS_SECRET_ACCESS_KEY": s3test.SecretKey}
}

// Environment is what a process needs to use the engines at these addresses.
func (t *Tenant) Environment(a Addresses) []string {
	env := []string{
		"SVCD_DATABASE_URL=" + pgtest.URL(a.PostgreSQL, t.database),
		"SVCD_BLOB_URL=" + s3test.URL(a.S3, t.bucket),
		"SVCD_NATS_URL=" + natsURL(a.NATS, t.number),
	}
	for name, text := range Keys() {
		env = append(env, name+"="+text)
	}
	return env
}
