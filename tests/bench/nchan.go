package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// nchanModule is where Debian's libnginx-mod-nchan puts it.
const nchanModule = "/usr/lib/nginx/modules/ngx_nchan_module.so"

// publishersAtOnce keep nchan busy.
const publishersAtOnce = 16

// nchan is the peer of the stream benchmark: a channel for each run, viewers
// over TLS, publishers in the clear. One worker, for more would have to tell
// each other what was published, and cost more for each event.
type nchan struct {
	cmd         *exec.Cmd
	subscribers string
	publishers  string
	channels    []string
	texts       []numberedText
}

func startNchan(ctx context.Context, l *lab, channels int, tlsDir string) (*nchan, error) {
	if _, err := os.Stat(nchanModule); err != nil {
		return nil, fmt.Errorf("nchan is the peer; install Debian's nginx and libnginx-mod-nchan: %w", err)
	}
	n := &nchan{texts: make([]numberedText, channels)}
	for i := range channels {
		n.channels = append(n.channels, fmt.Sprintf("run%d", i))
	}
	var err error
	if n.subscribers, err = freeAddress(ctx); err != nil {
		return nil, err
	}
	if n.publishers, err = freeAddress(ctx); err != nil {
		return nil, err
	}
	if err := os.Chmod(l.dir, 0o755); err != nil { // nginx's worker is another user
		return nil, err
	}
	config := filepath.Join(l.dir, "nchan.conf")
	text := fmt.Sprintf(`load_module %[1]s;
daemon off;
worker_processes 1;
worker_rlimit_nofile %[2]d;
pid %[3]s/nchan.pid;
error_log %[3]s/nchan-error.log;
events { worker_connections %[2]d; }
http {
  access_log off;
  keepalive_requests 1000000000;
  tcp_nodelay on;
  nchan_shared_memory_size 256M;
  client_body_temp_path %[3]s/nchan-body;
  proxy_temp_path %[3]s/nchan-proxy;
  fastcgi_temp_path %[3]s/nchan-fastcgi;
  uwsgi_temp_path %[3]s/nchan-uwsgi;
  scgi_temp_path %[3]s/nchan-scgi;
  server {
    listen %[4]s ssl;
    ssl_certificate %[6]s;
    ssl_certificate_key %[7]s;
    ssl_protocols TLSv1.3;
    location ~ ^/sub/(\w+)$ {
      nchan_subscriber eventsource;
      nchan_channel_id $1;
      nchan_subscriber_timeout 0;
    }
  }
  server {
    listen %[5]s;
    location ~ ^/pub/(\w+)$ {
      nchan_publisher;
      nchan_channel_id $1;
      nchan_message_buffer_length 20;
    }
  }
}
`, nchanModule, channels+2*publishersAtOnce+512, l.dir, n.subscribers, n.publishers,
		filepath.Join(tlsDir, "leaf.pem"), filepath.Join(tlsDir, "leaf-key.pem"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	n.cmd = exec.CommandContext(ctx, "nginx", "-c", config, "-e", filepath.Join(l.dir, "nchan-error.log"))
	n.cmd.Stderr = os.Stderr
	n.cmd.Cancel = func() error { return n.cmd.Process.Signal(os.Interrupt) }
	if err := n.cmd.Start(); err != nil {
		return nil, err
	}
	for range 500 {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", n.publishers)
		if err == nil {
			return n, conn.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil, errors.Join(errors.New("nchan does not listen"), n.stop())
}

// paths are the addresses of the subscribers' streams.
func (n *nchan) paths() []string {
	paths := make([]string, len(n.channels))
	for i, c := range n.channels {
		paths[i] = "/sub/" + c
	}
	return paths
}

// publish sends so many events to every channel, as fast as it goes: a request
// for each, on connections that are kept.
func (n *nchan) publish(ctx context.Context, events int) error {
	var publishing sync.WaitGroup
	failures := make([]error, publishersAtOnce)
	for p := range publishersAtOnce {
		publishing.Go(func() { failures[p] = n.publisher(ctx, p, events) })
	}
	publishing.Wait()
	return errors.Join(failures...)
}

// publisher does the part of one publisher: every so manieth channel.
func (n *nchan) publisher(ctx context.Context, part, events int) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", n.publishers)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // every answer was read
	in := bufio.NewReader(conn)
	for range events {
		for i := part; i < len(n.channels); i += publishersAtOnce {
			e, err := svc.NewEvent(n.texts[i].next())
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(conn, "POST /pub/%s HTTP/1.1\r\nHost: nchan\r\nContent-Length: %d\r\n\r\n%s", n.channels[i], len(e.Data), e.Data); err != nil {
				return err
			}
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				return err
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				return err
			}
			if resp.StatusCode/100 != 2 {
				return fmt.Errorf("nchan answers %s", resp.Status)
			}
		}
	}
	return ctx.Err()
}

func (n *nchan) stop() error {
	err := n.cmd.Process.Signal(os.Interrupt)
	_ = n.cmd.Wait() // its exit status after an interrupt says nothing
	return err
}
