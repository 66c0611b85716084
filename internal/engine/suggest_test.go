package engine_test

import (
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
)

// Promise: console-suggestion
func TestARefusalIsTakenApartAsItWasPutTogether(t *testing.T) {
	for name, tt := range map[string]struct{ message, refusal, request string }{
		"one that suggests":     {engine.Suggest("No games.", "a todo list API in Go"), "No games.", "a todo list API in Go"},
		"one with quotes":       {engine.Suggest(`Not "chess".`, `rename it to "Two"`), `Not "chess".`, `rename it to "Two"`},
		"the last one counts":   {engine.Suggest(engine.Suggest("No.", "a"), "b"), `No. A request that works: "a"`, "b"},
		"one that does not":     {"The model does not answer.", "The model does not answer.", ""},
		"one that ends in half": {`No. A request that works: "`, `No. A request that works: "`, ""},
		"nothing":               {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if refusal, request := engine.Suggested(tt.message); refusal != tt.refusal || request != tt.request {
				t.Errorf("%q and %q, want %q and %q", refusal, request, tt.refusal, tt.request)
			}
		})
	}
}
