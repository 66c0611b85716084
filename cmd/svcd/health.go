package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/ops/setting"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/web/edge"
)

// healthWait is how long a server may take to say that it is ready.
const healthWait = 4 * time.Second

func newHealthCommand(environment []string) *cobra.Command {
	s := defaultSettings()
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Say whether the server of a data folder is ready, for health checks",
		Long: "Say whether the server of a data folder is ready: exit 0 when it is, else 1 with the\n" +
			"reason. It is meant for health checks of containers, where there is no other program.\n" +
			"A server without the api role has nothing to ask; it is ready when it runs.",
		Args: cobra.NoArgs,
	}
	offered := s.pick("data-dir", "base-url", "proxy-protocol", "trusted-proxy")
	setting.Register(cmd.Flags(), offered)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.resolve(cmd.Flags(), environment, offered); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), healthWait)
		defer cancel()
		return checkHealth(ctx, s)
	}
	return cmd
}

// checkHealth asks the server whose address is in the data folder.
func checkHealth(ctx context.Context, s *settings) error {
	dir := datadir.Dir(s.dataDir)
	address, err := os.ReadFile(dir.AddressFile())
	if errors.Is(err, fs.ErrNotExist) {
		return dir.CheckServed()
	}
	if err != nil {
		return fmt.Errorf("read the server's address: %w", err)
	}
	path := ""
	if s.baseURL != nil {
		path = s.baseURL.Path
	}
	url := "https://" + reachable(strings.TrimSpace(string(address))) + path + "/readyz"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       s.dialServer,
		// The certificate is for the service's name, and this asks by address. It
		// asks for one word on this machine and says nothing secret.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
	}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // its status says it all
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s answers %s", url, resp.Status)
	}
	return nil
}

// dialServer connects to the server. Where this address is one of those that
// announce clients, the server waits to hear for whom it is.
func (s *settings) dialServer(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil || !s.announced {
		return c, err
	}
	if err := edge.Proxies(s.trustedProxy).WriteLocalHeader(c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// reachable turns an address that a server listens on into one to connect to.
func reachable(address string) string {
	listening, err := netip.ParseAddrPort(address)
	if err != nil || !listening.Addr().IsUnspecified() {
		return address
	}
	return net.JoinHostPort("localhost", fmt.Sprint(listening.Port()))
}
