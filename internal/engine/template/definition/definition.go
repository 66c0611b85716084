// Package definition reads records that are defined as programmers do: a table in
// SQL, a struct in Go, an interface in TypeScript, a class in Python, an example in JSON.
//
// A definition is rewritten into the list that anybody would write instead, a line
// for each field. One that is not understood to its last word stays as it is, and
// whoever reads the request will say so.
package definition

import (
	"regexp"
	"slices"
	"strings"
)

// record is what a definition says.
type record struct {
	name   string // may be empty: the request tells
	fields []field
}

// field is one value of a record with what is said of it, in words.
type field struct {
	name string
	said []string
}

// notation is one way to define a record: begin finds a definition up to the mark that
// opens its fields, with the name of the record as a group, and read reads from that
// mark on: how long it is, and whether it was understood.
type notation struct {
	begin *regexp.Regexp
	read  func(text string) (fields []field, length int, ok bool)
}

var notations = []notation{
	{regexp.MustCompile("(?i)\\bcreate\\s+table\\s+(?:if\\s+not\\s+exists\\s+)?[\"`]?([a-z]\\w*)[\"`]?\\s*\\("), readTable},
	{regexp.MustCompile(`\btype\s+([A-Z]\w*)\s+struct\s*\{`), readStruct},
	{regexp.MustCompile(`\b(?:export\s+)?(?:interface|type|class)\s+([A-Z]\w*)\s*=?\s*\{`), readInterface},
	{regexp.MustCompile(`\b([A-Z]\w*)\s*=?\s*\{`), readInterface}, // without the word before it
	{regexp.MustCompile(`\bmodel\s+([A-Z]\w*)\s*\{`), readModel},
	{regexp.MustCompile(`(?m)^[ \t]*(?:@dataclass(?:\([^)\n]*\))?\s+)?class\s+([A-Z]\w*)(?:\([\w., ]*\))?:[ \t]*$`), readClass},
	{regexp.MustCompile(`()[\[{]\s*(?:\{\s*)?"`), readExample},
}

// noRecords stand before brackets and are no names of records: an API in Go {title: string}.
var noRecords = []string{"api", "crud", "rest", "http", "json", "go", "golang", "typescript", "python", "node", "js", "sqlite", "postgres", "postgresql", "fields", "entities", "resources", "mit"}

// arrays are lists of texts as programming languages write them.
var arrays = regexp.MustCompile(`(:[ \t]*)\[(?:[Ss]tring|str|text)\]|\b(?:string|str|text|String)\[\]|\[\]string\b|\b[Ll]ist\[str(?:ing)?\]|\b(?i:array|list|set)<(?i:string|str|text)>`)

// figureArrays are lists of numbers, which there are none of.
var figureArrays = regexp.MustCompile(`(:[ \t]*)(?:\[(?i:int|integer|float|number|decimal|double)\]|(?:int|integer|float|number|decimal|double)\[\]|\[\](?:int|float)\d*\b|(?i:array|list|set)[<\[](?i:int|integer|float|number|decimal|double|long)[>\]])`)

// array is a list by its name only: tags[].
var array = regexp.MustCompile(`\b[a-z]\w*\[\]`)

// Expand rewrites the definitions in a request.
func Expand(request string) string {
	for _, n := range notations {
		request = n.expand(request)
	}
	request = arrays.ReplaceAllString(plainer(request), "${1}list of strings")
	request = figureArrays.ReplaceAllString(request, "${1}list of numbers")
	return array.ReplaceAllStringFunc(request, func(text string) string {
		name := strings.TrimSuffix(text, "[]")
		if noName.MatchString(name) { // of numbers, there is none
			return text
		}
		return name + " (list of strings)"
	})
}

