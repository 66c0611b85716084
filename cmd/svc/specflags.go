package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/workdir/generate"
)

// What a spec can say, for completion. The service checks what is sent.
var (
	specKinds     = []cobra.Completion{cobra.CompletionWithDesc("api", "an HTTP API with records"), cobra.CompletionWithDesc("site", "a static web site")}
	specLanguages = []cobra.Completion{"go", "python", "typescript"}
	specStores    = []cobra.Completion{
		cobra.CompletionWithDesc("memory", "records are lost when the program stops"), cobra.CompletionWithDesc("file", "one JSON file"),
		cobra.CompletionWithDesc("sqlite", "a database in one file"), cobra.CompletionWithDesc("postgres", "a database server"),
	}
	fieldKinds = []string{"string", "text", "integer", "number", "money", "boolean", "date", "datetime", "email", "url", "uuid"}
)

// maxSpecFile is how much of a file is read as a spec. The service has a lower limit.
const maxSpecFile = 1 << 20

// specFlags describe a project by flags.
type specFlags struct {
	file                  string // of --spec; "-" is the standard input
	edit                  bool
	kind, language, store string
	resources, sections   []string
	constraints           []string
}

func (f *specFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.file, "spec", "", "send the spec in this file instead of a prompt; - reads the standard input")
	flags.BoolVar(&f.edit, "edit", false, "edit the project's spec in $VISUAL or $EDITOR, and send it")
	flags.StringVar(&f.kind, "kind", "", "make an api or a site")
	flags.StringVar(&f.language, "language", "", "language of an API: go, python or typescript")
	flags.StringVar(&f.store, "store", "", "where an API keeps its records: memory, file, sqlite or postgres")
	flags.StringArrayVar(&f.resources, "resource", nil, "a record of a new API, such as 'book: title, author'; may be repeated")
	flags.StringArrayVar(&f.sections, "section", nil, "a section of a new site, such as 'menu: Bread and cakes'; may be repeated")
	flags.StringArrayVar(&f.constraints, "constraint", nil, "a constraint, name=value; may be repeated")
	for name, complete := range map[string]cobra.CompletionFunc{
		"kind": words(specKinds...), "language": words(specLanguages...), "store": words(specStores...),
		"resource": completeResource, "section": words(), "constraint": words(),
	} {
		_ = cmd.RegisterFlagCompletionFunc(name, complete) // the flags are there
	}
}

