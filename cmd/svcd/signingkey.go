package main

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/provenance"
	"github.com/bundle-delivery/svc/internal/bundle/signing"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// openSigner makes the service's signing key, or takes the operator's. A process
// without an address of its own signs under that of the others.
func (s *settings) openSigner(ctx context.Context, signer *signing.Signer, base *url.URL) error {
	own, err := readSigningKey("signing-key-file", s.signingKey)
	if err != nil {
		return err
	}
	name := ""
	if base == nil {
		base = s.baseURL
	}
	if base != nil {
		name = base.String()
	}
	return signer.Open(ctx, name, "https://"+s.listen, own)
}

// readSigningKey reads the key that a flag names, if it names one.
func readSigningKey(flag, file string) (ed25519.PrivateKey, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	key, err := signing.ParsePrivate(text)
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", flag, file, err)
	}
	return key, nil
}

func newSigningKeyCommand(std Streams, environment []string) *cobra.Command {
	return group("signing-key", "Show and rotate the key that signs where bundles come from",
		newSigningKeyShowCommand(std, environment),
		newSigningKeyRotateCommand(std, environment),
	)
}

// signingKeyView is a signing key as the commands print it.
type signingKeyView struct {
	KeyID     string    `json:"keyId"`
	PublicKey string    `json:"publicKey"`
	CreatedAt api.Time  `json:"createdAt"`
	RetiredAt *api.Time `json:"retiredAt,omitempty"`
}

func viewSigningKey(k provenance.Key) signingKeyView {
	return signingKeyView{KeyID: k.ID, PublicKey: base64.StdEncoding.EncodeToString(k.Public), CreatedAt: k.CreatedAt, RetiredAt: k.RetiredAt}
}

func newSigningKeyShowCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show", Short: "Print every public key as a line of JSON, the one that signs now last; its publicKey is for SVC_SIGNING_KEY", Args: cobra.NoArgs,
	}
	return operatorCommand(cmd, std, environment, false, nil, func(ctx context.Context, o *operator, _ []string) error {
		keys, err := signing.Published(ctx, o.store)
		if errors.Is(err, svc.ErrNotFound) {
			return errors.New("the service has no signing key yet; it makes one when it starts")
		}
		if err != nil {
			return err
		}
		for _, k := range keys.Keys {
			if err := o.print(viewSigningKey(k)); err != nil {
				return err
			}
		}
		return nil
	})
}

func newSigningKeyRotateCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use: "rotate", Short: "Put a new key in the place of the one that signs now, which vouches for it; print it as JSON", Args: cobra.NoArgs,
	}
	var file string
	cmd.Flags().StringVar(&file, "key-file", "", "PEM file with the new Ed25519 key (default a new one is made)")
	return operatorCommand(cmd, std, environment, false, nil, func(ctx context.Context, o *operator, _ []string) error {
		next, err := readSigningKey("key-file", file)
		if err != nil {
			return err
		}
		keys, err := signing.Rotate(ctx, o.store, next)
		if err != nil {
			return err
		}
		current, _ := keys.Current()
		return o.print(viewSigningKey(current))
	})
}
