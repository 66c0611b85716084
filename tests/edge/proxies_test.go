package edge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// The settings of the proxies: where they listen, and who stands behind them. Both
// keep the connections there for the requests of whoever comes next, and pass the
// body of a request on while it comes.
const (
	haproxyConfig = `
global
  maxconn 500
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend edge
  bind %[1]s
  http-request set-header X-Forwarded-Proto https
  default_backend svcd
backend svcd
  http-reuse always
  server svcd %[2]s pool-max-conn 4
`
	nginxConfig = `
%[4]s
daemon off;
worker_processes 1;
pid %[3]s/pid;
error_log %[3]s/error.log;
events { worker_connections 500; }
http {
  access_log off;
  client_body_temp_path %[3]s/body;
  proxy_temp_path %[3]s/proxy;
  fastcgi_temp_path %[3]s/fastcgi;
  uwsgi_temp_path %[3]s/uwsgi;
  scgi_temp_path %[3]s/scgi;
  client_max_body_size 0;
  upstream svcd { server %[2]s; keepalive 4; }
  server {
    listen %[1]s;
    location / {
      proxy_pass http://svcd;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-Proto https;
      proxy_request_buffering off;
    }
  }
}
`
)

// daemon finds a program that may not be in everybody's path.
func daemon(t *testing.T, name string) string {
	t.Helper()
	if program, err := exec.LookPath("/usr/sbin/" + name); err == nil {
		return program
	}
	return needs.Program(t, name, "install the Debian package "+name)
}

// startProxy runs a proxy with these settings before a server.
func startProxy(t *testing.T, program, upstream, config string, more ...any) (address string) {
	t.Helper()
	dir := t.TempDir()
	address = must.Get(toolbox.FreeAddress())(t)
	file := filepath.Join(dir, "proxy.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, config, append([]any{address, upstream, dir}, more...)...), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-db", "-f", file}
	if filepath.Base(program) == "nginx" {
		args = []string{"-c", file, "-e", filepath.Join(dir, "error.log")}
	}
	p := &harness.Process{
		Name: filepath.Base(program), Address: address, LogFile: filepath.Join(dir, "log"),
		Command: func() *exec.Cmd { return exec.Command(program, args...) },
		Ready:   harness.Listening("tcp", address),
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(p.Tail())
		}
	})
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return address
}

// connections are the ports from which somebody is connected to an address of
// 127.0.0.1, as Linux tells.
func connections(t *testing.T, to string) map[string]bool {
	t.Helper()
	_, port, _ := strings.Cut(to, ":")
	number := must.Get(strconv.Atoi(port))(t)
	open := map[string]bool{}
	for line := range strings.Lines(string(must.Get(os.ReadFile("/proc/net/tcp"))(t))) {
		const established = "01"
		fields := strings.Fields(line)
		if len(fields) > 3 && fields[2] == fmt.Sprintf("0100007F:%04X", number) && fields[3] == established {
			open[fields[1]] = true
		}
	}
	return open
}

// visitor is somebody who uses the service through a proxy.
type visitor struct {
	harness.Tenant
	http *http.Client
	base string
}

// visit asks for the visitor's own bundle and says if something else comes.
func (v visitor) visit(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.base+"/bundles/"+v.BundleID, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+v.Key)
	resp, err := v.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it is read to its end
	text, err := io.ReadAll(resp.Body)
	var record struct {
		BundleID string `json:"bundleId"`
	}
	err = errors.Join(err, json.Unmarshal(text, &record))
	if err != nil || resp.StatusCode != http.StatusOK || record.BundleID != v.BundleID {
		return fmt.Errorf("somebody else got %d %s: %w", resp.StatusCode, text, err)
	}
	return nil
}

// attempt is a request that is answered before its body has come, with another one
// in its body.
type attempt struct {
	status  int // 0: whatever the proxy makes of it
	head    string
	body    string // what has to come before there is an answer
	chunked bool
}

// smuggle makes an attempt, with what is hidden sent at once or long after the
// answer, and says what went wrong.
func (a attempt) smuggle(proxy, hidden string, slow bool) error {
	c, err := net.Dial("tcp", proxy)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // nothing more is wanted from it
	if a.chunked {
		hidden = fmt.Sprintf("%x\r\n%s\r\n", len(hidden), hidden)
	}
	request := a.head + "\r\n" + a.body
	if !slow {
		request += hidden
	}
	go func() { _, _ = io.WriteString(c, request) }() // who answers may have heard enough before its end
	from := bufio.NewReader(c)
	_ = c.SetReadDeadline(time.Now().Add(time.Minute)) // of an open connection
	answer, err := http.ReadResponse(from, nil)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(answer.Body)
	err = errors.Join(err, answer.Body.Close())
	if a.status != 0 && answer.StatusCode != a.status {
		err = errors.Join(err, fmt.Errorf("got %s: %s", answer.Status, text))
	}
	for range 2 { // longer than the server waits for the rest of a body
		_ = c.SetReadDeadline(time.Now().Add(4 * time.Second)) // of an open connection
		more, _ := io.ReadAll(from)
		if strings.Contains(string(more), " 200 ") || strings.Contains(string(more), "downloaded") {
			err = errors.Join(err, fmt.Errorf("then came %.300q", more))
		}
		_, _ = io.WriteString(c, hidden) // it may be closed, which is as well
	}
	return err
}

