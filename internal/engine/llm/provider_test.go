package llm_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/anthropic"
	"github.com/bundle-delivery/svc/internal/engine/llm/openai"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

var protocols = []string{wiretest.Anthropic, wiretest.OpenAI}

const testModel = "claude-sonnet-5-5"

// providerOf starts a server and gives a provider that asks it.
func providerOf(t *testing.T, protocol string, stall time.Duration, answer func(wiretest.Ask) wiretest.Answer) (llm.Provider, *wiretest.Handler) {
	t.Helper()
	handler := wiretest.New(answer)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	if protocol == wiretest.Anthropic {
		return anthropic.New(anthropic.Config{URL: server.URL, Key: wiretest.Key, Model: testModel, Client: server.Client(), Stall: stall}), handler
	}
	return openai.New(openai.Config{URL: server.URL + "/v1/", Key: wiretest.Key, Model: testModel, Client: server.Client(), Stall: stall}), handler
}

func hello() llm.Call {
	return llm.Call{
		System: "be brief", MaxTokens: 100,
		Messages: []llm.Message{{Parts: []llm.Part{{Text: "the project", Shared: true}, {Text: "hello"}}}},
	}
}

const patience = time.Minute

func ignore(llm.Piece) error { return nil }

// each runs a test for both protocols.
func each(t *testing.T, f func(t *testing.T, protocol string)) {
	t.Helper()
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			f(t, protocol)
		})
	}
}

// Promise: llm-protocols, llm-cache
func TestAnAnswerStreams(t *testing.T) {
	t.Parallel()
	const text = "Grüße, 世界 🎉: <b>bold</b> \"quoted\"\nand a second line\n"
	for name, how := range map[string]wiretest.Answer{
		"smoothly":         {},
		"with comments":    {KeepAlives: true},
		"torn to bytes":    {Torn: true, KeepAlives: true},
		"letter by letter": {Piece: 1},
		"after thinking":   {Thinking: "They greet; I greet back."},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string) {
				how := how
				how.Text, how.Input, how.CacheRead, how.Output = text, 11, 5, 7
				p, server := providerOf(t, protocol, patience, func(wiretest.Ask) wiretest.Answer { return how })
				var got strings.Builder
				reply, err := p.Stream(t.Context(), hello(), func(p llm.Piece) error { got.WriteString(p.Text); return nil })
				if err != nil || got.String() != text {
					t.Fatalf("got %q, %v", got.String(), err)
				}
				want := llm.Reply{Model: testModel, Usage: llm.Usage{Input: 11, CacheRead: 5, Output: 7}}
				reply.Thoughts = nil
				if diff := cmp.Diff(want, reply); diff != "" {
					t.Error(diff)
				}
				ask := server.Asks()[0]
				if ask.System != "be brief" || ask.Last() != "the projecthello" || ask.MaxTokens != 100 || ask.Tools != nil {
					t.Errorf("asked %+v", ask)
				}
				if diff := cmp.Diff([]string{"be brief", "the project"}, ask.Cached); protocol == wiretest.Anthropic && diff != "" {
					t.Errorf("marked for the cache: %s", diff)
				}
			})
		})
	}
}

// Promise: llm-tools
func TestToolsAreCalled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		p, server := providerOf(t, protocol, patience, func(a wiretest.Ask) wiretest.Answer {
			if len(a.Turns) > 1 {
				return wiretest.Answer{Text: "seen"}
			}
			return wiretest.Answer{Thinking: "I look.", Text: "One moment.", Calls: []wiretest.Call{
				{Name: "read", Input: map[string]any{"path": "世界.go"}}, {Name: "done", Input: ""},
			}}
		})
		call, warm := hello(), 0.5
		call.Temperature = &warm
		call.Tools = []llm.Tool{{Name: "read", Description: "reads", Input: map[string]any{
			"type": "object", "properties": map[string]any{"path": map[string]any{"type": "string"}}, "required": []string{"path"}, "additionalProperties": false,
		}}}
		unseen := 0
		reply, err := p.Stream(t.Context(), call, func(p llm.Piece) error { unseen += p.Unseen; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if len(reply.Calls) != 2 || reply.Calls[0].Name != "read" || reply.Calls[0].Input != `{"path":"世界.go"}` || reply.Calls[1].Input != "{}" || reply.Stop != llm.StopDone {
			t.Fatalf("got %+v", reply)
		}
		want := len("I look.") + len(reply.Calls[0].Input)
		for _, c := range reply.Calls {
			want += len(c.ID) + len(c.Name)
		}
		for _, thought := range reply.Thoughts {
			want += len(thought.Signature)
		}
		if unseen != want {
			t.Errorf("%d bytes were counted that are no text, want %d", unseen, want)
		}
		if ask := server.Asks()[0]; !slices.Equal(ask.Tools, []string{"read"}) || ask.Temperature == nil || *ask.Temperature != warm {
			t.Errorf("asked %+v", ask)
		}
		call.Messages = append(call.Messages,
			llm.Message{FromModel: true, Thoughts: reply.Thoughts, Parts: []llm.Part{{Text: "One moment."}}, Calls: reply.Calls},
			llm.Message{Results: []llm.ToolResult{{ID: reply.Calls[0].ID, Text: "package x"}, {ID: reply.Calls[1].ID, Text: "no", Shared: true}}, Parts: []llm.Part{{Text: "go on"}}})
		if _, err := p.Stream(t.Context(), call, ignore); err != nil {
			t.Fatal(err)
		}
		if last := server.Asks()[1].Last(); last != "package x\nno\ngo on" {
			t.Errorf("told %q", last)
		}
	})
}

