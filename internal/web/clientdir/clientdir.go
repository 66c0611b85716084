// Package clientdir offers the archives of the client that lie in a folder, as
// `make snapshot` leaves them there.
//
// Its invariants: a file is offered when the folder's sums name it, its name is that
// of an archive of the client, and its bytes have the sum. Nothing else of the folder
// can be reached, whatever is asked for. Every look notices what has changed since
// the one before, so that a new release is put there without a restart.
package clientdir

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// sumsFile names the archives, one a line: the SHA-256 in hex, two spaces, the name.
const sumsFile = "checksums.txt"

// maxSums is how much of it is read.
const maxSums = 1 << 20

// archiveName is how a release names the archives of the client.
var archiveName = regexp.MustCompile(`^svc_([0-9A-Za-z.+~-]+)_(linux|darwin|windows)_(amd64|arm64)\.(?:tar\.gz|zip)$`)

// Platform is what an archive is for, in Go's words.
type Platform struct{ OS, Arch string }

// Archive is one that is offered.
type Archive struct {
	Platform
	Name    string
	Version string
	Size    int64
	SHA256  string // hex
}

// Dir is a folder with archives.
type Dir struct {
	path string

	mu     sync.Mutex
	hashed map[string]hashed // by name: bytes are read once for each change
}

// hashed is what was found when a file's bytes were last read.
type hashed struct {
	info fs.FileInfo
	sum  string
}

// of says whether that was this file, as it is now.
func (h hashed) of(info fs.FileInfo) bool {
	return h.info != nil && os.SameFile(h.info, info) && h.info.Size() == info.Size() && h.info.ModTime().Equal(info.ModTime())
}

// Open looks at a folder. One that is not there is an error; what it holds may come
// later.
func Open(path string) (*Dir, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("look at the folder of clients: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", path)
	}
	return &Dir{path: path, hashed: map[string]hashed{}}, nil
}

// List gives the archives that are offered at the moment, in the order of their
// platforms. A folder without sums offers none; that is an error that fs.ErrNotExist
// describes.
func (d *Dir) List() ([]Archive, error) {
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return nil, fmt.Errorf("open the folder of clients: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	return d.list(root)
}

// Read opens an archive that is offered. Any other name is fs.ErrNotExist.
func (d *Dir) Read(name string) (Archive, io.ReadSeekCloser, error) {
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return Archive{}, nil, fmt.Errorf("open the folder of clients: %w", err)
	}
	defer func() { _ = root.Close() }() // what was opened in it stays open
	sums, err := readSums(root)
	if err != nil {
		return Archive{}, nil, fmt.Errorf("read the sums of the clients: %w", err)
	}
	if sums[name] == "" {
		return Archive{}, nil, fs.ErrNotExist
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	// What is given out is what was hashed, also where another file takes its place now.
	file, found, err := d.open(root, name)
	if err != nil {
		return Archive{}, nil, fmt.Errorf("open an archive of the client: %w", err)
	}
	if found.sum != sums[name] {
		return Archive{}, nil, errors.Join(fs.ErrNotExist, file.Close())
	}
	return archive(name, found), file, nil
}

// archive is what a file is offered as.
func archive(name string, found hashed) Archive {
	parts := archiveName.FindStringSubmatch(name)
	return Archive{Name: name, Version: parts[1], Platform: Platform{OS: parts[2], Arch: parts[3]}, Size: found.info.Size(), SHA256: found.sum}
}

func (d *Dir) list(root *os.Root) ([]Archive, error) {
	sums, err := readSums(root)
	if err != nil {
		return nil, fmt.Errorf("read the sums of the clients: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for name := range d.hashed {
		if sums[name] == "" {
			delete(d.hashed, name)
		}
	}
	var all []Archive
	for name, sum := range sums {
		file, found, err := d.open(root, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a release that is being put there, or of which a part was taken
		}
		if err != nil {
			return nil, fmt.Errorf("read an archive of the client: %w", err)
		}
		_ = file.Close() // it was only read
		if found.sum != sum {
			continue // not what the release has under this name, or not all of it yet
		}
		all = append(all, archive(name, found))
	}
	slices.SortFunc(all, func(a, b Archive) int {
		return cmp.Or(cmp.Compare(a.OS, b.OS), cmp.Compare(a.Arch, b.Arch), cmp.Compare(b.Name, a.Name))
	})
	return all, nil
}

// open opens a file and gives its SHA-256. Its bytes are read when it is another one than
// they were read of, or has changed since. What is no file is fs.ErrNotExist.
func (d *Dir) open(root *os.Root, name string) (_ *os.File, _ hashed, err error) {
	// Opening what is no file may take for ever.
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, hashed{}, cmp.Or(err, fs.ErrNotExist)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, hashed{}, err
	}
	defer func() {
		if err != nil {
			_ = file.Close() // it was only read
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, hashed{}, err
	}
	if known := d.hashed[name]; known.of(info) {
		return file, known, nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return nil, hashed{}, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, hashed{}, err
	}
	found := hashed{info: info, sum: hex.EncodeToString(hash.Sum(nil))}
	d.hashed[name] = found
	return file, found, nil
}

// readSums gives the sums of the archives of the client by their names. What else a
// release has is passed over.
func readSums(root *os.Root) (map[string]string, error) {
	file, err := root.Open(sumsFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	sums := map[string]string{}
	for lines := bufio.NewScanner(io.LimitReader(file, maxSums)); ; {
		if !lines.Scan() {
			return sums, lines.Err()
		}
		sum, name, _ := strings.Cut(lines.Text(), " ")
		name = strings.TrimPrefix(strings.TrimPrefix(name, " "), "*") // as sha256sum marks what it read as bytes
		if raw, err := hex.DecodeString(sum); err == nil && len(raw) == sha256.Size && archiveName.MatchString(name) {
			sums[name] = strings.ToLower(sum)
		}
	}
}