// completeResource offers the kinds of the last field of a record.
func completeResource(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var offers []cobra.Completion
	at := strings.LastIndex(typed, ":")
	if first := strings.Index(typed, ":"); first >= 0 && at > first && !strings.ContainsAny(typed[at:], ",") {
		begun := strings.TrimLeft(typed[at+1:], " ")
		for _, kind := range fieldKinds {
			if strings.HasPrefix(kind, begun) {
				offers = append(offers, strings.TrimSuffix(typed, begun)+kind)
			}
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// describes reports whether the flags say what to make, without a prompt.
func (f *specFlags) describes() bool {
	return f.file != "" || f.edit || len(f.resources)+len(f.sections) > 0
}

// args accepts one prompt, or none where flags say what to make.
func (f *specFlags) args(cmd *cobra.Command, args []string) error {
	if kind := cmp.Or(f.kind, "api"); len(args) == 0 && !f.describes() && kind != "api" && kind != "site" {
		return fmt.Errorf("--kind %s is not a kind of project; write api or site, and give a prompt, --resource or --section", printable.Line(kind))
	}
	if !f.describes() {
		return one("give one prompt, in quotation marks: svc generate \"<prompt>\"")(cmd, args)
	}
	if len(args) > 0 && (f.file != "" || f.edit) || len(args) > 1 {
		return fmt.Errorf("%q is too much: give a prompt in quotation marks, --spec or --edit, and one of them alone", args[len(args)-1])
	}
	return nil
}

func (f *specFlags) check() error {
	if f.edit && (f.file != "" || f.kind+f.language+f.store != "" || len(f.resources)+len(f.sections) > 0) {
		return errors.New("--edit changes the spec in an editor: it goes with none of --spec, --kind, --language, --store, --resource and --section")
	}
	_, err := f.wanted()
	return err
}

// wanted returns the constraints that the flags give, but for records and sections.
func (f *specFlags) wanted() (map[string]string, error) {
	out := map[string]string{}
	for _, c := range f.constraints {
		name, value, ok := strings.Cut(c, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--constraint %q has not the form name=value", c)
		}
		out[name] = value
	}
	for name, value := range map[string]string{"kind": f.kind, "language": f.language, "store": f.store} {
		if value == "" {
			continue
		}
		if other, twice := out[name]; twice && other != value {
			return nil, fmt.Errorf("--%s %s and --constraint %s=%s differ; give one of them", name, value, name, other)
		}
		out[name] = value
	}
	return out, nil
}

// request makes a request of a prompt and the flags.
func (f *specFlags) request(project, prompt string) (generate.Request, error) {
	q := generate.Request{ProjectID: project, Prompt: prompt, Spec: f.file != "" || f.edit}
	var err error
	if q.Constraints, err = f.wanted(); err != nil {
		return q, err
	}
	parts := slices.Concat(f.resources, f.sections)
	switch {
	case len(parts) == 0:
		return q, nil
	case project != "":
		return q, f.notNew(project)
	case prompt == "":
		q.Prompt, q.Spec = f.text(), true
		for _, r := range f.resources {
			if !strings.ContainsAny(r, ":(") {
				return q, fmt.Errorf("--resource %q has no fields; write a record such as %q", r, r+": title, author")
			}
		}
		return q, nil
	}
	for name, lines := range map[string][]string{"resources": f.resources, "sections": f.sectionLines()} {
		if len(lines) > 0 {
			q.Constraints[name] = strings.Join(lines, "; ")
		}
	}
	return q, nil
}

// notNew is the error of flags that describe a new project where one is continued. As
// constraints they would remove all other records.
func (f *specFlags) notNew(project string) error {
	flag, line := "--resource", ""
	if len(f.resources) > 0 {
		line = f.resources[0]
	} else {
		flag, line = "--section", f.sectionLines()[0]
	}
	return fmt.Errorf("%s describes a new project, and this continues project %s\nto add to it: svc generate %s\nfor a new project: --project new", flag, project, printable.ShellWord("add "+line))
}

func (f *specFlags) sectionLines() (lines []string) {
	for _, s := range f.sections {
		lines = append(lines, "section "+s)
	}
	return lines
}

// text writes the spec that the flags describe. What they say beside it goes along as
// constraints, which win.
func (f *specFlags) text() string {
	kind := f.kind
	if kind != "api" && kind != "site" {
		kind = "api"
		if len(f.resources) == 0 {
			kind = "site"
		}
	}
	return strings.Join(slices.Concat([]string{kind}, f.resources, f.sectionLines()), "\n") + "\n"
}

// prompt returns the prompt of the command line, of --spec, or of the standard input.
func readPrompt(ctx context.Context, a *app, f *specFlags, args []string) (string, error) {
	switch {
	case f.file == "-":
		return typed(ctx, a, "spec")
	case f.file != "":
		return readSpec(f.file)
	case len(args) == 0:
		return "", nil
	case args[0] == "-":
		return typed(ctx, a, "prompt")
	}
	return args[0], nil
}

// typed reads a text from the standard input to its end.
func typed(ctx context.Context, a *app, what string) (string, error) {
	if a.term.inTTY {
		a.note("Type the %s, and Ctrl-D at its end:", what)
	}
	text, err := a.input(ctx, readAll(maxSpecFile))
	return strings.TrimRight(text, "\r\n"), err
}

func readSpec(name string) (_ string, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("read the spec: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	text, err := io.ReadAll(io.LimitReader(file, maxSpecFile))
	switch {
	case err != nil:
		return "", fmt.Errorf("read the spec: %w", err)
	case !utf8.Valid(text):
		return "", fmt.Errorf("%s is not text in UTF-8", name)
	case isBlank(string(text)):
		return "", fmt.Errorf("%s has no spec in it; begin with a line such as \"api in go with sqlite\"", name)
	}
	return string(text), nil
}

// isBlank reports whether a spec has nothing but blank lines and comments.
func isBlank(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}
