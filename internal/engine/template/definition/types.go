package definition

import (
	"regexp"
	"slices"
	"strings"
)

// These say what the types of programming languages hold.
var (
	goTypes = map[string]string{
		"string": "string", "int": "integer", "int8": "integer", "int16": "integer", "int32": "integer", "int64": "integer",
		"uint": "integer", "uint8": "integer", "uint16": "integer", "uint32": "integer", "uint64": "integer",
		"float32": "number", "float64": "number", "bool": "boolean", "time.Time": "datetime", "date": "date", "[]string": "list of strings",
	}
	tsTypes = map[string]string{
		"string": "string", "number": "number", "bigint": "integer", "boolean": "boolean", "Date": "date",
		"string[]": "list of strings", "Array<string>": "list of strings",
	}
	modelTypes = map[string]string{
		"String": "string", "Int": "integer", "BigInt": "integer", "Float": "number", "Decimal": "number", "Boolean": "boolean", "DateTime": "datetime",
	}
	pythonTypes = map[string]string{
		"str": "string", "int": "integer", "float": "number", "bool": "boolean", "Decimal": "number",
		"date": "date", "datetime.date": "date", "datetime": "datetime", "datetime.datetime": "datetime",
		"list[str]": "list of strings", "List[str]": "list of strings",
	}
)

var (
	severalNames   = regexp.MustCompile(`^((?:[A-Z]\w*\s*,\s*)+[A-Z]\w*)(\s+[^,]+)$`)
	structField    = regexp.MustCompile("^([A-Z]\\w*)\\s+(\\*?)([\\w.\\[\\]]+)(?:\\s+`([^`]*)`)?$")
	jsonTag        = regexp.MustCompile(`\bjson:"(\w*)[^"]*"`)
	modelField     = regexp.MustCompile(`^(\w+)\s+(\w+)(\[\])?(\?)?((?:\s+@[\w.]+(?:\([^()]*(?:\(\))?\))?)*)$`)
	modelRule      = regexp.MustCompile(`@([\w.]+)(?:\(([^()]*(?:\(\))?)\))?`)
	interfaceField = regexp.MustCompile(`^(?:readonly\s+)?(\w+)(\?)?\s*:\s*(.+)$`)
	classField     = regexp.MustCompile(`^(\w+)\s*:\s*([^=]+?)\s*(?:=\s*(.+))?$`)
	optionalType   = regexp.MustCompile(`^Optional\[(.+)\]$`)
	literalType    = regexp.MustCompile(`^Literal\[(.+)\]$`)
)

// readStruct reads the fields of a struct in Go.
func readStruct(text string) (fields []field, length int, ok bool) {
	return readFields(text, ";", func(line string) (field, bool) {
		m := structField.FindStringSubmatch(line)
		if m == nil || goTypes[m[3]] == "" {
			return field{}, false
		}
		f := field{snake(m[1]), []string{goTypes[m[3]]}}
		if m[2] != "" {
			f.said = append(f.said, "optional")
		}
		if tag := jsonTag.FindStringSubmatch(m[4]); tag != nil && tag[1] != "" {
			f.name = snake(tag[1])
		}
		return f, true
	})
}

// readModel reads the fields of a model in Prisma's language.
func readModel(text string) (fields []field, length int, ok bool) {
	return readFields(text, ",", func(line string) (field, bool) {
		m := modelField.FindStringSubmatch(line)
		if m == nil || modelTypes[m[2]] == "" || m[3] != "" && m[2] != "String" {
			return field{}, false
		}
		f := field{snake(m[1]), []string{modelTypes[m[2]]}}
		if m[3] != "" {
			f.said[0] = "list of strings"
		}
		if m[4] != "" {
			f.said = append(f.said, "optional")
		}
		for _, rule := range modelRule.FindAllStringSubmatch(m[5], -1) {
			first, plain := initial(rule[2])
			switch {
			case rule[1] == "id":
				return field{name: "id"}, true
			case rule[1] == "unique" && rule[2] == "":
				f.said = append(f.said, "unique")
			case rule[1] == "default" && plain:
				f.said = append(f.said, first)
			default:
				return field{}, false
			}
		}
		return f, true
	})
}

