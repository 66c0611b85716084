// Package leaks finds API keys of the service where others may read them: in a folder, in
// the last commits of a repository, and in a bundle.
package leaks

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/text/secrets"
)

// What is looked at for keys: text is small, and folders may be large.
const (
	maxKeyFile    = 1 << 20
	maxKeyFiles   = 5000
	maxKeyEntries = 50_000 // files and folders that are passed on the way
	maxKeyBytes   = 64 << 20
	maxKeyCommits = 50
	maxKeyHistory = 32 << 20
	// gitPatience is how long the last commits may take.
	gitPatience = 10 * time.Second
)

// MaxShown is how many keys are named one by one.
const MaxShown = 10

// Key is a key of the service where it should not be, without its secret.
type Key struct{ prefix, where string }

// String returns the public part of the key and its place.
func (k Key) String() string { return "svc_" + k.prefix + "_… in " + k.where }

// find finds keys in a text. where says what a line of it is called.
func find(text []byte, where func(line int) string) (found []Key) {
	for _, f := range secrets.FindOwn(text) {
		if prefix, ok := svc.ParseKey(string(text[f.Start:f.End])); ok {
			found = append(found, Key{prefix, where(f.Line)})
		}
	}
	return found
}

func lineOf(name string) func(int) string {
	return func(line int) string { return fmt.Sprintf("%s:%d", name, line) }
}

// InFolder finds keys in the files of a folder, as far as its bounds go, and tells
// how many files were looked at. What is generated or fetched by tools is left out.
func InFolder(dir string) (found []Key, files int) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, 0
	}
	defer func() { _ = root.Close() }() // it was only read
	var text bytes.Buffer               // of one file after the other
	total, passed := 0, 0
	_ = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		passed++
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read has no key that others could read
		case e.IsDir() && slices.Contains([]string{".git", ".svc", "node_modules", ".venv"}, e.Name()):
			return fs.SkipDir
		case files >= maxKeyFiles || total > maxKeyBytes || passed > maxKeyEntries:
			return fs.SkipAll
		case !e.Type().IsRegular():
			return nil
		}
		info, err := e.Info()
		if err != nil || info.Size() > maxKeyFile {
			return nil //nolint:nilerr // as above
		}
		if err := readInto(&text, root, name); err != nil {
			return nil //nolint:nilerr // as above
		}
		files++
		total += text.Len()
		found = append(found, find(text.Bytes(), lineOf(name))...)
		return nil
	})
	return found, files
}

// readInto puts what a file begins with in the place of what a buffer holds.
func readInto(text *bytes.Buffer, root *os.Root, name string) error {
	text.Reset()
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	_, err = text.ReadFrom(io.LimitReader(file, maxKeyFile))
	return errors.Join(err, file.Close())
}

// InBundle finds keys in the files of a bundle. Most of them lie in memory, and are
// looked at there.
func InBundle(archive *bundlezip.Archive) (found []Key) {
	for _, f := range archive.Manifest().Files {
		if f.Size > maxKeyFile {
			continue
		}
		text, kept := archive.Verified(f.Base, f.Path)
		if !kept {
			text, _ = archive.ReadFile(f.Base, f.Path) // who applies the bundle is told of errors
		}
		found = append(found, find(text, func(line int) string { return "the bundle's " + lineOf(f.Path)(line) })...)
	}
	return found
}

// InCommits finds keys that the last commits of a repository added, and tells how
// many commits were looked at. The repository may be a stranger's: git runs none of
// its programs, and asks nobody else for what is missing.
func InCommits(ctx context.Context, dir string) (found []Key, commits int) {
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	//nolint:gosec // all of it is written here
	cmd := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "--no-pager",
		"log", "--patch", "--no-ext-diff", "--no-textconv", "--no-color", "--no-decorate", "--format=commit %h", fmt.Sprintf("--max-count=%d", maxKeyCommits), "--", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return nil, 0
	}
	defer cmd.Wait() //nolint:errcheck // where there is no repository there are no commits
	commit, file := "", ""
	lines := bufio.NewReaderSize(io.LimitReader(out, maxKeyHistory), 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case bytes.HasPrefix(line, []byte("commit ")):
			commit = strings.TrimSpace(string(line[len("commit "):]))
			commits++
		case bytes.HasPrefix(line, []byte("+++ ")):
			file = strings.TrimPrefix(strings.TrimSpace(string(line[len("+++ "):])), "b/")
		case bytes.HasPrefix(line, []byte("+")):
			found = append(found, find(line, func(int) string { return "commit " + commit + ", " + file })...)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			cancel()
			return found, commits
		}
	}
}
