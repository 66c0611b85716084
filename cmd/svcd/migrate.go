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

	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/ops/setting"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/store/jetstream"
	"github.com/bundle-delivery/svc/internal/store/migrate"
	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/store/s3blob"
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
		return runMigrate(asOperator(cmd.Context(), environment), s, std)
	}
	return cmd
}

// runMigrate moves the data folder while nobody serves it.
func runMigrate(ctx context.Context, s *settings, std Streams) (err error) {
	dir := datadir.Dir(s.dataDir)
	if err := dir.CheckOwner(); err != nil {
		return err
	}
	if err := dir.RefuseHalfRestored(); err != nil {
		return err
	}
	if _, err := os.Stat(dir.Database()); err != nil {
		return fmt.Errorf("there is nothing to move in %s: %w", dir, err)
	}
	lock, err := dir.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()

	m := migrate.Move{Since: time.Now().Add(-generation.Retention(s.runLimits, s.limits.BundleTTL, s.cleanup))}
	target, err := postgres.Open(ctx, s.databaseURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	m.To = target
	goal := datadir.Goal{Records: target.Name(), Events: jetstream.ServerNames(s.natsURL)}
	if s.blobURL != "" {
		blobs, err := s3blob.Open(ctx, s.blobURL)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, blobs.Close()) }()
		m.ToBlobs, goal.Archives = blobs, blobs.Name()
	}
	folder, err := migrate.OpenFolder(ctx, dir, goal, note)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if _, missing := os.Stat(dir.Events()); s.natsURL != "" && !os.IsNotExist(missing) {
		here, there, err := openBothBuses(ctx, s, dir)
		if err != nil {
			return fmt.Errorf("events: %w", err)
		}
		defer there.Close()
		defer here.Close()
		m.FromEvents, m.ToEvents = here.Events(), there.Events()
	}
	show := newProgress(std.Err)
	m.Report = show.update
	sum, err := folder.Move(ctx, m)
	show.end()
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted; run the same command again to go on")
	}
	if err != nil {
		return err
	}
	if err := json.NewEncoder(std.Out).Encode(sum); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return adviseAfterMove(std.Err, s, goal.Records, sum)
}

// openBothBuses opens the event log in the folder and that of --nats-url.
func openBothBuses(ctx context.Context, s *settings, dir datadir.Dir) (here, there *jetstream.Bus, err error) {
	quiet := slog.New(slog.DiscardHandler)
	embedded := *s
	embedded.natsReplicas = 0
	if here, err = openBus(ctx, &embedded, "", dir, quiet); err != nil {
		return nil, nil, err
	}
	if there, err = openBus(ctx, s, s.natsURL, dir, quiet); err != nil {
		here.Close()
		return nil, nil, err
	}
	return here, there, nil
}

// adviseAfterMove says what was done and what to do next.
func adviseAfterMove(w io.Writer, s *settings, target string, sum migrate.Summary) error {
	said := "Everything was moved to %s and compared there.\n"
	if sum.Already {
		said = "Everything was moved to %s before; there was nothing left to do.\n"
	}
	text := fmt.Sprintf("svcd: "+said, target)
	if sum.Replaced > 0 {
		text += fmt.Sprintf("%d texts held characters that PostgreSQL cannot keep; these are now U+FFFD.\n", sum.Replaced)
	}
	text += "Start the service with the same --database-url"
	if s.blobURL != "" {
		text += " and --blob-url"
	}
	if s.natsURL != "" {
		text += " and --nats-url"
	}
	keep := " Certificates, "
	if s.blobURL == "" {
		keep += "archives, "
	}
	if s.natsURL == "" {
		keep += "events, "
	}
	text += ". Keep the old folder as --data-dir:" + keep[:len(keep)-2] + " are still read from it.\n" +
		"Its records stay as they were and are refused from now on; back up the new stores, then " + datadir.Dir(s.dataDir).Database() + " may go.\n"
	_, err := io.WriteString(w, text)
	return err
}
