package request

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/project"
)

var update = flag.Bool("update", false, "write what is read now into testdata")

// told says what was understood of a request, in a few lines.
func told(r *Request) string {
	if len(r.Hearts)+len(r.Unknown) > 0 || r.Kind == "" {
		return "refused\n"
	}
	var out strings.Builder
	out.WriteString(r.Kind)
	for _, each := range [][2]string{
		{"", r.Language},
		{"", r.Database},
		{"auth ", r.Auth},
		{"cors ", r.CORS},
		{"license ", r.License},
		{"module ", r.Module},
		{"called ", r.Title},
		{"about ", r.Subject},
		{"in ", r.Place},
		{"email ", r.Email},
		{"phone ", r.Phone},
		{"hours ", r.Hours},
		{"address ", r.Address},
		{"when ", r.When},
		{"does ", strings.Join(r.Operations, ", ")},
		{"shows ", strings.Join(r.Sections, ", ")},
	} {
		if each[1] != "" {
			out.WriteString("; " + each[0] + each[1])
		}
	}
	if r.Port > 0 {
		fmt.Fprintf(&out, "; port %d", r.Port)
	}
	if r.PageSize > 0 {
		fmt.Fprintf(&out, "; %d per page", r.PageSize)
	}
	out.WriteString("\n")
	for _, t := range r.Things {
		out.WriteString("  " + t.Name + "(" + fieldsOf(t) + ")")
		for _, p := range t.Parents {
			out.WriteString(" of " + p.Name)
		}
		out.WriteString("\n")
	}
	for _, o := range r.Left {
		out.WriteString("  left out: " + o.What + " (" + o.Why + ")\n")
	}
	return out.String()
}

func fieldsOf(t *Thing) string {
	var all []string
	for _, f := range t.Fields {
		text := f.Name + " " + f.Kind
		if f.Ref != "" {
			text = f.Name + " of " + f.Ref
		}
		if f.Need != "" {
			text += " " + f.Need
		}
		if f.Unique {
			text += " unique"
		}
		if f.Default != "" {
			text += " default " + f.Default
		}
		if f.Choices != nil {
			text += " " + strings.Join(f.Choices, "/")
		}
		if f.Min+f.Max != "" {
			text += " " + f.Min + ".." + f.Max
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// Requests as people write them, and what each comes out as: the files of testdata tell both. What is not understood as a
// whole is refused.
func TestRequestsAreRead(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			readAll(t, file)
		})
	}
}

func readAll(t *testing.T, file string) {
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i, part := range strings.Split(string(content), "> ") {
		if i == 0 {
			out.WriteString(part)
			continue
		}
		line, want, _ := strings.Cut(part, "\n")
		got := told(Read(strings.ReplaceAll(line, `\n`, "\n"), lexicon.All))
		if fmt.Fprintf(&out, "> %s\n%s", line, got); got != want && !*update {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever is asked for is read or refused in the time that one word more costs, and never both.
func TestLongRequestsAreRefused(t *testing.T) {
	t.Parallel()
	r := Read("an API for books with "+strings.Repeat("title, ", 4000), lexicon.All)
	if !slices.ContainsFunc(r.Unknown, func(what string) bool { return strings.Contains(what, "fewer words") }) || r.Kind != project.API {
		t.Errorf("%q %q", r.Kind, r.Unknown)
	}
}
