//go:build !linux

package exec

// newProcessTree has no supervisors to offer: they are for Linux alone.
func newProcessTree(bool) processTree { return &processGroup{} }

// Supervise is for Linux alone.
func Supervise([]string) (code int, asked bool) { return 0, false }
