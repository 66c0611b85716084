package sandbox

import (
	"errors"
	"io"
)

// What [ReadRegular] does not read.
var (
	ErrIrregular = errors.New("it is no regular file")
	ErrLarge     = errors.New("it is too large")
)

// readAtMost reads a file that may grow meanwhile.
func readAtMost(r io.Reader, most int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(content)) > most {
		return nil, ErrLarge
	}
	return content, err
}
