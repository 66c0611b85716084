package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/signing"
	"github.com/bundle-delivery/svc/internal/engine/template"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/web/clientdir"
	"github.com/bundle-delivery/svc/internal/web/console"
)

// openConsole makes the web console.
func (p *components) openConsole(base *url.URL, fingerprint string) (err error) {
	if err := p.settings.signIn.checkBase(base); err != nil {
		return err
	}
	provider, name, err := p.settings.signIn.provider(base)
	if err != nil {
		return err
	}
	config := console.Config{
		Provider: provider, ProviderName: name,
		Accounts: p.accounts, Delivery: p.delivery, Generations: p.runs,
		BaseURL: base.String(), Fingerprint: fingerprint, OpenSignUp: p.settings.signIn.signUp == signUpOpen, Log: p.log,
		PreviewKey: func(ctx context.Context) ([]byte, error) { return signing.Secret(ctx, p.storage.store, "preview") },
	}
	if p.settings.engine == engineTemplate {
		config.Constraints = template.Constraints()
	}
	if p.settings.plays(roleWorker) {
		config.Engine = p.settings.engine
	}
	if dir := p.settings.clientDir; dir != "" {
		if config.Clients, err = clientdir.Open(dir); err != nil {
			return fmt.Errorf("--client-dir: %w", err)
		}
	}
	p.console, err = console.New(config)
	return err
}

// setUpLink is where the first account is made; empty when there is one.
func (p *components) setUpLink(ctx context.Context) (string, error) {
	token, err := p.accounts.SetUpLink(ctx)
	if err != nil || token == "" {
		return "", err
	}
	return p.console.LinkURL(token), nil
}

func newAccountResetPasswordCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use: "reset-password --email ADDRESS", Short: "Print a link that sets a new password, or signs in where passwords are switched off; once, within a day", Args: cobra.NoArgs,
	}
	var email string
	emailFlag(cmd, &email)
	required(cmd, "email")
	return linkCommand(cmd, std, environment, func(ctx context.Context, o *operator) (string, error) {
		a, err := o.accounts.ByEmail(ctx, email)
		if err != nil {
			return "", err
		}
		return o.accounts.ResetLink(ctx, a.ID)
	})
}

func newAccountInviteCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use: "invite --email ADDRESS --plan PLAN", Short: "Print a link with which somebody makes an account, once, within a week", Args: cobra.NoArgs,
	}
	var email, plan string
	emailFlag(cmd, &email)
	cmd.Flags().StringVar(&plan, "plan", "", planUsage)
	required(cmd, "email", "plan")
	return linkCommand(cmd, std, environment, func(ctx context.Context, o *operator) (string, error) {
		return o.accounts.Invite(ctx, email, svc.Plan(plan))
	}, func(o *operator, base string) error {
		fingerprint, err := o.settings.authority(o.dir)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(o.notes, "\nTo be sent with the link:\n\n%s", console.Welcome(base, fingerprint))
		return err
	})
}

// linkCommand makes a command that prints the address of a one-time link, and
// nothing else; what there is to say about it is for people.
func linkCommand(cmd *cobra.Command, std Streams, environment []string, token func(context.Context, *operator) (string, error), say ...func(o *operator, base string) error) *cobra.Command {
	return operatorCommand(cmd, std, environment, false, []string{"base-url", "listen", "acme-domain", "tls-cert", "tls-key"}, func(ctx context.Context, o *operator, _ []string) error {
		base, err := o.settings.servedAt(datadir.Dir(o.settings.dataDir))
		if err != nil {
			return err
		}
		secret, err := token(ctx, o)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(o.out, console.LinkURL(base.String(), secret)); err != nil {
			return fmt.Errorf("print the link: %w", err)
		}
		for _, s := range say {
			if err := s(o, base.String()); err != nil {
				return err
			}
		}
		return nil
	})
}

// authority is the SHA-256 of the local authority that the server of a data folder
// shows, as far as is known here; empty where another one vouches for it.
func (s *settings) authority(dir datadir.Dir) (string, error) {
	if s.tlsCert != "" || len(s.acme.domains) > 0 {
		return "", nil
	}
	_, fingerprint, err := readAuthority(filepath.Join(dir.TLS(), "ca.pem"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return fingerprint, err
}

// servedAt is the address that clients are told by the server of a data folder:
// the one of the settings, or where it listens now, or where it would.
func (s *settings) servedAt(dir datadir.Dir) (*url.URL, error) {
	address := s.listen
	text, err := os.ReadFile(dir.AddressFile())
	if err == nil {
		address = string(text)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read where the service listens: %w", err)
	}
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, usagef("--listen: %w", err)
	}
	return s.baseFor(at), nil
}
