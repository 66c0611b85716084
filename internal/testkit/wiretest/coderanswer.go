package wiretest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// coderAnswer is one answer to an agent.
type coderAnswer struct {
	w    http.ResponseWriter
	ask  CoderAsk
	step Step
	id   int
}

// Every answer of a Coder is told as this many tokens.
const (
	CoderInput  = 1000
	CoderOutput = 50
)

type object = map[string]any

func (a *coderAnswer) calls() bool {
	return a.step.File != "" || a.step.Command != "" || a.step.Tool != ""
}

func (a *coderAnswer) send() {
	switch {
	case !a.ask.Streamed:
		a.w.Header().Set("Content-Type", "application/json")
		a.write(encode(a.whole()))
		return
	case a.step.Cut:
		a.w.Header().Set("Content-Type", "text/event-stream")
		a.write("data: {\"ty")
		panic(http.ErrAbortHandler)
	}
	a.w.Header().Set("Content-Type", "text/event-stream")
	switch a.ask.Protocol {
	case OpenAI:
		a.chat()
	case Responses:
		a.responses()
	default:
		a.messages()
	}
}

func (a *coderAnswer) write(text string) {
	_, _ = a.w.Write([]byte(text)) // the agent may have gone
	_ = http.NewResponseController(a.w).Flush()
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only what is known here is sent
	}
	return string(text)
}

func (a *coderAnswer) event(name string, data object) {
	if name != "" {
		data["type"] = name
		a.write("event: " + name + "\n")
	}
	a.write("data: " + encode(data) + "\n\n")
}

// call is the tool that is called, with its arguments as text.
func (a *coderAnswer) call() (id, name, arguments string) {
	name, given := a.ask.tool(a.step)
	return fmt.Sprintf("call_%d", a.id), name, encode(given)
}

func chatUsage() object {
	return object{"prompt_tokens": CoderInput, "completion_tokens": CoderOutput, "total_tokens": CoderInput + CoderOutput}
}

func (a *coderAnswer) chatMessage() (message object, reason string) {
	if !a.calls() {
		return object{"role": "assistant", "content": a.step.Text}, "stop"
	}
	id, name, arguments := a.call()
	return object{"role": "assistant", "content": nil, "tool_calls": []object{
		{"index": 0, "id": id, "type": "function", "function": object{"name": name, "arguments": arguments}},
	}}, "tool_calls"
}

func (a *coderAnswer) chat() {
	chunk := func(delta object, reason any) {
		a.event("", object{
			"id": fmt.Sprintf("chatcmpl-%d", a.id), "object": "chat.completion.chunk", "created": 1763222400, "model": a.ask.Model,
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": reason}},
		})
	}
	message, reason := a.chatMessage()
	chunk(message, nil)
	chunk(object{}, reason)
	a.event("", object{
		"id": fmt.Sprintf("chatcmpl-%d", a.id), "object": "chat.completion.chunk", "created": 1763222400, "model": a.ask.Model,
		"choices": []object{}, "usage": chatUsage(),
	})
	a.write("data: [DONE]\n\n")
}

func responsesUsage() object {
	return object{
		"input_tokens": CoderInput, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": CoderOutput,
		"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": CoderInput + CoderOutput,
	}
}

func (a *coderAnswer) responseItem() object {
	if !a.calls() {
		return object{
			"type": "message", "id": fmt.Sprintf("msg_%d", a.id), "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": a.step.Text, "annotations": []any{}}},
		}
	}
	id, name, arguments := a.call()
	return object{"type": "function_call", "id": fmt.Sprintf("fc_%d", a.id), "call_id": id, "name": name, "arguments": arguments, "status": "completed"}
}

func (a *coderAnswer) response(status string, output ...object) object {
	r := object{"id": fmt.Sprintf("resp_%d", a.id), "object": "response", "created_at": 1763222400, "status": status, "model": a.ask.Model, "output": output}
	if status == "completed" {
		r["usage"] = responsesUsage()
	}
	return r
}

func (a *coderAnswer) responses() {
	item := a.responseItem()
	a.event("response.created", object{"response": a.response("in_progress")})
	a.event("response.output_item.added", object{"output_index": 0, "item": item})
	if !a.calls() {
		a.event("response.output_text.delta", object{"output_index": 0, "content_index": 0, "item_id": item["id"], "delta": a.step.Text})
	}
	a.event("response.output_item.done", object{"output_index": 0, "item": item})
	a.event("response.completed", object{"response": a.response("completed", item)})
}

func (a *coderAnswer) block() (block object, delta object, reason string) {
	if !a.calls() {
		return object{"type": "text", "text": ""}, object{"type": "text_delta", "text": a.step.Text}, "end_turn"
	}
	id, name, arguments := a.call()
	return object{"type": "tool_use", "id": id, "name": name, "input": object{}}, object{"type": "input_json_delta", "partial_json": arguments}, "tool_use"
}

func (a *coderAnswer) messages() {
	block, delta, reason := a.block()
	a.event("message_start", object{"message": object{
		"id": fmt.Sprintf("msg_%d", a.id), "type": "message", "role": "assistant", "model": a.ask.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": CoderInput, "output_tokens": 1},
	}})
	a.event("content_block_start", object{"index": 0, "content_block": block})
	a.event("content_block_delta", object{"index": 0, "delta": delta})
	a.event("content_block_stop", object{"index": 0})
	a.event("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": CoderOutput}})
	a.event("message_stop", object{})
}

// whole is the answer that is not streamed.
func (a *coderAnswer) whole() object {
	switch a.ask.Protocol {
	case OpenAI:
		message, reason := a.chatMessage()
		return object{
			"id": fmt.Sprintf("chatcmpl-%d", a.id), "object": "chat.completion", "created": 1763222400, "model": a.ask.Model,
			"choices": []object{{"index": 0, "message": message, "finish_reason": reason}}, "usage": chatUsage(),
		}
	case Responses:
		return a.response("completed", a.responseItem())
	}
	return object{
		"id": fmt.Sprintf("msg_%d", a.id), "type": "message", "role": "assistant", "model": a.ask.Model,
		"content": []object{{"type": "text", "text": a.step.Text}}, "stop_reason": "end_turn",
		"usage": object{"input_tokens": CoderInput, "output_tokens": CoderOutput},
	}
}
