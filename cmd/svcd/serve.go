package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/bundle-delivery/svc/internal/ops/setting"
	"github.com/bundle-delivery/svc/internal/ops/telemetry"
	"github.com/bundle-delivery/svc/internal/store/datadir"
)

// The time to end in. Together they stay below the half minute after which
// supervisors kill what does not end.
const (
	// drainWait is for requests that are under way.
	drainWait = 20 * time.Second
	// settleWait is for the work in the background.
	settleWait = 8 * time.Second
)

func newServeCommand(std Streams, environment []string) *cobra.Command {
	s := defaultSettings()
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the service",
		Long: "Run the service. Without any flag, in an empty folder, it is complete: HTTPS with a\n" +
			"certificate of its own authority, and everything it keeps in ./svcd-data.",
		Args: cobra.NoArgs,
	}
	all := s.table()
	setting.Register(cmd.Flags(), all)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.resolve(cmd.Flags(), environment, all); err != nil {
			return err
		}
		s.models.environment = environment
		if err := s.check(); err != nil {
			return err
		}
		return serve(cmd.Context(), s, std)
	}
	return cmd
}

// isTerminal says whether a person reads what is written there.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// serve runs the service until the context ends, and then ends it well.
func serve(ctx context.Context, s *settings, std Streams) (err error) {
	log := telemetry.NewLogger(std.Err, isTerminal(std.Err))
	dir := datadir.Dir(s.dataDir)
	if err := dir.Create(); err != nil {
		return err
	}
	if err := dir.CheckOwner(); err != nil {
		return err
	}
	if tightened, err := dir.Tighten(); err != nil {
		return err
	} else if tightened {
		log.Warn("the data folder could be read by other users; it is now its owner's alone", "folder", s.dataDir)
	}
	s.warnOfUnsharedStorage(log)
	lock, err := dir.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := dir.UnpublishAddress(); err != nil {
		return err
	}
	// The context bounds the opening alone. What is opened outlives it: requests
	// that are under way when it ends are finished.
	service, err := openComponents(ctx, s, dir, log)
	if err != nil && ctx.Err() != nil {
		log.Info("stopped before it had started", "waiting", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.close()) }()
	listeners, err := openListeners(s, dir, service, log)
	if err != nil {
		return err
	}
	if err := s.openSigner(ctx, service.signer, listeners.base); err != nil {
		return errors.Join(err, listeners.close())
	}
	work := service.start()
	failed := listeners.start()
	if err := listeners.announce(ctx, s, dir, service, std); err != nil {
		log.Error("the address could not be told", "error", err)
	}

	select {
	case <-ctx.Done():
		log.Info("shutting down")
	case err = <-failed:
		log.Error("a listener failed, shutting down", "error", err)
	}
	service.draining.Store(true)
	if err == nil && s.drainDelay > 0 {
		log.Info("not ready from now on; the listeners close later", "delay", s.drainDelay)
		work.handBack()
		time.Sleep(s.drainDelay)
	}
	return errors.Join(err, shutDown(listeners, work, dir, log))
}

// shutDown stops accepting, lets requests finish while runs are handed back, and
// then ends the work that requests may have needed.
func shutDown(l *listeners, work *work, dir datadir.Dir, log *slog.Logger) error {
	err := dir.UnpublishAddress()
	work.handBack()
	drain, cancel := context.WithTimeout(context.Background(), drainWait)
	defer cancel()
	if cut := l.shutDown(drain); cut != nil {
		log.Warn("requests that did not end in time were cut off", "error", cut)
	}
	if !work.stop(settleWait) {
		err = errors.Join(err, fmt.Errorf("the work in the background did not end within %s", settleWait))
	}
	log.Info("stopped")
	return err
}
