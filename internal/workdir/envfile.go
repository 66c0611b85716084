package workdir

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// envLines gives what a .env file says when it is loaded: one "KEY=value" for
// each key, without quotes and comments. Of a key that is set twice the last
// one counts.
func envLines(text string) []string {
	var keys []string
	values := map[string]string{}
	text = strings.TrimPrefix(text, "\ufeff")
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		key, value, ok := envAssignment(line)
		if !ok {
			continue
		}
		if quote := openQuote(value); quote != "" {
			// The value goes on until its quote ends; without an end it was
			// none, and the next line is a line of its own.
			if inner, rest, closed := strings.Cut(text, quote); closed {
				value += "\n" + inner + quote
				_, text, _ = strings.Cut(rest, "\n")
			}
		}
		if _, known := values[key]; !known {
			keys = append(keys, key)
		}
		values[key] = bareValue(value)
	}
	lines := make([]string, len(keys))
	for i, key := range keys {
		lines[i] = key + "=" + values[key]
	}
	return lines
}

// envAssignment takes "export KEY = value" apart. A comment is none.
func envAssignment(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(strings.TrimSpace(line), "=")
	key = strings.TrimSpace(key)
	if rest, exported := strings.CutPrefix(key, "export"); exported && strings.TrimLeft(rest, " \t") != rest {
		key = strings.TrimSpace(rest)
	}
	return key, strings.TrimSpace(value), ok && key != "" && !strings.ContainsAny(key, " \t#'\"`$:/")
}

// openQuote is the quote with which a value begins and that does not end in it.
func openQuote(value string) string {
	if value == "" || !strings.Contains("\"'`", value[:1]) || strings.Contains(value[1:], value[:1]) {
		return ""
	}
	return value[:1]
}

// bareValue takes quotes and a comment at the end from a value.
func bareValue(value string) string {
	if value != "" && strings.Contains("\"'`", value[:1]) {
		inner, _, _ := strings.Cut(value[1:], value[:1])
		return inner
	}
	for _, mark := range []string{" #", "\t#"} {
		value, _, _ = strings.Cut(value, mark)
	}
	return strings.TrimSpace(value)
}

// isEnvFile says whether a file is one of KEY=value lines, by its name.
func isEnvFile(name string) bool {
	name = path.Base(name)
	return name == ".env" || strings.HasPrefix(name, ".env.")
}

// portPattern matches what a template says about a port in a line of a .env file,
// as a name of its own: PORT={port} does not speak of DB_PORT. Key is that of the
// assignment, or empty if the template is none.
func portPattern(template, number string) (key string, pattern *regexp.Regexp, ok bool) {
	lead := `(?:^|[^A-Za-z0-9_])`
	key, value, assigns := envAssignment(template)
	if assigns {
		lead, template = `^`, bareValue(value)
	} else {
		key = ""
	}
	before, after, ok := strings.Cut(template, bundlezip.PortPlaceholder)
	if !ok {
		return "", nil, false
	}
	tail := regexp.QuoteMeta(after)
	if after == "" {
		tail = `(?:$|[^0-9A-Za-z_])`
	}
	pattern, err := regexp.Compile(lead + regexp.QuoteMeta(before) + `(` + number + `)` + tail)
	return key, pattern, err == nil
}

// portInEnv finds the number that stands in the place of a template in a .env
// file. Several different numbers are none.
func portInEnv(text, template string) (int, bool) {
	key, pattern, ok := portPattern(template, `[0-9]{1,5}`)
	if !ok {
		return 0, false
	}
	found := 0
	for _, line := range envLines(text) {
		if key != "" {
			if line, ok = strings.CutPrefix(line, key+"="); !ok {
				continue
			}
		}
		for _, match := range pattern.FindAllStringSubmatch(line, -1) {
			n, err := strconv.Atoi(match[1])
			if err != nil || n < 1 || n >= 1<<16 || found != 0 && n != found {
				return 0, false
			}
			found = n
		}
	}
	return found, found != 0
}

// portPlacesInEnv finds where a certain number stands in the place of a template
// in a .env file, in every line that says so.
func portPlacesInEnv(content []byte, template string, number int) (places []int) {
	key, pattern, ok := portPattern(template, strconv.Itoa(number))
	if !ok {
		return nil
	}
	text := string(content)
	for start := 0; start < len(text); {
		line, rest, _ := strings.Cut(text[start:], "\n")
		said := line
		got, value, assigns := envAssignment(strings.TrimPrefix(line, "\ufeff"))
		if key != "" {
			value := strings.TrimLeft(value, "\"'`")
			said = line[strings.LastIndex(line, value):]
		}
		if key == "" || assigns && got == key {
			for _, match := range pattern.FindAllStringSubmatchIndex(said, -1) {
				places = append(places, start+len(line)-len(said)+match[2])
			}
		}
		if quote := openQuote(value); assigns && quote != "" { // the lines of a value are no lines of the file
			if _, after, closed := strings.Cut(rest, quote); closed {
				_, rest, _ = strings.Cut(after, "\n")
			}
		}
		start = len(text) - len(rest)
	}
	return places
}
