package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// The scripts run the real client against the real server over TLS. Between the
// two stands a middleman (middleman_test.go) which counts requests and, when a
// script asks for it, breaks things.

// asProgram makes a test program be svc.
const asProgram = "TEST_AS_SVC"

// asDeaf makes a test program be one that hears the first signal and does not end.
const asDeaf = "deaf-to-the-first-signal"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == asEngine {
		os.Exit(runEngine())
	}
	if len(os.Args) == 2 && os.Args[1] == asDeaf {
		heard := untilSignal()
		fmt.Println("ready")
		<-heard.Done()
		fmt.Println("heard")
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test is gone
		return
	}
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	testscript.Main(m, map[string]func(){"svc": main})
}

// stage is what all scripts share.
type stage struct {
	service *harness.Service
	tenant  atomic.Int64
}

// TestScripts runs them against one process, and with SVC_TEST_CLUSTER, as in
// `make test-long`, against three behind a balancer.
// Promise: cluster-client
func TestScripts(t *testing.T) {
	runScripts(t, &stage{service: cluster.ServiceForTest(t)}, testscript.Params{Dir: "testdata/script"})
}

func runScripts(t *testing.T, s *stage, which testscript.Params) {
	t.Helper()
	middlemanPasses(t, s)
	which.RequireExplicitExec, which.RequireUniqueNames, which.Setup = true, true, s.setup
	which.Cmds = map[string]func(*testscript.TestScript, bool, []string){
		"bundle":    s.bundle,
		"account":   s.account,
		"admin":     s.admin,
		"pack":      packFolder,
		"fault":     fault,
		"requests":  requests,
		"snapshot":  snapshot,
		"unchanged": unchanged,
		"mode":      mode,
		"listen":    listen,
		"tunnel":    tunnel,
		"crash":     crash,

		"nextpull":   s.nextPull,
		"rollbackto": rollbackTo,
		"save":       save,
		"compare":    compare,
	}
	testscript.Run(t, which)
}

// setup gives every script an account, a middleman and a home folder.
func (s *stage) setup(env *testscript.Env) error {
	m := newMiddleman(s.service)
	env.Defer(m.close)
	env.Values["middleman"] = m
	env.Values["saved"] = map[string]map[string]savedFile{}
	ca := filepath.Join(env.WorkDir, "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: m.server.Certificate().Raw})
	if err := os.WriteFile(ca, certificate, 0o600); err != nil {
		return err
	}
	for _, dir := range []string{"home", "proj", "tmp"} {
		if err := os.MkdirAll(filepath.Join(env.WorkDir, dir), 0o750); err != nil {
			return err
		}
	}
	env.Cd = filepath.Join(env.WorkDir, "proj")
	env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("TMPDIR", filepath.Join(env.WorkDir, "tmp"))
	env.Setenv("URL", m.server.URL)
	env.Setenv("CA", ca)
	env.Setenv("SVC_API_URL", m.server.URL)
	env.Setenv("SVC_CA_FILE", ca)
	env.Setenv("SVCD", s.service.Program)
	if cache, err := os.UserCacheDir(); err == nil { // what the go command has built is the same for every home
		env.Setenv("GOCACHE", cmp.Or(os.Getenv("GOCACHE"), filepath.Join(cache, "go-build")))
	}
	env.Setenv("GOTOOLCHAIN", "local")
	email, key, err := s.newAccount("developer")
	env.Setenv("EMAIL", email)
	env.Setenv("KEY", key)
	env.Setenv("SVC_TOKEN", key)
	return err
}

func (s *stage) newAccount(plan string) (email, key string, err error) {
	ctx := context.Background()
	email = fmt.Sprintf("script-%d@example.com", s.tenant.Add(1))
	if _, err := s.service.Admin(ctx, "account", "create", "--email", email, "--plan", plan); err != nil {
		return "", "", err
	}
	key, err = s.service.Admin(ctx, "key", "create", "--account", email, "--name", "script")
	return email, key, err
}

// account NAME [PLAN] makes another account and puts its key into $NAME_KEY and
// its address into $NAME_EMAIL.
func (s *stage) account(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: account NAME [PLAN]")
	}
	plan := "developer"
	if len(args) == 2 {
		plan = args[1]
	}
	email, key, err := s.newAccount(plan)
	ts.Check(err)
	ts.Setenv(args[0]+"_EMAIL", email)
	ts.Setenv(args[0]+"_KEY", key)
}

// bundle DIR [EMAIL] imports a folder and puts the ids into $BUNDLE and $PROJECT.
func (s *stage) bundle(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: bundle DIR [EMAIL]")
	}
	email := ts.Getenv("EMAIL")
	if len(args) == 2 {
		email = args[1]
	}
	out, err := s.service.Admin(context.Background(), "project", "import", ts.MkAbs(args[0]), "--account", email)
	ts.Check(err)
	for name, field := range map[string]string{"BUNDLE": "bundleId", "PROJECT": "projectId"} {
		_, rest, _ := strings.Cut(out, `"`+field+`"`)
		parts := strings.SplitN(rest, `"`, 3)
		if len(parts) < 3 {
			ts.Fatalf("no %s in %s", field, out)
		}
		ts.Setenv(name, parts[1])
	}
}

// admin ARGS… runs an operator command.
func (s *stage) admin(ts *testscript.TestScript, neg bool, args []string) {
	out, err := s.service.Admin(context.Background(), args...)
	ts.Logf("%s", out)
	if neg != (err != nil) {
		ts.Fatalf("svcd: %v", err)
	}
}

