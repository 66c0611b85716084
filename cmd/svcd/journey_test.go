package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// Promise: openapi-agrees
func TestJourneyOfABundle(t *testing.T) {
	t.Parallel()
	journeyOfABundle(t, start(t))
}

// journeyOfABundle goes from an import to a repackage, wherever the service
// keeps things.
func journeyOfABundle(t *testing.T, i *instance) {
	t.Helper()
	key := i.account(email)
	made := i.importFiles(email, map[string]string{"main.go": "package main\n", "docs/read me.txt": "hello\n"})

	bundle := "/bundles/" + made.BundleID
	record := i.want(200, "", "GET", bundle, key)
	if record.field(t, "status") != "pending_download" || record.field(t, "projectId") != made.ProjectID || record.field(t, "fileCount") != "2" {
		t.Errorf("the record is %s", record.body)
	}
	if latest := i.want(200, "", "GET", "/bundles/latest", key); !bytes.Equal(latest.body, record.body) {
		t.Errorf("latest is %s, want %s", latest.body, record.body)
	}

	archive := i.want(200, "", "GET", bundle+"/download", key)
	sum := sha256.Sum256(archive.body)
	if got, want := archive.header.Get("Repr-Digest"), "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":"; got != want {
		t.Errorf("Repr-Digest %s, want %s", got, want)
	}
	if got, want := archive.header.Get("Content-Disposition"), `attachment; filename="bundle-`+made.BundleID+`.zip"`; got != want {
		t.Errorf("Content-Disposition %s, want %s", got, want)
	}
	if got := unzip(t, archive.body)["docs/read me.txt"]; got != "hello\n" {
		t.Errorf("the file holds %q", got)
	}
	part := i.want(206, "", "GET", bundle+"/download", key, "Range: bytes=10-19")
	if !bytes.Equal(part.body, archive.body[10:20]) {
		t.Error("a range of the archive is another")
	}
	i.want(200, "", "GET", bundle, key) // a download changes nothing

	acknowledged := i.want(200, "", "POST", bundle+"/ack", key)
	if again := i.want(200, "", "POST", bundle+"/ack", key); !bytes.Equal(again.body, acknowledged.body) {
		t.Errorf("acknowledged again: %s, want %s", again.body, acknowledged.body)
	}
	i.want(410, "BUNDLE_DOWNLOADED", "GET", bundle, key)
	i.want(410, "BUNDLE_DOWNLOADED", "GET", bundle+"/download", key)
	i.want(404, "BUNDLE_NOT_FOUND", "GET", "/bundles/latest", key)

	repackage := "/projects/" + made.ProjectID + "/bundles/repackage"
	fresh := i.want(200, "", "POST", repackage, key, "Idempotency-Key: once")
	replay := i.want(200, "", "POST", repackage, key, "Idempotency-Key: once")
	if !bytes.Equal(fresh.body, replay.body) || replay.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("replayed %s with %v, want %s", replay.body, replay.header, fresh.body)
	}
	again := i.want(200, "", "GET", "/bundles/"+fresh.field(t, "bundleId")+"/download", key)
	if !bytes.Equal(again.body, archive.body) {
		t.Error("the same project gave other bytes")
	}
	if size := fresh.field(t, "totalSizeBytes"); size != strconv.Itoa(len(archive.body)) {
		t.Errorf("totalSizeBytes %s, want %d", size, len(archive.body))
	}
	if latest := i.want(200, "", "GET", "/bundles/latest?projectId="+made.ProjectID, key); latest.field(t, "bundleId") != fresh.field(t, "bundleId") {
		t.Errorf("latest is %s", latest.body)
	}
	if list := i.want(200, "", "GET", "/bundles?status=downloaded", key); !strings.Contains(string(list.body), made.BundleID) {
		t.Errorf("the listing lacks the bundle: %s", list.body)
	}
	if list := i.want(200, "", "GET", "/projects", key); !strings.Contains(string(list.body), made.ProjectID) {
		t.Errorf("the listing lacks the project: %s", list.body)
	}
}

func unzip(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	reader, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range reader.File {
		opened, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		_ = opened.Close()
		files[f.Name] = string(content)
	}
	return files
}

// Promise: not-found-uniform
func TestNobodySeesAnothersBundles(t *testing.T) {
	t.Parallel()
	i := start(t)
	i.account(email)
	stranger := i.account("eve@example.com")
	made := i.importFiles(email, map[string]string{"a": "a"})
	i.want(404, "BUNDLE_NOT_FOUND", "GET", "/bundles/"+made.BundleID, stranger)
	i.want(404, "BUNDLE_NOT_FOUND", "GET", "/bundles/"+made.BundleID+"/download", stranger)
	i.want(404, "BUNDLE_NOT_FOUND", "POST", "/bundles/"+made.BundleID+"/ack", stranger)
	i.want(404, "BUNDLE_NOT_FOUND", "GET", "/bundles/latest", stranger)
	i.want(404, "PROJECT_NOT_FOUND", "POST", "/projects/"+made.ProjectID+"/bundles/repackage", stranger)
	i.want(401, "INVALID_API_KEY", "GET", "/nowhere", "")
}

// Promise: limit-survives-restart
func TestLimitsSurviveARestart(t *testing.T) {
	t.Parallel()
	i := start(t)
	key := i.account(email)
	made := i.importFiles(email, map[string]string{"a": "a"})
	repackage := "/projects/" + made.ProjectID + "/bundles/repackage"
	for range 3 {
		i.want(200, "", "POST", repackage, key)
	}
	i.want(429, "TOO_MANY_REQUESTS", "POST", repackage, key)
	if code := i.stop(); code != exitOK {
		t.Fatalf("stopped with %d:\n%s", code, i.log)
	}
	i = startIn(t, i.dir)
	refused := i.want(429, "TOO_MANY_REQUESTS", "POST", repackage, key)
	if wait, err := strconv.Atoi(refused.header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
		t.Errorf("Retry-After is %q", refused.header.Get("Retry-After"))
	}
}

