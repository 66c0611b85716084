package models

import (
	"bytes"
	"context"
	"errors"
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
// copying it.
type scan struct {
	ctx    context.Context //nolint:containedctx // that of one reading
	body   []byte
	from   *jsontext.Decoder
	tokens int
	tools  int
	cuts   []cut
	refers bool // to what the provider stores
}

// cut is a piece of the body that is not passed on.
type cut struct{ from, to int }

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

// cut notes that a piece is left out.
func (s *scan) cut(from, to int) error {
	if len(s.cuts) == maxCuts {
		return badRequest(fmt.Sprintf("the request has more than %d places that the relay would change", maxCuts))
	}
	s.cuts = append(s.cuts, cut{from, to})
	return nil
}

// members reads an object, whose beginning is the next token, and calls each for
// every member, before its value. each reads the value.
func (s *scan) members(each func(name string, start int) error) error {
	if _, err := s.next(); err != nil {
		return err
	}
	for s.from.PeekKind() != '}' {
		start := s.start()
		token, err := s.next()
		if err != nil {
			return err
		}
		if err := each(token.String(), start); err != nil {
			return err
		}
	}
	_, err := s.next()
	return err
}

// elements does the same for an array.
func (s *scan) elements(each func(start int) error) error {
	if _, err := s.next(); err != nil {
		return err
	}
	for s.from.PeekKind() != ']' {
		if err := each(s.start()); err != nil {
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
		return s.members(func(name string, _ int) error { return s.member(name) })
	case '[':
		return s.elements(func(int) error { return s.value() })
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
	var list remover
	err := s.members(func(name string, start int) error {
		list.begin(s)
		if err := s.skip(); err != nil {
			return err
		}
		return list.item(s, start, strings.EqualFold(name, "ttl"))
	})
	if err != nil {
		return err
	}
	return list.done(s)
}

// remover cuts members out of an object, or elements out of an array, with their
// commas.
type remover struct {
	pending      bool // what is cut began at from, and ends where the next one begins
	from         int
	end          int // of the last one
	kept, gone   int
	beforeChange int // cuts, before what is in the present one
}

// item has read one, that is left out or not.
func (r *remover) item(s *scan, start int, leaveOut bool) error {
	before := r.end
	r.end = s.end()
	if !leaveOut {
		r.kept++
		if !r.pending {
			return nil
		}
		r.pending = false
		// What was cut inside of the kept one comes after this.
		inside := append([]cut(nil), s.cuts[r.beforeChange:]...)
		s.cuts = s.cuts[:r.beforeChange]
		if err := s.cut(r.from, start); err != nil {
			return err
		}
		s.cuts = append(s.cuts, inside...)
		return nil
	}
	r.gone++
	s.cuts = s.cuts[:r.beforeChange]
	switch {
	case r.kept > 0:
		return s.cut(before, r.end)
	case !r.pending:
		r.pending, r.from = true, start
	}
	return nil
}

// begin is called before one is read.
func (r *remover) begin(s *scan) { r.beforeChange = len(s.cuts) }

// done has read the last one.
func (r *remover) done(s *scan) error {
	if r.pending {
		return s.cut(r.from, r.end)
	}
	return nil
}

// newScan begins to read a body.
func newScan(ctx context.Context, body []byte) *scan {
	return &scan{ctx: ctx, body: body, from: jsontext.NewDecoder(bytes.NewBuffer(body),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// isBad returns the reason for the agent; false: it is none of the request.
func isBad(err error) (badRequest, bool) { return errors.AsType[badRequest](err) }
