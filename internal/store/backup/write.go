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
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
)

// fileMode is that of everything in a backup: it holds secrets.
const fileMode = 0o600

// Write writes a backup, which the audit log calls by a name. Nobody has read it
// back then.
func (f *Folder) Write(ctx context.Context, w io.Writer, name string) (sum Summary, err error) {
	if err := f.check(); err != nil {
		return sum, err
	}
	scratch, done, err := f.scratch()
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return f.write(ctx, w, name, scratch)
}

// WriteFile writes a backup aside, reads it back, and gives it its name then. It
// replaces nothing.
func (f *Folder) WriteFile(ctx context.Context, path string) (sum Summary, err error) {
	if err := f.check(); err != nil {
		return sum, err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = errors.New("it exists; a backup replaces nothing, choose another name")
		}
		return sum, fmt.Errorf("write the backup %s: %w", path, err)
	}
	scratch, done, err := f.scratch()
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if sum, err = f.writeChecked(ctx, scratch, path); err != nil {
		return sum, fmt.Errorf("write the backup %s: %w", path, err)
	}
	return sum, nil
}

// check refuses a folder of which no backup can be made.
func (f *Folder) check() error {
	if err := f.Dir.CheckOwner(); err != nil {
		return err
	}
	// A backup of records that live elsewhere now would be one of the past.
	if err := f.Dir.RefuseMoved(); err != nil {
		return err
	}
	if _, err := os.Stat(f.Dir.Database()); err != nil {
		return fmt.Errorf("there is nothing to back up in %s: %w", f.Dir, err)
	}
	return nil
}

// scratch gives an empty folder in the data folder, for one backup at a time.
// What is in it belonged to a process that is gone.
func (f *Folder) scratch() (folder string, done func() error, err error) {
	lock := flock.New(f.Dir.Path("backup.lock"), flock.SetPermissions(fileMode))
	defer func() {
		if err != nil {
			err = fmt.Errorf("prepare a backup of %s: %w", f.Dir, err)
		}
	}()
	ok, err := lock.TryLock()
	if err == nil && !ok {
		err = errors.New("another backup of this data folder is being written; wait for it")
	}
	if err != nil {
		return "", nil, err
	}
	folder = f.Dir.Path("backup")
	if err = os.RemoveAll(folder); err == nil {
		err = os.Mkdir(folder, 0o700)
	}
	if err != nil {
		return "", nil, errors.Join(err, lock.Close())
	}
	return folder, func() error { return errors.Join(os.RemoveAll(folder), lock.Close()) }, nil
}

func (f *Folder) writeChecked(ctx context.Context, scratch, path string) (sum Summary, err error) {
	aside := path + ".partial" // which a killed backup leaves, and the next replaces
	if err := os.Remove(aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sum, err
	}
	out, err := os.OpenFile(aside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return sum, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(aside))
		}
	}()
	sum, err = f.write(ctx, out, path, scratch)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return sum, err
	}
	checked, err := checkFile(ctx, aside, filepath.Join(scratch, "check"))
	if err != nil {
		return sum, fmt.Errorf("it was written and does not read back well; look after the disk: %w", err)
	}
	if checked != sum {
		return sum, fmt.Errorf("it was written with %d archives and reads back with %d", sum.Blobs, checked.Blobs)
	}
	if err := os.Rename(aside, path); err != nil {
		return sum, err
	}
	return sum, datadir.Sync(filepath.Dir(path))
}

func (f *Folder) write(ctx context.Context, w io.Writer, name, scratch string) (sum Summary, err error) {
	store, err := sqlite.Open(ctx, f.Dir.Database())
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := f.Note(ctx, store, svc.AuditEntry{
		Action: svc.AuditDataExported, Subject: "everything", Detail: "backup to " + name,
	}); err != nil {
		return sum, err
	}
	blobs, err := fsblob.Open(f.Dir.Blobs())
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	hold, err := blobs.Hold()
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, hold.Close()) }()
	s := &source{Folder: f, hold: hold, database: filepath.Join(scratch, database)}
	if err := s.freeze(ctx, store); err != nil {
		return sum, err
	}
	if f.WithoutTLS {
		if err := sqlite.RemoveCertificates(ctx, s.database); err != nil {
			return sum, fmt.Errorf("take something out of the copy of the database: %w", err)
		}
	}
	records, err := sqlite.Open(ctx, s.database)
	if err != nil {
		return sum, fmt.Errorf("open the copy of the database: %w", err)
	}
	sum, err = s.write(ctx, w, records)
	return sum, errors.Join(err, records.Close())
}

// source is a data folder at one moment.
type source struct {
	*Folder
	hold     *fsblob.Hold
	database string // the copy
}

// freeze copies the records and holds the blobs that they point at. Most are
// held before the moment in which nobody can write, so that it is short.
func (s *source) freeze(ctx context.Context, store *sqlite.Store) error {
	if err := s.holdBlobs(ctx, store.Blobs(ctx), true); err != nil {
		return err
	}
	return store.CopyTo(ctx, s.database, func(refs iter.Seq2[svc.BlobRef, error]) error { return s.holdBlobs(ctx, refs, false) })
}

