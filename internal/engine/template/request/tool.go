package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

// toolEdges reads what is said of a tool that works on files: what it does, with which options, and what is only around that.
func (p *parser) toolEdges(i, to int, s state) (out []edge) {
	r := p.request
	if r.Kind != Command || len(r.Operations) == 0 {
		return nil
	}
	out = append(out, edge{i + 1, never, s, func(b *builder) { b.strange(p.At(i).Text, i) }})
	add := func(n, cost int, do act) {
		if n > 0 {
			out = append(out, edge{i + n, cost, open, do})
		}
	}
	leave := func(n int, why string) act {
		what := p.text(i, i+n)
		return func(b *builder) { b.leave(what, why) }
	}
	m, n := p.Phrase(i)
	switch m.Class {
	case "operation", "stop", "join", "kind", "container", "things", "fields", "place", "to":
		add(n, 2+map[bool]int{true: 20}[p.Length(i, "tool-option") > 0], nil)
	case "language", "license", "given", "cors", "auth", "heart":
		phrase := p.Words(i, n)
		add(n, usual, func(b *builder) { b.option(m, phrase) })
	case "named":
		if _, end := p.NameAt(i + n); p.Is("no-record", english.Singular(p.At(i-1).Low)) { // files called img_1.jpg
			what := p.text(i-1, end)
			out = append(out, edge{end, 4, open, func(b *builder) { b.leave(what, whenCalled) }})
			break
		}
		out = append(out, p.valued(m.Class, i, n, s)...)
	case "module":
		out = append(out, p.valued(m.Class, i, n, s)...)
	case "database":
		add(n, usual, leave(n, "options of a tool"))
		if m.Value == "file" || m.Value == none {
			add(n, 2, nil)
		}
	case "detail":
		add(n, usual, leave(n, m.Value))
	case "denial":
		out = append(out, p.notDone(i, n, to)...)
		out = append(out, p.denied(i, n, s)...)
	}
	if of := p.Tables["means-operation"][p.At(i).Low]; of == "" || p.Length(i, "around") > 1 || slices.Contains(r.Operations, of) {
		add(p.Length(i, "around"), 3, nil)
	}
	out = append(out, p.optionEdges(i)...)
	of, k := p.Longest(i, "tool-option")
	switch {
	case strings.HasPrefix(of, "with "):
		add(k, 4, leave(k, of))
	case slices.Contains(r.Operations, of):
		phrase := p.text(i, i+k)
		add(k, 2, func(b *builder) { b.Given = append(b.Given, phrase) })
	default:
		add(k, usual, leave(k, "options of a tool"))
	}
	out = append(out, p.toolQuotes(i, s)...)
	out = append(out, p.toolFigures(i, to)...)
	out = append(out, p.toolPurpose(i, to)...)
	return append(out, p.storyEdges(i, to)...)
}

const whenCalled = "what the tool is told where it is called"

// optionEdges reads what an operation does, and what it is told.
func (p *parser) optionEdges(i int) (out []edge) {
	r := p.request
	_, does := r.operation(i)
	if flag := p.At(i).Low; strings.HasPrefix(flag, "--") && slices.ContainsFunc(r.Operations, func(o string) bool { return strings.Contains(p.Tables["operands"][o], "["+flag) }) {
		out = append(out, edge{i + 1, 2, open, func(b *builder) { b.Given = append(b.Given, flag) }})
	}
	m, known := p.Phrase(i)
	if option, n := r.toolOption(i); n > 0 && n >= does && (m.Class != "operation" || n >= known) {
		what := p.text(i, i+n)
		why, refused := strings.CutPrefix(option, "never ")
		quoted := p.quotes(i, n)
		out = append(out, edge{i + n, 1, open, func(b *builder) {
			quoted(b)
			switch {
			case refused:
				b.Hearts = append(b.Hearts, Omission{what, why})
			case option == "yes":
				b.Given = append(b.Given, what)
			case option == "no":
				b.leave(what, "options of a tool")
			default:
				b.leave(what, "with "+option)
			}
		}})
		return out
	}
	if does > 0 {
		out = append(out, edge{i + does, 1, open, p.quotes(i, does)})
	}
	return out
}

// quotes leaves texts in quotes to whoever calls the tool.
func (p *parser) quotes(i, n int) act {
	quoted := slices.ContainsFunc(p.Tokens[i:i+n], func(t words.Token) bool { return t.Quoted })
	return func(b *builder) {
		if quoted {
			b.leave("what stands in quotes", whenCalled)
		}
	}
}

// toolQuotes reads what stands in quotes: the name of the tool, or what it is told where it is called.
func (p *parser) toolQuotes(i int, s state) []edge {
	before := p.At(i - 1)
	switch {
	case !p.At(i).Quoted:
		return nil
	case before.Mark || p.Is("titles", before.Low) || p.class(i-1) == "kind" || p.class(i-1) == "container":
		return p.quotedEdges(i, s)
	}
	return []edge{{i + 1, usual, open, func(b *builder) { b.leave("what stands in quotes", whenCalled) }}}
}

// notDone reads what a tool is not to do, and does not: deleting files.
func (p *parser) notDone(i, n, to int) []edge {
	end := i + n
	for end < to && !p.At(end).Mark {
		if !p.Is("spoils", p.At(end).Low) && p.class(end) != "stop" && p.Length(end, "around") == 0 {
			return nil
		}
		end++
	}
	if end == i+n {
		return nil
	}
	return []edge{{end, 6, open, nil}}
}

// toolFigures reads numbers and names of files, which a tool is told where it is called.
func (p *parser) toolFigures(i, to int) []edge {
	const why = whenCalled
	switch low := p.At(i).Low; {
	case strings.HasPrefix(low, ".") && i+1 < to:
		what := p.text(i, i+2)
		return []edge{{i + 2, usual, open, func(b *builder) { b.leave(what, "files are chosen by their names where the tool is called") }}}
	case figure(low) && i+1 < to && p.begins(i) && !p.At(i+1).Mark: // 16 characters
		what := p.text(i, i+2)
		return []edge{{i + 2, usual, open, func(b *builder) { b.leave(what, why) }}}
	case figure(low) && i > 0 && !p.At(i-1).Mark:
		what := p.text(i-1, i+1)
		return []edge{{i + 1, usual, open, func(b *builder) { b.leave(what, why) }}}
	}
	return nil
}

// toolPurpose reads what a tool is used for, and whose the files are.
func (p *parser) toolPurpose(i, to int) (out []edge) {
	purpose, mine := p.Length(i, "used-for"), p.Length(i, "of-mine")
	onFiles := func(o string) bool { return english.HasSuffix(p.Tables["operands"][o], "FOLDER", "...", "...]") }
	if !slices.ContainsFunc(p.request.Operations, onFiles) && !strings.HasPrefix(p.Words(i, mine), "for") { // the uuid of my drive
		mine = 0
	}
	for end := i + 1; end <= to && purpose+mine > 0; end++ {
		if end < to && (p.Phraseful(end, "operation") || p.Phraseful(end, "language")) {
			return out
		}
		option, told := p.request.toolOption(end) // the files in my music folder, to lowercase
		asked := end < to && told > 0 && option != "yes"
		if end < to && !p.ends(end) && !asked {
			continue
		}
		what := p.text(i, end)
		why := map[bool]string{true: "what it is used for", false: background}[purpose > 0]
		out = append(out, edge{end, 12 + end - i, open, func(b *builder) { b.leave(what, why) }})
		if p.At(end).Mark || asked {
			return out
		}
	}
	return out
}
