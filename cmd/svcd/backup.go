package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/backup"
	"github.com/bundle-delivery/svc/internal/fsblob"
	"github.com/bundle-delivery/svc/internal/setting"
	"github.com/bundle-delivery/svc/internal/sqlite"
)

// standardStream stands for stdin or stdout in place of a file.
const standardStream = "-"

func newBackupCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write everything in the data folder into one file, while the service runs",
		Long: "Write records, archives and certificates of the data folder into one file, a tar that\n" +
			"its owner alone can read: it holds hashes of passwords and keys, and the private keys of\n" +
			"the local certificate authority and of ACME certificates. The service may run. The file\n" +
			"is read back and checked before it gets its name. - writes to stdout; check that with\n" +
			"svcd restore --check.",
		Args: cobra.ExactArgs(1),
	}
	s := defaultSettings()
	offered := s.pick("data-dir", "database-url", "blob-url")
	setting.Register(cmd.Flags(), offered)
	withoutTLS := cmd.Flags().Bool("without-tls", false, "leave out the certificates and their keys; after a restore clients then have to trust a new authority, and ACME certificates are asked for anew")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := s.resolve(cmd.Flags(), environment, offered); err != nil {
			return err
		}
		if err := s.onlyEmbedded("backup"); err != nil {
			return err
		}
		b := &backups{dir: dataDir(s.dataDir), std: std}
		if *withoutTLS {
			b.trim = sqlite.RemoveCertificates
		} else {
			b.folders = []string{filepath.Base(b.dir.tls())}
		}
		return b.write(asOperator(cmd.Context(), environment), args[0])
	}
	return cmd
}

// onlyEmbedded refuses a service that keeps its data elsewhere.
func (s *settings) onlyEmbedded(command string) error {
	if s.databaseURL != "" || s.blobURL != "" {
		return usagef("svcd %s is for a data folder that holds everything; with --database-url and --blob-url, "+
			"use the tools of PostgreSQL (first) and of the bucket", command)
	}
	return s.check()
}

// backups is what the commands for backups have in common.
type backups struct {
	dir     dataDir
	std     Streams
	folders []string // of the data folder, that go along
	// trim takes from the copied database what does not; nil: nothing.
	trim func(ctx context.Context, database string) error
}

// scratch gives an empty folder in the data folder, for one command at a time.
// What is in it belonged to a process that is gone.
func (b *backups) scratch() (folder string, done func() error, err error) {
	lock := flock.New(b.dir.path("backup.lock"), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err == nil && !ok {
		err = errors.New("another backup of this data folder is being written; wait for it")
	}
	if err != nil {
		return "", nil, err
	}
	folder = b.dir.path("backup")
	if err = os.RemoveAll(folder); err == nil {
		err = os.Mkdir(folder, 0o700)
	}
	if err != nil {
		return "", nil, errors.Join(err, lock.Close())
	}
	return folder, func() error { return errors.Join(os.RemoveAll(folder), lock.Close()) }, nil
}

// write writes a backup to a file, or to stdout.
func (b *backups) write(ctx context.Context, path string) (err error) {
	if err := b.dir.checkOwner(); err != nil {
		return err
	}
	// A backup of records that live elsewhere now would be one of the past.
	if err := b.dir.refuseMoved(); err != nil {
		return err
	}
	if _, err := os.Stat(b.dir.database()); err != nil {
		return fmt.Errorf("there is nothing to back up in %s: %w", b.dir, err)
	}
	if _, err := os.Lstat(path); path != standardStream && !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = errors.New("it exists; a backup replaces nothing, choose another name")
		}
		return fmt.Errorf("write the backup %s: %w", path, err)
	}
	folder, done, err := b.scratch()
	if err != nil {
		return fmt.Errorf("prepare a backup of %s: %w", b.dir, err)
	}
	defer func() { err = errors.Join(err, done()) }()
	if path == standardStream {
		sum, err := b.stream(ctx, folder, b.std.Out, "standard output")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(b.std.Err, "svcd: wrote a backup with %d archives; svcd restore --check reads it back\n", sum.Blobs)
		return err
	}
	sum, err := b.writeFile(ctx, folder, path)
	if err != nil {
		return fmt.Errorf("write the backup %s: %w", path, err)
	}
	return b.print(path, sum)
}

// writeFile writes a backup aside, reads it back, and gives it its name then.
func (b *backups) writeFile(ctx context.Context, folder, path string) (sum backup.Summary, err error) {
	aside := path + ".partial" // which a killed backup leaves, and the next replaces
	if err := os.Remove(aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sum, err
	}
	out, err := os.OpenFile(aside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return sum, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(aside))
		}
	}()
	sum, err = b.stream(ctx, folder, out, path)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return sum, err
	}
	checked, err := b.check(ctx, filepath.Join(folder, "check"), aside)
	if err != nil {
		return sum, fmt.Errorf("it was written and does not read back well; look after the disk: %w", err)
	}
	if checked != sum {
		return sum, fmt.Errorf("it was written with %d archives and reads back with %d", sum.Blobs, checked.Blobs)
	}
	if err := os.Rename(aside, path); err != nil {
		return sum, err
	}
	return sum, syncFolder(filepath.Dir(path))
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// stream writes a backup, which the audit log calls by a name.
func (b *backups) stream(ctx context.Context, folder string, w io.Writer, name string) (sum backup.Summary, err error) {
	store, err := sqlite.Open(ctx, b.dir.database())
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := accounts.New(store, time.Now).Note(ctx, svc.AuditEntry{
		Action: svc.AuditDataExported, Subject: "everything", Detail: "backup to " + name,
	}); err != nil {
		return sum, err
	}
	blobs, err := fsblob.Open(b.dir.blobs())
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	hold, err := blobs.Hold()
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, hold.Close()) }()
	source := &backup.Source{
		Records: store, Hold: hold, OpenCopy: openCopy, Scratch: folder, Program: programVersion(), Now: time.Now,
		Small: os.DirFS(string(b.dir)), Folders: b.folders, Trim: b.trim,
	}
	return source.Write(ctx, w)
}

func openCopy(ctx context.Context, path string) (backup.Copy, error) { return sqlite.Open(ctx, path) }

// check reads a backup and keeps nothing of it.
func (b *backups) check(ctx context.Context, folder, path string) (sum backup.Summary, err error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	return b.read(ctx, path, folder, nil)
}

// read unpacks a backup into a folder.
func (b *backups) read(ctx context.Context, path, folder string, blobs svc.Blobs) (sum backup.Summary, err error) {
	in := b.std.In
	if path != standardStream {
		f, err := os.Open(path)
		if err != nil {
			return sum, err
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	target := &backup.Target{Dir: folder, OpenCopy: openCopy, Blobs: blobs}
	return target.Read(ctx, in)
}

// print writes what a backup holds as one JSON object in one line.
func (b *backups) print(path string, sum backup.Summary) error {
	err := json.NewEncoder(b.std.Out).Encode(struct {
		File      string    `json:"file"`
		CreatedAt time.Time `json:"createdAt"`
		Program   string    `json:"program"`
		Archives  int64     `json:"archives"`
		Bytes     int64     `json:"bytes"`
	}{path, sum.CreatedAt, sum.Program, sum.Blobs, sum.Bytes})
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}
