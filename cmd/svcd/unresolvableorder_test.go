package main

import (
	"fmt"
	"strings"
	"testing"
)

// What is decided before a request that cannot be read is refused, and what is not: who
// asks and whose project it is come first, the queue and the plan do not matter.
func TestWhatComesBeforeAnUnreadableRequest(t *testing.T) {
	t.Parallel()
	i := start(t)
	i.operate("account", "create", "--email", email, "--plan", "hobby")
	key := strings.TrimSpace(i.operate("key", "create", "--account", email, "--name", "laptop"))
	other := i.account("other@example.com")
	first := i.asks(202, key, readable)
	i.follow(key, i.open("GET", "/generations/"+first.field(t, "generationId")+"/stream", key, ""))
	project := "/projects/" + first.field(t, "projectId")
	spec := i.want(200, "", "GET", project, key).field(t, "spec")

	change := func(key, body string) reply { return i.send("POST", project+"/generations", key, body) }
	refused := change(key, unreadable)
	if suggestion := fmt.Sprint(suggestionIn(t, refused)); refused.status != 422 || !strings.Contains(suggestion, spec) {
		t.Errorf("the project's spec is not suggested: %d %s", refused.status, refused.body)
	}
	for body, want := range map[string]int{unreadable: 404, readable: 404, `{"prompt":"port 9200"}`: 404} {
		if got := change(other, body); got.status != want || got.field(t, "code") != "PROJECT_NOT_FOUND" {
			t.Errorf("somebody else is answered %d %s", got.status, got.body)
		}
	}
	for _, nobody := range []string{"", "svc_00000000_00000000000000000000000000000000"} {
		if got := change(nobody, unreadable); got.status != 401 {
			t.Errorf("without a key: %d %s", got.status, got.body)
		}
	}
	for _, port := range []string{"9200", "9201"} { // the second and the third of the plan
		for range 3 {
			if got := change(key, unreadable); got.status != 422 {
				t.Errorf("%d %s", got.status, got.body)
			}
		}
		got := change(key, `{"prompt":"port `+port+`"}`)
		if got.status != 202 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		i.follow(key, i.open("GET", "/generations/"+got.field(t, "generationId")+"/stream", key, ""))
	}
	if got := change(key, unreadable); got.status != 422 { // the plan is used up, which is not asked
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := change(key, `{"prompt":"port 9202"}`); got.status != 429 || got.field(t, "code") != "PLAN_LIMIT_REACHED" {
		t.Errorf("%d %s", got.status, got.body)
	}
}
