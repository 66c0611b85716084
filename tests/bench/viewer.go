package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// viewer watches one stream.
type viewer struct {
	*audience
	path   string
	socket *socket
	conn   *tls.Conn
	body   chunks
	line   []byte    // the beginning of a line whose end has not come
	now    time.Time // when what is taken came
	id     int64     // of the last event, where events have numbers
	number int64     // in the delta of the last event
	over   bool
}

// dial connects, asks for the events after the last one, and takes what came
// with the head of the answer.
func (v *viewer) dial() (err error) {
	if v.socket, err = dialSocket(v.address, dialTime); err != nil {
		return err
	}
	v.conn = tls.Client(v.socket, v.tls)
	request := "GET " + v.path + " HTTP/1.1\r\nHost: " + v.address + "\r\nAccept: text/event-stream\r\n"
	if v.key != "" {
		request += "Authorization: Bearer " + v.key + "\r\n"
	}
	if v.id > 0 {
		request += "Last-Event-ID: " + strconv.FormatInt(v.id, 10) + "\r\n"
	}
	if _, err := io.WriteString(v.conn, request+"\r\n"); err != nil {
		return errors.Join(err, v.socket.Close())
	}
	in := bufio.NewReaderSize(v.conn, 4<<10)
	resp, err := http.ReadResponse(in, nil) // the body is read from the connection
	if err != nil {
		return errors.Join(err, v.socket.Close())
	}
	if resp.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("%s answers %s", v.path, resp.Status), v.socket.Close())
	}
	v.body, v.line = chunks{plain: !slices.Contains(resp.TransferEncoding, "chunked")}, nil
	came, err := in.Peek(in.Buffered())
	v.take(came)
	return err
}

// read takes all that has come.
func (v *viewer) read(buffer []byte) error {
	for {
		n, err := v.conn.Read(buffer)
		v.take(buffer[:n])
		if v.over {
			return io.EOF
		}
		if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take takes bytes of the answer's body, in chunks as HTTP sends them.
func (v *viewer) take(came []byte) {
	v.now = time.Now()
	for len(came) > 0 {
		var text []byte
		text, came = v.body.next(came)
		for len(text) > 0 {
			end := bytes.IndexByte(text, '\n')
			if end < 0 {
				v.line = append(v.line, text...)
				break
			}
			if len(v.line) == 0 {
				v.hear(text[:end])
			} else {
				v.line = append(v.line, text[:end]...)
				v.hear(v.line)
				v.line = v.line[:0]
			}
			text = text[end+1:]
		}
	}
}

var (
	idField    = []byte("id: ")
	errorField = []byte("event: error")
	dataField  = []byte("data: ")
	deltaField = []byte(`"delta":"`)
)

// hear takes one line of the stream.
func (v *viewer) hear(line []byte) {
	switch {
	case v.key != "" && bytes.HasPrefix(line, idField):
		id, ok := leadingNumber(line[len(idField):])
		if !ok || id != v.id+1 {
			v.faults.Add(1)
		}
		v.id = id
	case bytes.HasPrefix(line, errorField):
		v.over = true
	case bytes.HasPrefix(line, dataField):
		v.delta(line)
	}
}

// delta reads number and time of an event.
func (v *viewer) delta(data []byte) {
	at := bytes.Index(data, deltaField)
	if at < 0 {
		return // an event of another kind
	}
	first, rest, _ := bytes.Cut(data[at+len(deltaField):], []byte{' '})
	number, ok := leadingNumber(first)
	said, alsoOK := leadingNumber(rest)
	if !ok || !alsoOK || number != v.number+1 {
		v.faults.Add(1)
	}
	v.number = number
	delay := time.Duration(v.now.UnixNano() - said)
	v.delays[min(max(int(delay/latencyStep), 0), latencySteps-1)].Add(1)
	v.events.Add(1)
}

// leadingNumber reads the digits with which a text begins.
func leadingNumber(text []byte) (n int64, ok bool) {
	for _, c := range text {
		if c < '0' || c > '9' {
			break
		}
		n, ok = 10*n+int64(c-'0'), true
	}
	return n, ok
}

// chunks undoes HTTP's chunked encoding, however its bytes are cut.
type chunks struct {
	plain bool  // there are none: nchan's answers end with their connection
	left  int64 // bytes of the chunk that have not come
	size  int64 // as far as its line was read
	line  bool  // the line has begun to say the size
}

// next takes from what came up to the end of a chunk: text is part of the body.
func (c *chunks) next(came []byte) (text, rest []byte) {
	if c.plain {
		return came, nil
	}
	if c.left > 0 {
		n := min(c.left, int64(len(came)))
		c.left -= n
		return came[:n], came[n:]
	}
	for i, b := range came {
		switch {
		case b >= '0' && b <= '9':
			c.size, c.line = c.size<<4|int64(b-'0'), true
		case b >= 'a' && b <= 'f', b >= 'A' && b <= 'F':
			c.size, c.line = c.size<<4|int64(b&^0x20-'A'+10), true
		case b == '\n' && c.line: // the other line ends belong to the chunk before
			c.left, c.size, c.line = c.size, 0, false
			return nil, came[i+1:]
		}
	}
	return nil, nil
}