// Calls without an end, and without a word in them, are charged as well.
// Promise: llm-charged-live
func TestEndlessCallsAreCharged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		calls := make([]wiretest.Call, 5000)
		for i := range calls {
			calls[i] = wiretest.Call{Name: "done", Input: ""}
		}
		e, _ := engineOf(t, protocol, llm.Config{Budget: engine.Budget{Tokens: 10_000}}, func(wiretest.Ask) wiretest.Answer {
			return wiretest.Answer{Calls: calls}
		})
		r := newRecord(t)
		wantError(t, e.Generate(t.Context(), request("x"), r.emit), engine.CodeConstraintUnresolvable, "budget of tokens", false)
		if r.usage.Output < 5000 {
			t.Errorf("booked at %+v", r.usage)
		}
	})
}

// Promise: llm-tools
func TestACallThatIsCutOffIsNone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		p, _ := providerOf(t, protocol, patience, func(wiretest.Ask) wiretest.Answer {
			return wiretest.Answer{Calls: []wiretest.Call{wiretest.Done(), wiretest.Replace("a", "b", "c")}, CutCall: 9, Stop: "length"}
		})
		call := hello()
		call.Tools = []llm.Tool{{Name: "done", Input: map[string]any{"type": "object", "properties": map[string]any{}, "required": []string{}, "additionalProperties": false}}}
		reply, err := p.Stream(t.Context(), call, ignore)
		if err != nil || len(reply.Calls) != 1 || reply.Unfinished == nil || reply.Unfinished.Name != "replace" || len(reply.Unfinished.Input) != 9 {
			t.Errorf("got %+v, %v", reply, err)
		}
	})
}

// Promise: llm-continues
func TestTheTokenLimitIsTold(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		p, _ := providerOf(t, protocol, patience, func(wiretest.Ask) wiretest.Answer { return wiretest.Answer{Text: "half a", Stop: "length"} })
		reply, err := p.Stream(t.Context(), hello(), ignore)
		if err != nil || reply.Stop != llm.StopLength {
			t.Errorf("got %+v, %v", reply, err)
		}
	})
}

// Promise: llm-protocols
func TestUsageIsGuessedWhereAServerDoesNotCount(t *testing.T) {
	t.Parallel()
	p, _ := providerOf(t, wiretest.OpenAI, patience, func(wiretest.Ask) wiretest.Answer { return wiretest.Answer{Text: "12345678", NoUsage: true} })
	reply, err := p.Stream(t.Context(), hello(), ignore)
	if err != nil || reply.Usage.Output != 2 || reply.Usage.Input == 0 {
		t.Errorf("got %+v, %v", reply, err)
	}
}

// An answer whose tokens Anthropic's protocol does not tell, or tells below nothing, is
// guessed as well, however it ends.
// Promise: llm-protocols
func TestUsageThatIsNotToldIsGuessed(t *testing.T) {
	t.Parallel()
	for _, usage := range []string{`{}`, `{"input_tokens":-5,"cache_read_input_tokens":-9,"output_tokens":-1}`} {
		p, _ := providerOf(t, wiretest.Anthropic, patience, func(wiretest.Ask) wiretest.Answer {
			return wiretest.Answer{Raw: "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":" + usage + "}}\n\n" +
				"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"12345678\"}}\n\n" +
				"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":" + usage + "}\n\n" +
				"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"}
		})
		reply, err := p.Stream(t.Context(), hello(), ignore)
		if err != nil || reply.Usage.Output != 2 || reply.Usage.Input <= 0 || reply.Usage.CacheRead != 0 {
			t.Errorf("%s: %+v, %v", usage, reply.Usage, err)
		}
	}
}

