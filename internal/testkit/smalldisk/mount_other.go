//go:build !linux

package smalldisk

import "errors"

func mount(string, int64) error { return errors.ErrUnsupported }

func unmount(string) error { return errors.ErrUnsupported }
