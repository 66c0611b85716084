package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// downloadsPerMinute is the limit of the service: what one account may fetch in
// a round.
const downloadsPerMinute = 10

// benchDownload compares downloads with nginx serving the same file: TLS 1.3,
// HTTP/1.1, one connection, the same client, in turns.
func benchDownload(ctx context.Context, e *env) (s section) {
	tree := e.tree("downloadtree", treeFiles, treeBytes)
	d := e.server(ctx, "download")
	var tenants []harness.Tenant
	for i := range e.rounds + 2 {
		tenants = append(tenants, tenant(ctx, &d.Service, fmt.Sprint("bench", i), tree))
	}
	root := e.folder("www")
	check(os.Chmod(root, 0o755)) // nginx's workers read it
	archive := filepath.Join(root, "bundle.zip")
	d.save(ctx, tenants[e.rounds+1], archive)
	size := float64(must(os.Stat(archive)).Size()) / 1e6
	address := must(toolbox.FreeAddress())
	e.nginx(ctx, "nginx", address, "worker_processes auto;", 256, fmt.Sprintf("  sendfile on;\n  tcp_nopush on;\n  server {\n%s    root %s;\n  }\n",
		nginxTLS(address, filepath.Join(d.Data, "tls")), root))

	var ours, nginx sample
	e.inRounds(func(round int, keep func(*sample, float64)) {
		t, volume := tenants[round], size*downloadsPerMinute
		keep(&nginx, 1000*volume/must(timed(func() error { return fetchFile(ctx, d.Client, "https://"+address+"/bundle.zip") })))
		keep(&ours, 1000*volume/must(timed(func() (err error) {
			for range downloadsPerMinute {
				err = errors.Join(err, d.expect(ctx, t, http.MethodGet, "/bundles/"+t.BundleID+"/download", http.StatusOK, io.Discard))
			}
			return err
		})))
	})
	s.add("download of the bundle", ours.show("%.0f MB/s"), "")
	s.add("nginx, the same file", nginx.show("%.0f MB/s"), "")
	s.add("speed over that of nginx", ours.over(nginx).show("%.2f×"), "at least 1×")
	s.note("An archive of %.1f MB, %d times a turn on one connection; the service also checks the key and counts the limit for each.", size, downloadsPerMinute)
	return s
}

func fetchFile(ctx context.Context, client *http.Client, url string) error {
	for range downloadsPerMinute {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
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
