package pack_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func read(t *testing.T, w *deliverytest.World, key string) []byte {
	t.Helper()
	r, err := w.Blobs.Open(t.Context(), key)
	must.Do(t, err)
	content, err := io.ReadAll(r)
	must.Do(t, errors.Join(err, r.Close()))
	return content
}

func TestABundleHasTheBytesOfItsPack(t *testing.T) {
	w := deliverytest.New(t)
	p, b := w.Project(w.Account("ada@example.com"), deliverytest.Files(map[string]string{"a.txt": "a", "b/c.txt": "c"}))
	pack, archive := read(t, w, p.Pack.Blob), read(t, w, b.Blob)
	if !bytes.Equal(pack, archive) || int64(len(pack)) != b.Size || b.SHA256 != p.Pack.SHA256 {
		t.Error("pack and archive differ")
	}
	checked, err := bundlezip.Check(bytes.NewReader(archive), int64(len(archive)))
	must.Do(t, err)
	if got := checked.Manifest().ProjectID; got != p.ID {
		t.Errorf("project %q", got)
	}
	if want := (svc.Extent{Files: 2, Bytes: 2}); p.Pack.Extent != want || p.Revision != 1 {
		t.Errorf("%+v", p)
	}
}

func TestANewStateCopiesWhatIsUnchangedAndDiscardsTheOldPackLater(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(map[string]string{"keep.txt": "kept", "drop.txt": "dropped"}))
	source, err := w.Packager.Open(t.Context(), p)
	must.Do(t, err)
	state := source.State()
	state.Remove(bundlezip.ProjectRoot, "drop.txt")
	state.Put(bundlezip.StateFile{Path: "new.txt", Content: bundlezip.Bytes([]byte("new"))})
	state.Architecture["language"] = "go"
	next, b := w.Advance(p, pack.Content{State: state, Memory: "notes", MemoryRevision: 1})
	must.Do(t, source.Close())

	archive := read(t, w, b.Blob)
	opened, err := bundlezip.Check(bytes.NewReader(archive), int64(len(archive)))
	must.Do(t, err)
	var paths []string
	for _, f := range opened.Manifest().Files {
		paths = append(paths, f.Path)
	}
	if diff := cmp.Diff([]string{"keep.txt", "new.txt"}, paths); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	stored, err := w.Store.Projects().Get(t.Context(), a.ID, p.ID)
	must.Do(t, err)
	if diff := cmp.Diff(next, stored); diff != "" {
		t.Errorf("(-told +stored):\n%s", diff)
	}
	if stored.Revision != 2 || stored.Memory != "notes" || stored.State["language"] != "go" {
		t.Errorf("%+v", stored)
	}
	_, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if !w.HasBlob(p.Pack.Blob) {
		t.Error("the old pack went before its time")
	}
	w.Clock.Advance(pack.PreviousLife + time.Minute)
	_, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if w.HasBlob(p.Pack.Blob) || !w.HasBlob(next.Pack.Blob) {
		t.Error("the old pack stayed, or the new one went")
	}
}

// TestTheStateBeforeIsKept: one state, for a week or until soon after the next one.
// Promise: state-before
func TestTheStateBeforeIsKept(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	first, _ := w.Project(a, deliverytest.Files(map[string]string{"a.txt": "one"}))
	source, err := w.Packager.OpenPrevious(t.Context(), first)
	must.Do(t, err)
	if n := len(source.Manifest().Files); n != 0 {
		t.Errorf("before the first state there were %d files", n)
	}
	must.Do(t, source.Close())
	content := func(p svc.Project) string {
		source, err := w.Packager.OpenPrevious(t.Context(), p)
		if errors.Is(err, svc.ErrNotFound) {
			return "gone"
		}
		must.Do(t, err)
		file, err := source.OpenFile(bundlezip.ProjectRoot, "a.txt")
		must.Do(t, err)
		text, err := io.ReadAll(file)
		must.Do(t, errors.Join(err, file.Close(), source.Close()))
		return string(text)
	}
	sweep := func(after time.Duration) {
		w.Clock.Advance(after)
		_, err := w.Cleaner.Sweep(t.Context())
		must.Do(t, err)
	}
	second, _ := w.Advance(first, deliverytest.Files(map[string]string{"a.txt": "two"}))
	sweep(6 * 24 * time.Hour)
	if got := content(second); got != "one" {
		t.Errorf("after six days the state before is %q", got)
	}
	third, _ := w.Advance(second, deliverytest.Files(map[string]string{"a.txt": "three"}))
	sweep(time.Hour)
	if got := content(third); got != "two" || w.HasBlob(first.Pack.Blob) {
		t.Errorf("the state before is %q; the one before that is there: %t", got, w.HasBlob(first.Pack.Blob))
	}
	sweep(pack.PreviousLife)
	if got := content(third); got != "gone" {
		t.Errorf("after more than a week the state before is %q", got)
	}
	fourth, _ := w.Advance(third, deliverytest.Files(map[string]string{"a.txt": "four"}))
	must.Do(t, w.Delivery.DeleteProject(t.Context(), a.ID, fourth.ID))
	sweep(time.Minute)
	if w.HasBlob(third.Pack.Blob) || w.HasBlob(fourth.Pack.Blob) {
		t.Error("what a project had outlives it")
	}
}

