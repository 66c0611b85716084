package svc_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The house has rooms, and this is who may enter which. Tests may go anywhere.

const module = "github.com/bundle-delivery/svc"

// root is the package of the nouns, as the table below has it.
const root = "."

// mayImport says for every room which others its code may import. Rooms below a
// room have lines of their own.
var mayImport = map[string][]string{
	root:     nil,
	"client": {root, "internal/api", "internal/sse", "internal/sleep", "internal/timestamp"},

	// policy
	"internal/accounts":   {root, "internal/printable"},
	"internal/assembly":   {root},
	"internal/signing":    {root, "internal/attest"},
	"internal/delivery":   {root, "internal/bundlezip", "internal/packaging", "internal/printable", "internal/sleep"},
	"internal/generation": {root, "internal/bundlezip", "internal/engine", "internal/packaging", "internal/secrets", "internal/sleep", "internal/validate"},
	"internal/packaging":  {root, "internal/bundlezip", "internal/ignore"},

	// engines
	"internal/engine":      {root},
	"internal/engine/exec": {root, "internal/engine", "internal/proctree"},
	"internal/engine/template": {
		root, "internal/engine", "internal/engine/template/change", "internal/engine/template/english", "internal/engine/template/schema",
		"internal/engine/template/spec", "internal/engine/template/stack", "internal/plaintext",
	},
	"internal/engine/template/change":  {"internal/engine/template/spec"},
	"internal/engine/template/english": {"internal/engine/template/spec", "internal/plaintext"},
	"internal/engine/template/schema":  {"internal/engine/template/spec", "internal/engine/template/stack"},
	"internal/engine/template/spec":    {"internal/plaintext"},
	"internal/engine/template/stack":   {"internal/engine/template/spec", "internal/plaintext"},

	// what the default engine writes with
	"internal/plaintext": nil,

	// the engine that asks models, and whom it asks
	"internal/engine/llm": {
		"internal/bundlezip", "internal/engine", "internal/engine/llm/answer", "internal/engine/llm/edit", "internal/secrets", "internal/sleep",
		"internal/validate",
	},
	"internal/engine/llm/answer":    nil,
	"internal/engine/llm/edit":      nil,
	"internal/engine/llm/anthropic": {"internal/engine/llm", "internal/engine/llm/wire", "internal/sse"},
	"internal/engine/llm/openai":    {"internal/engine/llm", "internal/engine/llm/wire", "internal/sse"},
	"internal/engine/llm/wire":      {"internal/engine/llm", "internal/sse"},

	// the engine that lets somebody's agent work
	"internal/engine/agent": {
		"internal/bundlezip", "internal/engine", "internal/engine/agent/lines", "internal/engine/agent/ports", "internal/engine/llm", "internal/ignore",
		"internal/relay", "internal/relay/models", "internal/sandbox", "internal/secrets", "internal/validate",
	},
	"internal/engine/agent/lines": nil,
	"internal/engine/agent/ports": {"internal/bundlezip"},

	// where what nobody vouches for is run, and its one way out
	"internal/proctree": nil,
	"internal/sandbox":  {"internal/proctree"},
	"internal/relay":    nil,

	// the way to a model without its key
	"internal/relay/models": {"internal/engine", "internal/engine/llm", "internal/engine/llm/wire", "internal/sse"},

	"internal/validate": {"internal/relay", "internal/sandbox"},

	// which files .gitignore leaves out
	"internal/ignore": nil,

	// the archive and what is done with it
	"internal/bundlezip": nil,
	"internal/diff":      nil,
	"internal/merge":     {"internal/bundlezip", "internal/diff"},
	"internal/workdir":   {root, "internal/bundlezip", "internal/diff", "internal/merge"},

	// what svc and the tools for agents do alike
	"internal/workdir/generate": {root, "client"},
	"internal/workdir/leaks":    {root, "internal/bundlezip", "internal/secrets"},
	"internal/workdir/pull": {
		root, "client", "internal/attest", "internal/bundlezip", "internal/secrets", "internal/sleep", "internal/workdir", "internal/workdir/leaks",
	},

	// adapters: the nouns and a driver, never each other, never policy
	"internal/sqlite":     {root, "internal/column", "internal/diskfull", "internal/sleep", "internal/sqlrecords"},
	"internal/postgres":   {root, "internal/column", "internal/diskfull", "internal/sleep", "internal/sqlrecords"},
	"internal/column":     nil,
	"internal/sqlrecords": {root, "internal/column"},
	"internal/diskfull":   {root},
	"internal/fsblob":     {root, "internal/diskfull"},
	"internal/s3blob":     {root, "internal/diskfull"},
	"internal/jetstream":  {root, "internal/sleep"},

	// moving what is kept: between stores, out of a folder and back
	"internal/backup":   {root},
	"internal/transfer": {root},

	// the wire
	"internal/api":         {root, "internal/timestamp"},
	"internal/api/openapi": {root, "internal/api"},
	"internal/httpd": {
		root, "internal/accounts", "internal/api", "internal/api/openapi", "internal/attest", "internal/bundlezip", "internal/delivery", "internal/generation",
	},
	"internal/console": {
		root, "internal/accounts", "internal/api", "internal/bundlezip", "internal/clientdir", "internal/console/specform", "internal/delivery", "internal/engine",
		"internal/diff", "internal/engine/template/spec", "internal/generation", "internal/oidc",
	},
	"internal/console/specform": {"internal/engine/template/change", "internal/engine/template/spec"},
	"internal/clientdir":        nil,
	"internal/attest":           {root, "internal/timestamp"},
	"internal/timestamp":        nil,
	"internal/sse":              nil,
	"internal/edge":             {root},
	"internal/certs":            {root, "internal/sleep"},
	"internal/oidc":             {root},

	// what nobody should send anywhere
	"internal/secrets": nil,

	// what others wrote, for terminals
	"internal/printable": nil,

	// waiting, for everybody
	"internal/sleep": nil,

	// how an operator chooses
	"internal/setting": nil,

	// what operators see: it listens to policy
	"internal/telemetry": {root, "internal/delivery", "internal/generation", "internal/validate"},

	// what agents are offered of the client
	"internal/mcp": {root, "client", "internal/bundlezip", "internal/printable", "internal/workdir", "internal/workdir/generate", "internal/workdir/pull"},

	// the client program: no policy, no adapter
	"cmd/svc": {
		root, "client", "internal/api", "internal/attest", "internal/mcp", "internal/printable",
		"internal/workdir", "internal/workdir/generate", "internal/workdir/leaks", "internal/workdir/pull",
	},
}

