package template

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
)

// toolWord reads what words mean beside an operation; it gives the number of words, or none.
func (r *reader) toolWord(i int) int {
	if r.Kind != project.Command || len(r.Operations) == 0 || r.project != nil || r.At(i).Quoted {
		return 0
	}
	of, n := r.Longest(i, "tool-option")
	if m, k := r.Phrase(i); m.Class == isDatabase && m.Value != project.File {
		of, n = "", k
	}
	why := "options of a tool"
	if strings.HasPrefix(of, "with ") { // it is no more than an option
		why = of
	} else if n == 0 {
		n, why = r.Beside(i)
	}
	if n == 0 {
		return 0
	}
	r.flush()
	switch what := r.Words(i, n); {
	case why == "":
		r.context = append(r.context, what)
	case slices.Contains(r.Operations, of):
		r.given = append(r.given, what)
	default:
		r.leave(what, why)
	}
	return n
}
