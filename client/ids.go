package client

import (
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/api"
)

// checkIDs refuses an answer with an id that is none: ids become part of paths,
// of files and of commands that people copy into a shell.
func checkIDs(answer any) error {
	switch a := answer.(type) {
	case *api.Bundle:
		return firstError(bundleID(a.BundleID), projectID(a.ProjectID))
	case *api.BundleList:
		for _, b := range a.Bundles {
			if err := checkIDs(&b.Bundle); err != nil {
				return err
			}
		}
	case *api.Acknowledged:
		return bundleID(a.BundleID)
	case *api.Repackaged:
		return bundleID(a.BundleID)
	case *api.Pushed:
		return firstError(projectID(a.ProjectID), stateName(a.State))
	case *api.Queued:
		return firstError(generationID(a.GenerationID), projectID(a.ProjectID))
	case *api.Generation:
		return firstError(generationID(a.GenerationID), projectID(a.ProjectID), given(a.BundleID, bundleID))
	case *api.Error:
		if a.Bundle != nil { // whose id is the one beside it
			return firstError(bundleID(a.BundleID), projectID(a.ProjectID))
		}
		return firstError(given(a.BundleID, bundleID), given(a.GenerationID, generationID), given(a.State, stateName))
	}
	return nil
}

func bundleID(id string) error     { return wrongID("bundleId", id, svc.ValidBundleID) }
func projectID(id string) error    { return wrongID("projectId", id, svc.ValidProjectID) }
func generationID(id string) error { return wrongID("generationId", id, svc.ValidGenerationID) }

func stateName(s string) error { return wrongID("state", s, validState) }

func validState(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

// given checks an id that an answer may have.
func given(id string, check func(string) error) error {
	if id == "" {
		return nil
	}
	return check(id)
}

func wrongID(field, id string, valid func(string) bool) error {
	if valid(id) {
		return nil
	}
	return fmt.Errorf("its %s is no id: %.100q", field, id)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
