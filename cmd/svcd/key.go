package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/text/timestamp"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// keyView is a key as the commands print it. Its secret is not known to anybody.
type keyView struct {
	Prefix     string    `json:"prefix"`
	Name       string    `json:"name"`
	CreatedAt  api.Time  `json:"createdAt"`
	LastUsedAt *api.Time `json:"lastUsedAt,omitempty"`
	ExpiresAt  *api.Time `json:"expiresAt,omitempty"`
	RevokedAt  *api.Time `json:"revokedAt,omitempty"`
}

func viewKey(k svc.Key) keyView {
	return keyView{
		Prefix: k.Prefix, Name: k.Name, CreatedAt: api.Time(k.CreatedAt),
		LastUsedAt: timestamp.Optional(k.LastUsedAt), ExpiresAt: timestamp.Optional(k.ExpiresAt), RevokedAt: timestamp.Optional(k.RevokedAt),
	}
}

func newKeyCommand(std Streams, environment []string) *cobra.Command {
	return group("key", "Make, list and revoke API keys",
		newKeyCreateCommand(std, environment),
		newKeyListCommand(std, environment),
		newKeyRevokeCommand(std, environment),
	)
}

func newKeyCreateCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use: "create --account ADDRESS --name NAME", Short: "Make a key and print it, this once", Args: cobra.NoArgs,
	}
	var email, name string
	cmd.Flags().StringVar(&email, "account", "", "the e-mail address of the account")
	cmd.Flags().StringVar(&name, "name", "", "where the key is used")
	required(cmd, "account", "name")
	return operatorCommand(cmd, std, environment, false, nil, func(ctx context.Context, o *operator, _ []string) error {
		a, err := o.accounts.ByEmail(ctx, email)
		if err != nil {
			return err
		}
		full, _, err := o.accounts.CreateKey(ctx, accounts.NewKey{AccountID: a.ID, Name: name})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(o.out, full); err != nil {
			return fmt.Errorf("print the key: %w", err)
		}
		return nil
	})
}

func newKeyListCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{Use: "list --account ADDRESS", Short: "Print every key of an account as a line of JSON", Args: cobra.NoArgs}
	var email string
	cmd.Flags().StringVar(&email, "account", "", "the e-mail address of the account")
	required(cmd, "account")
	return operatorCommand(cmd, std, environment, false, nil, func(ctx context.Context, o *operator, _ []string) error {
		a, err := o.accounts.ByEmail(ctx, email)
		if err != nil {
			return err
		}
		keys, err := o.accounts.ListKeys(ctx, a.ID)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if err := o.print(viewKey(k)); err != nil {
				return err
			}
		}
		return nil
	})
}

func newKeyRevokeCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use: "revoke PREFIX", Short: "End a key for good; PREFIX is the 8 characters after svc_", Args: cobra.ExactArgs(1),
	}
	return operatorCommand(cmd, std, environment, false, nil, func(ctx context.Context, o *operator, args []string) error {
		prefix := args[0]
		if public, ok := svc.ParseKey(prefix); ok {
			prefix = public // somebody pasted the whole key, which says which one is meant
		}
		return o.accounts.RevokeKey(ctx, prefix)
	})
}
