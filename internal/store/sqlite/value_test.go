package sqlite

import (
	"bytes"
	"testing"
)

func TestArgumentsAreFoundByTheirNumber(t *testing.T) {
	type kind string
	s := openNew(t)
	err := s.read(t.Context(), func(c *conn) error {
		var text kind
		var number int
		var truth bool
		var content, nothing []byte
		err := c.row(`SELECT $3, $1, $5, $2, $4`, []any{7, true, kind("k"), nil, []byte{}},
			[]any{&text, &number, &content, &truth, &nothing})
		if text != "k" || number != 7 || !truth || content == nil || !bytes.Equal(content, nil) || nothing != nil {
			t.Errorf("read %q, %d, %v, %v and %v", text, number, truth, content, nothing)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestValuesOfAnotherTypeAreRefused(t *testing.T) {
	s := openNew(t)
	for _, test := range []struct {
		name, query string
		args        []any
		to          any
	}{
		{"NULL for a text", `SELECT NULL`, nil, new(string)},
		{"NULL for a number", `SELECT NULL`, nil, new(int64)},
		{"a number for a text", `SELECT 1`, nil, new(string)},
		{"a text for a number", `SELECT '1'`, nil, new(int64)},
		{"a fraction for a number", `SELECT 0.5`, nil, new(int64)},
		{"no argument", `SELECT $2`, []any{1}, new(int64)},
		{"an argument without a number", `SELECT $one`, []any{1}, new(int64)},
		{"an argument that no column holds", `SELECT $1`, []any{struct{}{}}, new(any)},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := s.read(t.Context(), func(c *conn) error { return c.row(test.query, test.args, []any{test.to}) }); err == nil {
				t.Error("it was taken")
			}
			if _, err := s.Accounts().Count(t.Context()); err != nil {
				t.Errorf("the next question fails, too: %v", err)
			}
		})
	}
}
