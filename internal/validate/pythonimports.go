package validate

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

var (
	relativeImport = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)`)
	absoluteImport = regexp.MustCompile(`(?m)^(?:from[ \t]+([A-Za-z_][\w.]*)[ \t]+import\b|import[ \t]+([A-Za-z_][\w., \t]*))`)
)

// isPython says that a file is a module of Python, of whatever it was made.
func isPython(name string) bool {
	switch path.Ext(name) {
	case ".py", ".pyi", ".pyx", ".so":
		return true
	}
	return false
}

// missingPython follows imports of Python inside the tree.
func (i *Imports) missingPython(name, content string) []string {
	return append(i.missingRelative(name, content), i.missingAbsolute(name, content)...)
}

// missingRelative follows relative imports: of a module, or from a package of a
// module or of a name that its __init__ may define.
func (i *Imports) missingRelative(name, content string) []string {
	var missing []string
	for _, at := range relativeImport.FindAllStringSubmatchIndex(content, -1) {
		dots, from, names := content[at[2]:at[3]], content[at[4]:at[5]], content[at[6]:at[7]]
		dir := path.Dir(name)
		for range len(dots) - 1 {
			dir = path.Dir(dir)
		}
		target := path.Join(dir, strings.ReplaceAll(from, ".", "/"))
		if from != "" && i.files[target+".py"] || i.files[path.Join(target, "__init__.py")] {
			continue // what it defines is not looked at
		}
		for part := range strings.SplitSeq(strings.Trim(names, "() \t\r\n"), ",") {
			fields := strings.Fields(part)
			if len(fields) == 0 {
				continue
			}
			if module := path.Join(target, fields[0]); !i.files[module+".py"] && !i.files[module+"/__init__.py"] {
				missing = append(missing, fmt.Sprintf("line %d: it imports %s from %q, and the project has no such module", lineAt(content, at[0]), fields[0], dots+from))
			}
		}
	}
	return missing
}

// missingAbsolute follows imports by the full name of a package of the tree, which
// lies in a folder above the file, or in src there. Those that stand deeper in the
// code may be tried alone.
func (i *Imports) missingAbsolute(name, content string) []string {
	var missing []string
	for _, at := range absoluteImport.FindAllStringSubmatchIndex(content, -1) {
		var modules []string
		if at[2] >= 0 {
			modules = []string{content[at[2]:at[3]]}
		} else {
			modules = strings.Split(content[at[4]:at[5]], ",")
		}
		for _, module := range modules {
			fields := strings.Fields(module)
			if len(fields) > 0 && !i.leadsToModule(name, strings.Split(fields[0], ".")) {
				missing = append(missing, fmt.Sprintf("line %d: it imports %s, and the project has no such module", lineAt(content, at[0]), fields[0]))
			}
		}
	}
	return missing
}

// leadsToModule says that a module is there, or that its first part is no package
// of the tree.
func (i *Imports) leadsToModule(name string, parts []string) bool {
	last := parts[len(parts)-1]
	if len(parts) == 1 || strings.Contains(last, "_pb2") || strings.HasSuffix(last, "version") { // tools write those
		return true
	}
	ours := false
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		for _, root := range []string{dir, path.Join(dir, "src")} {
			if i.files[path.Join(root, "__init__.py")] || !i.files[path.Join(root, parts[0], "__init__.py")] {
				continue // it is not where modules are looked for, or has no such package
			}
			ours = true
			target := path.Join(root, path.Join(parts...))
			if i.folders[target] || i.files[target+".py"] || i.files[target+".pyx"] || i.files[target+".pyi"] {
				return true
			}
		}
		if dir == "." {
			return !ours
		}
	}
}
