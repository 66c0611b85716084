package wiretest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// refuse answers with an error, in the words of the protocol.
func refuse(w http.ResponseWriter, protocol string, a Answer) {
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.Status)
	var body any = map[string]any{"error": map[string]any{"message": a.Message, "type": a.Type, "param": nil, "code": a.Type}}
	if protocol == Anthropic {
		body = map[string]any{"type": "error", "error": map[string]any{"type": a.Type, "message": a.Message}, "request_id": "req_test"}
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // only what is known here is sent
	}
	_, _ = w.Write(text) // the client may have gone
}

// stream is one answer under way.
type stream struct {
	w      http.ResponseWriter
	r      *http.Request
	ask    Ask
	answer Answer
	id     string
	block  int // of content, counted from 0
	ended  bool
}

// send writes bytes and sees that they leave.
func (s *stream) send(text string) {
	step := len(text)
	if s.answer.Torn {
		step = 3
	}
	for len(text) > 0 {
		n := min(step, len(text))
		_, _ = s.w.Write([]byte(text[:n])) // the client may have gone
		_ = http.NewResponseController(s.w).Flush()
		text = text[n:]
	}
}

func (s *stream) event(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // only what is known here is sent
	}
	if s.answer.KeepAlives {
		s.send(": keep-alive\n\n")
	}
	if name != "" {
		s.send("event: " + name + "\n")
	}
	s.send("data: " + string(text) + "\n\n")
}

func (s *stream) run() {
	kind := "text/event-stream; charset=utf-8"
	if s.answer.ContentType != "" {
		kind = s.answer.ContentType
	}
	s.w.Header().Set("Content-Type", kind)
	s.w.WriteHeader(http.StatusOK)
	if s.answer.Raw != "" {
		s.send(s.answer.Raw)
		s.ended = true
		return
	}
	s.begin()
	for i, piece := range s.pieces() {
		if i == s.answer.After && s.happens() {
			return
		}
		if s.r.Context().Err() != nil {
			return
		}
		s.delta(piece)
	}
	for s.answer.Endless && s.answer.Text == "" && s.r.Context().Err() == nil {
		s.think()
	}
	if s.r.Context().Err() != nil {
		return
	}
	if s.answer.Cut || s.answer.Stall || s.answer.StreamErr != "" {
		s.happens()
		return
	}
	s.end()
	s.ended = true
}

