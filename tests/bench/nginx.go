package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

// nginxSettings are those of every nginx that is a peer.
const nginxSettings = `%[1]s
daemon off;
pid %[2]s/pid;
error_log %[2]s/error.log;
events { worker_connections %[3]d; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path %[2]s/body;
  proxy_temp_path %[2]s/proxy;
  fastcgi_temp_path %[2]s/fastcgi;
  uwsgi_temp_path %[2]s/uwsgi;
  scgi_temp_path %[2]s/scgi;
%[4]s}
`

// nginxTLS makes a server of an nginx speak TLS as the service does, with its
// certificate.
func nginxTLS(address, tlsDir string) string {
	return fmt.Sprintf(`    listen %s ssl;
    ssl_certificate %s;
    ssl_certificate_key %s;
    ssl_protocols TLSv1.3;
`, address, filepath.Join(tlsDir, "leaf.pem"), filepath.Join(tlsDir, "leaf-key.pem"))
}

// nginx starts an nginx with settings for all of it and for its http part. It is
// ready when it listens at the address.
func (e *env) nginx(ctx context.Context, name, address, top string, connections int, http string) *harness.Process {
	dir := e.folder(name)
	for _, d := range []string{e.dir, dir} {
		check(os.Chmod(d, 0o755)) // its workers are another user when root starts it
	}
	config := filepath.Join(dir, "nginx.conf")
	check(os.WriteFile(config, []byte(fmt.Sprintf(nginxSettings, top, dir, connections, http)), 0o600))
	p := &harness.Process{
		Name: name, Address: address, LogFile: filepath.Join(dir, "log"),
		Command: func() *exec.Cmd { return exec.Command("nginx", "-c", config, "-e", filepath.Join(dir, "error.log")) },
		Ready:   harness.Listening("tcp", address),
	}
	e.later(p.Stop)
	check(p.Start(ctx))
	return p
}
