package modelproxy

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// struck stands where a key stood.
const struck = "***"

// striker passes on what is written without a secret, also where the secret comes
// in pieces: what may be its beginning waits for the rest. It reads each byte once,
// and holds no more than one secret in its longest form.
type striker struct {
	to     io.Writer
	secret *secret

	held    []byte // what has not been passed on
	at      int    // the offset of the first byte that is held, in all that was written
	threads []thread
	spare   []thread
	seen    []int // by state: the turn in which it was last reached
	turn    int
	found   []span
}

// thread is one way in which what was written may be a secret.
type thread struct{ state, start int }

// span is a secret that was found.
type span struct{ start, end int }

func newStriker(to io.Writer, s *secret) *striker {
	return &striker{to: to, secret: s, seen: make([]int, len(s.states))}
}

// Write implements [io.Writer].
func (s *striker) Write(p []byte) (int, error) {
	if len(s.secret.states) == 0 {
		return s.to.Write(p)
	}
	base := s.at + len(s.held)
	for i, b := range p {
		if len(s.threads) > 0 || s.secret.begins[b] != nil {
			s.step(b, base+i)
		}
	}
	s.held = append(s.held, p...)
	safe := s.at + len(s.held)
	for _, t := range s.threads {
		safe = min(safe, t.start)
	}
	if err := s.flush(safe); err != nil {
		return 0, err
	}
	return len(p), nil
}

// step reads one byte. Of two threads that reach the same state the one that began
// first stays: it comes first.
func (s *striker) step(b byte, at int) {
	s.turn++
	next := s.spare[:0]
	for _, t := range s.threads {
		for _, way := range s.secret.states[t.state] {
			if way.on == b {
				next = s.reach(next, thread{way.to, t.start}, at)
			}
		}
	}
	for _, state := range s.secret.begins[b] {
		next = s.reach(next, thread{state, at}, at)
	}
	s.threads, s.spare = next, s.threads
}

// reach adds a thread, or notes that it has read a secret to its end.
func (s *striker) reach(next []thread, t thread, at int) []thread {
	if t.state == accepted {
		s.found = append(s.found, span{t.start, at + 1})
		return next
	}
	if s.seen[t.state] == s.turn {
		return next
	}
	s.seen[t.state] = s.turn
	return append(next, t)
}

// flush passes on everything before an offset, and strikes what was found there.
func (s *striker) flush(safe int) error {
	var out bytes.Buffer
	slices.SortFunc(s.found, func(a, b span) int { return a.start - b.start })
	for len(s.found) > 0 && s.found[0].start < safe {
		f := s.found[0]
		s.found = s.found[1:]
		if f.start >= s.at { // otherwise it continues what was struck before
			out.Write(s.cut(f.start))
			out.WriteString(struck)
		}
		s.cut(f.end)
	}
	out.Write(s.cut(safe))
	if out.Len() == 0 {
		return nil
	}
	_, err := s.to.Write(out.Bytes())
	return err
}

// cut takes what is held before an offset.
func (s *striker) cut(to int) []byte {
	n := max(to-s.at, 0)
	taken := s.held[:n]
	s.held, s.at = s.held[n:], s.at+n
	return taken
}

// end writes what has waited: it was no secret.
func (s *striker) end() error {
	s.threads = nil
	return s.flush(s.at + len(s.held))
}

// strike returns a text without a secret. Where the text was cut off, what may be the
// beginning of one at its end is left out.
func (s *secret) strike(text []byte, cutOff bool) []byte {
	var out bytes.Buffer
	to := newStriker(&out, s)
	_, _ = to.Write(text) // a buffer takes everything
	if !cutOff {
		_ = to.end() // as above
	}
	return out.Bytes()
}

// withoutKey returns an error that does not repeat the key.
func (p *Provider) withoutKey(err error) error {
	text := err.Error()
	if clean := string(p.secret.strike([]byte(text), false)); clean != text {
		return errors.New(clean)
	}
	return err
}
