//go:build !linux

package sandbox

// dropRights is for Linux alone.
func dropRights() {}

// keepFiles is for Linux alone.
func keepFiles() {}
