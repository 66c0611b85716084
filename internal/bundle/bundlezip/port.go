package bundlezip

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// PortPlaceholder is what a template has in the place of the number.
const PortPlaceholder = "{port}"

// CheckTemplate says whether a port template is well formed: not too long, the
// placeholder once, no digit beside it, no control characters but tabs and line
// ends.
func CheckTemplate(template string) error {
	before, after, found := strings.Cut(template, PortPlaceholder)
	switch {
	case !found || strings.Contains(after, PortPlaceholder):
		return fmt.Errorf("template %q must hold %s exactly once", template, PortPlaceholder)
	case utf8.RuneCountInString(template) > maxTemplate || !utf8.ValidString(template):
		return fmt.Errorf("a template must have at most %d characters, all of them valid UTF-8", maxTemplate)
	case endsInDigit(before) || startsWithDigit(after):
		return fmt.Errorf("template %q has a digit beside %s", template, PortPlaceholder)
	case strings.ContainsFunc(template, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
	}):
		return fmt.Errorf("template %q has a control character", template)
	}
	return nil
}

// FindPort gives the place of the number in a file's content: the one place
// where the template, filled in, stands and the number is no part of a longer
// one. None, or more than one, is an error.
func FindPort(content []byte, template string, port int) (start, end int, err error) {
	if err := CheckTemplate(template); err != nil {
		return 0, 0, err
	}
	number := strconv.Itoa(port)
	filled := strings.Replace(template, PortPlaceholder, number, 1)
	switch places := PortPlaces(content, template, port); len(places) {
	case 1:
		return places[0], places[0] + len(number), nil
	case 0:
		return 0, 0, fmt.Errorf("%q does not stand in the file", filled)
	default:
		return 0, 0, fmt.Errorf("%q stands in the file %d times, so it does not name one place", filled, len(places))
	}
}

// PortPlaces gives every place of the number in a content: where the template, filled
// in, stands and the number is no part of a longer one.
func PortPlaces(content []byte, template string, port int) (places []int) {
	number := strconv.Itoa(port)
	offset := strings.Index(template, PortPlaceholder)
	filled := []byte(strings.Replace(template, PortPlaceholder, number, 1))
	for from := 0; ; {
		at := bytes.Index(content[from:], filled)
		if at < 0 {
			return places
		}
		at += from
		from = at + 1
		first, last := at+offset, at+offset+len(number)
		if !endsInDigit(string(content[max(first-1, 0):first])) && !startsWithDigit(string(content[last:min(last+1, len(content))])) {
			places = append(places, first)
		}
	}
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func endsInDigit(s string) bool { return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' }

// portPlace is one use of a port in a certain file.
type portPlace struct {
	name     string
	port     int
	template string
}

// portPlaces groups the uses of all ports by file.
func portPlaces(ports []Port) map[string][]portPlace {
	places := map[string][]portPlace{}
	for _, p := range ports {
		for _, u := range p.Uses {
			places[u.Path] = append(places[u.Path], portPlace{name: p.Name, port: p.Port, template: u.Template})
		}
	}
	return places
}

var errSamePlace = errors.New("two templates name the same number in the file")

// checkPortPlaces finds every use in a file's content and that no two of them are
// the same number: one number cannot follow two ports.
func checkPortPlaces(path string, content []byte, places []portPlace) error {
	taken := map[int]bool{}
	for _, place := range places {
		start, _, err := FindPort(content, place.template, place.port)
		if err == nil && taken[start] {
			err = errSamePlace
		}
		if err != nil {
			return badManifest("/ports", "port %q in %q: %w", place.name, path, err)
		}
		taken[start] = true
	}
	return nil
}