// readInterface reads the fields of an interface in TypeScript.
func readInterface(text string) (fields []field, length int, ok bool) {
	return readFields(text, ";,", func(line string) (field, bool) {
		m := interfaceField.FindStringSubmatch(line)
		if m == nil {
			return field{}, false
		}
		said, ok := typeOf(split(m[3], "|"), "null", tsTypes)
		if strings.HasSuffix(snake(m[1]), "_at") && said[0] == "date" { // createdAt: Date
			said[0] = "datetime"
		}
		if m[2] != "" {
			said = append(said, "optional")
		}
		return field{snake(m[1]), said}, ok
	})
}

// readFields reads what stands in curly brackets, a field at a time.
func readFields(text, separators string, read func(string) (field, bool)) (fields []field, length int, ok bool) {
	within, length, ok := inside(text)
	if !ok {
		return nil, 0, false
	}
	for line := range strings.SplitSeq(within, "\n") {
		line, said, ok := remarked(line, "//")
		parts := eachNamed(split(line, separators))
		if !ok || len(said) > 0 && len(parts) != 1 {
			return nil, 0, false
		}
		for _, part := range parts {
			f, ok := read(part)
			if !ok {
				return nil, 0, false
			}
			f.said = append(f.said, said...)
			fields = append(fields, f)
		}
	}
	return fields, length, len(fields) > 0
}

// eachNamed gives every name its own kind: Lat, Lon float64.
func eachNamed(parts []string) (all []string) {
	for _, part := range parts {
		m := severalNames.FindStringSubmatch(part)
		if m == nil {
			all = append(all, part)
			continue
		}
		for _, name := range split(m[1], ",") {
			all = append(all, name+m[2])
		}
	}
	return all
}

// typeOf says what a type of one or several alternatives holds.
func typeOf(alternatives []string, nothing string, types map[string]string) (said []string, ok bool) {
	optional := len(alternatives)
	alternatives = slices.DeleteFunc(alternatives, func(each string) bool { return each == nothing || each == "undefined" })
	optional -= len(alternatives)
	if len(alternatives) == 1 {
		said = []string{types[alternatives[0]]}
		ok = said[0] != ""
	} else {
		var choices string
		choices, ok = oneOf(alternatives)
		said = []string{choices}
	}
	if optional > 0 {
		said = append(said, "optional")
	}
	return said, ok
}

// readClass reads the fields of a class in Python, which are the lines that are set in.
func readClass(text string) (fields []field, length int, ok bool) {
	length = strings.IndexByte(text, '\n') + 1
	if length == 0 {
		return nil, 0, false
	}
	for line := range strings.Lines(text[length:]) {
		bare := strings.TrimSpace(line)
		if bare != "" && strings.TrimLeft(line, " \t") == line {
			break
		}
		length += len(line)
		if bare == "" {
			continue
		}
		bare, said, plain := remarked(bare, "#")
		f, ok := readAttribute(bare)
		if !ok || !plain {
			return nil, 0, false
		}
		f.said = append(f.said, said...)
		fields = append(fields, f)
	}
	return fields, length, len(fields) > 0
}

func readAttribute(line string) (field, bool) {
	m := classField.FindStringSubmatch(line)
	if m == nil {
		return field{}, false
	}
	alternatives := split(m[2], "|")
	if inner := optionalType.FindStringSubmatch(m[2]); inner != nil {
		alternatives = []string{inner[1], "None"}
	} else if inner := literalType.FindStringSubmatch(m[2]); inner != nil {
		alternatives = split(inner[1], ",")
	}
	said, ok := typeOf(alternatives, "None", pythonTypes)
	switch {
	case m[3] == "None" && !slices.Contains(said, "optional"):
		said = append(said, "optional")
	case m[3] != "" && m[3] != "None":
		var first string
		first, plain := initial(m[3])
		said, ok = append(said, first), ok && plain
	}
	return field{snake(m[1]), said}, ok
}