// streamed are blobs that cannot be read at random, as those of S3.
type streamed struct{ svc.Blobs }

type streamedReader struct {
	io.ReadSeekCloser
	size int64
}

func (r streamedReader) Size() int64 { return r.size }

func (s streamed) Open(ctx context.Context, key string) (svc.BlobReader, error) {
	r, err := s.Blobs.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	return streamedReader{struct{ io.ReadSeekCloser }{r}, r.Size()}, nil
}

func TestAPackThatCannotBeReadAtRandomIsCopiedFirst(t *testing.T) {
	w := deliverytest.New(t)
	p, _ := w.Project(w.Account("ada@example.com"), deliverytest.Files(map[string]string{"keep.txt": "kept"}))
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	packager := pack.Packager{Store: w.Store, Blobs: streamed{w.Blobs}}
	source, err := packager.Open(t.Context(), p)
	must.Do(t, err)
	f, err := source.OpenFile(bundlezip.ProjectRoot, "keep.txt")
	must.Do(t, err)
	content, err := io.ReadAll(f)
	must.Do(t, errors.Join(err, f.Close()))
	if string(content) != "kept" {
		t.Errorf("%q", content)
	}
	must.Do(t, source.Close())
	left, err := os.ReadDir(temp)
	must.Do(t, err)
	if len(left) != 0 {
		t.Errorf("%d temporary files are left", len(left))
	}
}

func TestAProjectWithoutFilesIsAnEmptySource(t *testing.T) {
	w := deliverytest.New(t)
	source, err := w.Packager.Open(t.Context(), w.EmptyProject(w.Account("ada@example.com")))
	must.Do(t, err)
	if n := len(source.State().Files); n != 0 {
		t.Errorf("%d files", n)
	}
	if _, err := source.OpenFile(bundlezip.ProjectRoot, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	must.Do(t, source.Close())
}

func TestADraftOfAnOldRevisionIsVoidAndSwept(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(map[string]string{"a.txt": "1"}))
	draft, err := w.Packager.Draft(t.Context(), p, deliverytest.Files(map[string]string{"a.txt": "late"}))
	must.Do(t, err)
	w.Advance(p, deliverytest.Files(map[string]string{"a.txt": "2"}))
	var made svc.Bundle
	err = w.Store.Tx(t.Context(), func(r svc.Records) error {
		_, made, err = draft.Commit(t.Context(), r, "", w.Clock.Now())
		return err
	})
	if !errors.Is(err, svc.ErrConflict) {
		t.Fatalf("got %v, %+v", err, made)
	}
	must.Do(t, draft.Discard(t.Context()))
	done, err := w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if done.Deleted != 2 {
		t.Errorf("%d blobs were swept, want pack and archive", done.Deleted)
	}
	all, err := w.Store.Bundles().List(t.Context(), svc.BundleQuery{AccountID: a.ID, Limit: 10})
	must.Do(t, err)
	if len(all) != 2 {
		t.Errorf("%d bundles", len(all))
	}
}

