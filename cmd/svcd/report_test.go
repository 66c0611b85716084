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

	"github.com/bundle-delivery/svc/internal/pgtest"
)

// Three processes on one database: a key that is reported at one of them opens
// nothing at any, and its streams end.
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
	ended := make(chan error, len(all))
	for _, i := range all {
		stream := i.open("GET", "/generations/"+run+"/stream", key, "", "Accept: text/event-stream")
		lines := bufio.NewReader(stream.Body)
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		go func() {
			defer func() { _ = stream.Body.Close() }()
			_, err := io.Copy(io.Discard, lines)
			ended <- err
		}()
	}
	reported := time.Now()
	scanner := http.Client{Transport: all[1].transport()}
	answer, err := scanner.Post(all[1].base+"/console/report-key", "application/json", strings.NewReader(`{"keys":["`+key+`"],"url":"https://paste.example/1"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusAccepted {
		t.Fatalf("%s, %v", answer.Status, err)
	}
	for range all {
		<-ended
	}
	took := time.Since(reported)
	t.Logf("streams ended at three processes after %v", took)
	if took > 5*time.Second { // a second is promised, and this machine may have other work
		t.Errorf("the streams ended after %v", took)
	}
	for _, i := range all {
		if !bytes.Equal(i.signingKeys(), all[0].signingKeys()) {
			t.Error("processes of one service publish other keys")
		}
		i.want(401, "INVALID_API_KEY", "GET", "/projects", key)
	}
	if !strings.Contains(all[1].log.String(), "a key was reported") || strings.Contains(all[1].log.String(), key) {
		t.Error("the log does not tell of it, or tells the key")
	}
}
