package svc_test

import (
	"errors"
	"fmt"
	"testing"

	svc "github.com/bundle-delivery/svc"
)

func TestCodeOf(t *testing.T) {
	cause := errors.New("disk on fire")
	gone := &svc.Error{Code: svc.CodeBundleExpired, Message: "the bundle has expired", Err: cause}
	for name, tt := range map[string]struct {
		err  error
		want svc.Code
	}{
		"none":        {nil, ""},
		"an Error":    {gone, svc.CodeBundleExpired},
		"one wrapped": {fmt.Errorf("download: %w", gone), svc.CodeBundleExpired},
		"foreign":     {cause, svc.CodeInternal},
	} {
		t.Run(name, func(t *testing.T) {
			if got := svc.CodeOf(tt.err); got != tt.want {
				t.Errorf("CodeOf = %q, want %q", got, tt.want)
			}
		})
	}
	if !errors.Is(gone, cause) {
		t.Error("the cause of an Error cannot be found with errors.Is")
	}
}

// What a log has of an Error is everything; the wire shows the fields.
func TestAnErrorTellsItsCauseToTheLog(t *testing.T) {
	gone := svc.Errorf(svc.CodeBundleExpired, "bundle %d has expired", 7)
	if got, want := gone.Error(), "BUNDLE_EXPIRED: bundle 7 has expired"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	gone.Err = errors.New("disk on fire")
	if got, want := gone.Error(), "BUNDLE_EXPIRED: bundle 7 has expired: disk on fire"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
