package merge

import "testing"

// Promise: merge-json-comments
func TestAllowsJSONComments(t *testing.T) {
	for name, want := range map[string]bool{
		"tsconfig.json": true, "a/tsconfig.base.json": true, "JSConfig.json": true, ".vscode/launch.json": true,
		"web/.vscode/settings.json": true, ".devcontainer/devcontainer.json": true, ".eslintrc.json": true, "x.jsonc": true,
		"shop.code-workspace": true, `a\.vscode\tasks.json`: true,
		"package.json": false, "package-lock.json": false, "composer.json": false, "vscode/settings.json": false, "x.json": false,
		"settings.json": false, ".vscode/deep/x.json": false, "mytsconfig.json": false, "appsettings.json": false,
	} {
		if got := allowsJSONComments(name); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
