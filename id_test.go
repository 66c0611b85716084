package svc_test

import (
	"regexp"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Promise: id-forms
func TestIDsHaveTheirForms(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		make func() string
		form string
	}{
		"bundle":     {func() string { return svc.NewBundleID(now) }, `^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`},
		"project":    {svc.NewProjectID, `^proj_[a-z0-9]{20}$`},
		"generation": {svc.NewGenerationID, `^gen_[a-z0-9]{20}$`},
		"account":    {svc.NewAccountID, `^acct_[a-z0-9]{20}$`},
		"request":    {svc.NewRequestID, `^req_[a-z0-9]{20}$`},
	} {
		t.Run(name, func(t *testing.T) {
			form := regexp.MustCompile(tt.form)
			seen := map[string]bool{}
			for range 1000 {
				id := tt.make()
				if !form.MatchString(id) {
					t.Fatalf("%q does not match %s", id, tt.form)
				}
				if seen[id] {
					t.Fatalf("%q came twice", id)
				}
				seen[id] = true
			}
		})
	}
}

func TestBundleIDsSortByTime(t *testing.T) {
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for range 100 {
		earlier, later := svc.NewBundleID(at), svc.NewBundleID(at.Add(time.Millisecond))
		if earlier >= later {
			t.Fatalf("%s of an earlier millisecond does not sort before %s", earlier, later)
		}
		at = at.Add(time.Hour)
	}
}
