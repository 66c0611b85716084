package pull

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ReadFile reads a file of the client's own. Without such a file the text is nil: a home
// like /dev/null holds nothing.
func ReadFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	return text, err
}

// ReplaceFile writes a file of the client's own as a whole, readable by the user alone.
func ReplaceFile(path string, text []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	draft, err := os.CreateTemp(dir, "draft-*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = draft.Write(text)
	err = errors.Join(err, draft.Sync(), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(draft.Name()))
	}
	return nil
}
