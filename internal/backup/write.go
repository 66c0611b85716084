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

	svc "github.com/bundle-delivery/svc"
)

// Source is a data folder that is backed up.
type Source struct {
	Records  Records
	Hold     Hold
	OpenCopy OpenCopy
	// Folders are folders of Small whose files go along, such as certificates,
	// where they are there. They are read into memory.
	Small   fs.FS
	Folders []string
	// Scratch is an empty folder with room for a copy of the database.
	Scratch string
	// Trim takes from the copy what is not to go along. It may be nil.
	Trim    func(ctx context.Context, database string) error
	Program string
	Now     func() time.Time
}

// fileMode is that of everything in a backup: it holds secrets.
const fileMode = 0o600

// Write writes a backup.
func (s *Source) Write(ctx context.Context, w io.Writer) (Summary, error) {
	database := filepath.Join(s.Scratch, Database)
	if err := s.freeze(ctx, database); err != nil {
		return Summary{}, err
	}
	if s.Trim != nil {
		if err := s.Trim(ctx, database); err != nil {
			return Summary{}, fmt.Errorf("take something out of the copy of the database: %w", err)
		}
	}
	records, err := s.OpenCopy(ctx, database)
	if err != nil {
		return Summary{}, fmt.Errorf("open the copy of the database: %w", err)
	}
	sum, err := s.write(ctx, w, database, records)
	return sum, errors.Join(err, records.Close())
}

// freeze copies the records and holds the blobs that they point at. Most are
// held before the moment in which nobody can write, so that it is short.
func (s *Source) freeze(ctx context.Context, database string) error {
	if err := s.hold(ctx, s.Records.Blobs(ctx), true); err != nil {
		return err
	}
	return s.Records.CopyTo(ctx, database, func(refs iter.Seq2[svc.BlobRef, error]) error { return s.hold(ctx, refs, false) })
}

func (s *Source) hold(ctx context.Context, refs iter.Seq2[svc.BlobRef, error], mayBeGone bool) error {
	for ref, err := range refs {
		if err == nil {
			err = s.Hold.Add(ctx, ref.Key)
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

func (s *Source) write(ctx context.Context, w io.Writer, database string, records Copy) (Summary, error) {
	if err := records.Check(ctx); err != nil {
		return Summary{}, err
	}
	first := head{Format: format, CreatedAt: s.Now().UTC().Truncate(time.Millisecond), Program: s.Program}
	digest, size, err := digestOf(database)
	if err != nil {
		return Summary{}, fmt.Errorf("read the copy of the database: %w", err)
	}
	first.Files = append(first.Files, file{Name: Database, Size: size, SHA256: digest})
	small, err := s.readSmall(&first)
	if err != nil {
		return Summary{}, fmt.Errorf("read what goes along: %w", err)
	}
	out := &writer{tar: tar.NewWriter(w), at: first.CreatedAt}
	if err := out.object(headName, first); err != nil {
		return Summary{}, err
	}
	if err := out.copyFile(Database, database, size); err != nil {
		return Summary{}, err
	}
	for i, content := range small {
		if err := out.entry(first.Files[i+1].Name, int64(len(content)), bytes.NewReader(content)); err != nil {
			return Summary{}, err
		}
	}
	last, err := s.writeBlobs(ctx, out, records)
	if err == nil {
		err = out.object(endName, last)
	}
	if err == nil {
		err = out.tar.Close()
	}
	return Summary{CreatedAt: first.CreatedAt, Program: s.Program, Blobs: last.Blobs, Bytes: last.Bytes}, err
}

// readSmall reads the files that go along and lists them.
func (s *Source) readSmall(first *head) (contents [][]byte, err error) {
	for _, folder := range s.Folders {
		entries, err := fs.ReadDir(s.Small, folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			if !e.Type().IsRegular() || checkName(name) != nil {
				continue // not ours, such as an editor's file
			}
			content, err := fs.ReadFile(s.Small, name)
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
	}
	return contents, nil
}

func (s *Source) writeBlobs(ctx context.Context, out *writer, records Copy) (end, error) {
	var last end
	for ref, err := range unique(records.Blobs(ctx)) {
		if err == nil {
			err = s.writeBlob(ctx, out, ref)
		}
		if err != nil {
			return last, err
		}
		last.Blobs, last.Bytes = last.Blobs+1, last.Bytes+ref.Size
	}
	return last, nil
}

func (s *Source) writeBlob(ctx context.Context, out *writer, ref svc.BlobRef) error {
	r, err := s.Hold.Open(ctx, ref.Key)
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