// Promise: llm-failures-named
func TestFailuresAreNamed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer wiretest.Answer
		want   llm.Failure
	}{
		"rate limit, seconds":   {wiretest.Answer{Status: 429, Type: "rate_limit_error", Header: map[string]string{"Retry-After": "7"}}, llm.Failure{Kind: llm.RateLimited, Status: 429, Wait: 7 * time.Second}},
		"rate limit, precisely": {wiretest.Answer{Status: 429, Type: "rate_limit_error", Header: map[string]string{"Retry-After": "7", "Retry-After-Ms": "1500"}}, llm.Failure{Kind: llm.RateLimited, Status: 429, Wait: 1500 * time.Millisecond}},
		"overloaded":            {wiretest.Answer{Status: 529, Type: "overloaded_error"}, llm.Failure{Kind: llm.Overloaded, Status: 529}},
		"unavailable":           {wiretest.Answer{Status: 503, Type: "server_error"}, llm.Failure{Kind: llm.Overloaded, Status: 503}},
		"fails inside":          {wiretest.Answer{Status: 500, Type: "api_error"}, llm.Failure{Kind: llm.Unreachable, Status: 500}},
		"gateway":               {wiretest.Answer{Status: 502, Type: "api_error"}, llm.Failure{Kind: llm.Unreachable, Status: 502}},
		"wrong key":             {wiretest.Answer{Status: 401, Type: "authentication_error"}, llm.Failure{Kind: llm.Denied, Status: 401}},
		"no such model":         {wiretest.Answer{Status: 404, Type: "not_found_error"}, llm.Failure{Kind: llm.Rejected, Status: 404}},
		"bad request":           {wiretest.Answer{Status: 400, Type: "invalid_request_error"}, llm.Failure{Kind: llm.Rejected, Status: 400}},
		"refusal":               {wiretest.Answer{Text: "no", Stop: "refusal"}, llm.Failure{Kind: llm.Declined}},
		"cut":                   {wiretest.Answer{Text: "some text that is long", Piece: 4, After: 2, Cut: true}, llm.Failure{Kind: llm.Broken}},
		"cut at once":           {wiretest.Answer{Text: "x", Cut: true}, llm.Failure{Kind: llm.Broken}},
		"error in the stream":   {wiretest.Answer{Text: "some text", Piece: 4, After: 1, StreamErr: "api_error"}, llm.Failure{Kind: llm.Unreachable}},
		"no protocol":           {wiretest.Answer{Raw: "event: message_start\ndata: {oops\n\n"}, llm.Failure{Kind: llm.Garbled}},
		"a web page":            {wiretest.Answer{Raw: "<html>", ContentType: "text/html"}, llm.Failure{Kind: llm.Garbled, Status: 200}},
		"nothing":               {wiretest.Answer{Raw: ": hello\n\n"}, llm.Failure{Kind: llm.Broken}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string) {
				p, _ := providerOf(t, protocol, patience, func(wiretest.Ask) wiretest.Answer { return tc.answer })
				_, err := p.Stream(t.Context(), hello(), ignore)
				f, ok := errors.AsType[*llm.Failure](err)
				if !ok {
					t.Fatalf("got %v", err)
				}
				got := llm.Failure{Kind: f.Kind, Status: f.Status, Wait: f.Wait}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%v\n%s", err, diff)
				}
				if strings.Contains(err.Error(), wiretest.Key) {
					t.Errorf("the error shows the key: %v", err)
				}
			})
		})
	}
}

func TestAnOverloadInsideTheStreamIsNamed(t *testing.T) {
	t.Parallel()
	p, _ := providerOf(t, wiretest.Anthropic, patience, func(wiretest.Ask) wiretest.Answer {
		return wiretest.Answer{Text: "some", StreamErr: "overloaded_error"}
	})
	_, err := p.Stream(t.Context(), hello(), ignore)
	if f, ok := errors.AsType[*llm.Failure](err); !ok || f.Kind != llm.Overloaded {
		t.Errorf("got %v", err)
	}
}

// Promise: llm-failures-named
func TestSilenceIsAFailure(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		p, _ := providerOf(t, protocol, 50*time.Millisecond, func(wiretest.Ask) wiretest.Answer {
			return wiretest.Answer{Text: "some text", Piece: 4, After: 1, Stall: true}
		})
		_, err := p.Stream(t.Context(), hello(), ignore)
		if f, ok := errors.AsType[*llm.Failure](err); !ok || f.Kind != llm.Stalled {
			t.Errorf("got %v", err)
		}
	})
}

func TestAProviderThatIsNotThere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		server := httptest.NewServer(nil)
		url := server.URL
		server.Close()
		p := openai.New(openai.Config{URL: url, Model: "m", Stall: patience})
		if protocol == wiretest.Anthropic {
			p = anthropic.New(anthropic.Config{URL: url, Key: "k", Model: "m", Stall: patience})
		}
		_, err := p.Stream(t.Context(), hello(), ignore)
		if f, ok := errors.AsType[*llm.Failure](err); !ok || f.Kind != llm.Unreachable {
			t.Errorf("got %v", err)
		}
	})
}

func TestACancelledCallEndsTheConnection(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		p, _ := providerOf(t, protocol, patience, func(wiretest.Ask) wiretest.Answer {
			return wiretest.Answer{Text: "word ", Endless: true}
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		_, err := p.Stream(ctx, hello(), func(llm.Piece) error { cancel(why); return nil })
		if _, itsOwn := errors.AsType[*llm.Failure](err); itsOwn || !errors.Is(err, why) {
			t.Errorf("got %v, as a failure of the provider: %v", err, itsOwn)
		}
		// The server's end waits for its handlers: were the connection still open,
		// the endless answer would keep it from closing.
	})
}
