package validate

import "testing"

// Promise: llm-checks, checks-parse
func TestImportsInsideTheProjectResolve(t *testing.T) {
	t.Parallel()
	files := []string{
		"go.mod", "main.go", "internal/store/store.go", "docs/x.md",
		"web/app.ts", "web/lib/index.ts", "web/util.ts", "web/data.json", "web/view.tsx",
		"pkg/__init__.py", "pkg/app.py", "pkg/models.py", "pkg/sub/deep.py", "tools/run.py", "tools/shared.py",
	}
	imports, err := NewImports(files, func(string) (string, error) { return "module example.com/x\n", nil })
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		path, content string
		missing       int
	}{
		"go, there":              {"main.go", "package main\nimport (\n\"fmt\"\n\"example.com/x/internal/store\"\n\"example.com/xy/other\"\n\"github.com/a/b\"\n)\n", 0},
		"go, a folder without":   {"main.go", "package main\nimport \"example.com/x/docs\"\n", 1},
		"go, broken syntax":      {"main.go", "pack", 0},
		"script, there":          {"web/app.ts", "import { a } from './util'\nimport './lib'\nimport data from \"./data.json\"\nimport {\n b,\n} from './util.js'\nexport * from './view'\nconst c = require('../web/util')\nimport x from 'react'\n", 0},
		"script, missing":        {"web/app.ts", "import { a } from './nothing'\nconst b = await import('../lib')\n", 2},
		"script, in a string":    {"web/app.ts", "const s = \"see './nothing'\"\n", 0},
		"python, there":          {"pkg/app.py", "from .models import A\nfrom . import models, whatever\nfrom .sub import deep\nimport os\nfrom os import path\n", 0},
		"python, missing module": {"pkg/app.py", "from .nothing import A\n", 1},
		"python, up":             {"pkg/sub/deep.py", "from ..models import A\nfrom ..nothing import B\n", 1},
		"python, no package":     {"tools/run.py", "from . import (\n    shared,\n    gone as g,\n)\n", 1},
		"python, absolute":       {"tools/run.py", "from pkg.models import A\nimport pkg.app, os.path\nfrom pkg.sub import deep\nfrom shared.x import y\nimport pkg.sub.deep as d\n", 0},
		"python, absolute gone":  {"tools/run.py", "from pkg.gone import x\nimport os, pkg.sub.gone as g\n", 2},
		"python, tried alone":    {"tools/run.py", "try:\n    from pkg.gone import x\nexcept ImportError:\n    x = None\n", 0},
		"another language":       {"docs/x.md", "from .nothing import A\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := imports.Missing(tc.path, tc.content); len(got) != tc.missing {
				t.Errorf("got %q, want %d", got, tc.missing)
			}
		})
	}
}
