package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Promise: https-enforced
func TestPlainHTTPIsRefusedAndNeverRedirected(t *testing.T) {
	t.Parallel()
	i := start(t)
	key := i.account(email)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+i.address+"/bundles", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := new(http.Transport).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var body struct{ Code, Error, Hint, RequestID string }
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != 400 || answer.Header.Get("Location") != "" || body.Code != "INVALID_REQUEST" || !strings.Contains(body.Hint, i.base) {
		t.Errorf("got %s %+v", answer.Status, body)
	}
}

// Promise: tls-strong
func TestHTTPVersionsAndTLSVersions(t *testing.T) {
	t.Parallel()
	i := start(t)
	for _, tc := range []struct {
		name    string
		h2      bool
		max     uint16
		want    string
		refused bool
	}{
		{"HTTP/2 over TLS 1.3", true, tls.VersionTLS13, "HTTP/2.0", false},
		{"HTTP/1.1 over TLS 1.2", false, tls.VersionTLS12, "HTTP/1.1", false},
		{"TLS 1.1", false, tls.VersionTLS11, "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			transport := &http.Transport{
				ForceAttemptHTTP2: tc.h2,
				TLSClientConfig:   &tls.Config{RootCAs: i.trust(), MinVersion: tls.VersionTLS10, MaxVersion: tc.max},
			}
			defer transport.CloseIdleConnections()
			answer, err := (&http.Client{Transport: transport}).Get(i.base + "/healthz")
			if tc.refused {
				if err == nil {
					_ = answer.Body.Close()
					t.Error("it was answered")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.Proto != tc.want || answer.StatusCode != 200 {
				t.Errorf("got %s %s, want %s", answer.Proto, answer.Status, tc.want)
			}
		})
	}
}

// Every suite of TLS 1.2 that crypto/tls can offer is offered alone: those with
// forward secrecy and authenticated encryption are taken, the others are not.
// Promise: tls-strong
func TestOnlyStrongSuitesAreSpoken(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	certFile, keyFile := filepath.Join(files, "cert.pem"), filepath.Join(files, "key.pem")
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ownPair(t, certFile, keyFile, key)
	for kind, i := range map[string]*instance{"_ECDHE_ECDSA_": start(t), "_ECDHE_RSA_": start(t, "--tls-cert", certFile, "--tls-key", keyFile)} {
		for _, suite := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
			if !slices.Contains(suite.SupportedVersions, tls.VersionTLS12) {
				continue
			}
			dialer := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite.ID}}} // whose certificate it is, is of no interest here
			conn, err := dialer.DialContext(t.Context(), "tcp", i.address)
			if err == nil {
				_ = conn.Close()
			}
			strong := strings.Contains(suite.Name, kind) && (strings.Contains(suite.Name, "_GCM_") || strings.Contains(suite.Name, "_POLY1305_"))
			if spoken := err == nil; spoken != strong {
				t.Errorf("%s is spoken with the certificate for %s: %v, want %v (%v)", suite.Name, kind, spoken, strong, err)
			}
		}
	}
}

func TestEveryNameOfTheCertificateIsAccepted(t *testing.T) {
	t.Parallel()
	i := start(t, "--base-url", "https://bundles.example.com:9443/api")
	_, port, err := net.SplitHostPort(i.address)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bundles.example.com", "localhost", "127.0.0.1", "::1"} {
		t.Run(name, func(t *testing.T) {
			dialer := &tls.Dialer{Config: &tls.Config{RootCAs: i.trust(), ServerName: name}}
			conn, err := dialer.DialContext(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", port))
			if err != nil {
				t.Fatal(err)
			}
			_ = conn.Close()
		})
	}
}

// Promise: base-path
func TestRoutesStandUnderThePathOfTheBaseURL(t *testing.T) {
	t.Parallel()
	i := start(t, "--base-url", "https://localhost/under/here/")
	client := &http.Client{Transport: i.transport()}
	for path, want := range map[string]int{"/under/here/healthz": 200, "/healthz": 401, "/under/here/bundles": 401} {
		answer, err := client.Get("https://" + i.address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, answer.StatusCode, want)
		}
	}
}