func (s *source) holdBlobs(ctx context.Context, refs iter.Seq2[svc.BlobRef, error], mayBeGone bool) error {
	for ref, err := range refs {
		if err == nil {
			err = s.hold.Add(ctx, ref.Key)
		}
		switch {
		case errors.Is(err, svc.ErrNotFound) && mayBeGone:
		case errors.Is(err, svc.ErrNotFound):
			return fmt.Errorf("the archive of %s is missing (%s); put it back from an earlier backup, or remove what points at it", ref.Owner, ref.Key)
		case err != nil:
			return err
		}
	}
	return nil
}

func (s *source) write(ctx context.Context, w io.Writer, records *sqlite.Store) (Summary, error) {
	if err := records.Check(ctx); err != nil {
		return Summary{}, err
	}
	first := head{Format: format, CreatedAt: time.Now().UTC().Truncate(time.Millisecond), Program: s.Program}
	digest, size, err := digestOf(s.database)
	if err != nil {
		return Summary{}, fmt.Errorf("read the copy of the database: %w", err)
	}
	first.Files = append(first.Files, file{Name: database, Size: size, SHA256: digest})
	small, err := s.readSmall(&first)
	if err != nil {
		return Summary{}, fmt.Errorf("read what goes along: %w", err)
	}
	out := &writer{tar: tar.NewWriter(w), at: first.CreatedAt}
	if err := out.object(headName, first); err != nil {
		return Summary{}, err
	}
	if err := out.copyFile(database, s.database, size); err != nil {
		return Summary{}, err
	}
	for i, content := range small {
		if err := out.entry(first.Files[i+1].Name, int64(len(content)), bytes.NewReader(content)); err != nil {
			return Summary{}, err
		}
	}
	last, err := eachBlob(ctx, records, func(ref svc.BlobRef) error { return s.writeBlob(ctx, out, ref) })
	if err == nil {
		err = out.object(endName, last)
	}
	if err == nil {
		err = out.tar.Close()
	}
	return Summary{CreatedAt: first.CreatedAt, Program: s.Program, Blobs: last.Blobs, Bytes: last.Bytes}, err
}

// readSmall reads the files that go along, which are the certificates, and lists
// them.
func (s *source) readSmall(first *head) (contents [][]byte, err error) {
	folder := s.Dir.TLS()
	entries, err := os.ReadDir(folder)
	if s.WithoutTLS || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := path.Join(filepath.Base(folder), e.Name())
		if !e.Type().IsRegular() || checkName(name) != nil {
			continue // not ours, such as an editor's file
		}
		content, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // replaced a moment ago
		}
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		first.Files = append(first.Files, file{Name: name, Size: int64(len(content)), SHA256: sum[:]})
		contents = append(contents, content)
	}
	return contents, nil
}

// eachBlob goes through the blobs that records point at, in their order, and counts them.
func eachBlob(ctx context.Context, records *sqlite.Store, do func(svc.BlobRef) error) (end, error) {
	var count end
	for ref, err := range unique(records.Blobs(ctx)) {
		if err == nil {
			err = do(ref)
		}
		if err != nil {
			return count, err
		}
		count.Blobs, count.Bytes = count.Blobs+1, count.Bytes+ref.Size
	}
	return count, nil
}

func (s *source) writeBlob(ctx context.Context, out *writer, ref svc.BlobRef) error {
	r, err := s.hold.Open(ctx, ref.Key)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // it was only read
	if r.Size() != ref.Size {
		return damaged(ref, fmt.Sprintf("it has %d bytes, not %d", r.Size(), ref.Size))
	}
	hash := sha256.New()
	if err := out.entry(blobsDir+ref.Key, ref.Size, io.TeeReader(r, hash)); err != nil {
		return err
	}
	if [sha256.Size]byte(hash.Sum(nil)) != ref.SHA256 {
		return damaged(ref, "its bytes are not those that were stored")
	}
	return nil
}

func damaged(ref svc.BlobRef, how string) error {
	return fmt.Errorf("the archive of %s is damaged (%s: %s); put it back from an earlier backup, or remove what points at it", ref.Owner, ref.Key, how)
}

// unique leaves out a blob that several records point at, but for the first.
func unique(refs iter.Seq2[svc.BlobRef, error]) iter.Seq2[svc.BlobRef, error] {
	return func(yield func(svc.BlobRef, error) bool) {
		last := ""
		for ref, err := range refs {
			if err == nil && ref.Key == last {
				continue
			}
			last = ref.Key
			if !yield(ref, err) {
				return
			}
		}
	}
}

// writer writes the entries of a backup.
type writer struct {
	tar *tar.Writer
	at  time.Time
}

func (w *writer) entry(name string, size int64, content io.Reader) error {
	err := w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: fileMode, ModTime: w.at, Format: tar.FormatPAX})
	if err == nil {
		_, err = io.CopyN(w.tar, content, size)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (w *writer) object(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return w.entry(name, int64(len(text)), bytes.NewReader(text))
}

func (w *writer) copyFile(name, from string, size int64) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	return w.entry(name, size, f)
}

func digestOf(name string) (sum []byte, size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }() // it was only read
	hash := sha256.New()
	size, err = io.Copy(hash, f)
	return hash.Sum(nil), size, err
}