// Promise: bundle-expires
func TestBundleExpiresWhenTheCleanUpRuns(t *testing.T) {
	t.Parallel()
	i := start(t, "--cleanup-interval", "50ms")
	key := i.account(email)
	made := i.importFiles(email, map[string]string{"a": "a"}, "--bundle-ttl", "1ms")
	eventually(t, "the bundle expires", func() bool {
		return i.ask("GET", "/bundles/"+made.BundleID, key).status == http.StatusGone
	})
	i.want(410, "BUNDLE_EXPIRED", "GET", "/bundles/"+made.BundleID+"/download", key)
	i.want(410, "BUNDLE_EXPIRED", "POST", "/bundles/"+made.BundleID+"/ack", key)
	i.want(200, "", "POST", "/projects/"+made.ProjectID+"/bundles/repackage", key)
}

// Promise: key-revoked
func TestRevocationByAnotherProcessHoldsAtOnce(t *testing.T) {
	t.Parallel()
	i := start(t)
	key := i.account(email)
	i.want(200, "", "GET", "/bundles", key)
	revoke := program(t, append([]string{"key", "revoke", key[4:12], "--data-dir", i.dir}, i.storage...)...)
	if out, err := revoke.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	revoked := i.want(401, "INVALID_API_KEY", "GET", "/bundles", key)
	unknown := i.want(401, "INVALID_API_KEY", "GET", "/bundles", "svc_aaaaaaaa_"+strings.Repeat("0", 32))
	if revoked.field(t, "hint") != unknown.field(t, "hint") || revoked.field(t, "error") != unknown.field(t, "error") {
		t.Errorf("a revoked key can be told from an unknown one: %s and %s", revoked.body, unknown.body)
	}
}

// program is this program as a process of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// Promise: repackage-502
func TestWithoutAnAssemblerRepackageIs502(t *testing.T) {
	t.Parallel()
	i := start(t, "--roles", "api")
	key := i.account(email)
	made := i.importFiles(email, map[string]string{"a": "a"})
	refused := i.want(502, "ASSEMBLY_UNAVAILABLE", "POST", "/projects/"+made.ProjectID+"/bundles/repackage", key)
	if refused.header.Get("Retry-After") == "" {
		t.Error("the 502 has no Retry-After")
	}
	i.want(200, "", "GET", "/bundles/"+made.BundleID+"/download", key)
}

// Promise: key-hashed
func TestNoSecretReachesTheLog(t *testing.T) {
	t.Parallel()
	i := start(t)
	key := i.account(email)
	secret := key[len(key)-32:]
	made := i.importFiles(email, map[string]string{"a": "a"})
	i.want(200, "", "GET", "/bundles/"+made.BundleID, key)
	i.want(200, "", "GET", "/bundles", "", "X-API-Key: "+key)
	i.want(401, "INVALID_API_KEY", "GET", "/bundles", "svc_aaaaaaaa_"+secret)
	i.want(404, "BUNDLE_NOT_FOUND", "GET", "/bundles/"+key, key)
	i.want(404, "BUNDLE_NOT_FOUND", "GET", "/bundles/latest?projectId="+key, key)
	i.want(400, "INVALID_REQUEST", "GET", "/bundles?cursor="+key, key)
	i.want(404, "NOT_FOUND", "GET", "/"+key, key)
	i.want(200, "", "POST", "/projects/"+made.ProjectID+"/bundles/repackage", key, "Idempotency-Key: "+key)
	i.stop()
	log := ""
	for _, p := range i.processes() {
		log += p.log.String()
	}
	if strings.Contains(log, secret) {
		t.Errorf("the secret is in the log:\n%s", log)
	}
	if !strings.Contains(log, key[4:12]) {
		t.Errorf("the public prefix is not in the log:\n%s", log)
	}
}

// incompressible is content of this many bytes that no archive makes smaller.
func incompressible(n int) string {
	content := make([]byte, n)
	_, _ = rand.Read(content)
	return string(content)
}

func TestShutdownLetsADownloadFinish(t *testing.T) {
	t.Parallel()
	i := start(t)
	key := i.account(email)
	// More than all buffers between server and client hold.
	made := i.importFiles(email, map[string]string{"large": incompressible(16 << 20)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, i.base+"/bundles/"+made.BundleID+"/download", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := (&http.Client{Transport: i.transport()}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	digest := sha256.New()
	if _, err := io.CopyN(digest, answer.Body, 1000); err != nil {
		t.Fatal(err)
	}
	i.end()
	eventually(t, "new connections are refused", func() bool {
		late := &http.Client{Transport: i.transport()}
		answer, err := late.Get(i.base + "/healthz")
		if err == nil {
			_ = answer.Body.Close()
		}
		return err != nil
	})
	select {
	case <-i.ended:
		t.Fatalf("the service ended with a download under way:\n%s", i.log)
	default:
	}
	if _, err := io.Copy(digest, answer.Body); err != nil {
		t.Fatalf("the download broke off: %v", err)
	}
	if got, want := `"`+hex.EncodeToString(digest.Sum(nil))+`"`, answer.Header.Get("ETag"); got != want {
		t.Errorf("the archive has digest %s, want %s", got, want)
	}
	if code := i.stop(); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, i.log)
	}
	if _, err := os.Stat(i.dir + "/svcd.addr"); !os.IsNotExist(err) {
		t.Errorf("svcd.addr is still there: %v", err)
	}
}
