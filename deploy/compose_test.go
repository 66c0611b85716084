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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/web/edge"
)

// Promise: deploy-settings
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

// balancer is a running one, with what it says.
type balancer struct {
	address string
	mu      sync.Mutex
	said    bytes.Buffer
}

func (b *balancer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.said.Write(p)
}

func (b *balancer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.said.String()
}

// balancedFrom is the address that balancers of tests connect from; Linux has the
// whole range.
const balancedFrom = "127.0.0.2"

// startBalancer runs the balancer of the compose file before one server or two, which
// it asks now and then whether they are ready. Whatever the limit of open files is
// here, it has to start.
func startBalancer(t *testing.T, every time.Duration, servers ...string) *balancer {
	t.Helper()
	b := &balancer{address: freeAddresses(t, 1)[0]}
	config := strings.ReplaceAll(read(t, "compose/haproxy.cfg"), "bind :8443", "bind "+b.address)
	config = strings.ReplaceAll(config, " inter 2s ", fmt.Sprintf(" inter %dms ", every.Milliseconds()))
	for i, name := range []string{"svcd1", "svcd2"} {
		config = strings.ReplaceAll(config, "server "+name+" "+name+":8443", "server "+name+" "+servers[i%len(servers)]+" source "+balancedFrom)
	}
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, haproxy(t), "-db", "-f", file)
	cmd.Stdout, cmd.Stderr = b, b
	if err := cmd.Start(); err != nil {
		end()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("the balancer said:\n%s", b)
		}
	})
	return b
}

func TestClientsBehindTheBalancerAreKnownByTheirAddress(t *testing.T) {
	const client = "127.0.0.3"
	haproxy(t)
	data := filepath.Join(t.TempDir(), "data")
	d, err := harness.Start(context.WithoutCancel(t.Context()), program(t), data, "--proxy-protocol", "--trusted-proxy", balancedFrom)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Stop(); err != nil {
			t.Error(err)
		}
	})
	address := startBalancer(t, 100*time.Millisecond, strings.TrimPrefix(d.Base, "https://")).address
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
// Promise: balancer
func TestWhileNoServerIsReadyTheBalancerPassesTheirAnswersOn(t *testing.T) {
	haproxy(t)
	checks := make(chan struct{}, 1)
	server := serverBehind(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		if r.URL.Path == "/readyz" {
			select {
			case checks <- struct{}{}:
			case <-r.Context().Done():
			}
		}
	})
	address := startBalancer(t, 100*time.Millisecond, server.Listener.Addr().String()).address
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	// Both entries of the server are out after three failures each; that of the
	// third is known when a fourth is asked for.
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

// serverBehind is a server that a balancer stands before.
func serverBehind(t *testing.T, answer http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(answer)
	server.Listener = edge.Proxies{netip.MustParsePrefix(balancedFrom + "/32")}.ProxyProtocol(server.Listener, nil)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// A process that refuses once or twice keeps its share; one that goes on refusing gets
// nothing more, and the others all.
// Promise: balancer
func TestTheBalancerTakesOutAServerThatGoesOnRefusing(t *testing.T) {
	haproxy(t)
	var refusing [2]atomic.Int32 // how many checks are still refused
	asked := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	var addresses []string
	var client *http.Client
	for i := range refusing {
		server := serverBehind(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Server-Number", strconv.Itoa(i))
			if r.URL.Path != "/readyz" {
				return
			}
			if refusing[i].Add(-1) >= 0 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			select {
			case asked[i] <- struct{}{}:
			default: // nobody counts
			}
		})
		addresses, client = append(addresses, server.Listener.Addr().String()), server.Client() // one certificate for all
	}
	own, ok := client.Transport.(*http.Transport)
	if !ok {
		t.Fatal("the client has another transport")
	}
	own.DisableKeepAlives = true // a connection stays with its server
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	// A check that takes as long as the time between two has failed: on a busy machine
	// that must not be short.
	b := startBalancer(t, time.Second, addresses...)
	served := func(requests int) (by [2]int, err error) {
		for range requests {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+b.address+"/bundles", nil)
			if err != nil {
				return by, err
			}
			resp, err := client.Do(req)
			if err != nil {
				return by, err
			}
			_ = resp.Body.Close() // its header says it all
			i, err := strconv.Atoi(resp.Header.Get("Server-Number"))
			if err != nil {
				return by, err
			}
			by[i]++
		}
		return by, nil
	}
	checks := func(i, n int) {
		for range n {
			select {
			case <-asked[i]:
			case <-ctx.Done():
				t.Fatalf("the balancer does not check server %d", i)
			}
		}
	}
	checks(0, 1)
	checks(1, 1) // it listens, and has found both well
	const requests = 20
	by, err := served(requests)
	if err != nil || by[0] == 0 || by[1] == 0 {
		t.Fatalf("requests were served %v: %v", by, err)
	}
	const forGood = 1 << 20
	refusing[0].Store(2)
	checks(0, 4)
	if strings.Contains(b.String(), "svcd/svcd1 is DOWN") {
		t.Error("a server is taken out that refused twice")
	}
	refusing[0].Store(forGood)
	checks(0, 5) // one may have been under way; the third refusal is known when a fourth is asked for
	if !strings.Contains(b.String(), "svcd/svcd1 is DOWN") {
		t.Error("the balancer does not say that it takes a server out")
	}
	if by, err = served(requests); err != nil || by[0] != 0 {
		t.Errorf("with one server that refuses requests were served %v: %v", by, err)
	}
	refusing[1].Store(forGood)
	checks(1, 5)
	if by, err = served(requests); err != nil || by[0] == 0 || by[1] == 0 {
		t.Errorf("with no server that is ready requests were served %v: %v", by, err)
	}
	refusing[0].Store(0)
	checks(0, 3)
	if by, err = served(requests); err != nil || by[1] != 0 {
		t.Errorf("with one server that is ready again requests were served %v: %v", by, err)
	}
}