// A commit may succeed and be reported as failed, when the connection to the
// database breaks in between. Giving the draft up then must not cost its bytes.
func TestDiscardingACommittedDraftDoesNoHarm(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	project := svc.Project{ID: svc.NewProjectID(), AccountID: a.ID}
	draft, err := w.Packager.Draft(t.Context(), project, deliverytest.Files(map[string]string{"a.txt": "1"}))
	must.Do(t, err)
	var bundle svc.Bundle
	must.Do(t, w.Store.Tx(t.Context(), func(r svc.Records) error {
		project, bundle, err = draft.Commit(t.Context(), r, "", w.Clock.Now())
		return err
	}))
	must.Do(t, draft.Discard(t.Context()))
	w.Clock.Advance(time.Hour)
	done, err := w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if done.Deleted != 0 {
		t.Errorf("%d blobs were swept", done.Deleted)
	}
	for _, key := range []string{project.Pack.Blob, bundle.Blob} {
		r, err := w.Blobs.Open(t.Context(), key)
		must.Do(t, err)
		must.Do(t, r.Close())
	}
}

func TestADraftThatTookTooLongIsVoid(t *testing.T) {
	w := deliverytest.New(t)
	p := svc.Project{ID: svc.NewProjectID(), AccountID: w.Account("ada@example.com").ID}
	draft, err := w.Packager.Draft(t.Context(), p, deliverytest.Files(map[string]string{"a.txt": "1"}))
	must.Do(t, err)
	w.Clock.Advance(time.Hour)
	_, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	err = w.Store.Tx(t.Context(), func(r svc.Records) error {
		_, _, err := draft.Commit(t.Context(), r, "", w.Clock.Now())
		return err
	})
	if !errors.Is(err, svc.ErrConflict) {
		t.Errorf("got %v", err)
	}
	if _, err := w.Store.Projects().Get(t.Context(), p.AccountID, p.ID); !errors.Is(err, svc.ErrNotFound) {
		t.Errorf("half a commit: %v", err)
	}
}

// TestBytesThatArriveAfterTheirDraftWasGivenUpAreSwept: a run is cancelled while the
// store is silent, and what was sent arrives when nobody waits for it any more.
// Promise: blob-late-write-swept
func TestBytesThatArriveAfterTheirDraftWasGivenUpAreSwept(t *testing.T) {
	w := deliverytest.New(t)
	p := svc.Project{ID: svc.NewProjectID(), AccountID: w.Account("ada@example.com").ID}
	store := &silentBlobs{Blobs: w.Blobs}
	packager := pack.Packager{Store: w.Store, Blobs: store}
	_, err := packager.Draft(t.Context(), p, deliverytest.Files(map[string]string{"a.txt": "1"}))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	_, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	must.Do(t, store.arrives())
	w.Clock.Advance(pack.LateWrite + time.Second)
	_, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if r, err := w.Blobs.Open(t.Context(), store.key); !errors.Is(err, svc.ErrNotFound) {
		t.Errorf("the pack lies there for ever: %v", err)
		_ = r.Close()
	}
}

// silentBlobs are told to keep a blob and do not answer until that is given up.
type silentBlobs struct {
	svc.Blobs
	key     string
	arrives func() error
}

func (b *silentBlobs) Create(ctx context.Context, key string) (svc.BlobWriter, error) {
	w, err := b.Blobs.Create(ctx, key)
	if b.arrives == nil {
		b.key, b.arrives = key, w.Commit
	}
	return silentWriter{w}, err
}

type silentWriter struct{ svc.BlobWriter }

func (silentWriter) Commit() error { return context.Canceled }
func (silentWriter) Abort()        {}

func TestContentThatBreaksTheLawIsRefusedAndSwept(t *testing.T) {
	w := deliverytest.New(t)
	p := svc.Project{ID: svc.NewProjectID(), AccountID: w.Account("ada@example.com").ID}
	_, err := w.Packager.Draft(t.Context(), p, deliverytest.Files(map[string]string{"../escape": "x"}))
	if !errors.Is(err, bundlezip.ErrInvalid) {
		t.Fatalf("got %v", err)
	}
	done, err := w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if done.Deleted != 2 {
		t.Errorf("%d blobs were swept", done.Deleted)
	}
}

