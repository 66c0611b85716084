package models

import (
	"encoding/base64"
	"strings"
)

// minEncoded is the length from which a key is looked for in other forms than plain:
// the forms of a shorter one occur by chance.
const minEncoded = 8

// accepted is the state in which a secret was read to its end.
const accepted = -1

// secret is a key in the forms in which it is struck out: plain, escaped as in JSON
// or percent-coded in any of its characters, in base64 wherever it begins, in hex,
// and in UTF-16. The forms are one automaton, in which each state has several ways.
type secret struct {
	states [][]way
	first  []int
	begins [256][]int // the states to which the first byte of a form leads
}

// way leads to another state on one byte of a set.
type way struct {
	on *set
	to int
}

type set [4]uint64

func (s *set) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

func setOf(bytes ...byte) *set {
	s := new(set)
	for _, b := range bytes {
		s[b>>6] |= 1 << (b & 63)
	}
	return s
}

func newSecret(key string) *secret {
	s := new(secret)
	if key == "" {
		return s
	}
	plain := make([]*set, len(key))
	for i := range key {
		plain[i] = setOf(key[i])
	}
	s.add(plain, len(key) >= minEncoded)
	if len(key) >= minEncoded {
		for lead := range 3 {
			s.add(inBase64(key, lead), true)
		}
		s.add(inHex(key), false)
		s.add(inUTF16(key, false), false)
		s.add(inUTF16(key, true), false)
	}
	for _, first := range s.first {
		for b := range 256 {
			for _, w := range s.states[first] {
				if w.on.has(byte(b)) {
					s.begins[b] = append(s.begins[b], w.to)
				}
			}
		}
	}
	return s
}

func inHex(key string) []*set {
	var form []*set
	for i := range key {
		form = append(form, digit(key[i]>>4), digit(key[i]&15))
	}
	return form
}

// digit is a digit of hex in either case.
func digit(n byte) *set {
	const digits = "0123456789abcdef"
	return setOf(digits[n], strings.ToUpper(digits)[n])
}

func inUTF16(key string, bigEndian bool) []*set {
	var form []*set
	for i := range key {
		if bigEndian {
			form = append(form, setOf(0), setOf(key[i]))
		} else {
			form = append(form, setOf(key[i]), setOf(0))
		}
	}
	return form
}

// inBase64 is a key behind so many other bytes of a group of three. The characters at
// its ends may also have bits of what stands beside it.
func inBase64(key string, lead int) []*set {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	low := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", lead) + key + "\x00\x00"))
	high := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\xff", lead) + key + "\xff\xff"))
	bits := func(c byte) int { return strings.IndexByte(alphabet+"+/", c) }
	var form []*set
	for i := 8 * lead / 6; 6*i < 8*(lead+len(key)); i++ {
		// A bit that differs between the two is one of something else.
		free, fixed := bits(low[i])^bits(high[i]), bits(low[i])
		one := new(set)
		for v := range 64 {
			if v&^free != fixed&^free {
				continue
			}
			switch v {
			case 62:
				one.join(setOf('+', '-'))
			case 63:
				one.join(setOf('/', '_'))
			default:
				one.join(setOf(alphabet[v]))
			}
		}
		form = append(form, one)
	}
	return form
}

func (s *set) join(other *set) {
	for i := range s {
		s[i] |= other[i]
	}
}

// state adds a state.
func (s *secret) state() int {
	s.states = append(s.states, nil)
	return len(s.states) - 1
}

func (s *secret) connect(from int, on *set, to int) {
	s.states[from] = append(s.states[from], way{on, to})
}

// add adds a form, in which each character may be escaped or not.
func (s *secret) add(form []*set, escaped bool) {
	at := s.state()
	s.first = append(s.first, at)
	for i, one := range form {
		next := accepted
		if i < len(form)-1 {
			next = s.state()
		}
		s.connect(at, one, next)
		if escaped {
			s.escape(at, one, next)
		}
		at = next
	}
}

// maxBackslashes is for JSON that is text in JSON that is text in JSON.
const maxBackslashes = 4

// escape adds the ways \uXXXX, \/ and %XX.
func (s *secret) escape(from int, one *set, to int) {
	unicode, zero, code := s.state(), s.state(), s.state()
	s.connect(unicode, setOf('0'), zero)
	s.connect(zero, setOf('0'), code)
	before := from
	for range maxBackslashes {
		behind := s.state()
		s.connect(before, setOf('\\'), behind)
		s.connect(behind, setOf('u'), unicode)
		for _, b := range []byte(`/"\`) {
			if one.has(b) {
				s.connect(behind, setOf(b), to)
			}
		}
		before = behind
	}
	percent := s.state()
	s.connect(from, setOf('%'), percent)
	for high := range byte(16) {
		low := new(set)
		for n := range byte(16) {
			if one.has(high<<4 | n) {
				low.join(digit(n))
			}
		}
		if *low == (set{}) {
			continue
		}
		last := s.state()
		s.connect(code, digit(high), last)
		s.connect(percent, digit(high), last)
		s.connect(last, low, to)
	}
}
