package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
)

// Promise: audit-filter, audit-private
func TestTheAuditLogPagesAndFilters(t *testing.T) {
	d := newSite(t)
	other := d.Account("eve@example.com")
	const path = "/console/settings/audit"
	contains(t, d.want(http.StatusOK, path, nil), "What was done with your account", "Account created", "Firefox on Linux")
	d.Clock.Advance(8 * 24 * time.Hour)
	d.cookie = "__Host-svc_console=" + d.signIn("Safari on iPhone")
	page := d.want(http.StatusOK, path+"?days=7", nil)
	contains(t, page, "Safari on iPhone")
	lacks(t, page, "Firefox on Linux", "eve@example.com", "No entry")
	contains(t, d.want(http.StatusOK, path+"?action=key_revoked", nil), "No entry matches.")
	lacks(t, d.want(http.StatusOK, path+"?action=nonsense", nil), "No entry matches.")

	full, key, err := d.Accounts.CreateKey(svc.WithActor(t.Context(), svc.Actor{Kind: svc.ActorOperator, Name: "root"}), accounts.NewKey{AccountID: d.account.ID, Name: "laptop"})
	if err != nil {
		t.Fatal(err)
	}
	for _, about := range []string{key.Prefix, "svc_" + key.Prefix, " root "} {
		page := d.want(http.StatusOK, path+"?about="+url.QueryEscape(about), nil)
		contains(t, page, "operator root", "laptop")
		lacks(t, page, "Safari")
	}

	// A whole key does not stay in the address.
	for _, about := range []string{full, full[:20], " " + full + " "} {
		answer := d.ask(path+"?about="+url.QueryEscape(about)+"&action=key_created", nil)
		if to := answer.Header().Get("Location"); answer.Code != http.StatusSeeOther || to != path+"?about="+key.Prefix+"&action=key_created" && to != path+"?action=key_created&about="+key.Prefix {
			t.Errorf("a whole key: %d to %q", answer.Code, to)
		}
		page := d.want(http.StatusOK, answer.Header().Get("Location"), nil)
		contains(t, page, "laptop")
		lacks(t, page, full[13:20])
	}

	// Fifty stand on a page, and none is lost between two.
	for n := range 60 {
		d.Clock.Advance(time.Second)
		if err := d.Accounts.Audit.Note(t.Context(), svc.AuditEntry{Action: svc.AuditDataExported, AccountID: d.account.ID, Subject: fmt.Sprintf("export-%d.", n)}); err != nil {
			t.Fatal(err)
		}
	}
	first := d.want(http.StatusOK, path+"?action=data_exported", nil)
	older := regexp.MustCompile(`href="(\?[^"]*cursor=[^"]+)">Older`).FindStringSubmatch(first)
	if older == nil {
		t.Fatalf("no way to older entries:\n%s", first)
	}
	second := d.want(http.StatusOK, path+strings.ReplaceAll(older[1], "&amp;", "&"), nil)
	for n := range 60 {
		if text := fmt.Sprintf("export-%d.", n); strings.Contains(first, text) == strings.Contains(second, text) {
			t.Errorf("%s is on both pages or on none", text)
		}
	}
	contains(t, second, ">Newest<")

	// What was done with another account is not there, whatever the address says.
	lacks(t, d.want(http.StatusOK, path+"?account=eve%40example.com&about="+other.Email, nil), ">eve@example.com<")

	if _, err := d.Store.Audit().Prune(t.Context(), d.Clock.Now().Add(-time.Hour), 1000); err != nil {
		t.Fatal(err)
	}
	contains(t, d.want(http.StatusOK, path, nil), "are gone, because their time was over")
}

func TestAdministratorsSeeTheWholeAuditLog(t *testing.T) {
	d := newSite(t)
	boss, err := d.Accounts.Create(t.Context(), accounts.NewAccount{Email: "boss@example.com", Plan: svc.PlanHobby, Admin: true})
	if err != nil {
		t.Fatal(err)
	}
	d.account = boss
	d.cookie = "__Host-svc_console=" + d.signIn("Edge on Windows")
	contains(t, d.want(http.StatusOK, "/console/settings/audit", nil), "What was done on this service", "Firefox on Linux", "Edge on Windows")
	page := d.want(http.StatusOK, "/console/settings/audit?account=Ada@example.com", nil)
	contains(t, page, "Firefox on Linux")
	lacks(t, page, "Edge on Windows")
}

func TestEveryActionOfTheAuditLogHasAName(t *testing.T) {
	d := newSite(t)
	page := d.want(http.StatusOK, "/console/settings/audit", nil)
	for _, action := range svc.AuditActions() {
		name := regexp.MustCompile(`<option value="` + string(action) + `">([^<]+)<`).FindStringSubmatch(page)
		if name == nil || name[1] == strings.ReplaceAll(string(action), "_", " ") {
			t.Errorf("%s is called %q", action, name)
		}
	}
}
