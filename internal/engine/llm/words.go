package llm

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/llm/answer"
)

// spelledOut is a call for a provider that knows no tools: what was called and what
// came of it is told in words.
func spelledOut(c Call) Call {
	c.System += wordsText
	c.Tools = nil
	messages := make([]Message, 0, len(c.Messages))
	for _, m := range c.Messages {
		out := Message{FromModel: m.FromModel}
		for _, r := range m.Results {
			out.Parts = append(out.Parts, Part{Text: r.Text + "\n", Shared: r.Shared})
		}
		out.Parts = append(out.Parts, m.Parts...)
		var calls strings.Builder
		for _, call := range m.Calls {
			calls.WriteString(callInWords(call))
		}
		if calls.Len() > 0 {
			out.Parts = append(out.Parts, Part{Text: "\n" + calls.String()})
		}
		messages = append(messages, out)
	}
	c.Messages = messages
	return c
}

func callInWords(c ToolCall) string {
	a := answer.Called(c.Name, c.Input)
	if a.Name == "" || a.Wrong != "" || c.Name == answer.Plan {
		return c.Input + "\n"
	}
	return a.InWords()
}