// packFolder runs the command pack ZIP DIR [RULE…], which makes an archive from a folder. A rule is
// PATH=STRATEGY[,global][,home][,exec], or port:NAME=NUMBER@PATH@TEMPLATE.
func packFolder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: pack ZIP DIR [RULE...]")
	}
	state := stateOf(ts, args[1], bundlezip.Overwrite)
	for _, rule := range args[2:] {
		if port, ok := strings.CutPrefix(rule, "port:"); ok {
			ts.Check(addPort(&state, port))
			continue
		}
		ts.Check(addRule(&state, rule))
	}
	writePack(ts, args[0], state)
}

// stateOf reads a folder as the state of a project whose files have a strategy.
func stateOf(ts *testscript.TestScript, dir string, strategy bundlezip.MergeStrategy) bundlezip.State {
	state := bundlezip.State{ProjectID: "proj_script0000000000000"}
	dir = ts.MkAbs(dir)
	ts.Check(filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		ts.Check(err)
		content, err := os.ReadFile(name)
		ts.Check(err)
		rel, err := filepath.Rel(dir, name)
		state.Put(bundlezip.StateFile{
			Path: filepath.ToSlash(rel), MergeStrategy: strategy, Mode: bundlezip.ModeOf(info.Mode().Perm()), Content: bundlezip.Bytes(content),
		})
		return err
	}))
	return state
}

func writePack(ts *testscript.TestScript, name string, state bundlezip.State) {
	var zip bytes.Buffer
	_, err := bundlezip.Write(&zip, state)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(name), zip.Bytes(), 0o600))
}

func addRule(state *bundlezip.State, rule string) error {
	name, traits, _ := strings.Cut(rule, "=")
	for i := range state.Files {
		f := &state.Files[i]
		if f.Path != name {
			continue
		}
		for trait := range strings.SplitSeq(traits, ",") {
			switch trait {
			case "global":
				f.DestinationType = bundlezip.GlobalConfig
			case "home":
				f.DestinationType, f.Base = bundlezip.GlobalConfig, bundlezip.Home
			case "silent": // as the table has it
				f.MergeStrategy = ""
			case "exec":
				f.Mode = bundlezip.Executable
			default:
				f.MergeStrategy = bundlezip.MergeStrategy(trait)
			}
		}
		return nil
	}
	return fmt.Errorf("no file %s", name)
}

func addPort(state *bundlezip.State, rule string) error {
	name, rest, _ := strings.Cut(rule, "=")
	parts := strings.SplitN(rest, "@", 3)
	if len(parts) != 3 {
		return fmt.Errorf("bad port %q", rule)
	}
	number, err := strconv.Atoi(parts[0])
	use := bundlezip.PortUse{Path: parts[1], Template: parts[2]}
	for i := range state.Ports {
		if state.Ports[i].Name == name {
			state.Ports[i].Uses = append(state.Ports[i].Uses, use)
			return err
		}
	}
	state.Ports = append(state.Ports, bundlezip.Port{Name: name, Port: number, Uses: []bundlezip.PortUse{use}})
	return err
}

// snapshot remembers the project folder and the home folder.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: snapshot")
	}
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "snapshot.txt"), []byte(picture(ts)), 0o600))
}

// unchanged says that both folders are as they were at the snapshot, that no
// temporary file is left and that no acknowledgement was sent since the start.
func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: unchanged")
	}
	want, err := os.ReadFile(filepath.Join(ts.Getenv("WORK"), "snapshot.txt"))
	ts.Check(err)
	if got := picture(ts); got != string(want) {
		ts.Fatalf("the folder changed:\n--- before\n%s--- now\n%s", want, got)
	}
	requests(ts, false, []string{"ack", "0"})
}

func picture(ts *testscript.TestScript) string {
	all := map[string]string{}
	for _, dir := range []string{"proj", "home", "tmp"} {
		ts.Check(filepath.WalkDir(filepath.Join(ts.Getenv("WORK"), dir), func(name string, e os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil || e.IsDir() {
				all[name] = "folder"
				return err
			}
			content, err := os.ReadFile(name)
			if errors.Is(err, os.ErrNotExist) { // a link to nowhere
				content, err = nil, nil
			}
			all[name] = fmt.Sprintf("%s %q", info.Mode(), content)
			return err
		}))
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&out, "%s %s\n", name, all[name])
	}
	return out.String()
}

// mode PERM FILE compares the permission bits of a file.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: mode PERM FILE")
	}
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); (got == args[0]) == neg {
		ts.Fatalf("%s has mode %s", args[1], got)
	}
}

// crash NAME ID ZIP applies an archive to the current folder and dies before the
// first change to the named file, as a killed process would.
func crash(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: crash NAME ID ZIP")
	}
	died := errors.New("died")
	folder, err := workdir.Open(ts.MkAbs("."), workdir.Env{
		Home: ts.Getenv("HOME"), Version: "script",
		Fault: func(c workdir.Change) error {
			if c.Path == args[0] {
				return died
			}
			return nil
		},
	})
	ts.Check(err)
	zip, err := os.ReadFile(ts.MkAbs(args[2]))
	ts.Check(err)
	archive, err := bundlezip.Check(bytes.NewReader(zip), int64(len(zip)))
	ts.Check(err)
	plan, err := folder.Plan(archive, workdir.PlanOptions{BundleID: args[1]})
	ts.Check(err)
	if _, err := folder.Apply(plan); !errors.Is(err, died) {
		ts.Fatalf("it lived: %v", err)
	}
	ts.Check(folder.Close())
}