func TestAProjectHasAtMost2000FilesAnd100MiB(t *testing.T) {
	w := deliverytest.New(t)
	p := svc.Project{ID: svc.NewProjectID(), AccountID: w.Account("ada@example.com").ID}
	for name, content := range map[string]pack.Content{
		"files": deliverytest.ManyFiles(2001, 0),
		"bytes": deliverytest.ManyFiles(1, 100<<20+1),
	} {
		_, err := w.Packager.Draft(t.Context(), p, content)
		if svc.CodeOf(err) != svc.CodeProjectTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.Packager.Draft(t.Context(), p, deliverytest.ManyFiles(2000, 100<<20))
	must.Do(t, err)
}

func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "my-project")
	must.Do(t, os.Mkdir(dir, 0o755))
	for path, content := range files {
		full := filepath.Join(dir, filepath.FromSlash(path))
		must.Do(t, os.MkdirAll(filepath.Dir(full), 0o755))
		mode := fs.FileMode(0o644)
		if strings.HasSuffix(path, ".sh") {
			mode = 0o755
		}
		must.Do(t, os.WriteFile(full, []byte(content), mode))
	}
	return dir
}

// Promise: import-folder
func TestImportMakesAProjectAndItsFirstBundle(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	dir := tree(t, map[string]string{
		"README.md": "# hi\n", "bin/run.sh": "#!/bin/sh\n", "src/é.txt": "ü", "manifest.json": "{}",
		".git/config": "[core]", "sub/.git": "gitdir: elsewhere",
	})
	must.Do(t, os.Symlink("README.md", filepath.Join(dir, "link")))
	done, err := w.Packager.ImportDir(t.Context(), a, dir, pack.ImportOptions{})
	must.Do(t, err)
	if done.Project.Name != "my-project" || done.Bundle.FileCount != 4 || done.Bundle.Status != svc.BundlePending || done.Bundle.GenerationID != "" {
		t.Errorf("%+v", done)
	}
	if diff := cmp.Diff([]string{"link"}, done.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	archive := read(t, w, done.Bundle.Blob)
	opened, err := bundlezip.Check(bytes.NewReader(archive), int64(len(archive)))
	must.Do(t, err)
	modes := map[string]bundlezip.Mode{}
	for _, f := range opened.Manifest().Files {
		modes[f.Path] = f.Mode
		if f.MergeStrategy != bundlezip.ThreeWay || f.DestinationType != bundlezip.Project {
			t.Errorf("%s is %s, %s", f.Path, f.DestinationType, f.MergeStrategy)
		}
	}
	want := map[string]bundlezip.Mode{
		"README.md": bundlezip.Plain, "bin/run.sh": bundlezip.Executable, "src/é.txt": bundlezip.Plain, "manifest.json": bundlezip.Plain,
	}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	latest, err := w.Delivery.Latest(t.Context(), a.ID, done.Project.ID)
	must.Do(t, err)
	if latest.ID != done.Bundle.ID {
		t.Errorf("latest is %s", latest.ID)
	}
}

// Promise: repackage-no-generation
func TestTheSameStateGivesTheSameBytesEachTime(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	content := map[string]string{"a.txt": "a", "b.txt": "b", "c/d.txt": "d"}
	p, one := w.Project(a, deliverytest.Files(content))
	w.Clock.Advance(time.Hour)
	_, two := w.Advance(p, deliverytest.Files(content))
	if one.ID == two.ID || one.SHA256 != two.SHA256 {
		t.Errorf("%s has %x, %s has %x", one.ID, one.SHA256, two.ID, two.SHA256)
	}
}

// Promise: import-folder
func TestImportListsThePathsThatABundleCannotHold(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	dir := tree(t, map[string]string{"ok.txt": "1", "resolution_log.json": "2", "sub/x.svc.backup": "3"})
	_, err := w.Packager.ImportDir(t.Context(), a, dir, pack.ImportOptions{Name: "n"})
	e, ok := errors.AsType[*svc.Error](err)
	if !ok || e.Code != svc.CodeInvalidRequest || !strings.Contains(e.Message, "resolution_log.json") || !strings.Contains(e.Message, "sub/x.svc.backup") {
		t.Fatalf("got %v", err)
	}
	projects, err := w.Store.Projects().List(t.Context(), a.ID, nil, 10)
	must.Do(t, err)
	if len(projects) != 0 {
		t.Error("something was imported")
	}
}

func TestImportOfNothingIsRefused(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	for _, dir := range []string{tree(t, nil), filepath.Join(t.TempDir(), "missing")} {
		if _, err := w.Packager.ImportDir(t.Context(), a, dir, pack.ImportOptions{}); svc.CodeOf(err) != svc.CodeInvalidRequest {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
