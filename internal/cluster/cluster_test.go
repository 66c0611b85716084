//go:build unix

package cluster

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestCluster(t *testing.T) {
	c := ForTest(t, Config{})
	if _, err := c.Admin(t.Context(), "account", "create", "--email", "ada@example.com", "--plan", "developer"); err != nil {
		t.Fatal(err)
	}
	key, err := c.Admin(t.Context(), "key", "create", "--account", "ada@example.com", "--name", "test")
	if err != nil {
		t.Fatal(err)
	}
	var body strings.Builder
	if status, err := c.Do(t.Context(), key, http.MethodGet, "/projects", &body); err != nil || status != 200 {
		t.Fatal(status, err, body.String())
	}
	if err := c.Servers[0].Kill(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if status, err := c.Do(t.Context(), key, http.MethodGet, "/projects", io.Discard); err != nil || status != 200 {
			t.Error(status, err)
		}
	}
}
