package console

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

const (
	// largestShown is how much of a file is shown; the rest is in the bundle.
	largestShown = 512 << 10
	// colouredFile is up to which size a file is coloured, colouringTime how long
	// that may take: lexers may be slow.
	colouredFile  = 128 << 10
	colouringTime = 2 * time.Second
)

// filePage is what the page of one file shows.
type filePage struct {
	Project svc.Project
	Name    string
	File    bundlezip.File
	Code    template.HTML
	Binary  bool
	Cut     bool
}

func (s *projectHandlers) showFile(w http.ResponseWriter, r *http.Request, v *visit) error {
	project, files, err := s.Delivery.OpenProject(r.Context(), v.account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }() // it was only read
	base, path := bundlezip.Base(r.URL.Query().Get("base")), r.URL.Query().Get("path")
	p := filePage{Project: project, Name: projectName(project)}
	for _, f := range files.Manifest().Files {
		if f.Base == base && f.Path == path {
			p.File = f
		}
	}
	content, err := files.OpenFile(base, path)
	if errors.Is(err, fs.ErrNotExist) {
		return errNotThere
	}
	if err != nil {
		return fmt.Errorf("open a file of project %s: %w", project.ID, err)
	}
	defer func() { _ = content.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(content, largestShown+1))
	if err != nil {
		return fmt.Errorf("read a file of project %s: %w", project.ID, err)
	}
	if p.Cut = len(text) > largestShown; p.Cut {
		text = text[:largestShown]
	}
	if p.Binary = bytes.IndexByte(text, 0) >= 0 || !p.Cut && !utf8.Valid(text); !p.Binary {
		if p.Code, err = colour(path, string(bytes.ToValidUTF8(text, []byte("\uFFFD")))); err != nil {
			return err
		}
	}
	return s.render(w, r, v, http.StatusOK, "file", page{Title: path, Section: "projects", Body: p})
}

// noStyle is what the formatter is given: the classes have their colours from the
// console's own sheet.
var noStyle = chroma.MustNewStyle("none", chroma.StyleEntries{})

// colour makes a text into lines with classes for its words, or without any if
// they cannot be told in time. The formatter escapes every character that means
// something in HTML.
func colour(path, text string) (template.HTML, error) {
	tokens := []chroma.Token{{Type: chroma.Text, Value: text}}
	if lexer := lexers.Match(path); lexer != nil && len(text) <= colouredFile {
		deadline := time.Now().Add(colouringTime)
		if words, ok := words(lexer, text, func() bool { return time.Now().After(deadline) }); ok {
			tokens = words
		}
	}
	formatter := html.New(html.WithClasses(true), html.WithLineNumbers(true), html.ClassPrefix("c-"), html.TabWidth(4), html.WithPreWrapper(bare{}))
	var out bytes.Buffer
	if err := formatter.Format(&out, noStyle, chroma.Literator(tokens...)); err != nil {
		return "", fmt.Errorf("colour %q: %w", path, err)
	}
	return template.HTML(out.String()), nil //nolint:gosec // the formatter escapes what it is given
}

// words tells the words of a text apart. Lexers match with patterns that go back
// and forth, so that some texts take them very long, and give up by panicking:
// what they have not done when late says so, is not done.
func words(lexer chroma.Lexer, text string, late func() bool) (tokens []chroma.Token, ok bool) {
	defer func() {
		if recover() != nil {
			tokens, ok = nil, false
		}
	}()
	next, err := lexer.Tokenise(nil, text)
	if err != nil {
		return nil, false
	}
	for token := next(); token != chroma.EOF; token = next() {
		if late() {
			return nil, false
		}
		if last := len(tokens) - 1; last >= 0 && tokens[last].Type == token.Type && len(tokens[last].Value) < joined {
			tokens[last].Value += token.Value
			continue
		}
		tokens = append(tokens, token)
	}
	return tokens, true
}

// joined is the length up to which words of the same kind are made one.
const joined = 4 << 10

// bare puts nothing around the lines: the page has its own place for them.
type bare struct{}

// Start implements html.PreWrapper.
func (bare) Start(bool, string) string { return "" }

// End implements html.PreWrapper.
func (bare) End(bool) string { return "" }

// pageOf returns the rows of the page that is asked for, its number, and how many pages
// there are.
func pageOf[T any](r *http.Request, all []T, size int) (rows []T, number, pages int) {
	number, pages = 1, max((len(all)+size-1)/size, 1)
	if n, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil {
		number = min(max(n, 1), pages)
	}
	from := (number - 1) * size
	return all[from:min(from+size, len(all))], number, pages
}

func asError(err error) *svc.Error {
	e, _ := errors.AsType[*svc.Error](err)
	return e
}
