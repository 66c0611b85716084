package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/fsblob"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/jetstream"
	"github.com/bundle-delivery/svc/internal/postgres"
	"github.com/bundle-delivery/svc/internal/s3blob"
	"github.com/bundle-delivery/svc/internal/setting"
	"github.com/bundle-delivery/svc/internal/sqlite"
	"github.com/bundle-delivery/svc/internal/transfer"
)

func newMigrateCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate --database-url URL [--blob-url URL] [--nats-url URL]",
		Short: "Move everything in a data folder to PostgreSQL, S3 and NATS, and check that it arrived",
		Long: "Move everything in a data folder to PostgreSQL, to S3 where --blob-url is given, and\n" +
			"what generations said to NATS where --nats-url is given. The service has to be stopped.\n" +
			"All of it is read back and compared. It can be interrupted at any time and run again;\n" +
			"the records go last and all at once, and from then on svcd refuses the old folder's.",
		Args: cobra.NoArgs,
	}
	s := defaultSettings()
	offered := s.pick("data-dir", "database-url", "blob-url", "nats-url", "nats-replicas", "event-bytes", "bundle-ttl", "cleanup-interval")
	setting.Register(cmd.Flags(), offered)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.resolve(cmd.Flags(), environment, offered); err != nil {
			return err
		}
		if s.databaseURL == "" {
			return usagef("--database-url is missing: the PostgreSQL to move to, as postgres://user@host/name")
		}
		if err := s.check(); err != nil {
			return err
		}
		return migrate(asOperator(cmd.Context(), environment), s, std)
	}
	return cmd
}

// migrate moves the data folder while nobody serves it.
func migrate(ctx context.Context, s *settings, std Streams) (err error) {
	dir := dataDir(s.dataDir)
	if err := dir.checkOwner(); err != nil {
		return err
	}
	if err := dir.refuseHalfRestored(); err != nil {
		return err
	}
	if _, err := os.Stat(dir.database()); err != nil {
		return fmt.Errorf("there is nothing to move in %s: %w", dir, err)
	}
	lock, err := dir.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()

	m := &mover{settings: s, dir: dir}
	defer func() { err = errors.Join(err, m.close()) }()
	if err := m.open(ctx); err != nil {
		return err
	}
	show := newProgress(std.Err)
	m.move.Report = show.update
	sum, err := m.move.Run(ctx)
	show.end()
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted; run the same command again to go on")
	}
	if err != nil {
		return err
	}
	if err := m.remember(moveDone); err != nil {
		return err
	}
	if err := json.NewEncoder(std.Out).Encode(sum); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return m.advise(std.Err, sum)
}

// mover is a move with everything that was opened for it.
type mover struct {
	settings *settings
	dir      dataDir
	note     moveNote
	goal     moveGoal
	target   *postgres.Store
	move     transfer.Move
	closers  []func() error
}

func (m *mover) open(ctx context.Context) error {
	var err error
	if m.note, err = m.dir.readMove(); err != nil {
		return err
	}
	if m.target, err = postgres.Open(ctx, m.settings.databaseURL); err != nil {
		return err
	}
	m.closers = append(m.closers, m.target.Close)
	m.goal = moveGoal{Records: m.target.Name(), Events: serverNames(m.settings.natsURL)}
	m.move = transfer.Move{
		Origin: m.note.ID, To: m.target, Sealed: m.note.State == moveSealed,
		Since: time.Now().Add(-generation.Retention(m.settings.runLimits, m.settings.limits.BundleTTL, m.settings.cleanup)),
		Seal:  func() error { return m.remember(moveSealed) }, Unseal: func() error { return m.remember(moveBegun) },
	}
	if m.settings.blobURL != "" {
		blobs, err := s3blob.Open(ctx, m.settings.blobURL)
		if err != nil {
			return err
		}
		m.closers = append(m.closers, blobs.Close)
		m.move.ToBlobs, m.goal.Archives = blobs, blobs.Name()
	}
	if err := m.dir.checkGoal(m.note, m.goal); err != nil {
		return err
	}
	if err := m.openSource(ctx); err != nil {
		return err
	}
	if err := m.openEvents(ctx); err != nil {
		return err
	}
	if m.note.State == "" {
		return m.remember(moveBegun)
	}
	return nil
}

