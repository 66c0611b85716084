package definition

import (
	"regexp"
	"slices"
	"strings"
)

// kindWord is a kind of values as people write it behind a name in columns or behind a colon.
const kindWord = `(?:fk|string|str|text|varchar|char|int|integer|bigint|number|numeric|float|double|decimal|real|money|percent|bool|boolean|flag|date|time|datetime|timestamp|timestamptz|uuid)`

var (
	blockHead  = regexp.MustCompile("^([ \t]*)(?:(?i:fields|columns|attributes|properties)\\s+(?:for|of)\\s+(?:an?\\s+|the\\s+|each\\s+|every\\s+)?)?[\"'`]?([A-Za-z]\\w*)[\"'`]?[ \t]*:?[ \t]*$")
	blockField = regexp.MustCompile(`^([A-Za-z]\w*)(?:(?:[ \t]{2,}|\t)|[ \t]*(:)[ \t]*|[ \t]*(->)[ \t]*|[ \t]+(` + kindWord + `\b))(.*)$`)
	fieldsOf   = regexp.MustCompile("(?im)(^|[.;]\\s+)(?:the\\s+)?(?:fields|columns|attributes|properties)\\s+(?:for|of)\\s+(?:an?\\s+|the\\s+|each\\s+|every\\s+)?[\"'`]?([a-z]\\w*)[\"'`]?[ \t]*:[ \t]*")
	resourceOf = regexp.MustCompile(`(?im)^([ \t]*(?:[-*][ \t]+)?)(?:resource|entity|model|table|record)[ \t]*:[ \t]*([a-z][\w ]*?)[ \t]*\n[ \t]*(?:[-*][ \t]+)?(?:fields|columns|attributes|properties)[ \t]*:`)
	pairs      = regexp.MustCompile(`[A-Za-z_]\w*:(?:` + kindWord + `\b|enum\([^()\n]*\))(?:\(\d+\))?[!?]?`)
	refersTo   = regexp.MustCompile(`([:(][ \t]*|\b[a-z]\w*[ \t]+)(?i:ref|fk|foreign[ \t]+key|references|reference[ \t]+to)(?:[ \t]+to|[ \t]*->)?[ \t]*[ \t(<][ \t]*([A-Za-z]\w*)(?:\)|>)?`)
	pointsAt   = regexp.MustCompile(`([A-Za-z]\w*[ \t]*:)[ \t]*->[ \t]*([A-Za-z]\w*)`)
	sized      = regexp.MustCompile(`\b(?i:n?varchar2?|n?char|string|text) ?\((\d+)\)`)
	listens    = regexp.MustCompile(`(^|[.,;][ \t]+|\n[ \t]*|\b(?:on|at|port)[ \t]+):(\d{4,5})([\s.,;]|$)`)
	pathBlock  = regexp.MustCompile(`(?m)^([ \t]*(?:[-*][ \t]+)?)/([a-z]\w*)[ \t]*:[ \t]*\{`)
	methods    = regexp.MustCompile("`?((?:(?:GET|POST|PUT|PATCH|DELETE)(?:[/|]|,[ \t]*|[ \t]+)){3,}(?:and[ \t]+)?)(?:(?:for|on|at)[ \t]+)?((?:`?/[a-z]\\w*`?(?:,?[ \t]+(?:and|&)[ \t]+|,[ \t]*)?)+)")
	numbered   = regexp.MustCompile(`(?i)\b(no|nr)\.([ \t]*[,;)])`)
	percent    = regexp.MustCompile(`(\b[a-z]+)(?:[ \t]+in)?[ \t]+%([ \t]*(?:[,;).]|$))`)
	stringEnds = regexp.MustCompile(`(\b[a-z]\w*[ \t]+)str\.([ \t]+[^\d\s]|[ \t]*\n|[ \t]*$)`)
	equals     = regexp.MustCompile(`(?i)\b(?:language|lang|db|database|storage|auth|authentication|license|licence|port)=[\w.-]+`)
	spot       = regexp.MustCompile(`(?i)\b(lat|latitude)/(lon|lng|long|longitude)\b`)
	toggled    = regexp.MustCompile(`(?i)(,[ \t]*)?\b(required|mandatory|optional|nullable|null|unique)[ \t]*[:=][ \t]*(true|yes|false|no)([ \t]*(?:[,;)}\]\n]|$))`)
	braced     = regexp.MustCompile(`[ \t]*:?[ \t]*\{[ \t]*type[ \t]*:[ \t]*`) // email: {type: string}
	readOnly   = regexp.MustCompile(`\b(?:readonly|final|const)[ \t]+(\w+\??[ \t]*:)`)
	summed     = regexp.MustCompile(`\b[a-z]{2,}(?:\+[a-z]{2,})+\b@?`)
	nameLine   = regexp.MustCompile(`(?im)^([ \t]*(?:[-*][ \t]+)?)name[ \t]*[:=][ \t]*([\w-]+)[ \t]*$`)
	settingOf  = regexp.MustCompile(`(?im)^[ \t]*(?:[-*][ \t]+)?(?:language|lang|db|database|storage|auth|authentication|license|licence|port)[ \t]*[:=]`)
	listLine   = regexp.MustCompile(`(?im)^[ \t]*(?:[-*][ \t]+)?(?:[\w ]*\b)?(?:fields|columns|attributes|properties|entities|entity|resources|resource|models|model|tables|table)\b`)
)

