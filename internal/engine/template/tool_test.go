package template

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/tool"
)

// What is said of a tool has to be so: its options are there, and what it does is understood as what it does.
func TestToolsHaveTheOptionsThatAreNamed(t *testing.T) {
	t.Parallel()
	flag := regexp.MustCompile(`--[a-z0-9-]+`)
	for operation, does := range tables["does"] {
		told := []string{tables["remark"][operation]}
		for _, option := range tool.Tables()[operation+"-option"] {
			told = append(told, option)
		}
		if len(told) < 5 {
			t.Errorf("little is told of %s: %q", operation, told)
		}
		for _, option := range flag.FindAllString(strings.Join(told, " "), -1) {
			if !strings.Contains(tables["operands"][operation], option+"]") && !strings.Contains(tables["operands"][operation], option+" ") {
				t.Errorf("%s has no %s", operation, option)
			}
		}
		for _, language := range []string{"Go", "Python"} {
			p, err := planOf(nil, "A command-line tool in "+language+" that "+does, constraints{})
			if err != nil || !slices.Equal(p.Operations, []string{operation}) {
				t.Errorf("%q is read as %v, %v", does, p.Operations, err)
			}
		}
	}
}
