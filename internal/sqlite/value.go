package sqlite

import (
	"encoding/json"
	"fmt"
)

// listText is a list as SQLite's json_each takes it apart.
func listText[T []string | []int64](v T) (string, error) {
	if v == nil {
		return "[]", nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("write a list as JSON: %w", err)
	}
	return string(text), nil
}