// generic are names that stand for whatever records there are.
var generic = []string{"record", "records", "entry", "entries", "object", "objects", "table", "tables", "row", "rows", "resource", "resources", "entity", "entities", "api", "it", "them", "each", "these", "this", "fields", "columns", "attributes", "properties", "schema", "data", "model", "models", "spec", "type", "types", "params", "parameters", "input", "body", "example", "config", "settings", "requirements"}

// plainer rewrites what people who write lists as programmers do, into the same with colons and commas.
func plainer(request string) string {
	request = blocks(request)
	request = fieldsOf.ReplaceAllStringFunc(request, func(text string) string {
		m := fieldsOf.FindStringSubmatch(text)
		if slices.Contains(generic, strings.ToLower(m[2])) {
			return text
		}
		return m[1] + m[2] + ": "
	})
	if all := resourceOf.FindAllStringSubmatch(request, 2); len(all) > 1 || len(all) == 1 && strings.Contains(all[0][2], " ") {
		request = resourceOf.ReplaceAllString(request, "$1$2:")
	}
	request = named(request)
	request = asWords(request)
	request = refersTo.ReplaceAllStringFunc(request, func(text string) string { return refers(text, request) })
	request = spot.ReplaceAllString(request, "$1, $2")
	request = summed.ReplaceAllStringFunc(request, func(text string) string {
		if strings.HasSuffix(text, "@") { // an address
			return text
		}
		return strings.ReplaceAll(text, "+", " and ")
	})
	return parted(request, pairs)
}

// asWords says in words what programmers write with signs: ":7070", "/hydrants: {", "lang=go port=80", "varchar(40)", "serial no.,".
func asWords(request string) string {
	request = listens.ReplaceAllStringFunc(request, func(text string) string {
		m := listens.FindStringSubmatch(text)
		return strings.TrimSuffix(strings.TrimRight(m[1], " \t"), "port") + " port " + m[2] + m[3]
	})
	request = pathBlock.ReplaceAllString(request, "$1$2: {")
	request = methods.ReplaceAllStringFunc(request, paths)
	request = pointsAt.ReplaceAllString(request, "$1 belongs to $2")
	request = sized.ReplaceAllString(request, "string max $1 characters")
	request = numbered.ReplaceAllString(request, "$1$2")            // serial no., type
	request = stringEnds.ReplaceAllString(request, "${1}string.$2") // no street
	request = percent.ReplaceAllString(request, "$1 in percent$2")
	request = braced.ReplaceAllString(request, " {")
	request = readOnly.ReplaceAllString(request, "$1")
	request = toggled.ReplaceAllStringFunc(request, toggle)
	return parted(request, equals)
}

// toggle says in a word what is switched on or off of a field: nullable: false.
func toggle(text string) string {
	m := toggled.FindStringSubmatch(text)
	what := map[string][2]string{"required": {"required", "optional"}, "mandatory": {"required", "optional"}, "optional": {"optional", "required"}, "nullable": {"optional", "required"}, "null": {"optional", "required"}, "unique": {"unique", ""}}[strings.ToLower(m[2])]
	said := what[0]
	if value := strings.ToLower(m[3]); value == "false" || value == "no" {
		said = what[1]
	}
	if said == "" { // not unique, like all others
		return m[4]
	}
	return m[1] + said + m[4]
}

