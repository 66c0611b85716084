package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
)

// offer says what a constraint can be, for people.
func offer(key, language string) string {
	switch key {
	case "language":
		return listOf(languages(), "or")
	case "name":
		return "a name with at least one letter from a to z"
	case "port":
		return "a number from 1024 to 65535"
	case "resources":
		return "one to 8 nouns with commas between, such as books,authors"
	case "sections":
		return listOf(slices.Compact(slices.Sorted(maps.Values(knownSections))), "or")
	case "database":
		return listOf(databasesOf(language), "or")
	case "auth":
		return listOf(authsOf(language), "or")
	case "cors":
		return listOf(corsOf(language), "or")
	case "license":
		return listOf(licenses(), "or")
	case "framework":
		return "none, since the projects use the standard library"
	}
	return ""
}

func constraintKeys() []string {
	return []string{"language", "name", "port", "resources", "sections", "database", "auth", "cors", "license", "framework"}
}

func unresolvable(format string, args ...any) error {
	return &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: fmt.Sprintf(format, args...)}
}

// cannot refuses a value and names those that can be had.
func cannot(key, value, language string) error {
	of := ""
	if language != "" && key != "language" && key != "license" && key != "port" && key != "name" {
		of = " for " + language
	}
	return unresolvable("%s %q cannot be met%s; %s can be: %s.", key, oneLine(value, 60), of, key, offer(key, language))
}

// constraints are the request's, cleaned and with their synonyms resolved.
type constraints map[string]string

func readConstraints(raw map[string]string) (constraints, error) {
	out := constraints{}
	for _, rawKey := range slices.Sorted(maps.Keys(raw)) {
		key := strings.ToLower(strings.TrimSpace(rawKey))
		if !slices.Contains(constraintKeys(), key) {
			return nil, unresolvable("the constraint %q is not known; these are: %s.", oneLine(rawKey, 60), listOf(constraintKeys(), "and"))
		}
		value := oneLine(raw[rawKey], 400)
		if key != "name" {
			value = strings.ToLower(value)
		}
		if other, twice := out[key]; twice && other != synonym(key, value) {
			return nil, unresolvable("the constraint %q is given twice with different values; give it once.", key)
		}
		out[key] = synonym(key, value)
	}
	return out, nil
}

func synonym(key, value string) string {
	switch key + "=" + value {
	case "language=golang":
		return langGo
	case "language=ts", "language=node", "language=nodejs", "language=node.js":
		return langTypeScript
	case "language=py", "language=python3":
		return langPython
	case "language=html", "language=static site", "language=static-site":
		return langStatic
	case "database=postgresql":
		return dbPostgres
	case "database=sqlite3":
		return dbSQLite
	case "database=true", "database=on", "database=any":
		return dbAny
	case "database=memory", "database=in-memory", "database=false", "database=off", "database=no":
		return dbNone
	case "auth=bearer", "auth=api-key", "auth=yes", "auth=true", "auth=on":
		return authToken
	case "auth=false", "auth=off", "auth=no":
		return authNone
	case "cors=yes", "cors=true":
		return switchOn
	case "cors=no", "cors=false", "cors=none":
		return switchOff
	case "framework=standard library", "framework=stdlib", "framework=net/http", "framework=":
		return "none"
	}
	return value
}

// settle lays the constraints over the wishes of the prompt and refuses what
// the language does not have. It leaves language itself to the caller.
func (c constraints) settle(w wishes, language string) (wishes, error) {
	if v, ok := c["framework"]; ok && v != "none" {
		return w, cannot("framework", v, language)
	}
	for _, slot := range []struct {
		key   string
		value *string
	}{{"port", &w.port}, {"database", &w.database}, {"auth", &w.auth}, {"cors", &w.cors}, {"license", &w.license}} {
		if v, ok := c[slot.key]; ok {
			*slot.value = v
			if w.missing != nil && w.missing.key == slot.key {
				w.missing = nil
			}
		}
	}
	if v, ok := c["name"]; ok {
		if w.title = cleanTitle(v); slug(w.title) == "" {
			return w, cannot("name", v, language)
		}
	}
	if w.missing != nil && (w.missing.key != "language" || c["language"] == "") && (w.missing.key != "framework" || c["framework"] == "") {
		return w, cannot(w.missing.key, w.missing.value, language)
	}
	if w.database == dbAny {
		if len(databasesOf(language)) < 2 {
			return w, cannot("database", "a database", language)
		}
		w.database = databasesOf(language)[1]
	}
	for _, check := range []struct {
		key, value string
		allowed    []string
	}{
		{"database", w.database, databasesOf(language)},
		{"auth", w.auth, authsOf(language)},
		{"cors", w.cors, corsOf(language)},
		{"license", w.license, licenses()},
	} {
		if check.value != "" && !slices.Contains(check.allowed, check.value) {
			return w, cannot(check.key, check.value, language)
		}
	}
	if w.port != "" {
		if _, err := parsePort(w.port); err != nil {
			return w, cannot("port", w.port, language)
		}
	}
	return w, nil
}

// resources reads the constraint of that name; nil when it is not given.
func (c constraints) resources(language string) ([]resource, error) {
	text, ok := c["resources"]
	if !ok {
		return nil, nil
	}
	if language == langStatic {
		return nil, unresolvable("resources cannot be met for static; a static site has sections: %s.", offer("sections", language))
	}
	var out []resource
	for part := range strings.SplitSeq(text, ",") {
		s := singular(strings.TrimSpace(part))
		if notIdentifier(s) || notIdentifier(plural(s)) || unusableNoun(s) || len(s) < 2 {
			return nil, cannot("resources", part, language)
		}
		out = addResource(out, resourceOf(thing{singular: s}))
	}
	if strings.Count(text, ",")+1 > maxResources {
		return nil, cannot("resources", text, language)
	}
	return out, nil
}

// sections reads the constraint of that name; nil when it is not given.
func (c constraints) sections(language string) ([]string, error) {
	text, ok := c["sections"]
	if !ok {
		return nil, nil
	}
	if language != langStatic {
		return nil, unresolvable("sections cannot be met for %s; they belong to the language static.", language)
	}
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		s := knownSections[strings.TrimSpace(part)]
		if s == "" {
			return nil, cannot("sections", part, language)
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if len(out) > maxSections {
		return nil, cannot("sections", text, language)
	}
	return out, nil
}
