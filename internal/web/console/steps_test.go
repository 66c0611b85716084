package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
)

// Promise: console-first-steps
func TestTheFirstStepsTickThemselves(t *testing.T) {
	d := newSite(t)
	// what a card says that shows so many steps as done
	card := func(shown string) string {
		t.Helper()
		return d.want(http.StatusOK, "/console/steps?done="+shown, nil)
	}
	contains(t, d.want(http.StatusOK, "/console/", nil), "1 of 4 done", "Create a key", `hx-get="/console/steps?done=1"`)
	d.want(http.StatusNoContent, "/console/steps?done=1", nil)

	full := d.Key(d.account)
	contains(t, card("1"), "2 of 4 done", `href="/console/clients"`, `hx-get="/console/steps?done=2"`)
	if _, err := d.Accounts.Authenticate(t.Context(), full, "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	if err := d.Accounts.WriteUses(t.Context()); err != nil {
		t.Fatal(err)
	}
	contains(t, card("2"), "3 of 4 done", "svc pull --latest")
	_, bundle := d.Project(d.account, deliverytest.Files(map[string]string{"a.txt": "a"}))
	d.want(http.StatusNoContent, "/console/steps?done=3", nil)
	if _, err := d.Delivery.Acknowledge(t.Context(), d.account.ID, bundle.ID); err != nil {
		t.Fatal(err)
	}
	last := card("3")
	contains(t, last, "4 of 4 done", "You are all set")
	lacks(t, last, "hx-get", "<html")
	lacks(t, d.want(http.StatusOK, "/console/", nil), `id="steps"`)
}

// Promise: console-first-steps
func TestTheFirstStepsAreHiddenForOnePerson(t *testing.T) {
	d := newSite(t)
	answer := d.ask("/console/steps", url.Values{})
	if answer.Code != http.StatusSeeOther {
		t.Fatal(answer.Code)
	}
	hidden, _, _ := strings.Cut(answer.Header().Get("Set-Cookie"), ";")
	d.cookie += "; " + hidden
	page := d.want(http.StatusOK, "/console/", nil)
	lacks(t, page, `id="steps"`)
	contains(t, page, "Start a generation")

	// Somebody else in the same browser has not seen them.
	d.account = d.Account("grace@example.com")
	d.cookie = "__Host-svc_console=" + d.signIn("Firefox on Linux") + "; " + hidden
	contains(t, d.want(http.StatusOK, "/console/", nil), `id="steps"`)
}
