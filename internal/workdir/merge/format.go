package merge

import (
	"path"
	"strings"
)

// format is one structured notation: how it is read, how it is edited, and how a
// result is compared with what an independent parser reads.
type format struct {
	name    string
	parse   func(src string) (*node, error)
	edit    func(src string, root *node, path string) editor
	compare func(src string, ours *node) error
}

// editor turns changes of values into splices of one source. An error means
// that the change cannot be made safely; its text says why. What is added
// comes from the container from, whose layout an empty container takes over.
type editor interface {
	addFields(dict *node, fields []field, from *node) ([]splice, error)
	addItems(list *node, items []*node, from *node) ([]splice, error)
	replace(old, value *node) ([]splice, error)
}

// formatOf chooses the notation by the file's name, and by its text where the name
// leaves it open; ok is false for a file that is not known to be structured.
func formatOf(name, text string) (f format, ok bool) {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	switch base {
	case ".prettierrc", ".eslintrc", ".lintstagedrc", ".stylelintrc", ".jscsrc":
		// JSON or YAML; a comment of JSON is no YAML.
		if text = strings.TrimLeft(text, "\ufeff \t\r\n"); text == "" || text[0] == '{' || text[0] == '/' {
			return jsonFormat, true
		}
		return yamlFormat, true
	case ".babelrc", ".swcrc", ".jshintrc",
		"composer.lock", "deno.lock", ".watchmanconfig", ".bowerrc", ".arcconfig":
		return jsonFormat, true
	case ".clang-format", ".clang-tidy", ".yamllint", ".clangd":
		return yamlFormat, true
	case "cargo.lock", "poetry.lock", "pipfile", "uv.lock":
		return tomlFormat, true
	}
	switch path.Ext(base) {
	case ".json", ".jsonc", ".json5", ".code-workspace", ".webmanifest", ".code-snippets", ".babelrc", ".geojson":
		return jsonFormat, true
	case ".yaml", ".yml":
		return yamlFormat, true
	case ".toml":
		return tomlFormat, true
	}
	return format{}, false
}
