package main

import "github.com/spf13/cobra"

// anyProject and newProject are what --project says instead of an id where the folder
// would tell one.
const (
	anyProject = "any"
	newProject = "new"
)

// projectHere is the project that was named, or that the last pull into this folder was
// of, or "". A folder that cannot be read, or that another user's svc wrote, tells none.
func (a *app) projectHere(named, none string) string {
	if named == none {
		return ""
	}
	if named != "" {
		return named
	}
	folder, err := a.folder()
	if err != nil {
		return ""
	}
	defer folder.Close() //nolint:errcheck // only looked at
	if a.remembered, err = folder.Project(); err != nil {
		return ""
	}
	return a.remembered
}

// addProjectFlag adds --project, with its completion.
func (a *app) addProjectFlag(cmd *cobra.Command, project *string, about string) {
	cmd.Flags().StringVar(project, "project", "", about)
	_ = cmd.RegisterFlagCompletionFunc("project", a.completeProjects) // the flag is there
}
