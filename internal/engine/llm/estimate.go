package llm

import "encoding/json"

// bytesPerToken is a rule of thumb, used while a provider has not counted.
const bytesPerToken = 4

// EstimateTokens guesses how many tokens a text of so many bytes has.
func EstimateTokens(bytes int) int64 { return int64((bytes + bytesPerToken - 1) / bytesPerToken) }

// EstimateInput guesses how many tokens a call sends.
func EstimateInput(c Call) int64 {
	n := len(c.System)
	for _, t := range c.Tools {
		n += len(t.Name) + len(t.Description)
		if schema, err := json.Marshal(t.Input); err == nil {
			n += len(schema)
		}
	}
	for _, m := range c.Messages {
		for _, p := range m.Parts {
			n += len(p.Text)
		}
		for _, call := range m.Calls {
			n += len(call.Name) + len(call.Input)
		}
		for _, r := range m.Results {
			n += len(r.Text)
		}
	}
	return EstimateTokens(n)
}
