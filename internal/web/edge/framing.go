package edge

import (
	"bytes"
	"errors"
	"net"
)

// framedConn is a connection of HTTP/1 whose requests are looked at as they pass,
// because net/http does not show what it makes of two words about one body: where
// a request says both Content-Length and Transfer-Encoding, it takes the second and
// forgets the first, and whoever stands in front may do otherwise. Into the header
// of a request whose end is not certain it puts one more line, faultyFraming, which
// the handlers are kept from by bound. Everything else passes as it is.
//
// Looking ends with the first request that is sent in chunks: bound lets nothing
// follow it.
type framedConn struct {
	net.Conn
	at    place
	kept  []byte // read and not yet given: after faultyFraming alone
	body  uint64 // bytes of a body that are still to come
	name  []byte // of the header line, as far as it can matter
	head  headWords
	store [len(transferEncoding) + 1]byte // of name
}

// headWords is what the head of a request says about the length of its body.
type headWords struct {
	version   byte // the minor one, the last character of the request line
	lengths   int
	encodings int
	length    uint64
	folded    bool // a value goes on in the next line, and may be a length
}

const (
	contentLength    = "content-length"
	transferEncoding = "transfer-encoding"
	// faultyFraming is in no request that anybody sends; whoever does is refused.
	faultyFraming = "Svcd-Faulty-Framing"
)

// place is where in a request the next byte stands.
type place int

const (
	inRequestLine place = iota
	atLineStart
	inName
	inLength
	inValue
	atHeadEnd
	inBody
	unseen // nothing that follows is looked at
)

func (c *framedConn) Read(p []byte) (int, error) {
	if len(c.kept) > 0 {
		n := copy(p, c.kept)
		c.kept = c.kept[n:]
		return n, nil
	}
	n, err := c.Conn.Read(p)
	if c.at == unseen {
		return n, err
	}
	if end, faulty := c.look(p[:n]); faulty {
		c.kept = append([]byte(faultyFraming+": 1\r\n"), p[end:n]...)
		if n = end; n == 0 {
			return c.Read(p)
		}
	}
	return n, err
}

// look follows the requests through what was read. It stops where a header ends
// that does not say where its request does.
func (c *framedConn) look(p []byte) (end int, faulty bool) {
	for i := 0; i < len(p); i++ {
		switch b := p[i]; c.at {
		case inRequestLine:
			// Empty lines in front of it are passed over, or refused, by net/http.
			if b == '\n' && c.head.version != 0 {
				c.at = atLineStart
			} else if b != '\r' && b != '\n' {
				c.head.version = b
			}
		case atLineStart:
			if b == '\r' || b == '\n' {
				if c.head.faulty() {
					c.at = unseen
					return i, true
				}
				c.at = atHeadEnd
				if b == '\n' {
					c.endHead()
				}
				continue
			}
			c.head.folded = c.head.folded || b == ' ' || b == '\t'
			c.at, c.name = inName, append(c.store[:0], lower(b))
		case inName:
			c.readName(b)
		case inLength:
			c.readLength(b)
		case inValue:
			if b == '\n' {
				c.at = atLineStart
			}
		case atHeadEnd:
			c.endHead() // at its line feed; anything else is refused by net/http
		case inBody:
			rest := min(c.body, uint64(len(p)-i))
			if c.body -= rest; c.body == 0 {
				c.at = inRequestLine
			}
			i += int(rest) - 1
		case unseen:
			return len(p), false
		}
	}
	return len(p), false
}

func (c *framedConn) readName(b byte) {
	switch {
	case b == '\n':
		c.at = atLineStart // a line without a colon: net/http refuses it
	case b != ':':
		if len(c.name) < cap(c.name) {
			c.name = append(c.name, lower(b))
		}
	case bytes.Equal(c.name, []byte(contentLength)):
		c.at = inLength
		c.head.lengths++
	default:
		c.at = inValue
		if bytes.Equal(c.name, []byte(transferEncoding)) {
			c.head.encodings++
		}
	}
}

// readLength counts on net/http to refuse what is no number, and one that is too large.
func (c *framedConn) readLength(b byte) {
	switch {
	case b == '\n':
		c.at = atLineStart
	case b >= '0' && b <= '9':
		c.head.length = c.head.length*10 + uint64(b-'0')
	}
}

func (c *framedConn) endHead() {
	switch {
	case c.head.encodings > 0:
		c.at = unseen
	case c.head.length > 0:
		c.at, c.body = inBody, c.head.length
	default:
		c.at = inRequestLine
	}
	c.head = headWords{}
}

// faulty says whether two readers of the same header may find two ends of its
// request. HTTP/1.0 knows no encodings.
func (h headWords) faulty() bool {
	return h.lengths > 1 || h.encodings > 0 && (h.lengths > 0 || h.version == '0') ||
		h.folded && h.lengths+h.encodings > 0
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

// CloseWrite says that nothing more is said, while the rest is still read.
func (c *framedConn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(c net.Conn) error {
	half, ok := c.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}
