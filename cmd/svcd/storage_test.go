//go:build unix

package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
	"github.com/bundle-delivery/svc/internal/testkit/s3test"
)

// The journeys of the embedded service, on PostgreSQL and S3. Not parallel: the
// keys of the bucket are in the environment.
func TestOnPostgreSQLAndS3(t *testing.T) {
	cluster, server := pgtest.Start(t), s3test.Start(t)
	flags := func(t *testing.T, bucket string) []string {
		return []string{"--database-url", cluster.Address(cluster.Database(t)), "--blob-url", server.Bucket(t, bucket)}
	}

	t.Run("the journey of a bundle", func(t *testing.T) {
		journeyOfABundle(t, start(t, flags(t, "bundle")...))
	})

	t.Run("the journey of a generation", func(t *testing.T) {
		i := start(t, flags(t, "generation")...)
		journeyOfAGeneration(t, i, i.account(email))
	})

	t.Run("two processes are one service", func(t *testing.T) {
		shared := append(flags(t, "pair"), "--roles", "api,assembler")
		one, two := start(t, shared...), start(t, shared...)
		key := one.account(email)
		made := two.importFiles(email, map[string]string{"a.txt": "a"})
		download := "/bundles/" + made.BundleID + "/download"
		first := one.want(200, "", "GET", download, key)
		for n := range 9 {
			i := []*instance{one, two}[n%2]
			if got := i.want(200, "", "GET", download, key); !bytes.Equal(got.body, first.body) {
				t.Error("another archive")
			}
		}
		one.want(429, "TOO_MANY_REQUESTS", "GET", download, key)
		two.want(429, "TOO_MANY_REQUESTS", "GET", download, key)

		repackage := "/projects/" + made.ProjectID + "/bundles/repackage"
		fresh := one.want(200, "", "POST", repackage, key, "Idempotency-Key: once")
		if replay := two.want(200, "", "POST", repackage, key, "Idempotency-Key: once"); !bytes.Equal(replay.body, fresh.body) {
			t.Errorf("the other process replays %s, want %s", replay.body, fresh.body)
		}
		two.want(200, "", "POST", "/bundles/"+made.BundleID+"/ack", key)
		one.want(410, "BUNDLE_DOWNLOADED", "GET", "/bundles/"+made.BundleID, key)

		one.operate("key", "revoke", strings.Split(key, "_")[1])
		one.want(401, "INVALID_API_KEY", "GET", "/projects", key)
		two.want(401, "INVALID_API_KEY", "GET", "/projects", key)
	})

	t.Run("accounts and keys are managed while the archives cannot be reached", func(t *testing.T) {
		i := start(t, flags(t, "unreachable")...)
		key := i.account(email)
		away := []string{"--database-url", i.keptAt("--database-url"), "--blob-url", "s3://away?endpoint=http://127.0.0.1:1&region=x", "--data-dir", filepath.Join(t.TempDir(), "none")}
		code, _, text := runMain(t, nil, append([]string{"project", "import", t.TempDir(), "--account", email}, away...)...)
		if code != exitFailure || !strings.Contains(text, "bucket away") {
			t.Errorf("an import that has nowhere to go: exit %d: %s", code, text)
		}
		t.Setenv("AWS_ACCESS_KEY_ID", "")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "")
		for _, command := range [][]string{
			{"account", "list"},
			{"account", "create", "--email", "bob@example.com", "--plan", "hobby"},
			{"key", "list", "--account", email},
			{"key", "revoke", strings.Split(key, "_")[1]},
			{"account", "delete", "--email", email},
		} {
			if code, _, text := runMain(t, nil, append(command, away...)...); code != exitOK {
				t.Errorf("%v: exit %d: %s", command, code, text)
			}
		}
		i.want(401, "INVALID_API_KEY", "GET", "/projects", key)
	})

	t.Run("what cannot be reached is named, and no password with it", func(t *testing.T) {
		dir := t.TempDir()
		for _, tc := range []struct{ flag, value, want string }{
			{"--database-url", "postgres://svc:hidden@127.0.0.1:1/records", "records on 127.0.0.1"},
			{"--database-url", cluster.Address("nowhere"), "createdb"},
			{"--blob-url", "s3://nowhere?endpoint=" + server.Endpoint + "&region=" + s3test.Region, "no bucket nowhere"},
		} {
			code, _, text := runMain(t, nil, "serve", "--data-dir", dir, "--listen", "127.0.0.1:0", tc.flag, tc.value)
			if code == exitOK || !strings.Contains(text, tc.want) || strings.Contains(text, "hidden") {
				t.Errorf("exit %d: %s, want %q", code, text, tc.want)
			}
		}
	})
}
