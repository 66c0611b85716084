package svc_test

import (
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"pgregory.net/rapid"
)

// Promise: key-form
func TestParseKeyAcceptsOnlyTheFormat(t *testing.T) {
	const good = "svc_a1b2c3d4_0123456789abcdef0123456789abcdef"
	for name, tt := range map[string]struct {
		key string
		ok  bool
	}{
		"well formed":             {good, true},
		"upper-case hexadecimal":  {"svc_A1B2C3D4_0123456789ABCDEF0123456789ABCDEF", true},
		"empty":                   {"", false},
		"other scheme":            {"key_a1b2c3d4_0123456789abcdef0123456789abcdef", false},
		"truncated":               {good[:len(good)-1], false},
		"one character too many":  {good + "0", false},
		"leading space":           {" " + good, false},
		"trailing space":          {good + " ", false},
		"trailing newline":        {good + "\n", false},
		"space for a digit":       {strings.Replace(good, "0123", "01 3", 1), false},
		"secret not hexadecimal":  {"svc_a1b2c3d4_0123456789abcdef0123456789abcdeg", false},
		"prefix with punctuation": {"svc_a1b2c3d-_0123456789abcdef0123456789abcdef", false},
		"second separator absent": {"svc_a1b2c3d4x0123456789abcdef0123456789abcdef", false},
		"letters beyond ASCII":    {"svc_a1b2c3é_0123456789abcdef0123456789abcdef", false},
	} {
		t.Run(name, func(t *testing.T) {
			prefix, ok := svc.ParseKey(tt.key)
			if ok != tt.ok {
				t.Fatalf("ParseKey(%q) ok = %v, want %v", tt.key, ok, tt.ok)
			}
			if ok && prefix != tt.key[4:12] {
				t.Errorf("prefix = %q, want %q", prefix, tt.key[4:12])
			}
		})
	}
}

func TestParseKeyNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "key")
		if prefix, ok := svc.ParseKey(text); ok && !strings.HasPrefix(text, "svc_"+prefix+"_") {
			t.Fatalf("ParseKey(%q) = %q", text, prefix)
		}
	})
}

func TestNewKeyMatchesItsRecordAlone(t *testing.T) {
	full, record := svc.NewKey()
	other, _ := svc.NewKey()
	prefix, ok := svc.ParseKey(full)
	if !ok || prefix != record.Prefix {
		t.Fatalf("ParseKey of a new key = %q, %v; its record has %q", prefix, ok, record.Prefix)
	}
	if !record.Matches(full) {
		t.Error("a new key does not match its own record")
	}
	if record.Matches(other) || record.Matches(full[:len(full)-1]) || record.Matches("") {
		t.Error("a record matches a key that is not its own")
	}
	if strings.Contains(string(record.Hash[:]), full[13:]) {
		t.Error("the record holds the secret")
	}
}

func TestKeyIsUsableUntilItExpiresOrIsRevoked(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		key  svc.Key
		want bool
	}{
		"neither":            {svc.Key{}, true},
		"expires later":      {svc.Key{ExpiresAt: now.Add(time.Millisecond)}, true},
		"expires now":        {svc.Key{ExpiresAt: now}, false},
		"revoked":            {svc.Key{RevokedAt: now.Add(-time.Hour)}, false},
		"revoked in advance": {svc.Key{RevokedAt: now.Add(time.Hour)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.key.Usable(now); got != tt.want {
				t.Errorf("Usable = %v, want %v", got, tt.want)
			}
		})
	}
}
