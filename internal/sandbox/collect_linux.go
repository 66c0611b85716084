//go:build amd64 || arm64

package sandbox

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Collected is a file that comes out of a box.
type Collected struct {
	Path       string // relative, with slashes, and inside the folder
	Size       int64
	Executable bool // all that is left of its mode
	Content    io.Reader
}

// Extent bounds what comes out of a box.
type Extent struct {
	Files int
	Bytes int64
}

const (
	collectTime = 5 * time.Minute
	tarBlock    = 512
)

// Collect reads the files of a folder below Work. Nothing but regular files comes
// out: links, devices, sockets and pipes are left there, and named in left. An
// error says that there are too many, or that take returned one.
func (b *Box) Collect(ctx context.Context, dir string, most Extent, take func(Collected) error) (left []string, err error) {
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		result, err := b.Run(ctx, Command{
			// What tar complains about must not stand in the archive.
			Args: []string{"sh", "-c", `exec tar -cf - --hard-dereference --format=pax -C "$0" . 2>/dev/null`, dir}, Time: collectTime,
			// Headers and padding come on top.
			Output: most.Bytes + int64(most.Files+1)*8*tarBlock + 1<<20,
			Stdout: func(p []byte) error { _, err := w.Write(p); return err },
		})
		switch {
		case err != nil:
		case result.Ending == TooMuchOutput:
			err = errExtent
		case !result.OK():
			err = fmt.Errorf("tar: %s %d", result.Ending, result.Exit)
		}
		w.CloseWithError(err)
		ended <- err
	}()
	left, err = collect(tar.NewReader(r), most, take)
	if err == nil {
		_, err = io.Copy(io.Discard, r) // the padding behind the last file
	}
	_ = r.CloseWithError(errEnough) // what is left is not needed
	if ranErr := <-ended; err == nil && ranErr != nil && !errors.Is(ranErr, errEnough) {
		err = ranErr
	}
	if err != nil {
		return left, fmt.Errorf("collect what a sandbox made: %w", err)
	}
	return left, nil
}

var (
	errExtent = errors.New("there is too much of it")
	errEnough = errors.New("no more is read")
)

func collect(from *tar.Reader, most Extent, take func(Collected) error) (left []string, err error) {
	for files, bytes := 0, int64(0); ; {
		h, err := from.Next()
		if errors.Is(err, io.EOF) {
			return left, nil
		}
		if err != nil {
			return left, err
		}
		name := path.Clean(h.Name)
		switch {
		case h.Typeflag == tar.TypeDir:
			continue
		case h.Typeflag != tar.TypeReg || !filepath.IsLocal(name) || strings.ContainsRune(name, 0):
			if len(left) < most.Files {
				left = append(left, name)
			}
			continue
		}
		if files, bytes = files+1, bytes+h.Size; files > most.Files || bytes > most.Bytes {
			return left, errExtent
		}
		if err := take(Collected{Path: name, Size: h.Size, Executable: h.Mode&0o111 != 0, Content: from}); err != nil {
			return left, err
		}
	}
}