// ownPair writes a self-signed certificate for localhost and returns it.
func ownPair(t *testing.T, certFile, keyFile string, key crypto.Signer) *x509.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	rawKey, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: raw}, keyFile: {Type: "PRIVATE KEY", Bytes: rawKey},
	} {
		if err := os.WriteFile(name+".new", pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".new", name); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func TestOwnCertificateIsReloadedWithoutARestart(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	certFile, keyFile := filepath.Join(files, "cert.pem"), filepath.Join(files, "key.pem")
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	first := ownPair(t, certFile, keyFile, key)
	i := start(t, "--tls-cert", certFile, "--tls-key", keyFile)
	shown := func() *x509.Certificate {
		dialer := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} // the test compares the certificate itself
		conn, err := dialer.DialContext(t.Context(), "tcp", i.address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		secure, ok := conn.(*tls.Conn)
		if !ok {
			t.Fatalf("dialled a %T", conn)
		}
		return secure.ConnectionState().PeerCertificates[0]
	}
	if !shown().Equal(first) {
		t.Fatal("another certificate than the given one is shown")
	}
	if _, err := os.Stat(filepath.Join(i.dir, "tls")); !os.IsNotExist(err) {
		t.Error("a local authority was made beside the own certificate")
	}
	second := ownPair(t, certFile, keyFile, key)
	eventually(t, "the new certificate is shown", func() bool { return shown().Equal(second) })
}

var listening = regexp.MustCompile(`"on":"(\w+)","address":"([^"]+)"`)

// listener finds where a listener is in the log.
func (i *instance) listener(name string) string {
	i.t.Helper()
	for _, found := range listening.FindAllStringSubmatch(i.log.String(), -1) {
		if found[1] == name {
			return found[2]
		}
	}
	i.t.Fatalf("no listener %q in the log:\n%s", name, i.log)
	return ""
}

func TestProxyListener(t *testing.T) {
	t.Parallel()
	i := start(t, "--proxy-listen", "127.0.0.1:0", "--trusted-proxy", "127.0.0.0/8")
	key := i.account(email)
	address := i.listener("proxy")
	for proto, want := range map[string]int{"https": 200, "http": 400, "": 400} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/bundles", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		if proto != "" {
			r.Header.Set("X-Forwarded-Proto", proto)
		}
		answer, err := new(http.Transport).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("X-Forwarded-Proto %q: got %s, want %d", proto, answer.Status, want)
		}
	}
}

func TestStrangersOnTheProxyListenerAreNotAnswered(t *testing.T) {
	t.Parallel()
	i := start(t, "--proxy-listen", "127.0.0.1:0", "--trusted-proxy", "10.0.0.0/8,192.0.2.1")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+i.listener("proxy")+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-Proto", "https")
	if answer, err := new(http.Transport).RoundTrip(r); err == nil {
		_ = answer.Body.Close()
		t.Errorf("answered with %s", answer.Status)
	}
}

// Promise: readiness-own
func TestMetricsAndProfilesAreOnTheAdminAddressOnly(t *testing.T) {
	t.Parallel()
	i := start(t, "--admin-listen", "127.0.0.1:0")
	key := i.account(email)
	made := i.importFiles(email, map[string]string{"a": "a"})
	for range 3 {
		i.want(200, "", "POST", "/projects/"+made.ProjectID+"/bundles/repackage", key)
	}
	i.want(429, "", "POST", "/projects/"+made.ProjectID+"/bundles/repackage", key)
	get := func(p *instance, path string) string {
		answer, err := http.Get("http://" + p.listener("admin") + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != 200 {
			t.Errorf("%s: %s, %v", path, answer.Status, err)
		}
		return string(body)
	}
	uncounted := map[string]int{ // by all processes together
		`svcd_http_requests_total{method="POST",route="/projects/{projectId}/bundles/repackage",status="200"}`: 3,
		`svcd_limits_refused_total{code="TOO_MANY_REQUESTS",operation="repackage"}`:                            1,
	}
	for _, p := range i.processes() {
		metrics := get(p, "/metrics")
		for _, line := range []string{
			`svcd_bundles{status="pending_download"} 4`,
			`svcd_part_up{part="records"} 1`, `svcd_part_up{part="bytes"} 1`, `svcd_part_up{part="events"} 1`,
		} {
			if !strings.Contains(metrics, line) {
				t.Errorf("the metrics lack %s", line)
			}
		}
		for name := range uncounted {
			_, number, _ := strings.Cut(metrics, "\n"+name+" ")
			number, _, _ = strings.Cut(number, "\n")
			n, _ := strconv.Atoi(number) // what a process never counted it does not show
			uncounted[name] -= n
		}
		for _, id := range []string{made.BundleID, made.ProjectID, key[4:12]} {
			if strings.Contains(metrics, id) {
				t.Errorf("the metrics show the id %s", id)
			}
		}
		if !strings.Contains(get(p, "/debug/pprof/"), "goroutine") {
			t.Error("no profiles on the admin address")
		}
		if got := get(p, "/healthz"); !strings.Contains(got, `"ok"`) {
			t.Errorf("the admin address is %q", got)
		}
	}
	for name, left := range uncounted {
		if left != 0 {
			t.Errorf("%s is off by %d", name, -left)
		}
	}
	i.want(404, "NOT_FOUND", "GET", "/metrics", key)
	i.want(404, "NOT_FOUND", "GET", "/debug/pprof/", key)
	i.want(401, "INVALID_API_KEY", "GET", "/metrics", "")
}
