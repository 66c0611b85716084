package setting

import "testing"

func TestBaseURLsThatCanBeServed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://example.com":                "https://example.com",
		"https://example.com:65535/a/b.c/":   "https://example.com:65535/a/b.c",
		"https://[2001:db8::1]":              "https://[2001:db8::1]",
		"https://[::1]:8443/svc":             "https://[::1]:8443/svc",
		"https://192.0.2.1":                  "https://192.0.2.1",
		"https://xn--bcher-kva.example":      "https://xn--bcher-kva.example",
		"https://my_service:8443/deliver-to": "https://my_service:8443/deliver-to",
	} {
		if got, err := parseBaseURL(text); err != nil || got.String() != want {
			t.Errorf("%s is %v, %v; want %s", text, got, err, want)
		}
	}
}
