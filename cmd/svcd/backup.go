package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/ops/setting"
	"github.com/bundle-delivery/svc/internal/store/backup"
	"github.com/bundle-delivery/svc/internal/store/datadir"
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
		f := &backup.Folder{Dir: datadir.Dir(s.dataDir), WithoutTLS: *withoutTLS, Program: programVersion(), Note: note}
		return writeBackup(asOperator(cmd.Context(), environment), f, args[0], std)
	}
	return cmd
}

func writeBackup(ctx context.Context, f *backup.Folder, path string, std Streams) error {
	if path == standardStream {
		sum, err := f.Write(ctx, std.Out, "standard output")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(std.Err, "svcd: wrote a backup with %d archives; svcd restore --check reads it back\n", sum.Blobs)
		return err
	}
	sum, err := f.WriteFile(ctx, path)
	if err != nil {
		return err
	}
	return printBackup(std.Out, path, sum)
}

// onlyEmbedded refuses a service that keeps its data elsewhere.
func (s *settings) onlyEmbedded(command string) error {
	if s.databaseURL != "" || s.blobURL != "" {
		return usagef("svcd %s is for a data folder that holds everything; with --database-url and --blob-url, "+
			"use the tools of PostgreSQL (first) and of the bucket", command)
	}
	return s.check()
}

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
		dir := datadir.Dir(s.dataDir)
		if *check {
			return checkBackup(cmd.Context(), args[0], std)
		}
		return restore(asOperator(cmd.Context(), environment), dir, args[0], std)
	}
	return cmd
}

func checkBackup(ctx context.Context, path string, std Streams) error {
	in, err := openBackup(path, std)
	if err != nil {
		return fmt.Errorf("check the backup %s: %w", path, err)
	}
	defer func() { _ = in.Close() }() // it was only read
	sum, err := backup.Check(ctx, in)
	if err != nil {
		return fmt.Errorf("check the backup %s: %w", path, err)
	}
	return printBackup(std.Out, path, sum)
}

func restore(ctx context.Context, dir datadir.Dir, path string, std Streams) error {
	in, err := openBackup(path, std)
	if err != nil {
		return fmt.Errorf("restore %s; nothing was changed: %w", path, err)
	}
	defer func() { _ = in.Close() }() // it was only read
	sum, err := backup.Restore(ctx, dir, in, path, note)
	if err != nil {
		return err
	}
	if err := printBackup(std.Out, path, sum); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Err, "svcd: %s is again what it was at %s. Since then forgotten: keys that were revoked work again (revoke them with\n"+
		"svcd key revoke), bundles that were acknowledged wait again, passwords and limits are the old ones. People sign in anew.\n",
		dir, sum.CreatedAt.Format(time.RFC3339))
	return err
}

// openBackup opens a file, or stdin.
func openBackup(path string, std Streams) (io.ReadCloser, error) {
	if path == standardStream {
		return io.NopCloser(std.In), nil
	}
	return os.Open(path)
}

// note writes an entry into the audit log of a store that a command has opened.
func note(ctx context.Context, store svc.Store, e svc.AuditEntry) error {
	return accounts.New(store, time.Now).Audit.Note(ctx, e)
}

// printBackup writes what a backup holds as one JSON object in one line.
func printBackup(w io.Writer, path string, sum backup.Summary) error {
	err := json.NewEncoder(w).Encode(struct {
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
