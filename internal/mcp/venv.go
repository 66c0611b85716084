package mcp

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// venvMark is the file that makes a folder a virtual environment of Python, whatever
// the folder's name.
const venvMark = "pyvenv.cfg"

// venvs finds virtual environments: those in a folder, and those that a pull brings.
type venvs struct {
	dir  string          // the folder
	here map[string]bool // by the folded name of a folder below it; "." is itself
}

func findVenvs(dir string, changes []workdir.FileChange) venvs {
	v := venvs{dir: dir, here: map[string]bool{}}
	for _, c := range changes {
		if folded := bundlezip.FoldName(c.Name); path.Base(folded) == venvMark {
			v.here[path.Dir(folded)] = true
		}
	}
	return v
}

// holds reports whether a file belongs to the programs or packages of a virtual
// environment.
func (v venvs) holds(name string) bool {
	parts := strings.Split(name, "/")
	for i := range parts[:len(parts)-1] {
		if slices.Contains([]string{"bin", "scripts", "lib", "lib32", "lib64"}, bundlezip.FoldName(parts[i])) && v.is(path.Join(parts[:i]...)) {
			return true
		}
	}
	return false
}

// is reports whether a folder is a virtual environment.
func (v venvs) is(folder string) bool {
	folder = path.Clean(folder)
	folded := bundlezip.FoldName(folder)
	found, known := v.here[folded]
	if !known {
		_, err := os.Lstat(filepath.Join(v.dir, filepath.FromSlash(folder), venvMark))
		found = err == nil
		v.here[folded] = found
	}
	return found
}
