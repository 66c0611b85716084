package sandbox

import (
	"bytes"
	"fmt"
)

// keep is how much of the beginning and of the end of an output is kept.
const keep = 64 << 10

// ends keeps the beginning and the end of what is written to it.
type ends struct {
	head, tail []byte
	total      int64
}

func (e *ends) write(p []byte) {
	e.total += int64(len(p))
	n := min(len(p), keep-len(e.head))
	e.head = append(e.head, p[:n]...)
	p = p[n:]
	if len(p) >= keep {
		e.tail = append(e.tail[:0], p[len(p)-keep:]...)
		return
	}
	if over := len(e.tail) + len(p) - keep; over > keep { // now and then, not each time
		e.tail = append(e.tail[:0], e.tail[over:]...)
	}
	e.tail = append(e.tail, p...)
}

func (e *ends) bytes() []byte {
	tail := e.tail[max(0, len(e.tail)-keep):]
	left := e.total - int64(len(e.head)) - int64(len(tail))
	if left == 0 {
		return append(e.head, tail...)
	}
	return bytes.Join([][]byte{e.head, fmt.Appendf(nil, "\n[%d bytes are left out here]\n", left), tail}, nil)
}
