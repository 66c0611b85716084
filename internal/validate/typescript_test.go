//go:build linux && (amd64 || arm64)

package validate

import (
	"crypto/sha512"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// The compiler of TypeScript as npm has it, which a project of the test brings along.
const (
	typeScript       = "typescript@5.9.3"
	typeScriptSHA512 = "jl1vZzPDinLr9eUt3J/t7V6FgNEw9QjvBPdysz9KfQDD41fQrC2Y4vKQdiaUpFT4bXlb1RHhLpp8wtm6M5TgSw=="
)

// fetchTypeScript gives the package of the compiler.
func fetchTypeScript(t *testing.T) string {
	t.Helper()
	npm := needs.Program(t, "npm", "install the Debian package npm")
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), npm, "pack", "--silent", typeScript)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm pack: %v: %s", err, out)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v: %v", err, found)
	}
	content, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha512.Sum512(content); base64.StdEncoding.EncodeToString(sum[:]) != typeScriptSHA512 {
		t.Fatalf("%s is another one than it was", typeScript)
	}
	return string(content)
}

// What the real compiler says is understood, of a project that is right, wrong, mended
// and wrong before. Syntax and imports are looked at without it.
// Promise: checks-listed
func TestTypeScriptWithItsOwnCompiler(t *testing.T) {
	needs.Long(t, "projects in TypeScript, with the compiler from npm")
	l := language{
		right: map[string]string{
			"package.json":   `{"name":"x","version":"1.0.0","type":"module","devDependencies":{"typescript":"file:./typescript.tgz"},"scripts":{"test":"tsc --noEmit false --outDir dist && node --test test/"}}`,
			"typescript.tgz": fetchTypeScript(t),
			"tsconfig.json":  "{\n  // as people write them\n  \"compilerOptions\": {\"strict\": true, \"noEmit\": true, \"module\": \"nodenext\", \"target\": \"es2022\", \"rootDir\": \"src\", \"types\": []},\n  \"include\": [\"src\"],\n}\n",
			"src/sum.ts":     "import type { Pair } from './pair.js';\n\nexport const sum = ({ a, b }: Pair): number => a + b;\n",
			"src/pair.ts":    "export type Pair = { a: number; b: number };\n",
			"test/sum.test.js": "import test from 'node:test';\nimport assert from 'node:assert';\nconst { sum } = await import(new URL('../dist/sum.js', import.meta.url));\n" +
				"test('adds', () => {\n  assert.equal(sum({ a: 1, b: 2 }), 3);\n});\n",
		},
		checks: []string{"syntax", "imports and links", "npm install --ignore-scripts --no-audit --no-fund", "npx --no-install tsc --noEmit", "npm test"},
		wrong: map[string]mutation{
			"type": {"src/pair.ts", "export type Pair = { a: number; b: string };\n", "npx --no-install tsc --noEmit", []string{"src/sum.ts:3: error TS2322", "is not assignable"}},
			"test": {"src/sum.ts", "import type { Pair } from './pair.js';\n\nexport const sum = ({ a, b }: Pair): number => a - b;\n", "npm test", []string{"test/sum.test.js:5:"}},
		},
	}
	l.hold(t, validator(t, Config{Level: Test, Sandbox: boxes(t), Parallel: 2}))
}
