//go:build unix

package pull

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUser says whether a file belongs to whoever runs this program, and to
// nobody else.
func ownedByUser(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}
