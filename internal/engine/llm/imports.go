package llm

import (
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// module is a Go module of the project: its path and where it lies.
type module struct{ path, dir string }

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)"?`)

// goModules finds the Go modules of the project.
func goModules(p *project) ([]module, error) {
	var all []module
	for _, name := range p.paths() {
		if path.Base(name) != "go.mod" {
			continue
		}
		text, err := p.read(name)
		if err != nil {
			return nil, err
		}
		if m := moduleLine.FindStringSubmatch(text); m != nil {
			all = append(all, module{m[1], path.Dir(name)})
		}
	}
	return all, nil
}

// unresolved lists the imports of a file that lead to nothing inside the project.
// Imports from outside are not checked.
func unresolved(name, content string, files []string, mods []module) []string {
	switch path.Ext(name) {
	case ".go":
		return unresolvedGo(content, files, mods)
	case ".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs":
		return unresolvedScript(name, content, files)
	case ".py":
		return unresolvedPython(name, content, files)
	}
	return nil
}

func unresolvedGo(content string, files []string, mods []module) []string {
	parsed, err := parser.ParseFile(token.NewFileSet(), "", content, parser.ImportsOnly)
	if err != nil {
		return nil // syntax is checked by the run
	}
	var missing []string
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		for _, m := range mods {
			rest, inside := strings.CutPrefix(imported, m.path)
			if !inside || rest != "" && rest[0] != '/' {
				continue
			}
			dir := path.Join(m.dir, rest)
			if !slices.ContainsFunc(files, func(f string) bool { return path.Dir(f) == dir && path.Ext(f) == ".go" }) {
				missing = append(missing, fmt.Sprintf("it imports %q, and the project has no Go file in %s", imported, dir))
			}
		}
	}
	return missing
}

var scriptImport = regexp.MustCompile(`(?m)(?:^\s*(?:import|export)\b[^'"` + "`" + `;]*?\bfrom\s*|^\s*import\s*|\brequire\(\s*|\bimport\(\s*)['"](\.{1,2}/[^'"\n]*)['"]`)

// unresolvedScript follows relative imports of JavaScript and TypeScript. A name
// may leave out its ending, name a folder with an index, or name the JavaScript
// file that its TypeScript file becomes.
func unresolvedScript(name, content string, files []string) []string {
	var missing []string
	for _, m := range scriptImport.FindAllStringSubmatch(content, -1) {
		imported, _, _ := strings.Cut(m[1], "?")
		target := path.Join(path.Dir(name), imported)
		if !slices.ContainsFunc(scriptNames(target), func(c string) bool { return slices.Contains(files, c) }) {
			missing = append(missing, fmt.Sprintf("it imports %q, and the project has no such file", m[1]))
		}
	}
	return missing
}

func scriptNames(target string) []string {
	endings := []string{".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".d.ts"}
	names := []string{target}
	for _, e := range endings {
		names = append(names, target+e, target+"/index"+e)
	}
	switch ext := path.Ext(target); ext {
	case ".js", ".jsx", ".mjs":
		stem := strings.TrimSuffix(target, ext)
		names = append(names, stem+".ts", stem+".tsx", stem+".mts")
	}
	return names
}

var pythonImport = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)`)

// unresolvedPython follows relative imports of Python: of a module, or from a
// package of a module or of a name that its __init__ may define.
func unresolvedPython(name, content string, files []string) []string {
	var missing []string
	for _, m := range pythonImport.FindAllStringSubmatch(content, -1) {
		dir := path.Dir(name)
		for range len(m[1]) - 1 {
			dir = path.Dir(dir)
		}
		target := path.Join(dir, strings.ReplaceAll(m[2], ".", "/"))
		if m[2] != "" && slices.Contains(files, target+".py") || slices.Contains(files, path.Join(target, "__init__.py")) {
			continue // what it defines is not looked at
		}
		for part := range strings.SplitSeq(strings.Trim(m[3], "() \t\r\n"), ",") {
			fields := strings.Fields(part)
			if len(fields) == 0 {
				continue
			}
			module := path.Join(target, fields[0])
			if !slices.Contains(files, module+".py") && !slices.Contains(files, module+"/__init__.py") {
				missing = append(missing, fmt.Sprintf("it imports %s from %q, and the project has no such module", fields[0], m[1]+m[2]))
			}
		}
	}
	return missing
}
