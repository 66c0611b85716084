package merge

import (
	"path"
	"strings"
)

// commentStyle is how a file marks a line as a comment.
type commentStyle struct {
	open, close string
}

// commentOf chooses the comment style by the file's name; ok is false for
// files that know no comments.
func commentOf(name string) (style commentStyle, ok bool) {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	hash := commentStyle{open: "#"}
	switch base {
	case "go.mod", "go.work", "jenkinsfile":
		return commentStyle{open: "//"}, true
	case ".vimrc", ".gvimrc", "_vimrc":
		return commentStyle{open: `"`}, true
	case ".emacs":
		return commentStyle{open: ";"}, true
	case "package.json", "composer.json":
		return commentStyle{}, false
	case "license", "copying", "notice", "authors":
		return commentStyle{}, false
	}
	switch path.Ext(base) {
	case ".json", ".csv", ".tsv", ".txt", ".lock", ".pem", ".crt", ".key":
		if base == "requirements.txt" || strings.HasPrefix(base, "requirements-") || base == "cmakelists.txt" || base == "constraints.txt" {
			return hash, true
		}
		return commentStyle{}, false
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".go", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs",
		".java", ".kt", ".kts", ".swift", ".scala", ".rs", ".dart", ".php", ".groovy", ".gradle", ".proto", ".jsonc",
		".json5", ".scss", ".less", ".zig", ".prisma", ".v", ".sol":
		return commentStyle{open: "//"}, true
	case ".css":
		return commentStyle{open: "/*", close: "*/"}, true
	case ".html", ".htm", ".xml", ".svg", ".md", ".markdown", ".vue", ".svelte", ".xhtml", ".csproj", ".props", ".targets", ".plist":
		return commentStyle{open: "<!--", close: "-->"}, true
	case ".sql", ".lua", ".hs", ".elm", ".ada":
		return commentStyle{open: "--"}, true
	case ".ini", ".reg", ".lisp", ".el", ".clj", ".cljs", ".scm", ".asm":
		return commentStyle{open: ";"}, true
	case ".tex", ".sty", ".erl", ".bib":
		return commentStyle{open: "%"}, true
	case ".vim":
		return commentStyle{open: `"`}, true
	case ".bat", ".cmd":
		return commentStyle{open: "REM"}, true
	}
	return hash, true
}

// line writes one comment line.
func (c commentStyle) line(text string) string {
	if c.close == "" {
		return c.open + " " + text
	}
	return c.open + " " + text + " " + c.close
}

// text takes a comment line apart; ok is false for any other line.
func (c commentStyle) text(line string) (text string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), c.open)
	if !ok {
		return "", false
	}
	if c.close != "" {
		if rest, ok = strings.CutSuffix(rest, c.close); !ok {
			return "", false
		}
	}
	return strings.TrimSpace(rest), true
}
