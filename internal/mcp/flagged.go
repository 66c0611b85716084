package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// flagged are the files of a plan that need the attention of a person.
type flagged struct {
	reasons map[string][]string // by name
	refused map[string]bool     // those that are not pulled without a person's word
}

// flag finds the files of a plan that need the attention of a person. Files in the home
// folder are not among them: they are refused altogether.
func flag(folder *workdir.Folder, plan *workdir.Plan) flagged {
	out := flagged{reasons: map[string][]string{}, refused: map[string]bool{}}
	home, changes := plan.HomeFiles(), plan.Changes()
	merged := map[string]bool{}
	for _, f := range plan.Files {
		merged[f.Name()] = f.Strategy == bundlezip.EnvMerge && f.Action != workdir.Delete
	}
	python := findVenvs(folder.Dir(), changes)
	for _, c := range changes {
		if slices.Contains(home, c.Name) {
			continue
		}
		why := flagChange(c)
		if len(why) == 0 && python.holds(c.Name) {
			why = append(why, forInstalled)
		}
		if len(why) == 0 {
			continue
		}
		out.reasons[c.Name] = why
		// Settings that are merged add to what the person has, and change nothing of it.
		if !merged[besideOf(c.Name)] || !slices.Equal(why, []string{forSettings}) {
			out.refused[c.Name] = true
		}
	}
	return out
}

// digest names all that a pull does, and what of it is flagged.
func (f flagged) digest(plan *workdir.Plan) (string, error) {
	does, err := plan.Digest()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal([]any{does, f.reasons, f.refused})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// allow takes out of the refused files those that a person allows. Each must be one of
// them, by its exact name.
func (f flagged) allow(names []string) error {
	for _, name := range names {
		if !f.refused[name] {
			return fmt.Errorf("nothing was written: allow names %s, which is no file with needs_allow of this preview. Give exactly the paths that the preview has and that the person allowed, each once", line(name))
		}
		delete(f.refused, name)
	}
	return nil
}

// homeRefusal returns the reason for which a plan is for a person to carry out, if there
// is one.
func homeRefusal(plan *workdir.Plan) []string {
	home := plan.HomeFiles()
	if len(home) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The bundle changes files in the home folder (%s), which this server never does. If the person wants that, they run svc pull %s here, in a terminal.", listed(home), plan.Log.BundleID)}
}

// flagRefusal returns the reason for which a plan is not carried out without a person's
// word, if there is one.
func (s *Server) flagRefusal(plan *workdir.Plan, flags flagged) []string {
	if len(flags.refused) == 0 || s.options.AllowAgentFiles {
		return nil
	}
	return []string{fmt.Sprintf("The bundle touches files that may run programs, or that agents, editors, version control or package managers obey (%s). Show them to the person. If the person wants them, pull takes their paths in allow; or the person runs svc pull %s here, in a terminal, or starts this server with --allow-agent-files.", listed(slices.Sorted(maps.Keys(flags.refused))), plan.Log.BundleID)}
}
