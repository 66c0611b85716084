package workdir

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// TestHomeIsGuardedWhateverHOMESays: the environment does not decide what is a
// home folder.
func TestHomeIsGuardedWhateverHOMESays(t *testing.T) {
	b := newFixture(t)
	elsewhere := t.TempDir()
	nobody := func(string) []string { return nil }
	account := func(string) []string { return []string{b.home} }
	for name, test := range map[string]struct {
		dir, home string
		accounts  func(string) []string
		path      string
		refused   bool
	}{
		"HOME unset":                     {b.home, "", account, ".bashrc", true},
		"HOME elsewhere":                 {b.home, elsewhere, account, ".ssh/config", true},
		"HOME that is not there":         {b.home, filepath.Join(elsewhere, "no"), account, ".zshrc", true},
		"a folder in it":                 {filepath.Join(b.home, ".config"), "", account, "git/config", true},
		"HOME is the home":               {b.home, b.home, nobody, ".bashrc", true},
		"no home known":                  {b.dir, "", nobody, ".bashrc", true},
		"no home known, an ordinary one": {b.dir, "", nobody, "a.txt", false},
		"a project elsewhere":            {b.dir, "", account, ".gitignore", false},
	} {
		t.Run(name, func(t *testing.T) {
			tree{".config/": ""}.write(t, b.home)
			f, err := Open(test.dir, Env{Home: test.home, accountHomes: test.accounts, sync: unsynced})
			must.Do(t, err)
			_, err = f.Plan(archive(t, nil, sf{Path: test.path, Content: text("x")}), PlanOptions{BundleID: bundle1})
			if _, refused := errors.AsType[*bundlezip.PathError](err); refused != test.refused {
				t.Errorf("%v", err)
			}
			must.Do(t, f.Close())
		})
	}
}
