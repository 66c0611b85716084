//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/store/migrate"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
	"github.com/bundle-delivery/svc/internal/testkit/s3test"
)

// natsElsewhere starts a NATS that listens, and gives its address.
func natsElsewhere(t *testing.T) string {
	t.Helper()
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	go srv.Start()
	t.Cleanup(func() {
		srv.Shutdown()
		srv.WaitForShutdown()
	})
	if !srv.ReadyForConnections(3 * time.Minute) {
		t.Fatal("NATS does not start")
	}
	return srv.ClientURL()
}

// Not parallel: the keys of the bucket are in the environment.
// Promise: move-complete, move-interrupted, move-refuses, attestation-moves
func TestMigrate(t *testing.T) {
	cluster, bucket := pgtest.Start(t), s3test.Start(t)

	t.Run("everything is there afterwards", func(t *testing.T) {
		l := live(t)
		flags := []string{
			"--database-url", cluster.Address(cluster.Database(t)), "--blob-url", bucket.Bucket(t, "moved"),
			"--nats-url", natsElsewhere(t),
		}
		code, out, text := runMain(t, nil, append([]string{"migrate", "--data-dir", l.dir}, flags...)...)
		if code != exitOK || !strings.Contains(text, "Start the service") || strings.Contains(text, "\r") {
			t.Fatalf("exit %d: %s", code, text)
		}
		var sum migrate.Summary
		if err := json.Unmarshal([]byte(out), &sum); err != nil {
			t.Fatal(err)
		}
		if sum.Events.Runs != 3 || sum.Blobs.Count < 5 || len(sum.Tables) < 10 {
			t.Errorf("moved %+v", sum)
		}
		i := startIn(t, filepath.Join(t.TempDir(), "new"), flags...)
		if got := i.want(200, "", "GET", l.run+"/stream", l.hobby); !bytes.Equal(got.body, l.told) {
			t.Errorf("the run is told as\n%s\nand was told as\n%s", got.body, l.told)
		}
		l.check(t, i)

		t.Run("and moving again does nothing", func(t *testing.T) {
			code, out, text := runMain(t, nil, append([]string{"migrate", "--data-dir", l.dir}, flags...)...)
			if code != exitOK || !strings.Contains(out, "alreadyMoved") || !strings.Contains(text, "before") {
				t.Errorf("exit %d: %s %s", code, out, text)
			}
			l.checkGone(t, i)
		})
		t.Run("and what was moved is not moved elsewhere", func(t *testing.T) {
			archives, events := flags[:4], slices.Concat(flags[:2], flags[4:])
			for name, other := range map[string][]string{
				"no bucket": events, "another bucket": append(slices.Clone(events), "--blob-url", bucket.Bucket(t, "other")),
				"no NATS": archives, "another NATS": append(slices.Clone(archives), "--nats-url", natsElsewhere(t)),
			} {
				code, out, text := runMain(t, nil, append([]string{"migrate", "--data-dir", l.dir}, other...)...)
				if code != exitFailure || out != "" || !strings.Contains(text, "archives in s3://moved/ at ") {
					t.Errorf("%s: exit %d: %s %s", name, code, out, text)
				}
			}
		})
		t.Run("and the old records are refused", func(t *testing.T) {
			for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"account", "list"}, {"backup", filepath.Join(t.TempDir(), "late.tar")}} {
				code, _, text := runMain(t, nil, append(command, "--data-dir", l.dir)...)
				if code != exitFailure || !strings.Contains(text, "--database-url") {
					t.Errorf("%v: exit %d: %s", command, code, text)
				}
			}
		})
		t.Run("and another folder does not go on top", func(t *testing.T) {
			other := start(t)
			other.account(email)
			other.stop()
			code, _, text := runMain(t, nil, append([]string{"migrate", "--data-dir", other.dir}, flags...)...)
			if code != exitFailure || !strings.Contains(text, "did not come from here") {
				t.Errorf("exit %d: %s", code, text)
			}
			startIn(t, other.dir) // which is still good
		})
	})

	t.Run("it can be killed at any time and run again", func(t *testing.T) {
		l := live(t)
		flags := []string{"--database-url", cluster.Address(cluster.Database(t)), "--blob-url", bucket.Bucket(t, "killed")}
		const seed, kills = 7, 12
		random := rand.New(rand.NewPCG(seed, seed))
		longest := 100 * time.Millisecond // grows until the command ends first
		for n := 0; ; n++ {
			log := &transcript{}
			cmd := program(t, append([]string{"migrate", "--data-dir", l.dir}, flags...)...)
			cmd.Stderr = log
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var killer *time.Timer
			if n < kills {
				killer = time.AfterFunc(time.Duration(random.Int64N(int64(longest))), func() { _ = cmd.Process.Kill() })
			}
			err := cmd.Wait()
			killed := killer != nil && !killer.Stop()
			if err == nil && n >= kills/2 {
				t.Logf("%d kills", n)
				break
			}
			if err != nil && !killed {
				t.Fatalf("%v: %s", err, log)
			}
			longest += longest / 3
		}
		l.check(t, startIn(t, filepath.Join(t.TempDir(), "new"), flags...))
	})

	t.Run("refusals", func(t *testing.T) {
		i := start(t)
		database := []string{"--database-url", cluster.Address(cluster.Database(t))}
		for _, tc := range []struct {
			name string
			args []string
			code int
			want string
		}{
			{"a folder that is served", append([]string{"--data-dir", i.dir}, database...), exitFailure, "stop it first"},
			{"no database", []string{"--data-dir", i.dir}, exitUsage, "--database-url"},
			{"no folder", append([]string{"--data-dir", filepath.Join(i.dir, "none")}, database...), exitFailure, "no data folder"},
			{"an empty folder", append([]string{"--data-dir", t.TempDir()}, database...), exitFailure, "nothing to move"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				code, out, text := runMain(t, nil, slices.Concat([]string{"migrate"}, tc.args)...)
				if code != tc.code || out != "" || !strings.Contains(text, tc.want) {
					t.Errorf("exit %d: %s %s", code, out, text)
				}
			})
		}
		if _, err := os.Stat(filepath.Join(i.dir, "svcd.moved")); !os.IsNotExist(err) {
			t.Errorf("a refusal left its mark (%v)", err)
		}
	})

	t.Run("a move that was interrupted at its end", func(t *testing.T) {
		i := start(t)
		i.account(email)
		i.stop()
		address, other := cluster.Address(cluster.Database(t)), cluster.Address(cluster.Database(t))
		here := datadir.Dir(i.dir)
		name := strings.TrimPrefix(strings.SplitN(address, "?", 2)[0], "postgres://svc@/") + " on " + strings.SplitN(address, "host=", 2)[1]
		note := datadir.MoveNote{ID: "origin", State: datadir.Sealed, Goal: datadir.Goal{Records: name}}
		if err := here.WriteMove(note); err != nil {
			t.Fatal(err)
		}
		for _, command := range [][]string{{"account", "list"}, {"backup", filepath.Join(t.TempDir(), "between.tar")}} {
			if code, _, text := runMain(t, nil, append(command, "--data-dir", i.dir)...); code != exitFailure || !strings.Contains(text, "svcd migrate again") {
				t.Errorf("its records are used by %v: exit %d: %s", command, code, text)
			}
		}
		for _, elsewhere := range [][]string{
			{"--database-url", other},
			{"--database-url", address, "--blob-url", bucket.Bucket(t, "elsewhere")},
			{"--database-url", address, "--nats-url", natsElsewhere(t)},
		} {
			code, _, text := runMain(t, nil, append([]string{"migrate", "--data-dir", i.dir}, elsewhere...)...)
			if code != exitFailure || !strings.Contains(text, "may have arrived there") {
				t.Errorf("it goes elsewhere: exit %d: %s", code, text)
			}
		}
		if code, _, text := runMain(t, nil, "migrate", "--data-dir", i.dir, "--database-url", address); code != exitOK {
			t.Errorf("it is not finished: exit %d: %s", code, text)
		}
		code, out, text := runMain(t, nil, "migrate", "--data-dir", i.dir, "--database-url", address, "--blob-url", bucket.Bucket(t, "too-late"))
		if code != exitFailure || out != "" || !strings.Contains(text, "archives left in the folder") {
			t.Errorf("archives that were left behind are said to be in a bucket: exit %d: %s %s", code, out, text)
		}
		// Without --blob-url and --nats-url the folder keeps archives and events.
		startIn(t, i.dir, "--database-url", address)
	})
}
