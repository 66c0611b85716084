package wiretest

import (
	"bytes"
	"encoding/json"
	"strings"
)

// cacheBlock is a piece of a request in the order in which a provider reads it: first
// the tools, then the rules, then the conversation.
type cacheBlock struct {
	text   string
	marked bool
}

// asSent takes a request apart into the bytes that were sent. Where the marks stand is
// no part of what providers compare.
func asSent(body []byte) []cacheBlock {
	var q struct {
		Tools    []json.RawMessage `json:"tools"`
		System   []json.RawMessage `json:"system"`
		Messages []json.RawMessage `json:"messages"`
	}
	_ = json.Unmarshal(body, &q) // it is read again, strictly
	var out []cacheBlock
	add := func(role string, pieces []json.RawMessage) {
		for _, piece := range pieces {
			text := bytes.Replace(piece, []byte(`,"cache_control":{"type":"ephemeral"}`), nil, 1)
			out = append(out, cacheBlock{text: role + string(text), marked: len(text) < len(piece)})
		}
	}
	add("", q.Tools)
	add("", q.System)
	for _, raw := range q.Messages {
		var m struct {
			Role    string            `json:"role"`
			Content []json.RawMessage `json:"content"`
		}
		if json.Unmarshal(raw, &m) != nil || m.Content == nil { // one text
			m.Content = []json.RawMessage{raw}
		}
		add(m.Role, m.Content)
	}
	return out
}

// cache knows the beginnings of requests whose answers have begun, as the providers
// document theirs: Anthropic's up to a mark, OpenAI's by itself and in steps.
type cache struct {
	marked map[string]bool
	whole  []string
}

const (
	bytesPerToken = 4
	cacheLeast    = 1024 * bytesPerToken
	cacheStep     = 128 * bytesPerToken
)

// read tells how much of a request is known, and how much is read for later.
func (c *cache) read(a Ask) (known, written int64) {
	if a.Protocol == OpenAI {
		text, most := joined(a.blocks), 0
		for _, other := range c.whole {
			most = max(most, common(text, other))
		}
		if most < cacheLeast {
			return 0, 0
		}
		return int64(most / cacheStep * cacheStep / bytesPerToken), 0
	}
	var text strings.Builder
	hit, last := 0, 0
	for _, b := range a.blocks {
		text.WriteString(b.text)
		if !b.marked || text.Len() < cacheLeast {
			continue
		}
		if last = text.Len(); c.marked[text.String()] {
			hit = last
		}
	}
	return int64(hit / bytesPerToken), int64((last - hit) / bytesPerToken)
}

// add notes what a request began with.
func (c *cache) add(a Ask) {
	if a.Protocol == OpenAI {
		c.whole = append(c.whole, joined(a.blocks))
		return
	}
	if c.marked == nil {
		c.marked = make(map[string]bool)
	}
	var text strings.Builder
	for _, b := range a.blocks {
		if text.WriteString(b.text); b.marked {
			c.marked[text.String()] = true
		}
	}
}

func joined(blocks []cacheBlock) string {
	var s strings.Builder
	for _, b := range blocks {
		s.WriteString(b.text)
	}
	return s.String()
}

func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
