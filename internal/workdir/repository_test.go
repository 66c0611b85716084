package workdir

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// gitConfig has Git run a program that writes the file ran.
const gitConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch ran; false\"\n"

const gitHead = "ref: refs/heads/main\n"

// gitRuns reports whether git status in a folder runs the program of gitConfig.
func gitRuns(t *testing.T, dir string) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), needs.Program(t, "git", "install git"), "status")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	t.Logf("git status in %s: %s (%v)", dir, out, err)
	_, err = os.Stat(filepath.Join(dir, "ran"))
	return err == nil
}

// TestGitRunsWhatTheRefusedFilesSay shows what the refusals below are for: with these
// files Git does run a program.
// Promise: pull-no-repository
func TestGitRunsWhatTheRefusedFilesSay(t *testing.T) {
	b := newFixture(t)
	tree{"x/HEAD": gitHead, "x/config": gitConfig, "x/objects/x": "", "x/refs/x": ""}.write(t, b.dir)
	if !gitRuns(t, filepath.Join(b.dir, "x")) {
		t.Error("git status ran nothing")
	}
}

// TestAPullCompletesNoRepository pulls what is harmless in itself over what lies in
// the folder.
// Promise: pull-no-repository
func TestAPullCompletesNoRepository(t *testing.T) {
	for name, test := range map[string]struct {
		here, bundle tree
		folder       string // that the refusal names
	}{
		"the root":            {tree{"objects/x": "", "refs/x": ""}, tree{"HEAD": gitHead, "config": gitConfig}, "this folder"},
		"empty folders":       {tree{"objects/": "", "refs/": ""}, tree{"HEAD": gitHead, "config": gitConfig}, "this folder"},
		"a folder":            {tree{"vendor/x/HEAD": gitHead}, tree{"vendor/x/config": gitConfig, "vendor/x/objects/x": "", "vendor/x/refs/x": ""}, "vendor/x"},
		"below a repository":  {tree{".git/HEAD": gitHead, ".git/objects/": "", ".git/refs/": "", "vendor/x/refs/x": ""}, tree{"vendor/x/HEAD": gitHead, "vendor/x/objects/x": ""}, "vendor/x"},
		"another case":        {tree{"x/Objects/x": "", "x/refs/x": ""}, tree{"x/head": gitHead}, "x"},
		"folders that differ": {tree{"X/objects/x": "", "X/refs/x": ""}, tree{"x/HEAD": gitHead}, "x"},
		"commondir":           {tree{"x/commondir": "../store"}, tree{"x/HEAD": gitHead}, "x"},
		"commondir later":     {tree{"x/HEAD": gitHead}, tree{"x/commondir": "../store"}, "x"},
		"config":              {tree{"x/HEAD": gitHead, "x/objects/": "", "x/refs/": ""}, tree{"x/config": gitConfig}, "x"},
		"an edited config":    {tree{"x/HEAD": gitHead, "x/objects/": "", "x/refs/": "", "x/config": "[core]\n"}, tree{"x/config": gitConfig}, "x"},
		"a hook":              {tree{"x/HEAD": gitHead, "x/objects/": "", "x/refs/": ""}, tree{"x/hooks/post-checkout": executable + "#!/bin/sh\ntouch ran\n"}, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, policy := range []OnConflict{ConflictKeep, ConflictTheirs, ConflictAbort} {
				b := newFixture(t)
				test.here.write(t, b.dir)
				before := b.tree()
				err := b.with(nil, func(f *Folder) error {
					_, err := pullInto(f, bundle1, threeWay(t, test.bundle), policy)
					return err
				})
				if !errors.Is(err, ErrRepository) || !strings.Contains(err.Error(), test.folder+" is a Git repository") && !strings.Contains(err.Error(), "makes "+test.folder+" a Git repository") || !strings.Contains(err.Error(), "nothing was written") {
					t.Errorf("%s: %v", policy, err)
				}
				same(t, "folder", b.tree(), before)
			}
		})
	}
}

