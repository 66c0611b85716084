//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// Three processes on one database: a key that is reported at one of them opens
// nothing at any after a second, and its streams end. A machine with other work may
// be late once or twice; a service that takes longer is late each time.
// Promise: leak-report-cluster
func TestAReportedKeyEndsEverywhere(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t)
	database := cluster.Address(cluster.Database(t))
	var all []*instance
	for range 3 {
		all = append(all, startOne(t, t.TempDir()+"/data", "--roles", "api", "--database-url", database))
	}
	key := all[0].account(email)
	run := all[0].send("POST", "/generations", key, `{"prompt":"a page"}`).field(t, "generationId")
	for _, i := range all {
		if !bytes.Equal(i.signingKeys(), all[0].signingKeys()) {
			t.Error("processes of one service publish other keys")
		}
	}
	for try := 1; ; try++ {
		refused, ended := report(t, all, run, key)
		t.Logf("refused at three processes %v after the answer, streams ended after %v", refused, ended)
		if !strings.Contains(all[1].log.String(), "a key was reported") || strings.Contains(all[1].log.String(), key) {
			t.Error("the log does not tell of it, or tells the key")
		}
		if refused <= time.Second && ended <= 5*time.Second {
			break
		}
		if try == 3 {
			t.Fatalf("%d keys in turn were refused too late, or their streams ended too late", try)
		}
		key = strings.TrimSpace(all[0].operate("key", "create", "--account", email, "--name", "another"))
	}
}

// report reports a key that has a stream at each process, and gives the times from the
// answer until all of them refused the key, and until all streams had ended.
func report(t *testing.T, all []*instance, run, key string) (refused, ended time.Duration) {
	t.Helper()
	ends := make(chan time.Time, len(all))
	for _, i := range all {
		stream := i.open("GET", "/generations/"+run+"/stream", key, "", "Accept: text/event-stream")
		lines := bufio.NewReader(stream.Body)
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		go func() {
			defer func() { _ = stream.Body.Close() }()
			_, _ = io.Copy(io.Discard, lines)
			ends <- time.Now()
		}()
	}
	scanner := http.Client{Transport: all[1].transport()}
	answer, err := scanner.Post(all[1].base+"/console/report-key", "application/json", strings.NewReader(`{"keys":["`+key+`"],"url":"https://paste.example/1"}`))
	if err != nil {
		t.Fatal(err)
	}
	answered := time.Now()
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusAccepted {
		t.Fatalf("%s, %v", answer.Status, err)
	}
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for _, i := range all {
		for i.ask("GET", "/projects", key).status == http.StatusOK {
			if time.Since(answered) > time.Minute {
				t.Fatal("the key opens after a minute")
			}
			<-look.C
		}
		refused = time.Since(answered)
	}
	for _, i := range all {
		i.want(401, "INVALID_API_KEY", "GET", "/projects", key)
	}
	for range all {
		select {
		case at := <-ends:
			ended = max(ended, at.Sub(answered))
		case <-time.After(time.Minute):
			t.Fatal("a stream goes on after a minute")
		}
	}
	return refused, ended
}
