package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/bundle-delivery/svc/internal/harness"
)

// downloadsPerMinute is the limit of the service: what one account may fetch in
// a round.
const downloadsPerMinute = 10

// benchDownload compares downloads with nginx serving the same file: TLS 1.3,
// HTTP/1.1, one connection, the same client, in turns.
func benchDownload(ctx context.Context, l *lab) (s section, err error) {
	tree := filepath.Join(l.dir, "downloadtree")
	if err := writeTree(tree, treeFiles, treeBytes); err != nil {
		return s, err
	}
	d, err := l.start(ctx, "download")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, d.Stop()) }()
	var tenants []harness.Tenant
	for i := range l.rounds + 2 {
		t, err := d.Tenant(ctx, fmt.Sprintf("bench%d@example.com", i), tree)
		if err != nil {
			return s, err
		}
		tenants = append(tenants, t)
	}
	root := filepath.Join(l.dir, "www")
	if err := os.MkdirAll(root, 0o755); err != nil { // nginx's workers read it
		return s, err
	}
	archive := filepath.Join(root, "bundle.zip")
	if err := d.save(ctx, tenants[l.rounds+1], archive); err != nil {
		return s, err
	}
	info, err := os.Stat(archive)
	if err != nil {
		return s, err
	}
	peer, err := startNginx(ctx, l, root, filepath.Join(d.Data, "tls"))
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, peer.stop()) }()

	volume := float64(info.Size()) * downloadsPerMinute / 1e6
	var ours, nginx sample
	for round := range l.rounds + 1 {
		n, err := timed(func() error { return peer.fetch(ctx, d.Client) })
		if err != nil {
			return s, err
		}
		r, err := timed(func() error {
			for range downloadsPerMinute {
				if err := d.expect(ctx, tenants[round], http.MethodGet, "/bundles/"+tenants[round].BundleID+"/download", http.StatusOK, io.Discard); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return s, err
		}
		if round > 0 {
			ours, nginx = append(ours, volume/r*1000), append(nginx, volume/n*1000)
		}
	}
	s.add("download of the bundle", ours.show("%.0f MB/s"), "")
	s.add("nginx, the same file", nginx.show("%.0f MB/s"), "")
	s.add("speed over that of nginx", ours.over(nginx).show("%.2f×"), "at least 1×")
	s.note("An archive of %.1f MB, %d times a turn on one connection; the service also checks the key and counts the limit for each.", float64(info.Size())/1e6, downloadsPerMinute)
	return s, nil
}

// nginxServer is the peer.
type nginxServer struct {
	cmd  *exec.Cmd
	addr string
}

func startNginx(ctx context.Context, l *lab, root, tlsDir string) (*nginxServer, error) {
	addr, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	// nginx drops to another user when root starts it, who must reach the file.
	if err := os.Chmod(l.dir, 0o755); err != nil {
		return nil, err
	}
	config := filepath.Join(l.dir, "nginx.conf")
	text := fmt.Sprintf(`daemon off;
worker_processes auto;
pid %[1]s/nginx.pid;
error_log %[1]s/nginx-error.log;
events { worker_connections 256; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000;
  client_body_temp_path %[1]s/nginx-body;
  proxy_temp_path %[1]s/nginx-proxy;
  fastcgi_temp_path %[1]s/nginx-fastcgi;
  uwsgi_temp_path %[1]s/nginx-uwsgi;
  scgi_temp_path %[1]s/nginx-scgi;
  server {
    listen %[2]s ssl;
    ssl_certificate %[3]s;
    ssl_certificate_key %[4]s;
    ssl_protocols TLSv1.3;
    root %[5]s;
  }
}
`, l.dir, addr, filepath.Join(tlsDir, "leaf.pem"), filepath.Join(tlsDir, "leaf-key.pem"), root)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "nginx", "-c", config, "-e", filepath.Join(l.dir, "nginx-error.log"))
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n := &nginxServer{cmd: cmd, addr: addr}
	client, err := harness.Trusting(filepath.Join(tlsDir, "ca.pem"))
	if err != nil {
		return nil, errors.Join(err, n.stop())
	}
	for range 200 {
		if err = n.fetch(ctx, client); err == nil {
			return n, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil, errors.Join(fmt.Errorf("nginx does not serve: %w", err), n.stop())
}

func (n *nginxServer) fetch(ctx context.Context, client *http.Client) error {
	for range downloadsPerMinute {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+n.addr+"/bundle.zip", nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("nginx answered %s", resp.Status)
		}
	}
	return nil
}

func (n *nginxServer) stop() error {
	err := n.cmd.Process.Signal(os.Interrupt)
	_ = n.cmd.Wait() // its exit status after an interrupt says nothing
	return err
}
