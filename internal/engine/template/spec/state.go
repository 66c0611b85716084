package spec

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// FromState reads the spec of a project from its state, as this version or an
// earlier one wrote it, and reports whether the project is one of this engine.
func FromState(state map[string]string) (s Spec, ok bool, err error) {
	if state["engine"] != "template" {
		return s, false, nil
	}
	if text := state["spec"]; text != "" {
		s, err = Parse(text)
	} else {
		s, err = oldState(state)
	}
	if err == nil {
		s, _, err = s.Complete()
	}
	if err != nil {
		return Spec{}, true, fmt.Errorf("the state of the project cannot be read: %w", err)
	}
	return s, true, nil
}

// oldState reads the state of an earlier version, which had a key for each decision.
func oldState(state map[string]string) (s Spec, err error) {
	s = Spec{Kind: state["kind"], Name: state["name"], License: state["license"]}
	if s.Kind == "command" {
		return s, errors.New("it is a command-line tool (command), which this engine does not generate any more; it can still be delivered, repackaged and pushed")
	}
	if s.Port, err = strconv.Atoi(state["port"]); err != nil {
		return s, fmt.Errorf("%q is not a port", shorten(state["port"]))
	}
	if s.Kind == Site {
		for name := range strings.SplitSeq(state["sections"], ",") {
			s.Sections = append(s.Sections, Section{Name: strings.ReplaceAll(name, "-", " ")})
		}
		s.Facts = oldFacts(state)
		return s, nil
	}
	s.Language, s.Store, s.Auth, s.CORS = state["language"], state["database"], state["auth"], state["cors"] == "on"
	if s.Store == None {
		s.Store = Memory
	}
	for text := range strings.SplitSeq(state["resources"], ";") {
		names, fields, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
		plural, noun, _ := strings.Cut(names, "/")
		s.Records = append(s.Records, Record{noun, plural, oldFields(fields)})
	}
	return s, nil
}

// oldFacts reads the texts of a site: subject, place and day become the tagline.
func oldFacts(state map[string]string) (out []Fact) {
	join := func(a, between, b string) string {
		if a == "" || b == "" {
			return a + b
		}
		return a + between + b
	}
	tagline := []rune(join(join(state["subject"], " in ", state["place"]), ", ", state["when"]))
	address := join(state["address"], ", ", state["place"])
	if state["address"] == "" {
		address = ""
	}
	for _, f := range []Fact{
		{"title", state["title"]},
		{"tagline", strings.TrimSpace(string(tagline[:min(len(tagline), MaxFact)]))},
		{"phone", state["phone"]},
		{"email", state["email"]},
		{"address", address},
		{"hours", state["hours"]},
	} {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}

var oldField = regexp.MustCompile(`^([^:!]+):([^!]+)(?:!(required|optional))?(!unique)?(?:!default=([^!]+))?(?:!one of=([^!]+))?(?:!min=([^!]+))?(?:!max=([^!]+))?$`)

// oldFields reads isbn:string!required!unique!min=10!max=13,author_id:ref.author.
// What it cannot read has no name, which no spec takes.
func oldFields(text string) (out []Field) {
	first := -1 // the first text is required, unless a field says that it is
	for i, part := range strings.Split(text, ",") {
		m := append(oldField.FindStringSubmatch(part), make([]string, 9)...)
		f := Field{Name: m[1], Kind: m[2], Need: m[3], Unique: m[4] != "", Default: m[5], HasDefault: m[5] != "", Min: m[7], Max: m[8]}
		if m[6] != "" {
			f.Choices = strings.Split(m[6], "|")
		}
		if to, is := strings.CutPrefix(f.Kind, "ref."); is {
			f.Kind, f.To, f.Name = "", to, strings.TrimSuffix(f.Name, "_id")
		}
		if f.Kind == String && f.Need == "" && !f.HasDefault && first < 0 {
			first = i
		}
		if f.Kind == "strings" || f.Kind == String && f.Choices == nil { // which had up to 10,000 characters and any number of lines
			f.Kind = Text
		}
		out = append(out, f)
	}
	said := strings.Contains(text, "!required")
	for i := range out {
		need := Optional
		if said && out[i].Need == Required && !out[i].HasDefault || !said && i == first {
			need = Required
		}
		out[i].Need = ""
		if (need == Required) != (Record{Fields: out}).Required(i) {
			out[i].Need = need
		}
	}
	return out
}
