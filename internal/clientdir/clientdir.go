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
	"time"
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
	size    int64
	changed time.Time
	sum     string
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
	all, err := d.list(root)
	if err != nil {
		return Archive{}, nil, err
	}
	at := slices.IndexFunc(all, func(a Archive) bool { return a.Name == name })
	if at < 0 {
		return Archive{}, nil, fs.ErrNotExist
	}
	file, err := root.Open(name)
	if err != nil {
		return Archive{}, nil, fmt.Errorf("open an archive of the client: %w", err)
	}
	return all[at], file, nil
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
		size, found, err := d.sum(root, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a release that is being put there, or of which a part was taken
		}
		if err != nil {
			return nil, fmt.Errorf("read an archive of the client: %w", err)
		}
		if found != sum {
			continue // not what the release has under this name, or not all of it yet
		}
		parts := archiveName.FindStringSubmatch(name)
		all = append(all, Archive{Name: name, Version: parts[1], Platform: Platform{OS: parts[2], Arch: parts[3]}, Size: size, SHA256: sum})
	}
	slices.SortFunc(all, func(a, b Archive) int {
		return cmp.Or(cmp.Compare(a.OS, b.OS), cmp.Compare(a.Arch, b.Arch), cmp.Compare(b.Name, a.Name))
	})
	return all, nil
}

// sum gives the size and the SHA-256 of a file. Its bytes are read when it has
// changed since they were.
func (d *Dir) sum(root *os.Root, name string) (int64, string, error) {
	info, err := root.Stat(name)
	if err != nil {
		return 0, "", err
	}
	if !info.Mode().IsRegular() {
		return 0, "", nil
	}
	if known, there := d.hashed[name]; there && known.size == info.Size() && known.changed.Equal(info.ModTime()) {
		return known.size, known.sum, nil
	}
	file, err := root.Open(name)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	if err != nil {
		return 0, "", err
	}
	found := hashed{size: size, changed: info.ModTime(), sum: hex.EncodeToString(hash.Sum(nil))}
	d.hashed[name] = found
	return found.size, found.sum, nil
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
