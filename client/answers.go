package client

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// checkAnswer refuses an answer that lacks what the interface promises, or has an id
// that is none: ids become part of paths, of files and of commands that people copy
// into a shell.
func checkAnswer(answer any) error {
	switch a := answer.(type) {
	case *api.Bundle:
		return firstError(bundleID(a.BundleID), projectID(a.ProjectID), word("status", a.Status), date("createdAt", a.CreatedAt))
	case *api.BundleList:
		if a.Bundles == nil {
			return errors.New("it has no bundles")
		}
		for _, b := range a.Bundles {
			if err := checkAnswer(&b.Bundle); err != nil {
				return err
			}
		}
	case *api.ProjectList:
		if a.Projects == nil {
			return errors.New("it has no projects")
		}
		for _, p := range a.Projects {
			if err := checkAnswer(&api.ProjectRecord{Project: p}); err != nil {
				return err
			}
		}
	case *api.ProjectRecord:
		return firstError(projectID(a.ProjectID), date("createdAt", a.CreatedAt))
	case *api.Acknowledged:
		return firstError(bundleID(a.BundleID), word("status", a.Status), date("downloadedAt", a.DownloadedAt))
	case *api.Repackaged:
		return bundleID(a.BundleID)
	case *api.Pushed:
		return firstError(projectID(a.ProjectID), stateName(a.State))
	case *api.Queued:
		return firstError(generationID(a.GenerationID), projectID(a.ProjectID), word("status", a.Status), date("createdAt", a.CreatedAt))
	case *api.Generation:
		return firstError(generationID(a.GenerationID), projectID(a.ProjectID), given(a.BundleID, bundleID), word("status", a.Status), date("createdAt", a.CreatedAt))
	case *api.Error:
		if a.Bundle != nil { // whose id is the one beside it
			return firstError(bundleID(a.BundleID), projectID(a.ProjectID))
		}
		return firstError(given(a.BundleID, bundleID), given(a.GenerationID, generationID), given(a.State, stateName))
	}
	return nil
}

// word checks that a state is named. Which ones there are may grow.
func word[S ~string](field string, state S) error {
	if state == "" {
		return fmt.Errorf("it has no %s", field)
	}
	return nil
}

func date(field string, t api.Time) error {
	if time.Time(t).IsZero() {
		return fmt.Errorf("it has no %s", field)
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
	if id == "" {
		return fmt.Errorf("it has no %s, or one that is no id", field)
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
