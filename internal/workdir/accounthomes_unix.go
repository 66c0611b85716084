//go:build unix

package workdir

import (
	"io/fs"
	"os/user"
	"strconv"
	"syscall"
)

// ownerHome is the home folder of the owner of a file, or "".
func ownerHome(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	u, err := user.LookupId(strconv.FormatUint(uint64(stat.Uid), 10))
	if err != nil {
		return ""
	}
	return u.HomeDir
}
