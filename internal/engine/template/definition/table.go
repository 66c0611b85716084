package definition

import (
	"regexp"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

// sqlTypes say what the types of columns hold.
var sqlTypes = map[string]string{
	"int": "integer", "integer": "integer", "bigint": "integer", "smallint": "integer", "serial": "integer", "bigserial": "integer",
	"text": "string", "varchar": "string", "char": "string", "character": "string", "uuid": "string", "citext": "string",
	"numeric": "number", "decimal": "number", "real": "number", "float": "number", "double": "number", "money": "number",
	"bool": "boolean", "boolean": "boolean", "date": "date", "timestamp": "datetime", "timestamptz": "datetime", "datetime": "datetime",
}

// Words of a column, each with what follows from it.
var (
	columnName = regexp.MustCompile("^[\"`]?([A-Za-z]\\w*)[\"`]?\\s+")
	columnType = regexp.MustCompile(`(?i)^([a-z]+)(\s+precision|\s+varying|\s+with(?:out)?\s+time\s+zone)?\s*(?:\((\d+)(?:\s*,\s*\d+)?\))?(\[\])?(\s+with(?:out)?\s+time\s+zone)?`)
	columnRule = []struct {
		words *regexp.Regexp
		said  func(words []string) (said []string, ok bool)
	}{
		{ruleOf(`primary\s+key(?:\s+autoincrement)?|generated\s+(?:always|by\s+default)\s+as\s+identity`), is("key")},
		{ruleOf(`not\s+null`), is("required")},
		{ruleOf(`null`), is("optional")},
		{ruleOf(`unique`), is("unique")},
		{ruleOf(`references\s+["` + "`" + `]?(\w+)["` + "`" + `]?\s*(?:\(\s*\w+\s*\))?(?:\s+on\s+(?:delete|update)\s+(?:cascade|restrict|no\s+action))*`), func(w []string) ([]string, bool) {
			return []string{"belongs to " + strings.ReplaceAll(english.Singular(snake(w[1])), "_", " ")}, true
		}},
		{ruleOf(`default\s+('[^']*'|-?[\d.]+|true|false)`), func(w []string) ([]string, bool) {
			said, ok := initial(w[1])
			return []string{said}, ok
		}},
		{ruleOf(`check\s*\(\s*\w+\s+between\s+(-?[\d.]+)\s+and\s+(-?[\d.]+)\s*\)`), func(w []string) ([]string, bool) {
			return []string{"min " + w[1], "max " + w[2]}, true
		}},
		{ruleOf(`check\s*\(\s*\w+\s*(>=|<=)\s*(-?[\d.]+)\s*(?:and\s+\w+\s*<=\s*(-?[\d.]+)\s*)?\)`), func(w []string) ([]string, bool) {
			said := []string{map[string]string{">=": "min ", "<=": "max "}[w[1]] + w[2]}
			if w[3] != "" {
				said = append(said, "max "+w[3])
			}
			return said, w[1] == ">=" || w[3] == ""
		}},
		{ruleOf(`check\s*\(\s*\w+\s+in\s*\(([^()]*)\)\s*\)`), func(w []string) ([]string, bool) {
			said, ok := oneOf(split(w[1], ","))
			return []string{said}, ok
		}},
	}
)

func ruleOf(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:` + words + `)(?:\s+|$)`)
}

func is(said string) func([]string) ([]string, bool) {
	return func([]string) ([]string, bool) { return []string{said}, true }
}

// readTable reads the columns of a table in SQL.
func readTable(text string) (fields []field, length int, ok bool) {
	columns, length, ok := inside(text)
	if !ok {
		return nil, 0, false
	}
	for _, column := range split(columns, ",") {
		f, ok := readColumn(column)
		if !ok {
			return nil, 0, false
		}
		fields = append(fields, f)
	}
	return fields, length, true
}

func readColumn(text string) (field, bool) {
	name := columnName.FindStringSubmatch(text)
	if name == nil {
		return field{}, false
	}
	text = text[len(name[0]):]
	kind := columnType.FindStringSubmatch(text)
	if kind == nil || sqlTypes[strings.ToLower(kind[1])] == "" {
		return field{}, false
	}
	f := field{name: snake(name[1]), said: []string{sqlTypes[strings.ToLower(kind[1])]}}
	switch {
	case kind[4] != "" && f.said[0] != "string":
		return field{}, false
	case kind[4] != "":
		f.said = []string{"list of strings"}
	case f.said[0] == "string" && kind[3] != "":
		f.said = append(f.said, "at most "+kind[3]+" characters")
	}
	for text = strings.TrimSpace(text[len(kind[0]):]); text != ""; {
		said, taken := readRule(text)
		if taken == 0 {
			return field{}, false
		}
		f.said, text = append(f.said, said...), text[taken:]
	}
	return f.settled(), true
}

func readRule(text string) (said []string, length int) {
	for _, rule := range columnRule {
		if words := rule.words.FindStringSubmatch(text); words != nil {
			if said, ok := rule.said(words); ok {
				return said, len(words[0])
			}
		}
	}
	return nil, 0
}

// settled makes of a primary key what it is to people: the id that every record has,
// or a value that is there and unique. What refers to another record is of no other kind.
func (f field) settled() field {
	var said []string
	for _, each := range f.said {
		switch {
		case each == "key" && f.said[0] == "integer":
			return field{name: "id"}
		case each == "key":
			said = append(said, "required", "unique")
		case strings.HasPrefix(each, "belongs to"):
			f.name, said = strings.TrimSuffix(f.name, "_id"), append([]string{each}, said[1:]...)
		default:
			said = append(said, each)
		}
	}
	return field{f.name, said}
}