// happens does what is to go wrong; false: nothing is.
func (s *stream) happens() bool {
	switch {
	case s.answer.Cut:
		s.send("data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"\xe2\x82") // inside a character
		panic(http.ErrAbortHandler)
	case s.answer.Stall:
		<-s.r.Context().Done()
	case s.answer.StreamErr != "" && s.ask.Protocol == Anthropic:
		s.event("error", map[string]any{"type": "error", "error": map[string]any{"type": s.answer.StreamErr, "message": s.complaint()}})
	case s.answer.StreamErr != "":
		s.event("", map[string]any{"error": map[string]any{"type": s.answer.StreamErr, "message": s.complaint()}})
	default:
		return false
	}
	return true
}

func (s *stream) complaint() string {
	if s.answer.Message != "" {
		return s.answer.Message
	}
	return "it went wrong"
}

// pieces cuts the text as a model's tokens would.
func (s *stream) pieces() func(yield func(int, string) bool) {
	size := s.answer.Piece
	if size == 0 {
		size = 24
	}
	return func(yield func(int, string) bool) {
		i := 0
		for {
			for text := s.answer.Text; text != ""; i++ {
				n := min(size, len(text))
				for n < len(text) && !utf8.RuneStart(text[n]) {
					n++
				}
				if !yield(i, text[:n]) {
					return
				}
				text = text[n:]
			}
			if !s.answer.Endless || s.answer.Text == "" {
				return
			}
		}
	}
}

func (s *stream) usage() (input, output int64) {
	input, output = s.answer.Input, s.answer.Output
	if input == 0 {
		input = int64(s.ask.Size+3)/4 - s.ask.CacheRead - s.ask.CacheWrite
		input = max(input, 0)
	}
	if output == 0 {
		n := len(s.answer.Text) + len(s.answer.Thinking) + 3
		for _, c := range s.answer.Calls {
			n += len(asJSON(c.Input))
		}
		output = int64(n) / 4
	}
	return input, output
}

// cached is what is told about the cache.
func (s *stream) cached() (read, write int64) {
	if s.answer.Input != 0 || s.answer.CacheRead != 0 {
		return s.answer.CacheRead, 0
	}
	return s.ask.CacheRead, s.ask.CacheWrite
}

func (s *stream) begin() {
	if s.ask.Protocol == OpenAI {
		s.chunk(map[string]any{"role": "assistant", "content": "", "refusal": nil}, nil)
		s.think()
		return
	}
	input, _ := s.usage()
	read, write := s.cached()
	s.event("message_start", map[string]any{"type": "message_start", "message": map[string]any{
		"id": "msg_" + s.id, "type": "message", "role": "assistant", "model": s.ask.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": input, "cache_creation_input_tokens": write, "cache_read_input_tokens": read, "output_tokens": 1},
	}})
	s.think()
	s.openBlock(map[string]any{"type": "text", "text": ""})
	s.event("ping", map[string]any{"type": "ping"})
}

// think tells the thinking, as a block of its own.
func (s *stream) think() {
	switch {
	case s.answer.Thinking == "":
	case s.ask.Protocol == OpenAI:
		s.chunk(map[string]any{"reasoning_content": s.answer.Thinking}, nil)
	default:
		s.openBlock(map[string]any{"type": "thinking", "thinking": "", "signature": ""})
		s.blockDelta(map[string]any{"type": "thinking_delta", "thinking": s.answer.Thinking})
		s.blockDelta(map[string]any{"type": "signature_delta", "signature": "c2lnbmVk"})
		s.closeBlock()
	}
}

// call tells the calls of tools, the last of them perhaps only in part.
func (s *stream) call() {
	for i, c := range s.answer.Calls {
		input, id := asJSON(c.Input), fmt.Sprintf("call_%s_%d", s.id, i)
		if i == len(s.answer.Calls)-1 && s.answer.CutCall > 0 {
			input = input[:min(s.answer.CutCall, len(input))]
		}
		half := len(input) / 2
		for half < len(input) && !utf8.RuneStart(input[half]) {
			half++
		}
		if s.ask.Protocol == OpenAI {
			s.chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": id, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""}}}}, nil)
			for _, piece := range []string{input[:half], input[half:]} {
				s.chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": piece}}}}, nil)
			}
			continue
		}
		s.openBlock(map[string]any{"type": "tool_use", "id": id, "name": c.Name, "input": map[string]any{}})
		for _, piece := range []string{input[:half], input[half:]} {
			s.blockDelta(map[string]any{"type": "input_json_delta", "partial_json": piece})
		}
		s.closeBlock()
	}
}

func (s *stream) delta(text string) {
	if s.ask.Protocol == OpenAI {
		s.chunk(map[string]any{"content": text}, nil)
		return
	}
	s.blockDelta(map[string]any{"type": "text_delta", "text": text})
}

func (s *stream) openBlock(block map[string]any) {
	s.event("content_block_start", map[string]any{"type": "content_block_start", "index": s.block, "content_block": block})
}

func (s *stream) blockDelta(delta map[string]any) {
	s.event("content_block_delta", map[string]any{"type": "content_block_delta", "index": s.block, "delta": delta})
}

func (s *stream) closeBlock() {
	s.event("content_block_stop", map[string]any{"type": "content_block_stop", "index": s.block})
	s.block++
}

func (s *stream) end() {
	input, output := s.usage()
	finished, stopped := "stop", "end_turn"
	if len(s.answer.Calls) > 0 {
		finished, stopped = "tool_calls", "tool_use"
	}
	if s.ask.Protocol == OpenAI {
		s.call()
		reason := map[string]string{"": finished, "length": "length", "refusal": "content_filter"}[s.answer.Stop]
		s.chunk(map[string]any{}, reason)
		if !s.answer.NoUsage {
			cached, _ := s.cached()
			s.event("", map[string]any{
				"id": "chatcmpl-" + s.id, "object": "chat.completion.chunk", "created": 1763222400, "model": s.ask.Model, "choices": []any{},
				"usage": map[string]any{
					"prompt_tokens": input + cached, "completion_tokens": output, "total_tokens": input + cached + output,
					"prompt_tokens_details": map[string]any{"cached_tokens": cached},
				},
			})
		}
		s.send("data: [DONE]\n\n")
		return
	}
	reason := map[string]string{"": stopped, "length": "max_tokens", "refusal": "refusal"}[s.answer.Stop]
	s.closeBlock()
	s.call()
	s.event("message_delta", map[string]any{
		"type": "message_delta", "delta": map[string]any{"stop_reason": reason, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": output},
	})
	s.event("message_stop", map[string]any{"type": "message_stop"})
}

func (s *stream) chunk(delta map[string]any, reason any) {
	s.event("", map[string]any{
		"id": "chatcmpl-" + s.id, "object": "chat.completion.chunk", "created": 1763222400, "model": s.ask.Model, "system_fingerprint": fmt.Sprintf("fp_%s", s.id),
		"choices": []any{map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason}},
	})
}
