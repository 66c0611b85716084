package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bundle-delivery/svc/internal/workdir"
)

// nextPull PORT [RULE…] pulls the folder $B as the next bundle of the project: by
// the table of placements, with a port that stands in .env and in port.go. Its id
// is in $ID1, $ID2 and so on.
func (s *stage) nextPull(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: nextpull PORT [RULE...]")
	}
	dir := ts.Getenv("B")
	s.bundle(ts, false, []string{dir})
	state := stateOf(ts, dir, "")
	ts.Check(addPort(&state, "web="+args[0]+"@.env@PORT={port}"))
	ts.Check(addPort(&state, "web="+args[0]+"@port.go@const Port = {port}"))
	for _, rule := range args[1:] {
		ts.Check(addRule(&state, rule))
	}
	zip := filepath.Join(ts.Getenv("WORK"), "next.zip")
	writePack(ts, zip, state)
	fault(ts, false, []string{"download", "1", "swap", zip})
	n := 1
	for ts.Getenv("ID"+strconv.Itoa(n)) != "" {
		n++
	}
	ts.Setenv("ID"+strconv.Itoa(n), ts.Getenv("BUNDLE"))
	ts.Check(ts.Exec("svc", "pull", ts.Getenv("BUNDLE")))
}

// savedFile is a file or, without content, a folder.
type savedFile struct {
	Mode    os.FileMode
	Content string
}

func saved(ts *testscript.TestScript) map[string]map[string]savedFile {
	all, ok := ts.Value("saved").(map[string]map[string]savedFile)
	if !ok {
		ts.Fatalf("nothing can be saved")
	}
	return all
}

// visible reads the current folder, without what the client keeps for itself.
func visible(ts *testscript.TestScript) map[string]savedFile {
	out := map[string]savedFile{}
	top := ts.MkAbs(".")
	ts.Check(filepath.WalkDir(top, func(name string, e os.DirEntry, err error) error {
		ts.Check(err)
		rel, err := filepath.Rel(top, name)
		ts.Check(err)
		if rel == "." || rel == workdir.RollbackLogName || strings.HasPrefix(rel, ".svc/") {
			return nil
		}
		info, err := e.Info()
		ts.Check(err)
		f := savedFile{Mode: info.Mode()}
		if !e.IsDir() {
			content, err := os.ReadFile(name)
			ts.Check(err)
			f.Content = string(content)
		}
		out[rel] = f
		return nil
	}))
	return out
}

// save NAME remembers the current folder.
func save(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: save NAME")
	}
	saved(ts)[args[0]] = visible(ts)
}

// compare NAME says that the current folder is, byte by byte, what was saved.
func compare(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: compare NAME")
	}
	if diff := cmp.Diff(saved(ts)[args[0]], visible(ts)); diff != "" {
		ts.Fatalf("the folder is not what it was (-was +is):\n%s", diff)
	}
}

// rollbackTo N undoes all edits since the Nth pull, whose result was saved as N,
// and takes it back.
func rollbackTo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: rollbackto N")
	}
	after := saved(ts)[args[0]]
	for name := range visible(ts) {
		if _, was := after[name]; !was {
			ts.Check(os.RemoveAll(ts.MkAbs(name)))
		}
	}
	for name, f := range after {
		if !f.Mode.IsDir() {
			ts.Check(os.WriteFile(ts.MkAbs(name), []byte(f.Content), f.Mode.Perm()))
			ts.Check(os.Chmod(ts.MkAbs(name), f.Mode.Perm()))
		}
	}
	ts.Check(ts.Exec("svc", "rollback", ts.Getenv("ID"+args[0])))
}
