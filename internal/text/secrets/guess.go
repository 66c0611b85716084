package secrets

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// minPassword is the least length of a password that is found. Shorter ones are those
// of examples and of machines for tests.
const minPassword = 6

// classes are the kinds of characters in a text.
type classes uint8

const (
	lower classes = 1 << iota
	upper
	digit
	symbol
)

func classesOf(text string) (all classes) {
	for _, r := range text {
		switch {
		case unicode.IsUpper(r):
			all |= upper
		case unicode.IsLetter(r):
			all |= lower
		case unicode.IsDigit(r):
			all |= digit
		default:
			all |= symbol
		}
	}
	return all
}

// mixed reports whether a text has letters and digits, and is long enough that nobody
// would write it to illustrate something.
func mixed(text string) bool {
	all := classesOf(text)
	return len(text) >= 8 && all&digit != 0 && all&(lower|upper) != 0
}

// random reports whether a text has a long word of letters and digits, as issuers make
// them.
func random(text string) bool {
	if strings.ContainsAny(text, " \t\\:") {
		return false
	}
	const least = 16
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		digits := strings.Count(strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return '0'
			}
			return r
		}, word), "0")
		if len(word) >= least && digits >= 2 && digits <= len(word)-2 && !placeholder([]byte(word)) && !sequence(word) {
			return true
		}
	}
	return false
}

// sequence reports whether a text is digits and letters as they follow each other.
func sequence(text string) bool {
	const most = 64
	if len(text) < 3 || len(text) > most {
		return false
	}
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{"0123456789", "0123456789abcdef", "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz0123456789"}, func(order string) bool {
		return strings.Contains(strings.Repeat(order, 2+most/len(order)), text)
	})
}

// standsForOther reports whether a value stands for another: a variable, a reference to
// a store of secrets, a path, or words that tell what belongs there.
func standsForOther(value string) bool {
	value = strings.TrimSpace(value)
	if value == "" || strings.HasPrefix(value, "$") || strings.Contains(value, "${") || strings.Contains(value, "$(") || strings.Contains(value, "#{") {
		return true
	}
	if strings.Contains(value, "{") && strings.Contains(value, "}") || strings.Contains(value, "<") && strings.Contains(value, ">") {
		return true
	}
	if strings.HasPrefix(value, "/") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "~/") {
		return true
	}
	for _, prefix := range []string{"arn:", "vault:", "secret:", "ssm:", "env:", "file:", "op:", "ref:", "enc[", "enc("} {
		if strings.HasPrefix(strings.ToLower(value), prefix) {
			return true
		}
	}
	enclosed := [][2]string{{"[", "]"}, {"(", ")"}, {"%", "%"}, {"_", "_"}, {"*", "*"}, {"@", "@"}}
	return slices.ContainsFunc(enclosed, func(e [2]string) bool { return strings.HasPrefix(value, e[0]) && strings.HasSuffix(value, e[1]) }) ||
		call(value) || fewCharacters(value) || madeOfWords(value)
}

// call reports whether a value is a call of a function, such as getenv("PASSWORD").
func call(value string) bool {
	name, _, found := strings.Cut(value, "(")
	return found && strings.HasSuffix(value, ")") && name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '_'
	}) < 0
}

func fewCharacters(value string) bool {
	seen := map[rune]bool{}
	for _, r := range value {
		seen[r] = true
	}
	return len(seen) < 4
}

// madeOfWords reports whether a value consists of words that people write in the place
// of a password, with a short number or one that counts: changeme, my-secret_password1.
func madeOfWords(value string) bool {
	value = strings.ToLower(value)
	if strings.Contains(value, "example") {
		return true
	}
	word := strings.TrimRightFunc(value, func(r rune) bool { return !unicode.IsLetter(r) })
	return onlyWords(value) || len(value)-len(word) <= 4 && onlyWords(leet.Replace(word))
}

// leet turns digits and symbols into the letters that they stand for.
var leet = strings.NewReplacer("@", "a", "4", "a", "3", "e", "0", "o", "$", "s", "5", "s", "1", "i", "7", "t")

func onlyWords(value string) bool {
	for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if !splits(word) {
			return false
		}
	}
	for number := range strings.FieldsFuncSeq(value, func(r rune) bool { return !unicode.IsDigit(r) }) {
		if len(number) > 4 && !sequence(number) && !fewCharacters(number) {
			return false
		}
	}
	return true
}

// splits reports whether a text consists of words of the list.
func splits(text string) bool {
	const longest = 64
	if len(text) > longest {
		return false
	}
	ends := make([]bool, len(text)+1) // words may end here
	ends[0] = true
	for from := range text {
		for to := from + 1; ends[from] && to <= min(len(text), from+longestWord); to++ {
			ends[to] = ends[to] || commonWords()[text[from:to]]
		}
	}
	return ends[len(text)]
}

const longestWord = 14

// commonWords are what people write in the place of a password, and the users and
// programs after which they name it in examples.
var commonWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`
		a an any are at be by do for from here in is it me my not of on only or our some the this to with your
		password passwords passwd passphrase passwort pass pwd pw secret secrets hidden token key api auth jwt cookie session signing
		db database user username name usr admin administrator root guest owner app application web service server client account
		postgres postgresql pg mysql mariadb mongo mongodb redis rabbit rabbitmq sql sa minio elastic kafka grafana smtp mail
		default demo dev devel develop development local localhost test testing tests tester prod production staging sample dummy fake mock stub
		foo bar baz qux abc xyz xxx qwerty letmein welcome hello world correct wrong invalid bad good
		change changed changeme changeit replace enter insert set put use fill generate generated choose todo tbd fixme
		none null nil true false empty blank undefined unset required optional string text value min max confirmed nullable
		redacted removed masked omitted placeholder super very top strong long random new old current please must should real least characters chars
	`) {
		words[word] = true
	}
	return words
})
