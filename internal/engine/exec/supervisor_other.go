//go:build !linux

package exec

// newKeeper chooses how programs are kept: here there are only groups.
func newKeeper(bool) keeper { return &group{} }

// Supervise is for Linux alone.
func Supervise([]string) (code int, asked bool) { return 0, false }
