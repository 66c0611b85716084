package sandbox

import "golang.org/x/sys/unix"

// dropRights has what this thread starts begin without the rights that a service
// manager has given this process, such as that to listen on port 443: bubblewrap
// refuses to work with any.
func dropRights() {
	// An old kernel has none to drop.
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
}
