package bundlezip_test

import (
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

func TestFindPort(t *testing.T) {
	tests := map[string]struct {
		content, template string
		port              int
		found             string // the content with the number in brackets
		want              string // or the reason
	}{
		"alone":                      {"3000", "{port}", 3000, "[3000]", ""},
		"in a line":                  {"A=1\nPORT=3000\n", "PORT={port}", 3000, "A=1\nPORT=[3000]\n", ""},
		"at the end":                 {"PORT=3000", "PORT={port}", 3000, "PORT=[3000]", ""},
		"mapping":                    {"- 3000:3000", "{port}:3000", 3000, "- [3000]:3000", ""},
		"other side of the mapping":  {"- 3000:3000", "3000:{port}", 3000, "- 3000:[3000]", ""},
		"beside a longer one":        {"PORT=30001\nPORT=3000\n", "PORT={port}", 3000, "PORT=30001\nPORT=[3000]\n", ""},
		"behind a longer one":        {"13000 3000", "{port}", 3000, "13000 [3000]", ""},
		"several lines":              {"a:\n  - 80\nb:\n  - 80\n", "b:\n  - {port}", 80, "a:\n  - 80\nb:\n  - [80]\n", ""},
		"missing":                    {"PORT=3001", "PORT={port}", 3000, "", "does not stand"},
		"inside a longer one after":  {"PORT=30001", "PORT={port}", 3000, "", "does not stand"},
		"inside a longer one before": {"13000", "{port}", 3000, "", "does not stand"},
		"twice":                      {"PORT=3000\nPORT=3000", "PORT={port}", 3000, "", "2 times"},
		"twice, overlapping":         {"1 1 1", "1 {port}", 1, "", "2 times"},
		"no placeholder":             {"3000", "3000", 3000, "", "exactly once"},
		"two placeholders":           {"3000", "{port}{port}", 3000, "", "exactly once"},
		"digit before":               {"13000", "1{port}", 3000, "", "digit beside"},
		"digit after":                {"30001", "{port}1", 3000, "", "digit beside"},
		"control character":          {"3000", "\x1b{port}", 3000, "", "control character"},
		"empty file":                 {"", "{port}", 3000, "", "does not stand"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			start, end, err := bundlezip.FindPort([]byte(test.content), test.template, test.port)
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Fatalf("got %v, want %q", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := test.content[:start] + "[" + test.content[start:end] + "]" + test.content[end:]; got != test.found {
				t.Errorf("got %q, want %q", got, test.found)
			}
		})
	}
}

// A copied file is not exempt: the port may be new.
func TestPortIsCheckedInCopiedFiles(t *testing.T) {
	pack, _ := write(t, sample())
	s := open(t, pack).State()
	s.Ports[0].Port = 3001
	_, err := bundlezip.Write(discard{}, s)
	if err == nil || !strings.Contains(err.Error(), "does not stand") {
		t.Errorf("got %v", err)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
