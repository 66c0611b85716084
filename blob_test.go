package svc_test

import (
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
)

// A key is a name that means the same to every file system and every store.
func TestBlobKeys(t *testing.T) {
	for _, key := range []string{
		"a", "z", "0", "9", "az09", "a-b_c.d", "a/b/c", "..a", "a..b", "...", strings.Repeat("k", 255),
	} {
		if err := svc.CheckBlobKey(key); err != nil {
			t.Errorf("%.20q is refused: %v", key, err)
		}
	}
	for _, key := range []string{
		"", "A", "Z", "`", "{", ":", "\\", "a b", "a\x00", "é", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", "./a",
		strings.Repeat("k", 256),
	} {
		if err := svc.CheckBlobKey(key); err == nil {
			t.Errorf("%.20q is taken for a key", key)
		}
	}
}