func (n notation) expand(text string) string {
	var out strings.Builder
	for {
		at := n.begin.FindStringSubmatchIndex(text)
		if at == nil {
			return out.String() + text
		}
		opens := at[0] + strings.LastIndexAny(text[at[0]:at[1]], "({:")
		if at[2] == at[3] { // an example has no name
			opens = at[0]
		}
		fields, length, ok := n.read(text[opens:])
		if !ok || slices.Contains(noRecords, strings.ToLower(text[at[2]:at[3]])) {
			end := at[1]
			if _, whole, ok := inside(text[opens:]); ok { // nothing inside is one by itself
				end = opens + whole
			}
			out.WriteString(text[:end])
			text = text[end:]
			continue
		}
		out.WriteString(strings.TrimRight(text[:at[0]], " \t\n"))
		out.WriteString(record{text[at[2]:at[3]], fields}.String())
		text = strings.TrimLeft(text[opens+length:], "; \t\n")
	}
}

// String is the list, with lines around it.
func (r record) String() string {
	var b strings.Builder
	b.WriteString("\n")
	if r.name != "" {
		b.WriteString("\n" + strings.ReplaceAll(snake(r.name), "_", " ") + ":\n")
	}
	for _, f := range r.fields {
		if f.name == "id" { // every record has one
			continue
		}
		b.WriteString("- " + f.name + ": " + strings.Join(f.said, ", ") + "\n")
	}
	b.WriteString("\n")
	return b.String()
}

var humps = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// snake writes a name with underscores between its words.
func snake(name string) string { return strings.ToLower(humps.ReplaceAllString(name, "${1}_$2")) }

// inside gives what stands between a bracket and the one that closes it, and the length
// with both; quotes are passed over.
func inside(text string) (within string, length int, ok bool) {
	const opening, closing = "([{", ")]}"
	if text == "" || strings.IndexByte(opening, text[0]) < 0 {
		return "", 0, false
	}
	var open []byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\'' || c == '"' || c == '`':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return "", 0, false
			}
			i += end + 1
		case strings.IndexByte(opening, c) >= 0:
			open = append(open, closing[strings.IndexByte(opening, c)])
		case strings.IndexByte(closing, c) >= 0:
			if len(open) == 0 || open[len(open)-1] != c {
				return "", 0, false
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return text[1:i], i + 1, true
			}
		}
	}
	return "", 0, false
}

// remarked takes the remark of a programmer off a line; ok says whether it holds nothing but
// rules of the field.
func remarked(line, mark string) (rest string, said []string, ok bool) {
	rest, remark, _ := strings.Cut(line, mark)
	for _, each := range split(strings.ToLower(remark), ",;") {
		if !slices.Contains([]string{"unique", "required", "optional"}, each) {
			return "", nil, false
		}
		said = append(said, each)
	}
	return strings.TrimSpace(rest), said, true
}

// split parts a text at separators that stand in no brackets and no quotes.
func split(text, separators string) (parts []string) {
	from := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case strings.IndexByte(separators, c) >= 0:
			parts, from = append(parts, text[from:i]), i+1
		case strings.IndexByte("([{", c) >= 0:
			if _, length, ok := inside(text[i:]); ok {
				i += length - 1
			}
		case c == '\'' || c == '"' || c == '`':
			i += max(strings.IndexByte(text[i+1:], c)+1, 0)
		}
	}
	parts = append(parts, text[from:])
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}

// oneOf says which texts a field can hold, of a list of them in quotes.
func oneOf(list []string) (said string, ok bool) {
	for _, each := range list {
		bare := strings.Trim(each, `'"`)
		if len(bare) != len(each)-2 || bare == "" || strings.ContainsAny(bare, ",;/()\n") {
			return "", false
		}
		said += "/" + bare
	}
	return "one of " + strings.TrimPrefix(said, "/"), len(list) > 1
}

// initial says what a field holds at first, if that is a plain value.
func initial(value string) (said string, ok bool) {
	return "default " + strings.Trim(value, `'"`), plain.MatchString(value)
}

var plain = regexp.MustCompile(`^(?:'[\w +-]+'|"[\w +-]+"|-?\d+(?:\.\d+)?|(?i:true|false))$`)
