package svc_test

import (
	"testing"

	svc "github.com/bundle-delivery/svc"
)

func TestBundleStatus(t *testing.T) {
	for _, status := range []svc.BundleStatus{svc.BundlePending, svc.BundleDownloaded, svc.BundleExpired} {
		if !status.Valid() {
			t.Errorf("%s is no state", status)
		}
	}
	for _, status := range []svc.BundleStatus{"", "pending", "Expired"} {
		if status.Valid() {
			t.Errorf("%q is a state", status)
		}
	}
}