// TestNothingIsSmuggledThroughAProxy: behind real proxies that keep their connections
// to the server, what stands in the body of a refused request is never done, and
// those who share the connections get what they asked for.
// Promise: proxy-no-smuggling
func TestNothingIsSmuggledThroughAProxy(t *testing.T) {
	needs.Long(t, "HAProxy and nginx stand before the server")
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;" // else its workers could not use their folder
	}
	for name, start := range map[string]func(t *testing.T, upstream string) string{
		"haproxy": func(t *testing.T, upstream string) string {
			return startProxy(t, daemon(t, "haproxy"), upstream, haproxyConfig)
		},
		"nginx": func(t *testing.T, upstream string) string {
			return startProxy(t, daemon(t, "nginx"), upstream, nginxConfig, user)
		},
	} {
		t.Run(name, func(t *testing.T) { attack(t, start) })
	}
}

func attack(t *testing.T, startBefore func(t *testing.T, upstream string) string) {
	t.Helper()
	upstream := must.Get(toolbox.FreeAddress())(t)
	d := start(t, "--proxy-listen", upstream, "--trusted-proxy", "127.0.0.0/8")
	proxy := startBefore(t, upstream)
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	var visitors []visitor
	for n := range 3 {
		tenant := must.Get(d.Tenant(t.Context(), fmt.Sprintf("a%d@example.com", n), tree))(t)
		visitors = append(visitors, visitor{tenant, &http.Client{Transport: &http.Transport{}}, "http://" + proxy})
	}
	target := visitors[0]
	keptConnections(t, upstream, target)

	const enough = 200 // requests of others, to see one that is disturbed
	var visiting, attacking sync.WaitGroup
	var visits atomic.Int64
	ctx, end := context.WithCancel(t.Context())
	for _, v := range visitors {
		visiting.Go(func() {
			for ctx.Err() == nil || visits.Load() < enough {
				if err := v.visit(t.Context()); err != nil {
					t.Error(err)
					return
				}
				visits.Add(1)
				time.Sleep(10 * time.Millisecond) // the machine is for the others as well
			}
		})
	}
	limited := "/projects/" + target.ProjectID + "/bundles/repackage"
	for range 3 {
		if status := must.Get(d.Do(t.Context(), target.Key, http.MethodPost, limited, io.Discard))(t); status != http.StatusOK {
			t.Fatalf("a repackage got %d", status)
		}
	}
	for what, a := range attempts(target, limited) {
		for _, slow := range []bool{false, true} {
			attacking.Go(func() {
				if err := a.smuggle(proxy, hidden(target), slow); err != nil {
					t.Errorf("%s, slow %v: %v", what, slow, err)
				}
			})
		}
	}
	attacking.Wait()
	end()
	visiting.Wait()
	if err := target.visit(t.Context()); err != nil {
		t.Errorf("what stood in the body of a refused request was done: %v", err)
	}
	t.Logf("%d requests of others were answered meanwhile and just after", visits.Load())
}

// hidden is the request that must not be done.
func hidden(of visitor) string {
	return "POST /bundles/" + of.BundleID + "/ack HTTP/1.1\r\nHost: x\r\nX-Forwarded-Proto: https\r\nAuthorization: Bearer " + of.Key + "\r\nContent-Length: 0\r\n\r\n"
}

// keptConnections holds that the proxy uses the same connection for one request
// after the other: else there is nothing to attack.
func keptConnections(t *testing.T, upstream string, v visitor) {
	t.Helper()
	if err := v.visit(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := connections(t, upstream)
	for range 20 {
		if err := v.visit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	kept := connections(t, upstream)
	maps.DeleteFunc(kept, func(port string, _ bool) bool { return !before[port] })
	if len(kept) == 0 {
		t.Fatal("the proxy keeps no connection to the server")
	}
}

// attempts are all early refusals, with a body whose length is given and in chunks,
// and requests that give their length in two ways.
func attempts(of visitor, limited string) map[string]attempt {
	all := map[string]attempt{}
	key := "Authorization: Bearer " + of.Key + "\r\n"
	for _, a := range []struct {
		status   int
		line     string
		key      string
		length   int
		inChunks int
	}{
		{401, "POST /generations", "", 100_000, 0},
		{404, "POST /nowhere", key, 100_000, 0},
		{405, "PUT /bundles", key, 100_000, 0},
		{413, "POST /generations", key, 2 << 20, 1<<20 + 1},
		{429, "POST " + limited, key, 100_000, 0},
	} {
		head := a.line + " HTTP/1.1\r\nHost: x\r\n" + a.key
		all[a.line+" with a length"] = attempt{a.status, head + fmt.Sprintf("Content-Length: %d\r\n", a.length), "", false}
		chunk := ""
		if a.inChunks > 0 {
			chunk = fmt.Sprintf("%x\r\n%s\r\n", a.inChunks, strings.Repeat(" ", a.inChunks))
		}
		all[a.line+" in chunks"] = attempt{a.status, head + "Transfer-Encoding: chunked\r\n", chunk, true}
	}
	for _, lengths := range []string{
		"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
		"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\nContent-Length: 5\r\n",
		"Transfer-Encoding:\vchunked\r\nContent-Length: 5\r\n",
	} {
		all[strconv.Quote(lengths)] = attempt{0, "POST /generations HTTP/1.1\r\nHost: x\r\n" + lengths, "0\r\n\r\n", false}
	}
	return all
}
