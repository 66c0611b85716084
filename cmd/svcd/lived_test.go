package main

import (
	"bytes"
	"strings"
	"testing"
)

// lived is a data folder in which something has happened, and what its service
// answers about it.
type lived struct {
	dir                      string
	key, revoked, hobby      string
	pending, acknowledged    imported
	run                      string
	archive, told, runRecord []byte
	attested, signingKeys    []byte
}

// live runs a service for a while and stops it.
func live(t *testing.T, flags ...string) lived {
	t.Helper()
	i := start(t, flags...)
	l := lived{dir: i.dir, key: i.account(email)}
	l.revoked = strings.TrimSpace(i.operate("key", "create", "--account", email, "--name", "lost"))
	i.operate("key", "revoke", strings.Split(l.revoked, "_")[1])
	l.pending = i.importFiles(email, map[string]string{"a.txt": "a", "b/c.txt": strings.Repeat("c", 100_000)})
	l.acknowledged = i.importFiles(email, map[string]string{"d.txt": "d"})
	i.want(200, "", "POST", "/bundles/"+l.acknowledged.BundleID+"/ack", l.key)
	i.operate("account", "create", "--email", "hobby@example.com", "--plan", "hobby")
	l.hobby = strings.TrimSpace(i.operate("key", "create", "--account", "hobby@example.com", "--name", "x"))
	for range 3 {
		queued := i.send("POST", "/generations", l.hobby, `{"prompt":"a todo list API"}`)
		l.run = "/generations/" + queued.field(t, "generationId")
		l.told = i.want(200, "", "GET", l.run+"/stream", l.hobby).body
	}
	l.archive = i.want(200, "", "GET", "/bundles/"+l.pending.BundleID+"/download", l.key).body
	l.attested = i.want(200, "", "GET", "/bundles/"+l.acknowledged.BundleID+"/attestation", l.key).body
	l.signingKeys = i.signingKeys()
	l.runRecord = i.want(200, "", "GET", l.run, l.hobby).body
	if code := i.stop(); code != exitOK {
		t.Fatalf("exit %d", code)
	}
	return l
}

// check asks another service about what happened.
func (l lived) check(t *testing.T, i *instance) {
	t.Helper()
	if got := i.want(200, "", "GET", "/bundles/"+l.pending.BundleID+"/download", l.key); !bytes.Equal(got.body, l.archive) {
		t.Error("the waiting bundle has another archive")
	}
	i.want(410, "BUNDLE_DOWNLOADED", "GET", "/bundles/"+l.acknowledged.BundleID, l.key)
	if got := i.want(200, "", "GET", "/bundles/"+l.acknowledged.BundleID+"/attestation", l.key); !bytes.Equal(got.body, l.attested) {
		t.Error("the bundle has another attestation")
	}
	if got := i.signingKeys(); !bytes.Equal(got, l.signingKeys) {
		t.Errorf("the signing keys are %s, were %s", got, l.signingKeys)
	}
	i.want(401, "INVALID_API_KEY", "GET", "/projects", l.revoked)
	if got := i.want(200, "", "GET", l.run, l.hobby); !bytes.Equal(got.body, l.runRecord) {
		t.Errorf("the run is %s, was %s", got.body, l.runRecord)
	}
	if got := i.send("POST", "/generations", l.hobby, `{"prompt":"a todo list API"}`); got.field(t, "code") != "PLAN_LIMIT_REACHED" {
		t.Errorf("the window of the plan is forgotten: %d %s", got.status, got.body)
	}
	i.want(200, "", "POST", "/projects/"+l.acknowledged.ProjectID+"/bundles/repackage", l.key)
	i.want(200, "", "POST", "/bundles/"+l.pending.BundleID+"/ack", l.key)
}

// checkGone asks for what was acknowledged since.
func (l lived) checkGone(t *testing.T, i *instance) {
	t.Helper()
	i.want(410, "BUNDLE_DOWNLOADED", "GET", "/bundles/"+l.pending.BundleID, l.key)
}
