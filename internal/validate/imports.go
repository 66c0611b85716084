package validate

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

// Imports knows what files of a tree can import from each other.
type Imports struct {
	files   map[string]bool
	goDirs  map[string]bool // folders with Go files
	folders map[string]bool // those that hold anything of Python, also further down
	modules []module
}

// module is a Go module of the tree: its path and where it lies.
type module struct{ path, dir string }

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)"?`)

// NewImports reads what a tree has to import.
func NewImports(paths []string, read func(path string) (string, error)) (*Imports, error) {
	i := &Imports{files: make(map[string]bool, len(paths)), goDirs: make(map[string]bool), folders: make(map[string]bool)}
	for _, name := range paths {
		i.files[name] = true
		if path.Ext(name) == ".go" {
			i.goDirs[path.Dir(name)] = true
		}
		if isPython(name) {
			for dir := path.Dir(name); dir != "." && !i.folders[dir]; dir = path.Dir(dir) {
				i.folders[dir] = true
			}
		}
		if path.Base(name) != "go.mod" {
			continue
		}
		text, err := read(name)
		if err != nil {
			return nil, err
		}
		if m := moduleLine.FindStringSubmatch(text); m != nil {
			i.modules = append(i.modules, module{m[1], path.Dir(name)})
		}
	}
	return i, nil
}

// Missing says which imports of a file lead to nothing inside the tree. What
// comes from outside is none of its business.
func (i *Imports) Missing(name, content string) []string {
	switch path.Ext(name) {
	case ".go":
		return i.missingGo(content)
	case ".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs":
		return i.missingScript(name, content)
	case ".py":
		return i.missingPython(name, content)
	}
	return nil
}

// built are folders that tools make: what lies there is not there yet.
var built = []string{"dist", "build", "out", "generated", "gen", "target", "wasm", ".next", ".nuxt", ".svelte-kit", "coverage", "node_modules"}

// isBuilt says that a path leads into such a folder.
func isBuilt(name string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(part string) bool { return slices.Contains(built, part) })
}

func lineAt(content string, offset int) int { return 1 + strings.Count(content[:offset], "\n") }

func (i *Imports) missingGo(content string) []string {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, "", content, parser.ImportsOnly)
	if err != nil {
		return nil // syntax is looked at elsewhere
	}
	var missing []string
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		for _, m := range i.modules {
			rest, inside := strings.CutPrefix(imported, m.path)
			if !inside || rest != "" && rest[0] != '/' {
				continue
			}
			if dir := path.Join(m.dir, rest); !i.goDirs[dir] {
				missing = append(missing, fmt.Sprintf("line %d: it imports %q, and the project has no Go file in %s", set.Position(spec.Pos()).Line, imported, dir))
			}
		}
	}
	return missing
}

var scriptImport = regexp.MustCompile(`(?m)(?:^\s*(?:import|export)\b[^'"` + "`" + `;]*?\bfrom\s*|^\s*import\s*|\brequire\(\s*|\bimport\(\s*)['"](\.{1,2}/[^'"\n]*)['"]`)

// missingScript follows relative imports of JavaScript and TypeScript. A name
// may leave out its ending, name a folder with an index, or name the JavaScript
// file that its TypeScript file becomes.
func (i *Imports) missingScript(name, content string) []string {
	var missing []string
	for _, at := range scriptImport.FindAllStringSubmatchIndex(content, -1) {
		text := content[at[2]:at[3]]
		imported, _, _ := strings.Cut(text, "?")
		target := path.Join(path.Dir(name), imported)
		if !isBuilt(target) && !slices.ContainsFunc(scriptNames(target), func(c string) bool { return i.files[c] }) {
			missing = append(missing, fmt.Sprintf("line %d: it imports %q, and the project has no such file", lineAt(content, at[2]), text))
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
