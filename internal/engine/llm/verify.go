package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/validate"
)

// finding says what is wrong with a file.
type finding struct{ path, text string }

// violations lists how the files differ from the plan.
func violations(p *plan, project *project) ([]finding, error) {
	var found []finding
	texts := make(map[string]string, len(p.Files))
	for _, f := range p.Files {
		if !project.has(f.Path) {
			found = append(found, finding{f.Path, "the plan promises this file, and it was not written"})
			continue
		}
		content, err := project.read(f.Path)
		if err != nil {
			return nil, err
		}
		texts[f.Path] = content
		if strings.TrimSpace(content) == "" && !mayBeEmpty(f.Path) {
			found = append(found, finding{f.Path, "the file is empty"})
		}
		if i := strings.IndexFunc(content, unprintable); i >= 0 {
			found = append(found, finding{f.Path, fmt.Sprintf("the file has a control character at byte %d; it has to be plain text", i)})
		}
	}
	imports, err := validate.NewImports(project.paths(), project.read)
	if err != nil {
		return nil, err
	}
	for _, f := range p.Files {
		for _, missing := range imports.Missing(f.Path, texts[f.Path]) {
			found = append(found, finding{f.Path, missing})
		}
	}
	for _, port := range p.Ports {
		for _, use := range port.Uses {
			content, ok := texts[use.Path]
			if !ok {
				if content, err = project.read(use.Path); err != nil {
					return nil, err
				}
			}
			if _, _, err := bundlezip.FindPort([]byte(content), use.Template, port.Port); err != nil {
				found = append(found, finding{use.Path, fmt.Sprintf("port %s has to stand in this file once, as %q with %d for {port}: %v", port.Name, use.Template, port.Port, err)})
			}
		}
	}
	return found, nil
}

// mayBeEmpty knows files whose being there is all that counts.
func mayBeEmpty(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	return slices.Contains([]string{"__init__.py", ".gitkeep", ".keep", "py.typed", ".nojekyll", "conftest.py"}, name)
}

func unprintable(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' && r != '\r' && r != '\f' || r == 0x7f
}

var (
	declared = regexp.MustCompile(`(?m)^[ \t]*(?:(?:export|default|async|pub|public|private|protected|static|abstract|final)[ \t]+)*(?:func(?:[ \t]*\([^)]*\))?|function\*?|def|class|interface|type|struct|enum|trait|fn)[ \t]+([A-Za-z_$][\w$]*)`)
	assigned = regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)[^=\n]*=[ \t]*(?:async[ \t]*)?(?:function\b|\([^\n]*=>|[\w$]+[ \t]*=>|\([^)\n]*$)`)
	method   = regexp.MustCompile(`(?m)^[ \t]+(?:(?:async|static|get|set|public|private|protected|override)[ \t]+)*[*#]?([A-Za-z_$][\w$]*)\([^()\n]*\)[ \t]*(?::[^{};=\n]*)?\{`)
	tested   = regexp.MustCompile("(?m)^[ \t]*(?:test|it|describe)(?:\\.\\w+)?\\([ \t]*[\"'`]([^\"'`\n]+)")
)

// declarations are the patterns of what a file declares.
func declarations(path string) []*regexp.Regexp {
	switch path[strings.LastIndexByte(path, '.')+1:] {
	case "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte":
		return []*regexp.Regexp{declared, tested, assigned, method}
	}
	return []*regexp.Regexp{declared, tested}
}

// statement knows words that look like methods, and are none.
func statement(word string) bool {
	return slices.Contains([]string{"if", "for", "while", "switch", "catch", "with", "function", "return"}, word)
}

// speaksOf says whether a text has a name as a word of its own.
func speaksOf(text, name string) bool {
	word := func(b byte) bool {
		return b == '_' || b == '$' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
	}
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		start := from + at
		end := start + len(name)
		if (start == 0 || !word(text[start-1])) && (end == len(text) || !word(text[end])) {
			return true
		}
		from = start + 1
	}
}

// loses says what a repair would take away although no finding speaks of it: repairs
// that make an error go by deleting the code around it are none, in however many steps.
func (w *repairEditor) loses(path, before, after string) string {
	if first, known := w.before[path]; known {
		before = first
	}
	for _, pattern := range declarations(path) {
		left := make(map[string]bool)
		for _, m := range pattern.FindAllStringSubmatch(after, -1) {
			left[m[1]] = true
		}
		for _, m := range pattern.FindAllStringSubmatch(before, -1) {
			if name := m[1]; !left[name] && !statement(name) && !speaksOf(w.findings, name) && !w.movedTo(pattern, name) {
				return fmt.Sprintf("it takes %s away, of which no finding speaks; repair it instead.", name)
			}
		}
	}
	const few = 20
	was, is := lineCount(before), lineCount(after)
	if was >= few && is < was/2 {
		return fmt.Sprintf("it takes %d of %d lines away; repair what was found and keep the rest.", was-is, was)
	}
	return ""
}

// movedTo says whether another file that this repair has written holds a declaration.
func (w *repairEditor) movedTo(pattern *regexp.Regexp, name string) bool {
	for path := range w.before {
		text, err := w.view.read(path)
		if err != nil {
			continue
		}
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			if m[1] == name && !strings.Contains(w.before[path], m[0]) {
				return true
			}
		}
	}
	return false
}

func lineCount(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}
