//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/testkit/markup"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// auditLog reads the audit log by the command.
func (i *instance) auditLog(args ...string) (found []auditView) {
	i.t.Helper()
	for line := range strings.Lines(i.operate(append([]string{"audit", "--json"}, args...)...)) {
		var e auditView
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			i.t.Fatalf("%q: %v", line, err)
		}
		found = append(found, e)
	}
	return found
}

// Every line that the log promises is made to happen over HTTPS or by an operator,
// and found by the command and in the console.
// Promise: audit-log, audit-private
func TestTheAuditLogTellsWhoDidWhat(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) { tellsWhoDidWhat(t, start(t)) })
	t.Run("PostgreSQL", func(t *testing.T) {
		database := pgtest.Start(t)
		tellsWhoDidWhat(t, start(t, "--database-url", database.Address(database.Database(t))))
	})
}

func tellsWhoDidWhat(t *testing.T, i *instance) {
	t.Helper()
	admin := i.setUp()
	const bob, carol, dave = "bob@example.com", "carol@example.com", "dave@example.com"
	i.visitor().want(http.StatusUnauthorized, "/console/sign-in", credentials(email, "not the password"))
	i.visitor().want(http.StatusSeeOther, "/console/sign-in", credentials(email, password))
	newKey := func(name string) string {
		made := admin.want(http.StatusOK, "/console/settings/keys", url.Values{"name": {name}})
		return string(keyPattern.Find(made.body))
	}
	used, found := newKey("laptop"), newKey("lost")
	i.want(http.StatusOK, "", http.MethodGet, "/projects", used)
	admin.want(http.StatusSeeOther, "/console/settings/keys/"+used[4:12]+"/revoke", url.Values{})
	i.visitor().want(http.StatusAccepted, "/console/report-key", url.Values{"keys": {found}, "url": {"https://paste.example/1"}})
	admin.want(http.StatusOK, "/console/settings/people", url.Values{"email": {carol}, "plan": {"hobby"}})
	invitation := strings.TrimSpace(i.operate("account", "invite", "--email", dave, "--plan", "hobby"))
	i.visitor().want(http.StatusSeeOther, invitation, credentials("", password))
	member := i.member(bob)
	i.operate("account", "set-plan", "--email", bob, "--plan", "architect_pro")
	accounts := i.operate("account", "list")
	var bobID string
	for line := range strings.Lines(accounts) {
		if strings.Contains(line, bob) {
			bobID = reply{body: []byte(line)}.field(t, "accountId")
		}
	}
	admin.want(http.StatusOK, "/console/settings/people/"+bobID+"/reset", url.Values{})
	member.want(http.StatusSeeOther, "/console/settings/password", url.Values{"old": {password}, "password": {"a quite new phrase"}})
	made := i.importFiles(bob, map[string]string{"a.txt": "a"})
	member.want(http.StatusOK, "/console/bundles/"+made.BundleID+"/download", nil)
	i.operate("account", "delete", "--email", dave)

	const here = "127.0.0.1"
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	person, operator, visitor := svc.ActorPerson, svc.ActorOperator, svc.ActorVisitor
	for _, want := range []auditView{
		{Action: "account_created", Account: email, Actor: visitor, Address: here, Subject: email, Detail: "architect_pro, administrator"},
		{Action: "signed_in", Account: email, Actor: person, ActorName: email, Address: here, Subject: "A browser", Detail: "link"},
		{Action: "signed_in", Account: email, Actor: person, ActorName: email, Address: here, Subject: "A browser", Detail: "password"},
		{Action: "sign_in_failed", Account: email, Actor: visitor, Address: here, Subject: "A browser", Detail: "password"},
		{Action: "key_created", Account: email, Actor: person, ActorName: email, Address: here, Subject: used[4:12], Detail: "laptop"},
		{Action: "key_first_used", Account: email, Actor: svc.ActorKey, ActorName: used[4:12], Address: here, Subject: used[4:12], Detail: "127.0.0.0/24"},
		{Action: "key_revoked", Account: email, Actor: person, ActorName: email, Address: here, Subject: used[4:12], Detail: "laptop"},
		{Action: "key_reported", Account: email, Actor: visitor, Address: here, Subject: found[4:12], Detail: "https://paste.example/1"},
		{Action: "invited", Account: email, Actor: person, ActorName: email, Address: here, Subject: carol, Detail: "hobby"},
		{Action: "invited", Actor: operator, Address: machine, Subject: dave, Detail: "hobby"},
		{Action: "account_created", Account: dave, Actor: visitor, Address: here, Subject: dave, Detail: "hobby"},
		{Action: "key_created", Account: bob, Actor: operator, Address: machine, Detail: "test"},
		{Action: "plan_changed", Account: bob, Actor: operator, Address: machine, Subject: "architect_pro", Detail: "was developer"},
		{Action: "reset_link_made", Account: bob, Actor: person, ActorName: email, Address: here, Subject: bob},
		{Action: "password_changed", Account: bob, Actor: visitor, Address: here, Detail: "by a link"},
		{Action: "password_changed", Account: bob, Actor: person, ActorName: bob, Address: here},
		{Action: "data_exported", Account: bob, Actor: person, ActorName: bob, Address: here, Subject: made.BundleID, Detail: "download of a bundle in the console"},
		{Action: "account_deleted", Account: dave, Actor: operator, Address: machine, Subject: dave},
	} {
		eventually(t, fmt.Sprintf("%+v is found by the command", want), func() bool {
			for _, e := range i.auditLog("--since", "1h", "--action", string(want.Action)) {
				if e.ID == "" || e.Actor == operator && e.ActorName == "" {
					t.Errorf("%+v has no id, or nobody did it", e)
				}
				e.ID, e.At, e.AccountID = want.ID, want.At, want.AccountID
				if want.Actor == operator {
					e.ActorName = ""
				}
				if want.Subject == "" {
					e.Subject = ""
				}
				if e == want {
					return true
				}
			}
			return false
		})
		page := string(admin.want(http.StatusOK, "/console/settings/audit?days=1&action="+string(want.Action)+"&account="+url.QueryEscape(want.Account), nil).body)
		for _, text := range []string{want.Address, want.Subject, want.Detail} {
			if !strings.Contains(page, text) {
				t.Errorf("%+v: the console does not say %q:\n%s", want, text, page)
			}
		}
		own := string(member.want(http.StatusOK, "/console/settings/audit?account="+email+"&action="+string(want.Action), nil).body)
		if want.Account == bob && !strings.Contains(own, want.Detail) {
			t.Errorf("%+v is not shown to its own account:\n%s", want, own)
		}
		for _, foreign := range []string{carol, dave, used[4:12], found[4:12], "laptop"} {
			if strings.Contains(own, foreign) {
				t.Errorf("%s of another account is shown:\n%s", foreign, own)
			}
		}
	}
	whole := i.operate("audit", "--json")
	for _, secret := range []string{used, found, password, "a quite new phrase", strings.TrimPrefix(invitation, i.base+"/console/link/")} {
		if strings.Contains(whole, secret) {
			t.Errorf("the log holds the secret %.12s…", secret)
		}
	}
	filtersOfTheAuditLog(t, i, used[4:12])
}

