// Package markup checks that nothing foreign becomes markup in a page of the console.
package markup

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var (
	inlineCode  = regexp.MustCompile(`(?i)<[a-z][^>"']*("[^"]*"[^>"']*|'[^']*'[^>"']*)*\s(on[a-z]+|style)=`) // outside quotes
	inlineStyle = regexp.MustCompile(`(?i)<style`)
	scriptTags  = regexp.MustCompile(`(?i)<script[^>]*>`)
	goodScript  = regexp.MustCompile(`^<script (src="/console/static/[\w./]+\?v=[0-9a-f]+" defer|type="application/json" id="figures")>$`)
)

// Check reports everything in a page of the console that is not the console's own:
// scripts, styles, images, and headers that would let them run.
func Check(t *testing.T, path string, header http.Header, page []byte) {
	t.Helper()
	body := string(page)
	for _, tag := range scriptTags.FindAllString(body, -1) {
		if !goodScript.MatchString(tag) {
			t.Errorf("%s has the tag %s", path, tag)
		}
	}
	for _, bad := range []string{inlineCode.FindString(body), inlineStyle.FindString(body)} {
		if bad != "" {
			t.Errorf("%s has %q", path, bad)
		}
	}
	if strings.Contains(body, "<img") {
		t.Errorf("%s has an image", path)
	}
	policy := header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("%s: the policy %q lacks %q", path, policy, part)
		}
	}
	if header.Get("Cache-Control") != "no-store" || header.Get("X-Frame-Options") != "DENY" {
		t.Errorf("%s: headers %v", path, header)
	}
}
