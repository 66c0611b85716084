package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/sync/errgroup"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// nchanModule is where Debian's libnginx-mod-nchan puts it.
const nchanModule = "/usr/lib/nginx/modules/ngx_nchan_module.so"

// publishersAtOnce keep nchan busy.
const publishersAtOnce = 16

// nchan is the peer of the stream benchmark: a channel for each run, viewers
// over TLS, publishers in the clear. One worker, for more would have to tell
// each other what was published, and cost more for each event.
type nchan struct {
	*harness.Process
	subscribers string
	channels    []string
	texts       []numberedText
}

const nchanServers = `  tcp_nodelay on;
  nchan_shared_memory_size 256M;
  server {
%[1]s    location ~ ^/sub/(\w+)$ {
      nchan_subscriber eventsource;
      nchan_channel_id $1;
      nchan_subscriber_timeout 0;
    }
  }
  server {
    listen %[2]s;
    location ~ ^/pub/(\w+)$ {
      nchan_publisher;
      nchan_channel_id $1;
      nchan_message_buffer_length 20;
    }
  }
`

func startNchan(ctx context.Context, e *env, channels int, tlsDir string) *nchan {
	if _, err := os.Stat(nchanModule); err != nil {
		check(fmt.Errorf("nchan is the peer; install Debian's nginx and libnginx-mod-nchan: %w", err))
	}
	n := &nchan{texts: make([]numberedText, channels), subscribers: must(toolbox.FreeAddress())}
	for i := range channels {
		n.channels = append(n.channels, fmt.Sprintf("run%d", i))
	}
	publishers, connections := must(toolbox.FreeAddress()), channels+2*publishersAtOnce+512
	n.Process = e.nginx(ctx, "nchan", publishers, fmt.Sprintf("load_module %s;\nworker_processes 1;\nworker_rlimit_nofile %d;", nchanModule, connections),
		connections, fmt.Sprintf(nchanServers, nginxTLS(n.subscribers, tlsDir), publishers))
	return n
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
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: publishersAtOnce}}
	defer client.CloseIdleConnections()
	var publishing errgroup.Group
	for part := range publishersAtOnce {
		publishing.Go(func() error {
			for range events {
				for i := part; i < len(n.channels); i += publishersAtOnce {
					if err := n.send(ctx, client, i); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	return publishing.Wait()
}

func (n *nchan) send(ctx context.Context, client *http.Client, channel int) error {
	e, err := svc.NewEvent(n.texts[channel].next())
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+n.Address+"/pub/"+n.channels[channel], strings.NewReader(string(e.Data)))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		err = fmt.Errorf("nchan answers %s", resp.Status)
	}
	_, copied := io.Copy(io.Discard, resp.Body) // so that the connection is kept
	return errors.Join(err, copied, resp.Body.Close())
}
