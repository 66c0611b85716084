package httpd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// pushChanges takes changes of a project's files.
func (s *server) pushChanges(w http.ResponseWriter, r *http.Request, call *Call) error {
	key, err := idempotencyKey(r.Header)
	if err != nil {
		return err
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != api.MediaTypeZIP {
		return svc.Invalid("Content-Type", "Changes are sent as %s.", api.MediaTypeZIP)
	}
	projectID := r.PathValue("projectId")
	if err := s.Delivery.MayPush(r.Context(), call.AccountID(), projectID, key); err != nil {
		return err
	}
	file, size, discard, err := spool(r.Body)
	if err != nil {
		return err
	}
	defer discard()
	changes, err := bundlezip.CheckChanges(file, size)
	if err != nil {
		return changesError(err)
	}
	note, err := readChanges(changes)
	if err != nil {
		return err
	}
	ctx, cancel := detachedContext(r)
	defer cancel()
	done, err := s.Delivery.Push(ctx, delivery.Push{
		AccountID: call.AccountID(), ProjectID: projectID, Key: key,
		Base: note.Base, Changes: changes, Deleted: note.Deleted,
		Encode: func(p svc.Push, failure error) (svc.Answer, error) {
			return keptAnswer(api.NewPushed(projectID, p), failure, call.RequestID)
		},
	})
	if err != nil {
		return err
	}
	writeAnswered(w, done)
	return nil
}

// spool keeps a body that is too large for memory in a file that goes with the
// process, however that ends.
func spool(body io.Reader) (file *os.File, size int64, discard func(), err error) {
	if file, err = os.CreateTemp("", "svc-changes-*"); err != nil {
		return nil, 0, nil, fmt.Errorf("keep the changes: %w", err)
	}
	named := os.Remove(file.Name()) != nil // where the system keeps the names of open files
	discard = func() {
		_ = file.Close() // nobody needs what is in it any more
		if named {
			_ = os.Remove(file.Name())
		}
	}
	if size, err = io.Copy(file, body); err != nil {
		discard()
		if _, full := errors.AsType[*os.PathError](err); full {
			return nil, 0, nil, fmt.Errorf("keep the changes: %w", err)
		}
		return nil, 0, nil, bodyError(err)
	}
	return file, size, discard, nil
}

// changesError says what is wrong with an archive of changes.
func changesError(err error) error {
	if !errors.Is(err, bundlezip.ErrInvalid) {
		return fmt.Errorf("read the changes: %w", err)
	}
	field := "body"
	if entry, ok := errors.AsType[*bundlezip.ArchiveError](err); ok && entry.Entry != "" {
		field = entry.Entry
	}
	if path, ok := errors.AsType[*bundlezip.PathError](err); ok {
		field = cmp.Or(path.Path, field)
	}
	e := svc.Invalid(strings.ToValidUTF8(field, "�"), "The body is no archive of changes: %s.", strings.ToValidUTF8(err.Error(), "�"))
	e.Err = err
	return e
}

// readChanges reads what an archive of changes says of itself.
func readChanges(changes *bundlezip.Changes) (api.Changes, error) {
	var note api.Changes
	if err := api.DecodeStrict(changes.Note, &note); err != nil {
		if e, ok := errors.AsType[*svc.Error](err); ok && e.Field == "body" {
			e.Field, e.Message = bundlezip.ChangesName, strings.Replace(e.Message, "The body", bundlezip.ChangesName, 1)
		}
		return note, err
	}
	switch {
	case note.Version != api.ChangesVersion:
		return note, svc.Invalid("changes_version", "The only version of changes there is is 1.")
	case len(note.Base) != 64 || strings.Trim(note.Base, "0123456789abcdef") != "":
		return note, svc.Invalid("base", "The base is the SHA-256 of an archive, in lower-case hexadecimal, or the state that a push returned.")
	case len(note.Deleted) > maxDeleted:
		return note, svc.Invalid("deleted", "At most %d files can be deleted at once.", maxDeleted)
	}
	seen := map[string]bool{}
	for _, f := range changes.Files {
		seen[f.Path] = true
	}
	for _, path := range note.Deleted {
		if err := bundlezip.CheckPath(path); err != nil {
			return note, svc.Invalid("deleted", "No project has such a file: %v.", err)
		}
		if seen[path] {
			return note, svc.Invalid("deleted", "%q is there twice, or is both changed and deleted.", path)
		}
		seen[path] = true
	}
	slices.Sort(note.Deleted)
	return note, nil
}

// maxDeleted is as many files as a project can have.
const maxDeleted = 2000
