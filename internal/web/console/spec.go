package console

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strings"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/text/diff"
	"github.com/bundle-delivery/svc/internal/web/console/specform"
)

// templateEngine is the name of the engine that reads specs.
const templateEngine = "template"

// specForm is the form of a spec on the page of a new generation.
type specForm struct {
	*specform.Form
	Project, Once string
	Open          bool // it is what the page is about
	// Sentence is what was asked for in English, with the words marked that the engine
	// did not understand.
	Sentence []diff.Part
	Refused  *svc.Suggestion // what of the sentence the engine understood
}

// Languages, Stores, Licenses, Kinds and Needs are what the form offers.
func (specForm) Languages() []string { return spec.Languages }

// Stores are offered with a hint each.
func (specForm) Stores() [][2]string {
	hints := map[string]string{spec.Memory: "not kept", spec.File: "JSON"}
	var out [][2]string
	for _, store := range spec.Stores {
		out = append(out, [2]string{store, hints[store]})
	}
	return out
}

// Licenses are the licences that a project can carry.
func (specForm) Licenses() []string { return append([]string{spec.None}, spec.Licenses...) }

// Kinds are the kinds of fields.
func (specForm) Kinds() []string { return spec.Kinds }

// engines returns the names of the engines of the workers. With none alive it is the
// engine of this process, if it is a worker.
func (s *runHandlers) engines(r *http.Request) ([]string, error) {
	names, err := s.Generations.Engines(r.Context())
	if len(names) == 0 && s.Engine != "" {
		names = []string{s.Engine}
	}
	return names, err
}

// addSpec adds the form of a spec to a page, where every worker reads specs and the
// project is one that they continue.
func (s *runHandlers) addSpec(r *http.Request, f *startForm) error {
	var err error
	if f.Engines, err = s.engines(r); err != nil || !slices.Equal(f.Engines, []string{templateEngine}) {
		f.Spec = nil
		return err
	}
	if f.Spec == nil {
		f.Spec, f.Error = f.newSpec()
	}
	if f.Spec != nil {
		f.Spec.Project, f.Spec.Once = f.Project, f.Once
		f.Spec.focusMistake()
	}
	return nil
}

// focusMistake gives the focus of a new page to the mistake of its form, if it has one:
// to the text that has it, or to the message about the rows.
func (f *specForm) focusMistake() {
	switch {
	case f.Mistake == nil:
	case f.Mistake.Line > 0:
		f.Focus = "spec-text"
	default:
		f.Focus = "spec-mistake"
	}
}

// newSpec opens the form with what the engine suggests, with the request if it is a
// spec, or with the project as it is. The error replaces that of the page, if it has none.
func (f *startForm) newSpec() (*specForm, *svc.Error) {
	form := &specForm{Open: f.Continues}
	old := ""
	if f.Continues {
		now, ok, err := spec.FromState(f.state)
		if err != nil || !ok {
			if err != nil && f.Error == nil {
				return nil, svc.Errorf(svc.CodeUnresolvable, "This project cannot be continued: %v.", err)
			}
			return nil, f.Error
		}
		old = now.String()
	}
	text := ""
	if spec.IsSpec(f.Prompt) { // which shows its own mistakes
		text, f.Prompt, form.Open = f.Prompt, "", true
	} else if f.suggestion != nil && spec.IsSpec(f.suggestion.Spec) {
		text, form.Open = f.suggestion.Spec, true
		form.Sentence, form.Refused = marked(f.Prompt, f.suggestion.NotUnderstood), f.suggestion
	}
	form.Form = specform.Open(text, old)
	return form, f.Error
}

var wordStart, wordEnd = regexp.MustCompile(`^\w`), regexp.MustCompile(`\w$`)

// marked splits a sentence so that these words of it can be marked.
func marked(sentence string, words []string) (parts []diff.Part) {
	var quoted []string
	for _, word := range words {
		if word != "" {
			word = wordStart.ReplaceAllString(regexp.QuoteMeta(word), `\b$0`)
			quoted = append(quoted, wordEnd.ReplaceAllString(word, `$0\b`))
		}
	}
	slices.SortFunc(quoted, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	at := 0
	if len(quoted) > 0 {
		for _, found := range regexp.MustCompile(`(?i)`+strings.Join(quoted, "|")).FindAllStringIndex(sentence, -1) {
			parts = append(parts, diff.Part{Text: sentence[at:found[0]]}, diff.Part{Text: sentence[found[0]:found[1]], Changed: true})
			at = found[1]
		}
	}
	return append(parts, diff.Part{Text: sentence[at:]})
}

// editSpec answers the form of a spec while it is filled in: the rows of a text, the
// text of rows, and what a button does. Nothing is kept.
func (s *runHandlers) editSpec(w http.ResponseWriter, r *http.Request, v *visit) error {
	form := &specForm{Form: specform.Posted(r.PostForm), Open: true, Project: r.PostFormValue("project"), Once: r.PostFormValue("once")}
	if r.Header.Get("Hx-Request") == "" { // a browser without scripts
		return s.showStart(w, r, v, http.StatusOK, startForm{Project: form.Project, Spec: form})
	}
	return s.renderPart(w, "generation-new", "spec-form", form)
}
