package client_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/client"
)

// Promise: client-ca-fingerprint
func TestAnAuthorityIsKeptOnlyWithItsFingerprint(t *testing.T) {
	var answer func(w http.ResponseWriter)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/base/ca.pem" || r.Header.Get("Authorization") != "" {
			t.Errorf("%s is asked for, with %v", r.URL.Path, r.Header)
		}
		answer(w)
	}))
	defer server.Close()
	der := server.Certificate().Raw
	text := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	sum := sha256.Sum256(der)
	right := hex.EncodeToString(sum[:])
	colons := strings.ToUpper(right[:2])
	for i := 2; i < len(right); i += 2 {
		colons += ":" + strings.ToUpper(right[i:i+2])
	}
	send := func(body string, status int) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	for _, fingerprint := range []string{right, colons} {
		answer = send(text, http.StatusOK)
		got, err := client.Authority(t.Context(), server.URL+"/base", fingerprint)
		if err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", fingerprint, got, err)
		}
	}
	wrong := strings.Repeat("0", 64)
	for want, try := range map[string]struct {
		fingerprint string
		answer      func(http.ResponseWriter)
	}{
		"not the one that you gave":  {wrong, send(text, http.StatusOK)},
		"64 hexadecimal digits":      {right[:62], send(text, http.StatusOK)},
		"no authority of its own":    {right, send("", http.StatusNotFound)},
		"is not one certificate":     {right, send("<html>welcome to the airport", http.StatusOK)},
		"not one certificate; other": {right, send(text+text, http.StatusOK)},
		"302":                        {right, func(w http.ResponseWriter) { w.Header().Set("Location", "/login"); w.WriteHeader(http.StatusFound) }},
	} {
		answer = try.answer
		got, err := client.Authority(t.Context(), server.URL+"/base", try.fingerprint)
		if err == nil || got != nil || !strings.Contains(err.Error(), strings.Split(want, "; ")[0]) {
			t.Errorf("want %q, got %q, %v", want, got, err)
		}
	}
}
