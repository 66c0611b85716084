package modelproxy

import (
	"encoding/base64"
	"slices"
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
	begins [256][]int // the states to which the first byte of a form leads
}

// way leads to another state on one byte.
type way struct {
	on byte
	to int
}

func newSecret(key string) *secret {
	s := new(secret)
	if key == "" {
		return s
	}
	// Of a form, each element is the bytes of which one stands at that place.
	var plain, hex, littleEndian, bigEndian []string
	for i := range len(key) {
		plain = append(plain, key[i:i+1])
		hex = append(hex, hexDigits(key[i])...)
		littleEndian = append(littleEndian, key[i:i+1], "\x00")
		bigEndian = append(bigEndian, "\x00", key[i:i+1])
	}
	s.add(plain, len(key) >= minEncoded)
	if len(key) >= minEncoded {
		for lead := range 3 {
			s.add(inBase64(key, lead), true)
		}
		s.add(hex, false)
		s.add(littleEndian, false)
		s.add(bigEndian, false)
	}
	return s
}

// hexDigits are the two digits of a byte, each in either case.
func hexDigits(b byte) []string {
	const lower, upper = "0123456789abcdef", "0123456789ABCDEF"
	digit := func(n byte) string {
		if n < 10 {
			return lower[n : n+1]
		}
		return lower[n:n+1] + upper[n:n+1]
	}
	return []string{digit(b >> 4), digit(b & 15)}
}

// inBase64 is a key behind so many other bytes of a group of three. The characters at
// its ends may also have bits of what stands beside it.
func inBase64(key string, lead int) []string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	const forURLs = "-_" // in the place of the last two
	low := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", lead) + key + "\x00\x00"))
	high := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\xff", lead) + key + "\xff\xff"))
	var form []string
	for i := 8 * lead / 6; 6*i < 8*(lead+len(key)); i++ {
		// A bit that differs between the two is one of something else.
		fixed := strings.IndexByte(alphabet, low[i])
		free := fixed ^ strings.IndexByte(alphabet, high[i])
		chars := ""
		for v := range len(alphabet) {
			if v&^free != fixed&^free {
				continue
			}
			chars += alphabet[v : v+1]
			if v >= 62 {
				chars += forURLs[v-62 : v-61]
			}
		}
		form = append(form, chars)
	}
	return form
}

// state adds a state.
func (s *secret) state() int {
	s.states = append(s.states, nil)
	return len(s.states) - 1
}

// path leads from one state to another by the elements of a form.
func (s *secret) path(from, to int, form ...string) {
	for i, chars := range form {
		next := to
		if i < len(form)-1 {
			next = s.state()
		}
		for _, c := range []byte(chars) {
			s.states[from] = append(s.states[from], way{c, next})
		}
		from = next
	}
}

// add adds a form, in which each character may be escaped or not.
func (s *secret) add(form []string, escaped bool) {
	first := s.state()
	at := first
	for i, chars := range form {
		next := accepted
		if i < len(form)-1 {
			next = s.state()
		}
		s.path(at, next, chars)
		if escaped {
			s.escape(at, next, chars)
		}
		at = next
	}
	for _, w := range s.states[first] {
		s.begins[w.on] = append(s.begins[w.on], w.to)
	}
}

// maxBackslashes is for JSON that is text in JSON that is text in JSON.
const maxBackslashes = 4

// escape adds the ways \uXXXX, \/ and %XX of each character.
func (s *secret) escape(from, to int, chars string) {
	for _, c := range []byte(chars) {
		s.path(from, to, slices.Concat([]string{"%"}, hexDigits(c))...)
	}
	for range maxBackslashes {
		behind := s.state()
		s.path(from, behind, `\`)
		for _, c := range []byte(chars) {
			s.path(behind, to, slices.Concat([]string{"u", "0", "0"}, hexDigits(c))...)
			if strings.IndexByte(`/"\`, c) >= 0 {
				s.path(behind, to, string(rune(c)))
			}
		}
		from = behind
	}
}