// paths names what endpoints are for that do all that is done with records: POST/GET/PUT/DELETE /lakes and /rivers.
func paths(text string) string {
	m := methods.FindStringSubmatch(text)
	for _, each := range []string{"GET", "POST", "DELETE"} {
		if !strings.Contains(m[1], each) {
			return text
		}
	}
	return "endpoints for " + strings.NewReplacer("/", "", "`", "").Replace(m[2])
}

// refers says in words what another record a field refers to: boat ref Boat. One in small letters has to be told of elsewhere.
func refers(text, request string) string {
	m := refersTo.FindStringSubmatch(text)
	if small := strings.ToLower(m[2]) == m[2]; small && !regexp.MustCompile(`(?i)\b`+m[2]+`(?:s|es)?[ \t]*[({:]`).MatchString(request) {
		return text
	}
	before, end := m[1], ""
	if last := before[0]; last != ':' && last != '(' {
		before = strings.TrimRight(before, " \t") + ": "
	} else if last == '(' && strings.HasSuffix(text, ")") {
		end = ")"
	}
	return before + "belongs to " + m[2] + end
}

// named calls a name the name of the project that stands among its settings, above all that records hold.
func named(request string) string {
	at := nameLine.FindStringSubmatchIndex(request)
	if at == nil || len(settingOf.FindAllString(request, 2)) < 2 {
		return request
	}
	value := request[at[4]:at[5]]
	if list := listLine.FindStringIndex(request); list != nil && list[0] < at[0] || noName.MatchString(value) {
		return request
	}
	return request[:at[3]] + "project name: \"" + value + "\"" + request[at[1]:]
}

// parted puts commas between what has only spaces between: label:string size:int.
func parted(request string, each *regexp.Regexp) string {
	var out strings.Builder
	last := 0
	for _, at := range each.FindAllStringIndex(request, -1) {
		if gap := request[last:at[0]]; last > 0 && gap != "" && strings.Trim(gap, " \t") == "" {
			out.WriteString(", ")
		} else {
			out.WriteString(gap)
		}
		out.WriteString(request[at[0]:at[1]])
		last = at[1]
	}
	return out.String() + request[last:]
}

// blocks rewrites a name with columns below it: names on the left, and what each of them holds on the right.
func blocks(request string) string {
	lines := strings.Split(request, "\n")
	for i := 0; i < len(lines); i++ {
		head := blockHead.FindStringSubmatch(lines[i])
		if head == nil || slices.Contains(generic, strings.ToLower(head[2])) {
			continue
		}
		fields, told := block(lines[i+1:], len(head[1]))
		if len(fields) < 2 || !told {
			continue
		}
		lines[i] = head[1] + strings.ToUpper(head[2][:1]) + head[2][1:] + ":" // a capital says that it is a record
		copy(lines[i+1:], fields)
		i += len(fields)
	}
	return strings.Join(lines, "\n")
}

// block gives the lines that are set in farther than what stands above them, as items of a list: none where one of them is
// no field. It says whether kinds stand there.
func block(lines []string, indent int) (fields []string, told bool) {
	for _, line := range lines {
		bare := strings.TrimSpace(line)
		if deep := len(line) - len(strings.TrimLeft(line, " \t")); bare == "" || deep <= indent {
			break
		}
		m := blockField.FindStringSubmatch(bare)
		if m == nil && strings.EqualFold(bare, "id") {
			m = []string{bare, bare, "", "", "", ""}
		}
		if m == nil {
			return nil, false
		}
		told = told || m[3] == "" && startsWithKind.MatchString(m[4]+m[5])
		said := strings.TrimSpace(m[3] + m[4] + m[5])
		if other, arrow := strings.CutPrefix(said, "->"); arrow {
			said = "belongs to " + strings.TrimSpace(other)
		}
		fields = append(fields, strings.TrimSuffix("- "+m[1]+": "+said, ": "))
	}
	return fields, told
}

var noName = regexp.MustCompile(`(?i)^(?:` + kindWord + `|required|optional|unique|yes|no|none|list)$`)

var startsWithKind = regexp.MustCompile(`^` + kindWord + `\b`)
