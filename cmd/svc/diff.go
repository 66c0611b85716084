package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

func newDiffCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff [<path>...]",
		Short: "Show what you changed in what was delivered",
		Long: `Compares this folder with what was delivered to it, line by line: files of the
project with what the last bundle brought, or a push since; configuration files, in
which your own lines stand too, with what the last pull left. New files are not
shown. Nothing is sent over the network.`,
		Example: `  svc diff
  svc diff src README.md   # only these
  svc diff --json | jq -r '.files[].path'
  svc diff > mine.patch    # for patch -p1`,
		RunE: func(_ *cobra.Command, args []string) error { return runDiff(a, args) },
	}
	a.addJSONFlag(cmd, "print one JSON object")
	return cmd
}

// changedFile is a file of a difference in JSON.
type changedFile struct {
	Path  string            `json:"path"`
	State workdir.FileState `json:"state"`
	Diff  string            `json:"diff"`
}

func runDiff(a *app, paths []string) error {
	return a.inFolder(func(folder *workdir.Folder) error {
		if err := folder.CheckFinished(); err != nil {
			return err
		}
		found, err := folder.Diff()
		if err != nil {
			return err
		}
		if !found.Signed {
			a.warn("%s", pull.NotSigned)
		}
		if found.Files, err = chosen(found.Files, paths); err != nil {
			return err
		}
		return showDifference(a, found)
	})
}

func showDifference(a *app, found workdir.Comparison) error {
	out := struct {
		BundleID  string        `json:"bundle_id"`
		ProjectID string        `json:"project_id"`
		Signed    bool          `json:"sealed"`
		Files     []changedFile `json:"files"`
	}{found.BundleID, found.ProjectID, found.Signed, []changedFile{}}
	for _, f := range found.Files {
		diff, err := f.Unified()
		if err == nil && !a.asJSON {
			err = a.print("%s", colourDiff(a, diff))
		}
		if err != nil {
			return err
		}
		out.Files = append(out.Files, changedFile{f.Path, f.State, diff})
	}
	if a.asJSON {
		return a.printJSON(out)
	}
	if len(found.Files) == 0 {
		a.note("Nothing differs from what bundle %s delivered.", found.BundleID)
	}
	return nil
}

// chosen are the files at these paths or below them; all if there are none.
func chosen(files []workdir.Compared, paths []string) ([]workdir.Compared, error) {
	if len(paths) == 0 {
		return files, nil
	}
	var out []workdir.Compared
	for _, given := range paths {
		name := filepath.ToSlash(filepath.Clean(given))
		if !filepath.IsLocal(given) {
			return nil, fmt.Errorf("%s does not lie in this folder", given)
		}
		for _, f := range files {
			if (name == "." || f.Path == name || strings.HasPrefix(f.Path, name+"/")) && !slices.ContainsFunc(out, func(o workdir.Compared) bool { return o.Path == f.Path }) {
				out = append(out, f)
			}
		}
	}
	return out, nil
}
