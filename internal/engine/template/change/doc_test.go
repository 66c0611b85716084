package change_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/change"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Every example of docs/spec.md is read, every limit in it is true.
func TestTheDocumentOfTheNotation(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../../docs/spec.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	var all []spec.Spec
	for _, m := range regexp.MustCompile("(?s)```spec\n(.*?)```").FindAllStringSubmatch(text, -1) {
		s, err := spec.Parse(m[1])
		if err == nil {
			s, _, err = s.Complete()
		}
		if err != nil || !spec.IsSpec(m[1]) {
			t.Errorf("%v\n%s", err, m[1])
		}
		all = append(all, s)
	}
	if len(all) != 5 {
		t.Fatalf("%d examples", len(all))
	}
	for _, m := range regexp.MustCompile("(?s)```change\n(.*?)```").FindAllStringSubmatch(text, -1) {
		if _, done, _, err := change.Read(m[1], all[0]); err != nil || len(done) < strings.Count(m[1], "\n") {
			t.Errorf("%v, %q", err, done)
		}
	}
	_, table, _ := strings.Cut(text, "| line | effect |")
	table, _, _ = strings.Cut(table, "Several changes")
	site := all[2]
	site.Sections = append(site.Sections, spec.Section{Name: "prices", Text: "Soon"})
	before := map[string]string{"remove note": "add note: title", "add section prices: From 3 pounds.": "remove section prices"}
	ofSite := regexp.MustCompile(`^(add |remove )?(section|text) `)
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(table, -1) {
		base := library
		if ofSite.MatchString(m[1]) {
			base = site.String()
		}
		if _, _, _, err := change.Read(before[m[1]]+"\n"+m[1]+"\nport 9400", completed(t, base)); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(resources|sections)` \\| (.*) \\|$").FindAllStringSubmatch(text, -1) {
		for _, value := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(m[2], -1) {
			s, err := spec.Spec{}.Override(map[string]string{m[1]: value[1]})
			if err == nil {
				_, _, err = s.Complete()
			}
			if err != nil {
				t.Errorf("%s: %v", value[1], err)
			}
		}
	}
	for _, list := range [][]string{spec.Kinds, spec.Languages, spec.Stores, spec.Licenses, spec.TextKeys} {
		for _, each := range list {
			if !strings.Contains(text, "`"+each+"`") {
				t.Errorf("%s is missing", each)
			}
		}
	}
}
