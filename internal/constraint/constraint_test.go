package constraint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/constraint"
)

func TestConstraintsAreReadAgainstThoseThatAreKnown(t *testing.T) {
	t.Parallel()
	values, synonyms := map[string]string{"name": "a name", "port": "a number", "color": "red, blue"}, map[string]string{"color rouge": "red"}
	bad := func(key, value string) bool { return key == "port" && value == "0" }
	got, err := constraint.Read(map[string]string{" Color ": "ROUGE", "name": "Fleet Desk"}, values, synonyms, bad)
	if err != nil || got["color"] != "red" || got["name"] != "Fleet Desk" {
		t.Errorf("%v, %v", got, err)
	}
	for want, raw := range map[string]map[string]string{
		"not known; these are: color, name and port": {"size": "big"},
		"given twice":      {"color": "red", "COLOR": "blue"},
		"can be: a number": {"port": "0"},
	} {
		if _, err := constraint.Read(raw, values, synonyms, bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", raw, err, want)
		}
	}
	if list := constraint.List("cars, night shifts,cars"); !slices.Equal(list, []string{"cars", "night-shifts"}) || constraint.List("") != nil {
		t.Errorf("%q", list)
	}
}
