package accounts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// commonWords are what most of the passwords are made of that people choose first,
// in small letters.
var commonWords = strings.Fields(`
	password passwort passwd motdepasse contrasena senha qwerty qwertz azerty asdf zxcv
	letmein welcome admin administrator root user login secret default changeme iloveyou
	monkey dragon football baseball basketball soccer hockey superman batman spiderman
	pokemon starwars master shadow sunshine princess jordan michael jennifer hunter
	killer trustno freedom whatever computer internet google facebook linkedin github
	summer winter spring autumn january february march april june july august september
	october november december monday tuesday wednesday thursday friday saturday sunday
	hello test guest access system server service database money family friend forever
	cheese banana chocolate flower butterfly angel lovely liverpool arsenal chelsea
	mustang corvette ferrari mercedes porsche samsung iphone android minecraft fortnite
	hallo schatz geheim bonjour soleil chouchou amor hola tequiero ciao
	svc svcd console bundle correcthorsebatterystaple
`)

// keyRows are runs of neighbours, on keyboards and in the alphabet.
const keyRows = "qwertyuiop asdfghjkl zxcvbnm qwertzuiop yxcvbnm azertyuiop qsdfghjklm wxcvbn " +
	"abcdefghijklmnopqrstuvwxyz 1234567890 1qaz2wsx3edc4rfv5tgb6yhn7ujm 1q2w3e4r5t6y7u8i9o0p"

// lookAlikes are the characters that people write for letters.
var lookAlikes = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

const (
	// leastOwn is how many letters or figures a password needs beside what is easily
	// guessed, and how many different characters it needs in all.
	leastOwn = 5
	// phrase is the length from which a password may be made of common words.
	phrase = 24
)

// weakness says why a password is among the first that a thief would try, or
// nothing. What counts is what is left without common words, the parts of the
// address, neighbours on the keyboard and repetition.
func weakness(email, password string) string {
	text := strings.ToLower(password)
	if distinct(text) < leastOwn {
		return "It repeats a few characters."
	}
	address := addressParts(email)
	known := slices.Concat(address, commonWords)
	if utf8.RuneCountInString(text) >= phrase {
		known = address
	}
	slices.SortStableFunc(known, func(a, b string) int { return len(b) - len(a) })
	for _, text := range []string{text, lookAlikes.Replace(text)} {
		if own(without(text, address)) < leastOwn {
			return "It is made of the e-mail address."
		}
		if own(withoutRuns(without(text, known))) < leastOwn {
			return "It is one of those that everybody tries first."
		}
	}
	return ""
}

func addressParts(email string) []string {
	var parts []string
	for _, part := range strings.FieldsFunc(strings.ToLower(email), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(part) > 3 {
			parts = append(parts, part)
		}
	}
	return parts
}

func distinct(text string) int {
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	return len(seen)
}

// without takes words out of a text, one after the other.
func without(text string, words []string) string {
	for _, word := range words {
		text = strings.ReplaceAll(text, word, " ")
	}
	return text
}

// withoutRuns takes out what goes on as keyRows do, forwards or backwards, or
// repeats what stands before it.
func withoutRuns(text string) string {
	runes := []rune(text)
	var rest []rune
	for i, r := range runes {
		if i > 0 && (r == runes[i-1] || neighbours(runes[i-1], r)) || repeats(runes[:i], r) {
			continue
		}
		rest = append(rest, r)
	}
	return string(rest)
}

func neighbours(a, b rune) bool {
	return strings.Contains(keyRows, string([]rune{a, b})) || strings.Contains(keyRows, string([]rune{b, a}))
}

// repeats says whether a character continues a repetition of the two to six
// before it.
func repeats(before []rune, r rune) bool {
	for length := 2; length <= 6 && 2*length <= len(before)+1; length++ {
		if before[len(before)-length] != r {
			continue
		}
		same := true
		for i := 1; i < length && same; i++ {
			same = len(before)-length-i >= 0 && before[len(before)-i] == before[len(before)-length-i]
		}
		if same {
			return true
		}
	}
	return false
}

// own counts letters and figures.
func own(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
