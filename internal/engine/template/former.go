package template

import (
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/scaffold"
)

// formerPaths are those of files that the version before specs wrote and this one may
// not. They do not fit the files of this one.
var formerPaths = map[string][]string{
	spec.Go: {
		"internal/api/json.go", "internal/model/model_rules.go", "internal/model/model_rules_test.go",
		"internal/store/store_test.go",
	},
	spec.Python:     {"app/pgwire.py", "tests/test_pgwire.py"},
	spec.TypeScript: {"src/postgres.ts", "src/sql.d.ts", "src/sqlite.ts", "src/store.ts", "test/store.test.ts"},
}

// formerFiles are the files of the version before specs that its projects may have,
// without their contents. It wrote no spec into the state.
func formerFiles(q request) (out []scaffold.File) {
	if q.old == nil || q.state[stateSpec] != "" {
		return nil
	}
	for _, path := range formerPaths[q.old.Language] {
		out = append(out, scaffold.File{Path: path})
	}
	return out
}
