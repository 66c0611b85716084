package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bundle-delivery/svc/internal/text/printable"
)

// encode writes an answer as JSON for a reader: angle brackets stay as they are.
func encode(v any) (string, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(text.String(), "\n"), err
}

// hidden says whether a character is not seen although it is there: people would
// overlook what an agent reads in it.
func hidden(r rune) bool {
	switch {
	case r == '\n', r == '\t', r == '\r':
		return false
	case r == '\u200d', r == '\ufe0f': // parts of emoji
		return false
	}
	return printable.Steers(r) || unicode.Is(unicode.Cf, r) || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0000 && r <= 0xe0fff
}

// visible shows a text of others with its hidden characters made visible.
func visible(text string) string {
	return printable.Text(strings.Map(func(r rune) rune {
		if hidden(r) {
			return '·'
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n")))
}

// line is visible for what stays in its line.
func line(text string) string { return printable.Line(visible(text)) }

func hasHidden(text []byte) bool { return bytes.ContainsFunc(text, hidden) }

func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }

// cut shortens a text to a number of bytes, at the end of a line where there is one.
func cut(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	text = text[:max(limit, 0)]
	if end := strings.LastIndexByte(text, '\n'); end >= 0 {
		return text[:end+1], true
	}
	return strings.ToValidUTF8(text, ""), true
}

// keyPattern finds API keys, whose public part may be told.
var keyPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(svc_[A-Za-z0-9]{8}_)[0-9A-Fa-f]{32}`) })

// strike takes the secrets out of the API keys in a text.
func strike(text []byte) []byte { return keyPattern().ReplaceAll(text, []byte("${1}…")) }

// withoutKeys stands at the way out: whatever a tool or a resource answers, and
// wherever it has that from, there is no API key in it.
func withoutKeys(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		if err != nil {
			return nil, errorWithoutKeys(err)
		}
		switch r := result.(type) {
		case *sdk.CallToolResult:
			for _, c := range r.Content {
				if text, ok := c.(*sdk.TextContent); ok {
					text.Text = string(strike([]byte(text.Text)))
				}
			}
			if structured, ok := r.StructuredContent.(json.RawMessage); ok {
				r.StructuredContent = json.RawMessage(strike(structured))
			}
		case *sdk.ReadResourceResult:
			for _, c := range r.Contents {
				c.Text, c.Blob = string(strike([]byte(c.Text))), strike(c.Blob)
			}
		}
		return result, nil
	}
}

func errorWithoutKeys(err error) error {
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return &jsonrpc.Error{Code: wire.Code, Message: string(strike([]byte(wire.Message))), Data: strike(wire.Data)}
	}
	return errors.New(string(strike([]byte(err.Error()))))
}
