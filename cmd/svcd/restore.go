package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/backup"
	"github.com/bundle-delivery/svc/internal/fsblob"
	"github.com/bundle-delivery/svc/internal/sqlite"
)

func newRestoreCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a data folder of a backup",
		Long: "Make a data folder of a backup, which has to be new or empty. Everything is checked\n" +
			"first, and the folder appears whole or not at all. - reads from stdin. With --check\n" +
			"nothing is made: the backup is unpacked into a temporary folder, checked and forgotten.",
		Args: cobra.ExactArgs(1),
	}
	s := defaultSettings()
	offered := s.pick("data-dir", "database-url", "blob-url")
	register(cmd.Flags(), offered)
	check := cmd.Flags().Bool("check", false, "only check the backup, as a restore would")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := resolve(cmd.Flags(), environment, s.table(), offered); err != nil {
			return err
		}
		if err := s.onlyEmbedded("restore"); err != nil {
			return err
		}
		b := &backups{dir: dataDir(s.dataDir), std: std}
		if *check {
			return b.checkOnly(cmd.Context(), args[0])
		}
		return b.restore(cmd.Context(), args[0])
	}
	return cmd
}

// checkOnly checks a backup in a temporary folder.
func (b *backups) checkOnly(ctx context.Context, path string) (err error) {
	folder, err := os.MkdirTemp("", "svcd-check-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	sum, err := b.check(ctx, filepath.Join(folder, "data"), path)
	if err != nil {
		return fmt.Errorf("check the backup %s: %w", path, err)
	}
	return b.print(path, sum)
}

// restore unpacks a backup beside the data folder, checks it, and gives it the
// folder's name then.
func (b *backups) restore(ctx context.Context, path string) (err error) {
	target, err := filepath.Abs(string(b.dir))
	if err != nil {
		return err
	}
	if err := checkVacant(target); err != nil {
		return err
	}
	aside := dataDir(target + ".restoring")
	if err := aside.create(); err != nil {
		return err
	}
	if err := aside.checkOwner(); err != nil {
		return err
	}
	lock, err := aside.lock()
	if err != nil {
		return fmt.Errorf("another restore is at work: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	placed := false
	defer func() {
		if !placed {
			err = errors.Join(err, os.RemoveAll(string(aside)))
		}
	}()
	if err := aside.clear(filepath.Base(lock.Path())); err != nil {
		return err
	}
	sum, err := b.unpack(ctx, path, aside)
	if err != nil {
		return fmt.Errorf("restore %s; nothing was changed: %w", path, err)
	}
	if err := place(string(aside), target); err != nil {
		return fmt.Errorf("put the restored folder in its place: %w", err)
	}
	placed = true
	if err := b.print(path, sum); err != nil {
		return err
	}
	_, err = fmt.Fprintf(b.std.Err, "svcd: %s is again what it was at %s. Since then forgotten: keys that were revoked work again (revoke them with\n"+
		"svcd key revoke), bundles that were acknowledged wait again, passwords and limits are the old ones. People sign in anew.\n",
		b.dir, sum.CreatedAt.Format(time.RFC3339))
	return err
}

// checkVacant refuses a data folder that holds anything.
func checkVacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("the data folder %s is not empty; restore into a new one, or move it away first", dir)
	}
	return nil
}

// clear removes everything but one file.
func (d dataDir) clear(but string) error {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == but {
			continue
		}
		if err := os.RemoveAll(d.path(e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// unpack fills a new data folder.
func (b *backups) unpack(ctx context.Context, path string, into dataDir) (sum backup.Summary, err error) {
	blobs, err := fsblob.Open(into.blobs())
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	if sum, err = b.read(ctx, path, string(into), blobs); err != nil {
		return sum, err
	}
	store, err := sqlite.Open(ctx, into.database())
	if err != nil {
		return sum, err
	}
	return sum, errors.Join(store.ForgetSignIns(ctx), store.Close())
}

// place makes a folder the one with the name, which is empty or not there.
func place(folder, name string) error {
	if err := syncFolder(folder); err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(folder, name); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(name))
}
