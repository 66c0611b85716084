package modelproxy

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxNesting is how deep the JSON of a request may be.
	maxNesting = 256
	// maxToolDepth is how deep lists of tools may be: tools, and tools in a group.
	maxToolDepth = 2
	maxTools     = 512
	// maxCuts is how many places of a request may be changed.
	maxCuts = 4096
	// checkEvery is how many tokens are read until the context is looked at.
	checkEvery = 1024
)

// badRequest is why a request is not passed on, for the agent.
type badRequest string

func (b badRequest) Error() string { return string(b) }

// scan reads the body of a request once, from its beginning to its end, without
// copying it: what is passed on is gathered in parts of the body.
type scan struct {
	ctx    context.Context //nolint:containedctx // that of one reading
	body   []byte
	from   *jsontext.Decoder
	tokens int
	tools  int
	refers bool // to what the provider stores

	parts [][]byte // of the field that is read
	at    int      // where what is not in parts yet begins
	cuts  int      // places where something is left out
	// began is where the member or element begins that is read next, and ended where
	// what stands before it ended.
	ended, began int
}

// next reads one token. Names are not compared here: only those of objects that
// the relay itself reads must differ, and remembering all names of a body takes
// several times its size.
func (s *scan) next() (jsontext.Token, error) {
	if s.tokens++; s.tokens%checkEvery == 0 && s.ctx.Err() != nil {
		return jsontext.Token{}, s.ctx.Err()
	}
	token, err := s.from.ReadToken()
	if err != nil {
		return token, badRequest("the request is no JSON object")
	}
	if s.from.StackDepth() > maxNesting {
		return token, badRequest(fmt.Sprintf("the request is nested more than %d levels deep", maxNesting))
	}
	return token, nil
}

// end is where the last token ended, start where the next one begins.
func (s *scan) end() int { return int(s.from.InputOffset()) }

func (s *scan) start() int {
	at := s.end()
	for at < len(s.body) && strings.IndexByte(" \t\r\n,:", s.body[at]) >= 0 {
		at++
	}
	return at
}

// keep passes on what was read up to an offset.
func (s *scan) keep(to int) {
	if to > s.at {
		s.parts = append(s.parts, s.body[s.at:to])
	}
	s.at = to
}

// field passes on the value that is read.
func (s *scan) field(read func() error) ([][]byte, error) {
	s.parts, s.at = nil, s.start()
	err := read()
	s.keep(s.end())
	return s.parts, err
}

// members reads an object, whose beginning is the next token, and calls each for
// every member, before its value. each reads the value.
func (s *scan) members(each func(name string) error) error {
	if _, err := s.next(); err != nil {
		return err
	}
	for s.from.PeekKind() != '}' {
		ended, began := s.end(), s.start()
		token, err := s.next()
		if err != nil {
			return err
		}
		s.ended, s.began = ended, began
		if err := each(token.String()); err != nil {
			return err
		}
	}
	_, err := s.next()
	return err
}

// elements does the same for an array.
func (s *scan) elements(each func() error) error {
	if _, err := s.next(); err != nil {
		return err
	}
	for s.from.PeekKind() != ']' {
		s.ended, s.began = s.end(), s.start()
		if err := each(); err != nil {
			return err
		}
	}
	_, err := s.next()
	return err
}

// skip reads a value that nobody looks into.
func (s *scan) skip() error {
	depth := s.from.StackDepth()
	for {
		if _, err := s.next(); err != nil {
			return err
		}
		if s.from.StackDepth() <= depth {
			return nil
		}
	}
}

// text reads a value that may be a string or null; false: it is neither.
func (s *scan) text() (string, bool, error) {
	switch s.from.PeekKind() {
	case '"':
		token, err := s.next()
		return token.String(), true, err
	case 'n':
		return "", true, s.skip()
	}
	return "", false, s.skip()
}

// schemas are fields whose value is the agent's own, whatever its names mean.
var schemas = fieldSet([]string{"arguments", "input", "input_schema", "parameters"})

// value reads a value in which a cache may be asked for.
func (s *scan) value() error {
	switch s.from.PeekKind() {
	case '{':
		return s.members(s.member)
	case '[':
		return s.elements(s.value)
	}
	return s.skip()
}

// member reads the value of a member.
func (s *scan) member(name string) error {
	switch {
	case strings.EqualFold(name, "cache_control") && s.from.PeekKind() == '{':
		return s.cacheControl()
	case schemas[name]:
		return s.skip()
	}
	return s.value()
}

// cacheControl cuts out for how long a cache is asked for: longer than usual costs more.
func (s *scan) cacheControl() error {
	var l list
	return s.members(func(name string) error {
		return s.item(&l, func() (bool, error) { return !strings.EqualFold(name, "ttl"), s.skip() })
	})
}

// list is what a list of tools has, or an object from which members are left out.
type list struct {
	isList     bool
	kept, gone int
}

// item reads what begins here as the next of a list, and leaves it out, with a comma,
// unless read reports that it is to be kept.
func (s *scan) item(l *list, read func() (keep bool, err error)) error {
	ended, began := s.ended, s.began
	if l.kept == 0 && l.gone > 0 {
		s.at = began // the first that is kept has no comma before it
	}
	parts, at, cuts := len(s.parts), s.at, s.cuts
	keep, err := read()
	if err != nil {
		return err
	}
	if keep {
		l.kept++
		return nil
	}
	// What was left out inside of it goes with it.
	s.parts, s.at, s.cuts = s.parts[:parts], at, cuts+1
	if l.gone++; s.cuts > maxCuts {
		return badRequest(fmt.Sprintf("the request has more than %d places that the relay would change", maxCuts))
	}
	if l.kept > 0 {
		began = ended
	}
	s.keep(began)
	s.at = s.end()
	return nil
}

// newScan begins to read a body.
func newScan(ctx context.Context, body []byte) *scan {
	return &scan{ctx: ctx, body: body, from: jsontext.NewDecoder(bytes.NewBuffer(body),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}
