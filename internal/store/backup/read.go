package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
)

// Check reads a backup as a restore would, and keeps nothing of it.
func Check(ctx context.Context, r io.Reader) (sum Summary, err error) {
	folder, err := os.MkdirTemp("", "svcd-check-")
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	return (&target{dir: folder}).read(ctx, r)
}

// checkFile checks a backup in a folder that it creates and removes.
func checkFile(ctx context.Context, path, folder string) (sum Summary, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if err := os.Mkdir(folder, 0o700); err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	return (&target{dir: folder}).read(ctx, f)
}

// target is where a backup is unpacked to.
type target struct {
	dir string // for the database and the files that went along
	// blobs may be nil: then they are compared and not kept.
	blobs *fsblob.Store
}

// read unpacks a backup and checks all of it. After an error what lies in the
// target is worth nothing.
func (t *target) read(ctx context.Context, r io.Reader) (Summary, error) {
	in := &reader{tar: tar.NewReader(r)}
	var first head
	if err := in.object(headName, &first); err != nil {
		return Summary{}, err
	}
	if first.Format != format {
		return Summary{}, fmt.Errorf("the backup has the form %d and this program reads %d; use the program that wrote it, %s", first.Format, format, first.Program)
	}
	if len(first.Files) == 0 || first.Files[0].Name != database {
		return Summary{}, errors.New("the backup has no database")
	}
	for _, f := range first.Files {
		if err := t.unpack(in, f); err != nil {
			return Summary{}, err
		}
	}
	if err := t.syncFolders(first.Files); err != nil {
		return Summary{}, fmt.Errorf("write the files of the backup to the disk: %w", err)
	}
	records, err := sqlite.Open(ctx, filepath.Join(t.dir, database))
	if err != nil {
		return Summary{}, fmt.Errorf("open the database of the backup: %w", err)
	}
	found, err := t.readBlobs(ctx, in, records)
	if err := errors.Join(err, records.Close()); err != nil {
		return Summary{}, err
	}
	var last end
	if err := in.object(endName, &last); err != nil {
		return Summary{}, err
	}
	if last != found {
		return Summary{}, fmt.Errorf("the backup says that it has %d archives, and has %d", last.Blobs, found.Blobs)
	}
	return Summary{CreatedAt: first.CreatedAt, Program: first.Program, Blobs: last.Blobs, Bytes: last.Bytes}, nil
}

// checkName allows the database, and files one folder down.
func checkName(name string) error {
	folder, base := filepath.Split(filepath.FromSlash(name))
	plain := func(s string) bool {
		return s != "" && s[0] != '.' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == ""
	}
	if name == database || folder != "" && plain(strings.TrimSuffix(folder, string(filepath.Separator))) && plain(base) {
		return nil
	}
	return fmt.Errorf("the backup has a file %q, which it should not", name)
}

// unpack writes one of the files that the backup lists.
func (t *target) unpack(in *reader, f file) error {
	if err := checkName(f.Name); err != nil {
		return err
	}
	size, err := in.next(f.Name)
	if err != nil {
		return err
	}
	path := filepath.Join(t.dir, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, hash), in.tar)
	if err := errors.Join(in.explain(err), out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("unpack %s: %w", f.Name, err)
	}
	if size != f.Size || !bytes.Equal(hash.Sum(nil), f.SHA256) {
		return fmt.Errorf("the backup is damaged: %s is not what it was", f.Name)
	}
	return nil
}

// syncFolders makes sure that the files, which are on the disk, have their names
// there, too.
func (t *target) syncFolders(files []file) error {
	folders := []string{t.dir}
	for _, f := range files {
		folders = append(folders, filepath.Join(t.dir, filepath.Dir(filepath.FromSlash(f.Name))))
	}
	slices.Sort(folders)
	for _, folder := range slices.Compact(folders) {
		if err := datadir.Sync(folder); err != nil {
			return err
		}
	}
	return nil
}

// readBlobs walks through the blobs that records point at and those of the
// backup, side by side.
func (t *target) readBlobs(ctx context.Context, in *reader, records *sqlite.Store) (end, error) {
	if err := records.Check(ctx); err != nil {
		return end{}, err
	}
	return eachBlob(ctx, records, func(ref svc.BlobRef) error { return t.readBlob(ctx, in, ref) })
}

func (t *target) readBlob(ctx context.Context, in *reader, ref svc.BlobRef) error {
	size, err := in.next(blobsDir + ref.Key)
	if err != nil {
		return fmt.Errorf("%w (the archive of %s)", err, ref.Owner)
	}
	hash := sha256.New()
	out := io.Writer(hash)
	var blob svc.BlobWriter
	if t.blobs != nil {
		if blob, err = t.blobs.Create(ctx, ref.Key); err != nil {
			return err
		}
		defer blob.Abort()
		out = io.MultiWriter(hash, blob)
	}
	if _, err := io.Copy(out, in.tar); err != nil {
		return fmt.Errorf("unpack the archive of %s: %w", ref.Owner, in.explain(err))
	}
	if size != ref.Size || [sha256.Size]byte(hash.Sum(nil)) != ref.SHA256 {
		return fmt.Errorf("the backup is damaged: the archive of %s is not what it was", ref.Owner)
	}
	if blob == nil {
		return ctx.Err()
	}
	return blob.Commit()
}

// reader reads the entries of a backup, each of which has its place.
type reader struct{ tar *tar.Reader }

// next goes to the next entry, which has to be the one with the name.
func (r *reader) next(name string) (size int64, err error) {
	h, err := r.tar.Next()
	if err != nil {
		return 0, fmt.Errorf("read the backup up to %s: %w", name, r.explain(err))
	}
	if h.Name != name || h.Typeflag != tar.TypeReg {
		return 0, fmt.Errorf("the backup has %q where %s should be", h.Name, name)
	}
	return h.Size, nil
}

// explain says what a file that ends too early is.
func (*reader) explain(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it is not complete: %w", io.ErrUnexpectedEOF)
	}
	if errors.Is(err, tar.ErrHeader) {
		return fmt.Errorf("it is no backup of svcd, or a damaged one: %w", err)
	}
	return err
}

// object reads an entry that holds JSON.
func (r *reader) object(name string, v any) error {
	const longest = 16 << 20
	size, err := r.next(name)
	if err != nil {
		return err
	}
	if size > longest {
		return fmt.Errorf("the backup is damaged: %s has %d bytes", name, size)
	}
	text, err := io.ReadAll(r.tar)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return fmt.Errorf("read %s of the backup: %w", name, r.explain(err))
	}
	return nil
}