// forTests are rooms that only tests, benchmarks and examples use. They may
// import anything; no program may.
var forTests = []string{
	"deploy", "examples",
	"internal/accounts/passkeytest", "internal/acmetest", "internal/api/openapi/openapitest", "internal/bundlezip/hostile", "internal/cluster", "internal/conformance",
	"internal/delivery/deliverytest", "internal/engine/llm/wiretest", "internal/faultproxy", "internal/generation/memlog", "internal/harness", "internal/pgmeter", "internal/pgtest",
	"internal/needs", "internal/oidctest", "internal/s3test", "internal/smalldisk", "internal/testkit", "internal/toolbox",
}

// drivers are libraries that one room wraps for all others, or one for each
// engine.
var drivers = map[string][]string{
	"modernc.org/":                     {"internal/sqlite"},
	"zombiezen.com/":                   {"internal/sqlite"},
	"github.com/pressly/goose/":        {"internal/sqlite", "internal/postgres"},
	"github.com/jackc/":                {"internal/postgres"},
	"github.com/minio/":                {"internal/s3blob"},
	"github.com/nats-io/":              {"internal/jetstream"},
	"github.com/prometheus/":           {"internal/telemetry"},
	"github.com/santhosh-tekuri/":      nil, // tests alone hold manifests against the published schema
	"github.com/klauspost/compress/":   {"internal/bundlezip"},
	"github.com/git-pkgs/gitignore":    {"internal/ignore"},
	"golang.org/x/crypto/":             {"internal/accounts"},
	"github.com/go-webauthn/":          {"internal/accounts"},
	"github.com/alecthomas/chroma/":    {"internal/console"},
	"github.com/evanw/esbuild/":        {"internal/validate"},
	"github.com/caddyserver/":          {"internal/certs"},
	"github.com/pires/":                {"internal/edge"},
	"go.uber.org/zap":                  {"internal/certs"},
	"github.com/BurntSushi/":           {"internal/merge", "internal/mcp"},
	"github.com/modelcontextprotocol/": {"internal/mcp"},
	"github.com/google/jsonschema-go/": {"internal/mcp"},
	"github.com/coreos/go-oidc":        {"internal/oidc"},
	"golang.org/x/oauth2":              {"internal/oidc"},
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

// list asks the go command about the packages of this module.
func list(t *testing.T, patterns ...string) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Imports,Deps"}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// room is the name of a package of this module in the table, or false.
func room(path string) (string, bool) {
	if path == module {
		return root, true
	}
	return strings.CutPrefix(path, module+"/")
}

func isForTests(room string) bool {
	return slices.ContainsFunc(forTests, func(name string) bool { return room == name || strings.HasPrefix(room, name+"/") })
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t, "./...") {
		name, _ := room(p.ImportPath)
		seen[name] = true
		if isForTests(name) || name == "cmd/svcd" { // which wires everything
			continue
		}
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("%s is not in the table of deps_test.go: say what it may import", name)
			continue
		}
		for _, imported := range p.Imports {
			if other, ours := room(imported); ours && !slices.Contains(allowed, other) {
				t.Errorf("%s imports %s, which it may not", name, other)
			}
		}
	}
	for name := range mayImport {
		if !seen[name] {
			t.Errorf("%s is in the table of deps_test.go and does not exist", name)
		}
	}
}