// openSource opens what the folder holds. Nobody can write to the records until
// it is closed.
func (m *mover) openSource(ctx context.Context) error {
	store, err := sqlite.Open(ctx, m.dir.database())
	if err != nil {
		return err
	}
	m.closers = append(m.closers, store.Close)
	if m.note.State == "" { // later tries are the same move
		if err := accounts.New(store, time.Now).Note(ctx, svc.AuditEntry{
			Action: svc.AuditDataExported, Subject: "everything", Detail: "move to " + m.target.Name(),
		}); err != nil {
			return err
		}
	}
	dump, err := store.Dump(ctx)
	if err != nil {
		return err
	}
	m.closers = append(m.closers, dump.Close)
	blobs, err := fsblob.Open(m.dir.blobs())
	if err != nil {
		return err
	}
	m.closers = append(m.closers, blobs.Close)
	m.move.From, m.move.FromBlobs = dump, blobs
	return nil
}

// openEvents opens both event logs, where there are two.
func (m *mover) openEvents(ctx context.Context) error {
	if m.settings.natsURL == "" {
		return nil
	}
	if _, err := os.Stat(m.dir.events()); os.IsNotExist(err) {
		return nil
	}
	quiet := slog.New(slog.DiscardHandler)
	here := *m.settings
	here.natsURL, here.natsReplicas = "", 0
	var logs [2]*jetstream.Bus
	for i, s := range []*settings{&here, m.settings} {
		bus, err := openBus(ctx, s, s.natsURL, m.dir, quiet)
		if err != nil {
			return fmt.Errorf("events: %w", err)
		}
		m.closers = append(m.closers, func() error { bus.Close(); return nil })
		logs[i] = bus
	}
	m.move.FromEvents, m.move.ToEvents = logs[0].Events(), logs[1].Events()
	return nil
}

// remember notes in the folder how far its move is.
func (m *mover) remember(state string) error {
	if m.note.State == moveDone {
		return nil
	}
	m.note.State, m.note.moveGoal, m.note.At = state, m.goal, time.Now().UTC()
	return m.dir.writeMove(m.note)
}

// close closes what was opened, the last first.
func (m *mover) close() error {
	var errs []error
	for i := len(m.closers) - 1; i >= 0; i-- {
		errs = append(errs, m.closers[i]())
	}
	return errors.Join(errs...)
}

// advise says what was done and what to do next.
func (m *mover) advise(w io.Writer, sum transfer.Summary) error {
	said := "Everything was moved to %s and compared there.\n"
	if sum.Already {
		said = "Everything was moved to %s before; there was nothing left to do.\n"
	}
	text := fmt.Sprintf("svcd: "+said, m.target.Name())
	if sum.Replaced > 0 {
		text += fmt.Sprintf("%d texts held characters that PostgreSQL cannot keep; these are now U+FFFD.\n", sum.Replaced)
	}
	text += "Start the service with the same --database-url"
	if m.settings.blobURL != "" {
		text += " and --blob-url"
	}
	if m.settings.natsURL != "" {
		text += " and --nats-url"
	}
	keep := " Certificates, "
	if m.settings.blobURL == "" {
		keep += "archives, "
	}
	if m.settings.natsURL == "" {
		keep += "events, "
	}
	text += ". Keep the old folder as --data-dir:" + keep[:len(keep)-2] + " are still read from it.\n" +
		"Its records stay as they were and are refused from now on; back up the new stores, then " + m.dir.database() + " may go.\n"
	_, err := io.WriteString(w, text)
	return err
}
