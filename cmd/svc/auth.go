package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

func newAuthCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "auth --api-key <key> [--api-url <address>]",
		Short: "Store the API key and the address of the service",
		Long: `Stores the key and the address in ~/.svc/config.json, readable by you alone.
The address is needed the first time and kept afterwards. svc logout, or deleting
the file, forgets both; svc login asks for what is not given. Nothing is sent over
the network, and svc doctor tries the key. With --ca-fingerprint the service is asked
for the certificate of its own authority, which is kept if it has this SHA-256, before
the key goes anywhere; then the key is tried, and not stored if the service refuses it.`,
		Example: `  svc auth --api-key svc_… --api-url https://svc.example.com
  svc auth --api-key - --api-url https://svc.example.com < key.txt   # not in the shell's history
  svc auth --api-key svc_…                                           # a new key for the same service
  svc auth --api-key svc_… --ca-file ca.pem                          # a service with its own CA
  svc auth --api-key - --api-url https://10.0.0.7:8443 --ca-fingerprint 3f…9a   # the same from another machine`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return runAuth(cmd.Context(), a, cmd) },
	}
	addAuthorityFlag(a, cmd)
	return cmd
}

func addAuthorityFlag(a *app, cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.caFingerprint, "ca-fingerprint", "", "SHA-256 of the service's own authority, as its console shows it; fetches and keeps the certificate, and tries the key")
}

func runAuth(ctx context.Context, a *app, cmd *cobra.Command) error {
	if !cmd.Flags().Changed("api-key") {
		return usage(cmd, errors.New("--api-key is required"))
	}
	s, err := a.readStored()
	if err != nil {
		if a.apiURL == "" {
			return err
		}
		s = stored{} // all that was in it is given anew
	}
	if a.apiURL == "" && s.APIURL == "" {
		return usage(cmd, errors.New("--api-url is required the first time"))
	}
	return storeCredentials(ctx, a, s)
}

// storeCredentials stores what was given, and what was stored before where nothing was.
func storeCredentials(ctx context.Context, a *app, s stored) (err error) {
	if s.APIKey, err = givenKey(ctx, a); err != nil {
		return err
	}
	s.APIURL = cmp.Or(a.apiURL, s.APIURL)
	if a.caFingerprint != "" {
		if a.caFile != "" {
			return errors.New("--ca-file and --ca-fingerprint name the authority twice; give one of them")
		}
		var forget func() error
		if s.CAFile, forget, err = keepAuthority(ctx, a, s.APIURL); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, forget())
			}
		}()
	}
	if a.caFile != "" {
		if s.CAFile, err = filepath.Abs(a.caFile); err != nil {
			return err
		}
	}
	// A client that can be made is one that can be used: key, address and CA
	// file are all looked at, without the network.
	c, err := a.clientOf(s, a.tell)
	if err != nil {
		return err
	}
	s.APIURL = c.BaseURL()
	tried := "The key was not tried; svc doctor does that."
	if a.caFingerprint != "" {
		if tried, err = tryKey(ctx, c); err != nil {
			return err
		}
	}
	path, err := a.writeStored(s)
	if err != nil {
		return err
	}
	prefix, _ := svc.ParseKey(s.APIKey)
	err = a.print("Stored key svc_%s_… for %s in %s\n", prefix, s.APIURL, path)
	a.note("%s", tried)
	return err
}

// tryKey asks a service, which was just spoken to, whether it takes the key, and says what
// came of it. It is an error only if the key is refused.
func tryKey(ctx context.Context, c *client.Client) (string, error) {
	_, err := c.List(ctx, client.ListQuery{Limit: 1})
	if answer, ok := errors.AsType[*client.StatusError](err); ok && answer.Status == http.StatusUnauthorized {
		answer.Err.Message = "The service refuses this key, and nothing was stored. " + answer.Err.Message
		return "", err
	}
	switch {
	case err == nil:
		return "The service takes it.", nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return "The key could not be tried (" + oneLine(err) + "); svc doctor does that.", nil
}

// keepAuthority fetches the certificate of the service's authority and keeps it
// beside the credentials. Forget takes that back, unless it was there before.
func keepAuthority(ctx context.Context, a *app, address string) (path string, forget func() error, err error) {
	text, err := client.Authority(ctx, address, a.caFingerprint)
	if err != nil {
		return "", nil, err
	}
	config, err := a.configPath()
	if err != nil {
		return "", nil, err
	}
	digits := strings.ToLower(strings.ReplaceAll(a.caFingerprint, ":", ""))
	path = filepath.Join(filepath.Dir(config), "ca-"+digits[:16]+".pem")
	forget = func() error { return nil }
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		forget = func() error { return os.Remove(path) }
	}
	return path, forget, pull.ReplaceFile(path, text)
}

// givenKey is the key on the command line, or on stdin for "-".
func givenKey(ctx context.Context, a *app) (key string, err error) {
	switch {
	case a.apiKey != "-":
		key = a.apiKey
	case a.term.inTTY:
		key, err = a.askSecret(ctx, "API key (it is not shown): ")
	default:
		key, err = a.input(ctx, readAll(4096))
		key = strings.TrimSuffix(strings.TrimSuffix(key, "\n"), "\r")
	}
	if err != nil {
		return "", fmt.Errorf("the key cannot be read: %w", err)
	}
	if _, ok := svc.ParseKey(key); !ok {
		return "", errors.New("the API key is malformed: it has the form svc_<prefix8>_<hex32>, without white space; copy it again from the console")
	}
	return key, nil
}
