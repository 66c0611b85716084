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

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/backup"
	"github.com/bundle-delivery/svc/internal/fsblob"
	"github.com/bundle-delivery/svc/internal/setting"
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
	setting.Register(cmd.Flags(), offered)
	check := cmd.Flags().Bool("check", false, "only check the backup, as a restore would")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := s.resolve(cmd.Flags(), environment, offered); err != nil {
			return err
		}
		if err := s.onlyEmbedded("restore"); err != nil {
			return err
		}
		b := &backups{dir: dataDir(s.dataDir), std: std}
		if *check {
			return b.checkOnly(cmd.Context(), args[0])
		}
		return b.restore(asOperator(cmd.Context(), environment), args[0])
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

// halfway is the folder in a data folder in which a restore unpacks. While it is
// there, everything else in the data folder is worth nothing.
func (d dataDir) halfway() string { return d.path(".restoring") }

// refuseHalfRestored keeps everybody from a folder that is not whole yet.
func (d dataDir) refuseHalfRestored() error {
	if d.halfRestored() {
		return fmt.Errorf("a restore of the data folder %s is going on or was interrupted; run svcd restore again", d)
	}
	return nil
}

func (d dataDir) halfRestored() bool {
	_, err := os.Lstat(d.halfway())
	return err == nil
}

// restore unpacks a backup in a corner of the data folder and checks it. Only
// when all is well it goes to its places, and the corner goes last. The folder
// itself is not replaced: it may be a mounted volume.
func (b *backups) restore(ctx context.Context, path string) (err error) {
	_, missing := os.Lstat(string(b.dir))
	if err := b.dir.checkVacant(); err != nil {
		return err
	}
	if err := b.dir.create(); err != nil {
		return err
	}
	if err := b.dir.checkOwner(); err != nil {
		return err
	}
	lock, err := b.dir.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	sum, placing, err := b.unpackAndPlace(ctx, path)
	if err != nil {
		if missing != nil { // then nothing is to be left
			err = errors.Join(err, os.RemoveAll(string(b.dir)))
		}
		return b.failed(path, placing, err)
	}
	if err := b.print(path, sum); err != nil {
		return err
	}
	_, err = fmt.Fprintf(b.std.Err, "svcd: %s is again what it was at %s. Since then forgotten: keys that were revoked work again (revoke them with\n"+
		"svcd key revoke), bundles that were acknowledged wait again, passwords and limits are the old ones. People sign in anew.\n",
		b.dir, sum.CreatedAt.Format(time.RFC3339))
	return err
}

// failed says in which state a restore that failed has left the data folder.
func (b *backups) failed(path string, placing bool, err error) error {
	switch {
	case b.dir.halfRestored():
		return fmt.Errorf("restore %s: %w; the data folder %s is not whole now and everybody refuses it: "+
			"remove the cause and run svcd restore again", path, err, b.dir)
	case placing:
		return fmt.Errorf("restore %s: %w", path, err)
	}
	return fmt.Errorf("restore %s; nothing was changed: %w", path, err)
}

// lockName is the file in the data folder that is there before everything else.
const lockName = "svcd.lock"

// checkVacant refuses a data folder that holds anything, but for what a restore
// left that was interrupted.
func (d dataDir) checkVacant() error {
	entries, err := os.ReadDir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	if d.halfRestored() {
		return nil
	}
	for _, e := range entries {
		if e.Name() != lockName && e.Name() != "lost+found" {
			return fmt.Errorf("the data folder %s is not empty (%s is in it); restore into a new one, or move it away first", d, e.Name())
		}
	}
	return nil
}

// unpackAndPlace fills the data folder, and says whether it has begun to put
// things in their places. The lock has to be held.
func (b *backups) unpackAndPlace(ctx context.Context, path string) (sum backup.Summary, placing bool, err error) {
	corner := dataDir(b.dir.halfway())
	if err := b.dir.clear(); err != nil {
		return sum, false, fmt.Errorf("remove what an interrupted restore left: %w", err)
	}
	if err := os.Mkdir(string(corner), 0o700); err != nil {
		return sum, false, err
	}
	if err := syncFolder(string(b.dir)); err != nil {
		return sum, false, err
	}
	if sum, err = b.unpack(ctx, path, corner); err != nil {
		return sum, false, errors.Join(err, os.RemoveAll(string(corner)))
	}
	if err := b.dir.place(corner); err != nil {
		return sum, true, fmt.Errorf("put the data in its place: %w", err)
	}
	if err := syncFolder(string(b.dir)); err != nil {
		return sum, true, fmt.Errorf("everything is in its place, and may not survive a power cut: %w", err)
	}
	return sum, true, nil
}

// place moves everything from the corner to its place. The corner, whose absence
// says that the folder is whole, goes when all of it is on the disk.
func (d dataDir) place(corner dataDir) error {
	entries, err := os.ReadDir(string(corner))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(corner.path(e.Name()), d.path(e.Name())); err != nil {
			return err
		}
	}
	if err := syncFolder(string(d)); err != nil {
		return err
	}
	return os.Remove(string(corner))
}

// clear removes what an interrupted restore left: its corner last, because that
// says what the rest is worth.
func (d dataDir) clear() error {
	if !d.halfRestored() {
		return nil
	}
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == lockName || e.Name() == "lost+found" || d.path(e.Name()) == d.halfway() {
			continue
		}
		if err := os.RemoveAll(d.path(e.Name())); err != nil {
			return err
		}
	}
	return os.RemoveAll(d.halfway())
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
	err = store.ForgetSignIns(ctx)
	if err == nil {
		err = accounts.New(store, time.Now).Note(ctx, svc.AuditEntry{
			Action: svc.AuditDataRestored, Subject: path, Detail: "of " + sum.CreatedAt.UTC().Format(time.RFC3339),
		})
	}
	return sum, errors.Join(err, store.Close())
}
