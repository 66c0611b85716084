package setting

import (
	"strings"
	"testing"
)

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

func TestHostsAreNamedAsInCertificates(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", 63)
	long := strings.Repeat(label+".", 3)
	for host, good := range map[string]bool{
		"a": true, "A-1.b_2": true, label: true, long + label[:61]: true, "192.0.2.1": true, "2001:db8::1": true,
		"": false, "a..b": false, "a.": false, ".a": false, "-a": false, "a-.b": false, label + "a": false, long + label[:62]: false,
		"a b": false, "bücher": false, "a/b": false, "a{b": false, "[a": false, "a@b": false, "0.0.0.0": false, "::": false, "fe80::1%eth0": false,
	} {
		if err := CheckHost(host); (err == nil) != good {
			t.Errorf("%q: %v", host, err)
		}
	}
}