func filtersOfTheAuditLog(t *testing.T, i *instance, prefix string) {
	t.Helper()
	all := i.auditLog()
	for n := range all[1:] {
		if all[n].At.String() > all[n+1].At.String() {
			t.Errorf("%+v comes before %+v", all[n], all[n+1])
		}
	}
	if got := i.auditLog("--about", prefix); len(got) != 3 {
		t.Errorf("%d entries about a key that was made, used and revoked: %+v", len(got), got)
	}
	if got := i.auditLog("--account", "Dave@example.com"); len(got) != 3 { // made, signed in, deleted
		t.Errorf("%d entries of an account that is gone: %+v", len(got), got)
	}
	if got := i.auditLog("--until", "1h"); len(got) != 0 {
		t.Errorf("%d entries of the past", len(got))
	}
	if got := i.auditLog("--since", "2020-01-02", "--until", "2999-01-02T00:00:00Z"); len(got) != len(all) {
		t.Errorf("%d entries of %d", len(got), len(all))
	}
	table := i.operate("audit", "--action", "key_reported")
	if lines := strings.Split(strings.TrimSpace(table), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "TIME") || !strings.Contains(lines[1], "https://paste.example/1") {
		t.Errorf("the table is\n%s", table)
	}
	for _, wrong := range [][]string{{"--since", "yesterday"}, {"--until", "-1h"}, {"--action", "laughed"}, {"more"}} {
		code, _, told := runMain(t, i.environment, append([]string{"audit", "--data-dir", i.dir}, wrong...)...)
		if code != exitUsage || told == "" {
			t.Errorf("%v: exit %d, %s", wrong, code, told)
		}
	}
}

