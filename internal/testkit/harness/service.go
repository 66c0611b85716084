package harness

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Service is a running service as its clients and its operators know it: one
// process, or many behind an address.
type Service struct {
	Base   string // its address, https://host:port
	Data   string // its data folder; the certificate is in tls/ below it
	Client *http.Client
	// Program is the svcd that operators run, Environment what they need in the
	// environment for it: where the service keeps things, if not in the folder.
	Program     string
	Environment []string
}

// Answers says whether an address answers with 200.
func Answers(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	if err := resp.Body.Close(); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, resp.Status)
	}
	return nil
}

// Trusting gives a client that speaks HTTP/1.1 and trusts one authority.
func Trusting(caFile string) (*http.Client, error) {
	pem, err := os.ReadFile(filepath.Clean(caFile))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", caFile)
	}
	http1 := new(http.Protocols)
	http1.SetHTTP1(true)
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13},
		Protocols:       http1, MaxIdleConnsPerHost: 64,
	}}, nil
}

// Admin runs an operator command on the server's data folder.
func (s *Service) Admin(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.Program, append(args, "--data-dir", s.Data)...)
	cmd.Env = append(os.Environ(), s.Environment...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("svcd %s: %w: %s", strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}

// Tenant is an account with a key and a project whose first bundle waits.
type Tenant struct {
	Key       string
	ProjectID string `json:"projectId"`
	BundleID  string `json:"bundleId"`
}

// Tenant makes an account and imports a folder into it.
func (s *Service) Tenant(ctx context.Context, email, tree string) (Tenant, error) {
	var t Tenant
	if _, err := s.Admin(ctx, "account", "create", "--email", email, "--plan", "developer"); err != nil {
		return t, err
	}
	key, err := s.Admin(ctx, "key", "create", "--account", email, "--name", "harness")
	if err != nil {
		return t, err
	}
	t.Key = key
	out, err := s.Admin(ctx, "project", "import", tree, "--account", email)
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal([]byte(out), &t)
}

// Do sends a request with a key, copies the answer's body to sink and returns
// its status. Header fields come in pairs.
func (s *Service) Do(ctx context.Context, key, method, path string, sink io.Writer, header ...string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.Base+path, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(sink, resp.Body); err != nil {
		return resp.StatusCode, err
	}
	return resp.StatusCode, nil
}
