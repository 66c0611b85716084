package delivery

import (
	"cmp"
	"errors"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

const listHint = "GET /bundles lists the bundles of this account."

func bundleNotFound() *svc.Error {
	return &svc.Error{Code: svc.CodeBundleNotFound, Message: "There is no such bundle in this account.", Hint: listHint}
}

func noneWaiting() *svc.Error {
	return &svc.Error{
		Code:    svc.CodeBundleNotFound,
		Message: "No bundle is waiting to be downloaded.",
		Hint:    "Make one with POST /projects/{projectId}/bundles/repackage or by a generation.",
	}
}

func projectNotFound() *svc.Error {
	return &svc.Error{
		Code:    svc.CodeProjectNotFound,
		Message: "There is no such project in this account.",
		Hint:    "GET /projects lists the projects of this account.",
	}
}

// gone tells why a bundle has no archive any more, with its whole record.
func gone(b svc.Bundle) *svc.Error {
	e := &svc.Error{
		Code:    svc.CodeBundleDownloaded,
		Message: "The bundle has been downloaded and acknowledged; its archive is deleted.",
		Hint:    "Get a fresh one with POST /projects/" + b.ProjectID + "/bundles/repackage.",
		Bundle:  &b,
	}
	if b.Status == svc.BundleExpired {
		e.Code, e.Message = svc.CodeBundleExpired, "The bundle has expired; its archive is deleted."
	}
	return e
}

func tooMany(op svc.Operation, limit int, wait time.Duration) *svc.Error {
	e := svc.Errorf(svc.CodeTooManyRequests, "No more than %d %s requests a minute are admitted for one account.", limit, op)
	e.Hint = "Wait as long as Retry-After says, then send the request again."
	e.RetryAfter = wait
	return e
}

func keyReused() *svc.Error {
	return &svc.Error{
		Code:    svc.CodeIdempotencyMismatch,
		Message: "This Idempotency-Key was used for another request a moment ago.",
		Hint:    "Use a new key for a new request, and the old one only to repeat the same request.",
	}
}

func projectMoved(projectID, state, bundleID string) *svc.Error {
	e := &svc.Error{
		Code:    svc.CodeProjectMoved,
		Message: "The project is no longer in the state that these changes were made on.",
		Hint:    "Get its present state with POST /projects/" + projectID + "/bundles/repackage, make the changes on it, and push again.",
		State:   state, BundleID: bundleID,
	}
	if bundleID != "" {
		e.Hint = "Get its present state from the bundle " + bundleID + ", make the changes on it, and push again."
	}
	return e
}

func projectBusy(run svc.Run) *svc.Error {
	return &svc.Error{
		Code:         svc.CodeProjectBusy,
		Message:      "A generation of the project is " + string(run.Status) + "; until it ends the project takes no changes.",
		Hint:         "Wait for the run " + run.ID + " or cancel it, then push again.",
		GenerationID: run.ID,
	}
}

func pushTooLarge(limit, actual svc.Extent) *svc.Error {
	return tooLarge("The changes have %d files and %d bytes; at most %d files and %d bytes can be pushed at once.", limit, actual)
}

// invalidPush says why the changes do not go together with the project.
func invalidPush(cause error) *svc.Error {
	e := svc.Invalid("body", "The changes do not go together with the project: %v.", cause)
	e.Err = cause
	if path, ok := errors.AsType[*bundlezip.PathError](cause); ok {
		e.Field = cmp.Or(path.Path, e.Field)
	}
	return e
}

func projectEmpty() *svc.Error {
	return &svc.Error{
		Code:    svc.CodeProjectEmpty,
		Message: "The project has no files yet.",
		Hint:    "Run a generation for it first.",
	}
}

func projectTooLarge(limit, actual svc.Extent) *svc.Error {
	return tooLarge("The project has %d files and %d bytes; at most %d files and %d bytes can be repackaged.", limit, actual)
}

func tooLarge(format string, limit, actual svc.Extent) *svc.Error {
	e := svc.Errorf(svc.CodeProjectTooLarge, format, actual.Files, actual.Bytes, limit.Files, limit.Bytes)
	e.Limit, e.Actual = &limit, &actual
	return e
}

func storageFull(limit int64, wait time.Duration) *svc.Error {
	e := svc.Errorf(svc.CodeStorageLimitReached, "The archives that wait for this account would exceed %d bytes.", limit)
	e.Hint = "Download and acknowledge waiting bundles, or let them expire."
	e.RetryAfter = wait
	return e
}

func assemblyUnavailable(cause error) *svc.Error {
	return &svc.Error{
		Code:       svc.CodeAssemblyUnavailable,
		Message:    "The bundle could not be assembled just now.",
		Hint:       "Send the request again after a short wait; an Idempotency-Key keeps that safe.",
		RetryAfter: assemblyRetryAfter,
		Err:        cause,
	}
}