func TestTheNounsNeedOnlyTheStandardLibrary(t *testing.T) {
	for _, p := range list(t, ".") {
		for _, path := range p.Deps {
			if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
				t.Errorf("the root package links %s", path)
			}
		}
	}
}

func TestDriversStayInTheirRooms(t *testing.T) {
	for _, p := range list(t, "./...") {
		name, _ := room(p.ImportPath)
		if isForTests(name) {
			continue
		}
		for _, imported := range p.Imports {
			for prefix, owners := range drivers {
				if strings.HasPrefix(imported, prefix) && !slices.Contains(owners, name) {
					t.Errorf("%s imports %s, which is for %q alone", name, imported, owners)
				}
			}
		}
	}
}

// Promise: mcp-unlinked
func TestTheClientStaysSmall(t *testing.T) {
	heavy := []string{
		"modernc.org/", "zombiezen.com/", "github.com/pressly/goose", "github.com/nats-io/", "github.com/prometheus/", "github.com/jackc/", "github.com/minio/",
		"database/sql", "net/http/pprof", "github.com/santhosh-tekuri/", "github.com/modelcontextprotocol/",
		module + "/internal/sqlite", module + "/internal/postgres", module + "/internal/s3blob", module + "/internal/jetstream", module + "/internal/httpd",
		module + "/internal/delivery", module + "/internal/generation", module + "/internal/accounts",
	}
	for _, p := range list(t, "./cmd/svc") {
		for _, path := range p.Deps {
			for _, prefix := range heavy {
				if strings.HasPrefix(path, prefix) {
					t.Errorf("the client links %s", path)
				}
			}
		}
	}
}

func TestProgramsLinkNothingMadeForTests(t *testing.T) {
	for _, p := range list(t, "./cmd/...") {
		for _, path := range p.Deps {
			if name, ours := room(path); path == "testing" || ours && isForTests(name) {
				t.Errorf("%s links %s", p.ImportPath, path)
			}
		}
	}
}
