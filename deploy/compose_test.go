//go:build unix

package deploy

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/bundle-delivery/svc/internal/edge"
	"github.com/bundle-delivery/svc/internal/harness"
	"github.com/bundle-delivery/svc/internal/needs"
)

func TestComposeFileHoldsTogether(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Image       string
			Command     []string
			Environment map[string]string
			DependsOn   any `yaml:"depends_on"`
			Volumes     []string
			Healthcheck struct{ Test []string }
			Networks    map[string]struct {
				Address string `yaml:"ipv4_address"`
			}
		}
		Volumes map[string]any
	}
	text := read(t, "compose/compose.yaml")
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	for name, service := range file.Services {
		if service.Image == "" || strings.HasSuffix(service.Image, ":latest") && !strings.HasPrefix(service.Image, "svcd:") {
			t.Errorf("%s: the image %q has no version", name, service.Image)
		}
		for _, v := range service.Volumes {
			source, _, _ := strings.Cut(v, ":")
			if _, named := file.Volumes[source]; !named && !strings.HasPrefix(source, ".") {
				t.Errorf("%s: the volume %s is not made", name, source)
			}
			if strings.HasPrefix(source, ".") {
				if _, err := os.Stat(filepath.Join("compose", source)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		for _, word := range service.Command {
			if strings.Contains(word, "${") {
				t.Errorf("%s: everybody on the machine can read %s in its command", name, word)
			}
		}
		for _, other := range dependencies(service.DependsOn) {
			if _, ok := file.Services[other]; !ok {
				t.Errorf("%s depends on %s, which is not there", name, other)
			}
		}
	}
	for _, name := range []string{"svcd1", "svcd2"} {
		waits := dependencies(file.Services[name].DependsOn)
		for _, engine := range []string{"postgres", "s3", "bucket", "nats1", "nats2", "nats3"} {
			if !slices.Contains(waits, engine) {
				t.Errorf("%s does not wait for %s", name, engine)
			}
		}
		trusts, balancer := file.Services[name].Environment["SVCD_TRUSTED_PROXY"], file.Services["balancer"].Networks["default"].Address
		if trusts != balancer || balancer == "" {
			t.Errorf("%s believes %q, and the balancer has %q", name, trusts, balancer)
		}
	}
	// The image makes a new database with a server that listens at its socket alone.
	if ask := file.Services["postgres"].Healthcheck.Test; !slices.Contains(ask, "-h") {
		t.Errorf("%q calls a database healthy to which nobody can connect yet", ask)
	}
	asked := regexp.MustCompile(`\$\{([A-Z0-9_]+)`)
	example := read(t, "compose/.env.example")
	for _, m := range asked.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(example, m[1]+"=") {
			t.Errorf(".env.example does not have %s", m[1])
		}
	}
}

// dependencies reads both forms of depends_on.
func dependencies(of any) []string {
	var names []string
	switch v := of.(type) {
	case []any:
		for _, name := range v {
			text, _ := name.(string)
			names = append(names, text)
		}
	case map[string]any:
		names = slices.Collect(maps.Keys(v))
	}
	return names
}

func haproxy(t *testing.T) string {
	t.Helper()
	if program, err := exec.LookPath("/usr/sbin/haproxy"); err == nil {
		return program // it is not in everybody's path
	}
	return needs.Program(t, "haproxy", "install the Debian package haproxy")
}

// The names of containers lead nowhere here; the balancer starts all the same, and
// asks for them for as long as it takes.
func TestBalancerStartsBeforeItsServers(t *testing.T) {
	run(t, haproxy(t), "-c", "-f", "compose/haproxy.cfg")
	for _, line := range regexp.MustCompile(`(?m)^ +server .*$`).FindAllString(read(t, "compose/haproxy.cfg"), -1) {
		if strings.Contains(line, "resolvers") || strings.Contains(line, "init-addr") {
			t.Errorf("%s has settings of its own", line)
		}
	}
	for _, want := range []string{"\n    parse-resolv-conf\n", " resolvers engine init-addr last,libc,none\n"} {
		if !strings.Contains(read(t, "compose/haproxy.cfg"), want) {
			t.Errorf("the balancer lacks %q", want)
		}
	}
}

// startBalancer runs the balancer of the compose file before a server, which it
// connects to from an address of its own. Whatever the limit of open files is here,
// it has to start.
func startBalancer(t *testing.T, server, from string) (address string) {
	t.Helper()
	address = freeAddresses(t, 1)[0]
	config := strings.ReplaceAll(read(t, "compose/haproxy.cfg"), "bind :8443", "bind "+address)
	config = strings.ReplaceAll(config, " inter 2s ", " inter 100ms ")
	for _, name := range []string{"svcd1", "svcd2"} {
		config = strings.ReplaceAll(config, "server "+name+" "+name+":8443", "server "+name+" "+server+" source "+from)
	}
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, haproxy(t), "-db", "-f", file)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		end()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("the balancer said:\n%s", said.String())
		}
	})
	return address
}

func TestClientsBehindTheBalancerAreKnownByTheirAddress(t *testing.T) {
	const balancer, client = "127.0.0.2", "127.0.0.3" // Linux has the whole range
	haproxy(t)
	data := filepath.Join(t.TempDir(), "data")
	d, err := harness.Start(context.WithoutCancel(t.Context()), program(t), data, "--proxy-protocol", "--trusted-proxy", balancer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Stop(); err != nil {
			t.Error(err)
		}
	})
	address := startBalancer(t, strings.TrimPrefix(d.Base, "https://"), balancer)
	own, ok := d.Client.Transport.(*http.Transport)
	if !ok {
		t.Fatal("the client has another transport")
	}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(client)}}
	through := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: own.TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}, DialContext: dialer.DialContext,
	}}
	defer through.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for status := 0; status != http.StatusUnauthorized; {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/bundles", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := through.Do(req)
		if err == nil {
			status = resp.StatusCode
			_ = resp.Body.Close() // its status says it all
			continue
		}
		select {
		case <-again.C: // the balancer has yet to find its server well
		case <-ctx.Done():
			t.Fatal(err)
		}
	}
	log := read(t, data+".log")
	found := false
	for line := range strings.Lines(log) {
		if strings.Contains(line, "/bundles") {
			found = strings.Contains(line, fmt.Sprintf("%q", client))
		}
	}
	if !found {
		t.Errorf("the log does not have the request of %s:\n%s", client, log)
	}
}

// What is wrong is said by the answers, and a balancer that closed the connection
// would keep it to itself.
func TestWhileNoServerIsReadyTheBalancerPassesTheirAnswersOn(t *testing.T) {
	const balancer = "127.0.0.2"
	haproxy(t)
	checks := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		if r.URL.Path == "/readyz" {
			select {
			case checks <- struct{}{}:
			case <-r.Context().Done():
			}
		}
	}))
	server.Listener = edge.Proxies{netip.MustParsePrefix(balancer + "/32")}.ProxyProtocol(server.Listener, nil)
	server.StartTLS()
	defer server.Close()
	address := startBalancer(t, server.Listener.Addr().String(), balancer)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	// Both entries of the server are out after two failures each.
	for range 8 {
		select {
		case <-checks:
		case <-ctx.Done():
			t.Fatal("the balancer does not check its servers")
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/bundles", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatalf("the balancer keeps the answer to itself: %v", err)
	}
	defer func() { _ = resp.Body.Close() }() // its status says it all
	if resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("the answer is %s", resp.Status)
	}
}
