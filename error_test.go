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