// TestTwoBundlesCompleteNoRepository pulls the halves one after the other, also where
// the second drops the first's half: a pull that dies between its steps leaves both.
// Promise: pull-no-repository
func TestTwoBundlesCompleteNoRepository(t *testing.T) {
	first, second := tree{"a": "1", "x/HEAD": gitHead, "x/config": gitConfig}, tree{"a": "2", "x/objects/x": "", "x/refs/x": ""}
	for name, pulls := range map[string][2]tree{"HEAD first": {first, second}, "HEAD last": {second, first}} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			b.pull(bundle1, threeWay(t, pulls[0]))
			before := b.tree()
			err := b.with(nil, func(f *Folder) error {
				_, err := pullInto(f, bundle2, threeWay(t, pulls[1]), "")
				return err
			})
			if !errors.Is(err, ErrRepository) {
				t.Error(err)
			}
			same(t, "folder", b.tree(), before)
			if gitRuns(t, filepath.Join(b.dir, "x")) {
				t.Error("git status ran what the bundle says")
			}
		})
	}
}

// TestProjectAndHomeFilesCompleteNoRepository has one bundle bring the halves by two
// ways into the same folder.
// Promise: pull-no-repository
func TestProjectAndHomeFilesCompleteNoRepository(t *testing.T) {
	b := newFixture(t)
	b.dir = filepath.Join(b.home, "work")
	must.Do(t, os.Mkdir(b.dir, 0o755))
	home := func(name string) sf {
		return sf{Path: name, Base: bundlezip.Home, DestinationType: bundlezip.GlobalConfig, MergeStrategy: bundlezip.CreateOnly, Content: text("{}")}
	}
	before := b.homeTree()
	err := b.with(nil, func(f *Folder) error {
		_, err := pullInto(f, bundle1, archive(t, nil, sf{Path: "HEAD", Content: text(gitHead)}, sf{Path: "config", Content: text(gitConfig)},
			home("work/objects/x.json"), home("work/refs/x.json")), "")
		return err
	})
	if !errors.Is(err, ErrRepository) {
		t.Error(err)
	}
	same(t, "home", b.homeTree(), before)
	// Nor do they write into a repository of the user's.
	tree{".dotfiles/HEAD": gitHead, ".dotfiles/objects/": "", ".dotfiles/refs/": ""}.write(t, b.home)
	before = b.homeTree()
	err = b.with(nil, func(f *Folder) error {
		_, err := pullInto(f, bundle1, archive(t, nil, home(".dotfiles/hooks/x.json")), "")
		return err
	})
	if !errors.Is(err, ErrRepository) || !strings.Contains(err.Error(), "~/.dotfiles is a Git repository") {
		t.Error(err)
	}
	same(t, "home", b.homeTree(), before)
}

// TestRepositoriesOfTheUserDoNotBreakPulls has the user's own repositories, with and
// without .git, in a folder in which the bundle writes elsewhere.
// Promise: pull-no-repository
func TestRepositoriesOfTheUserDoNotBreakPulls(t *testing.T) {
	b := newFixture(t)
	tree{
		".git/HEAD": gitHead, ".git/objects/": "", ".git/refs/": "", "backup.git/HEAD": gitHead, "backup.git/objects/": "", "backup.git/refs/": "",
		"vendor/x/HEAD": gitHead, "vendor/x/objects/": "", "vendor/x/refs/": "", "vendor/x/config": "mine", "HEAD": "a text",
	}.write(t, b.dir)
	b.pull(bundle1, archive(t, nil, sf{Path: "src/objects/a", Content: text("a")}, sf{Path: "src/refs/a", Content: text("a")}, sf{Path: "objects/a", Content: text("a")},
		sf{Path: "vendor/y", Content: text("y")}, sf{Path: "vendor/x/config", MergeStrategy: bundlezip.CreateOnly, Content: text("theirs")}))
	if got := b.tree(); got["src/refs/a"] != "a" || got["vendor/y"] != "y" || got["vendor/x/config"] != "mine" {
		t.Errorf("%v", got)
	}
}