// Promise: audit-log, audit-moves
func TestDataThatLeaveTheServiceHaveTheirLine(t *testing.T) {
	t.Parallel()
	i := startOne(t, filepath.Join(t.TempDir(), "data"))
	i.account(email)
	file := filepath.Join(t.TempDir(), "backup.tar")
	i.operate("backup", file)
	if code := i.stop(); code != exitOK {
		t.Fatalf("exit %d", code)
	}
	read := func(action string, storage ...string) []auditView {
		t.Helper()
		other := &instance{t: t, dir: i.dir, storage: storage}
		return other.auditLog("--action", action)
	}
	if got := read("data_exported"); len(got) != 1 || got[0].Actor != svc.ActorOperator || got[0].Detail != "backup to "+file || got[0].Subject != "everything" {
		t.Errorf("%+v", got)
	}
	restored := filepath.Join(t.TempDir(), "restored")
	if code, _, told := runMain(t, nil, "restore", file, "--data-dir", restored); code != exitOK {
		t.Fatalf("exit %d: %s", code, told)
	}
	copied := &instance{t: t, dir: restored}
	if got := copied.auditLog(); len(got) != 4 || got[2].Detail != "backup to "+file || got[3].Action != svc.AuditDataRestored || got[3].Subject != file {
		t.Errorf("after the restore the log is %+v", got)
	}
	database := pgtest.Start(t)
	address := database.Address(database.Database(t))
	if code, _, told := runMain(t, []string{"SUDO_USER=grace"}, "migrate", "--data-dir", i.dir, "--database-url", address); code != exitOK {
		t.Fatalf("exit %d: %s", code, told)
	}
	got := read("data_exported", "--database-url", address)
	if len(got) != 2 || !strings.HasPrefix(got[1].Detail, "move to ") || !strings.Contains(got[1].ActorName, "(sudo by grace)") {
		t.Errorf("after the move the log is %+v", got)
	}
	if strings.Contains(fmt.Sprint(got), address) {
		t.Error("the log holds the address of the database, which may have a password")
	}
}

// Promise: audit-private
func TestNothingInTheAuditLogIsMarkupOrSteersATerminal(t *testing.T) {
	t.Parallel()
	i := start(t)
	v := i.setUp()
	made := v.want(http.StatusOK, "/console/settings/keys", url.Values{"name": {"<script>alert(1)</script>"}})
	key := keyPattern.Find(made.body)
	hostile := "https://paste.example/\x1b[31m<img src=x>\u202e"
	i.visitor().want(http.StatusAccepted, "/console/report-key", url.Values{"keys": {string(key)}, "url": {hostile}})
	eventually(t, "the report is in the log", func() bool { return len(i.auditLog("--action", "key_reported")) == 1 })
	page := v.want(http.StatusOK, "/console/settings/audit", nil)
	markup.Check(t, "/console/settings/audit", page.header, page.body)
	if bytes.Contains(page.body, []byte("<img src=x>")) {
		t.Error("what others wrote is markup")
	}
	for _, args := range [][]string{{"audit"}, {"audit", "--json"}} {
		if text := i.operate(args...); strings.ContainsAny(text, "\x1b\u202e") {
			t.Errorf("%v steers a terminal: %q", args, text)
		}
	}
}

// Promise: audit-append-only
func TestTheAuditLogIsCutByItsRetention(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	before := &instance{t: t, dir: dir}
	before.account(email)
	store, err := openStore(t.Context(), "", datadir.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-25 * time.Hour)
	err = store.Audit().Append(t.Context(), svc.AuditEntry{ID: svc.NewAuditID(old), At: old, Action: svc.AuditInvited, Subject: "long ago"})
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	if got := before.auditLog(); len(got) != 3 || got[0].Subject != "long ago" {
		t.Fatalf("the log begins with %+v", got)
	}
	i := startOne(t, dir, "--audit-retention", "24h", "--admin-listen", "127.0.0.1:0")
	eventually(t, "the old entry is gone", func() bool { return len(i.auditLog()) == 2 })
	code, _, told := runMain(t, nil, "audit", "--json", "--data-dir", dir)
	if code != exitOK || !strings.Contains(told, "were removed, because their time was over") {
		t.Errorf("exit %d: %s", code, told)
	}
	answer, err := http.Get("http://" + i.listener("admin") + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`svcd_cleanup_pruned_total{kind="audit"} 1`, "svcd_audit_dropped_total 0"} {
		if !bytes.Contains(metrics, []byte(line)) {
			t.Errorf("the metrics lack %s", line)
		}
	}
}
