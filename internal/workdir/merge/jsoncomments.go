package merge

import (
	"path"
	"strings"
)

// commentedJSON are the names of files with JSON whose programs allow comments in
// it, beside those that have them by their extension. They are patterns of
// [path.Match]; one with a slash is matched with the folder too.
var commentedJSON = []string{
	"*.jsonc", "*.json5", "*.code-workspace", "*.code-snippets",
	"tsconfig*.json", "jsconfig*.json", ".vscode/*.json", ".devcontainer/*.json", "devcontainer.json",
	".eslintrc", ".eslintrc.json", "tslint.json", ".jshintrc", ".hintrc", ".babelrc", ".babelrc.json", "babel.config.json",
	".swcrc", "typedoc.json", "api-extractor.json", "deno.json", "turbo.json",
}

// allowsJSONComments reports whether the program that a file is named for reads
// comments in it.
func allowsJSONComments(name string) bool {
	dir, base := path.Split(strings.ToLower(strings.ReplaceAll(name, `\`, "/")))
	for _, pattern := range commentedJSON {
		target := base
		if strings.Contains(pattern, "/") {
			target = path.Join(path.Base(dir), base)
		}
		if ok, err := path.Match(pattern, target); ok && err == nil {
			return true
		}
	}
	return false
}

// jsonComments takes the comments out of the gap between two entries: the one
// behind the first on its line, and those on lines of their own above the second.
func jsonComments(gap string) (behind string, above []string) {
	first, own, ok := strings.Cut(gap, "\n")
	if !ok || strings.IndexByte(gap, '/') < 0 {
		return "", nil
	}
	if behind = strings.TrimSpace(first); !isJSONGap(behind) {
		behind = "" // it goes on below
	}
	for line := range strings.SplitSeq(own, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "*") {
			line = " " + line
		}
		if line != "" {
			above = append(above, line)
		}
	}
	if !isJSONGap(strings.Join(above, "\n")) {
		above = nil // it began on the line of the entry before
	}
	return behind, above
}

// isJSONGap reports whether a text is nothing but white space and whole comments.
func isJSONGap(text string) bool {
	s := &jsonScanner{src: text}
	_, err := s.gap()
	return err == nil && s.at == len(text)
}
