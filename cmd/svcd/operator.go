package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/ops/setting"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/text/printable"
)

// operator is what the operator's commands have in common: the records, opened
// beside the servers that may be using them. A key has to be revoked when nobody
// can reach the archives, too, so these are opened only where they are needed.
type operator struct {
	settings *settings
	dir      datadir.Dir
	store    svc.Store
	accounts *accounts.Service
	out      io.Writer
	notes    io.Writer // for what is no result
}

// operatorCommand completes a command that works on the data folder. more are
// settings that it has beside the folder. newFolder lets it make the folder.
func operatorCommand(cmd *cobra.Command, std Streams, environment []string, newFolder bool, more []string,
	run func(ctx context.Context, o *operator, args []string) error,
) *cobra.Command {
	s := defaultSettings()
	offered := s.pick(append(more, "data-dir", "database-url", "blob-url")...)
	setting.Register(cmd.Flags(), offered)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if err := s.resolve(cmd.Flags(), environment, offered); err != nil {
			return err
		}
		if err := s.check(); err != nil {
			return err
		}
		dir := datadir.Dir(s.dataDir)
		if s.databaseURL == "" {
			if err := enterFolder(dir, newFolder, std.Err); err != nil {
				return err
			}
		}
		store, err := openStore(cmd.Context(), s.databaseURL, dir)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		o := &operator{settings: s, dir: dir, store: store, accounts: accounts.New(store, time.Now), out: std.Out, notes: std.Err}
		return run(asOperator(cmd.Context(), environment), o, args)
	}
	return cmd
}

// openBlobs opens the archives, for the command to close.
func (o *operator) openBlobs(ctx context.Context) (blobStore, error) {
	if o.settings.blobURL == "" {
		if err := o.dir.CheckOwner(); err != nil {
			return nil, err
		}
	}
	return openBlobs(ctx, o.settings.blobURL, o.dir)
}

// enterFolder makes sure that the data folder is there and this user's.
func enterFolder(dir datadir.Dir, newFolder bool, notes io.Writer) error {
	if _, missing := os.Stat(string(dir)); newFolder && os.IsNotExist(missing) {
		if err := dir.Create(); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(notes, "svcd: made the new data folder %s\n", dir); err != nil {
			return err
		}
	}
	return dir.CheckOwner()
}

// print writes a result as one JSON object in one line.
func (o *operator) print(result any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(result)
	if err == nil {
		_, err = o.out.Write(printable.JSON(text.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// required makes flags that a command cannot do without.
func required(cmd *cobra.Command, names ...string) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		for _, name := range names {
			if !cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is missing", name)
			}
		}
		return check(cmd, args)
	}
}
