package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

func newLoginCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "login [--api-url <address>] [--api-key <key>]",
		Short: "Store key and address, and ask for what is not given",
		Long: `Does what svc auth does, and asks on the terminal for the address and the key if
they are not given. The key is not shown while you type it.`,
		Example: `  svc login
  svc login --api-url https://svc.example.com
  svc login --api-url https://svc.example.com --ca-file ca.pem   # a service with its own CA`,
		SuggestFor: []string{"signin"},
		Args:       none,
		RunE:       func(cmd *cobra.Command, _ []string) error { return runLogin(cmd.Context(), a, cmd) },
	}
	addAuthorityFlag(a, cmd)
	return cmd
}

func runLogin(ctx context.Context, a *app, cmd *cobra.Command) error {
	s, err := a.readStored()
	if err != nil {
		s = stored{} // all that was in it is given anew
	}
	given := cmd.Flags().Changed("api-key")
	if !a.term.inTTY && (!given || a.apiURL == "" && s.APIURL == "") {
		return usage(cmd, errors.New("there is no terminal to ask on: give --api-key - and --api-url"))
	}
	if a.apiURL == "" && s.APIURL == "" {
		if a.apiURL, err = a.ask(ctx, "Address of the service (https://…): "); err != nil {
			return err
		}
	}
	if !given {
		a.apiKey = "-" // which asks, on a terminal
	}
	return storeCredentials(ctx, a, s)
}

func newLogoutCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Forget the stored key and address",
		Long: `Deletes ~/.svc/config.json. The key itself stays valid until it is revoked in the
console.`,
		Example:    `  svc logout`,
		SuggestFor: []string{"signout"},
		Args:       none,
		RunE:       func(*cobra.Command, []string) error { return runLogout(a) },
	}
}

func runLogout(a *app) error {
	path, err := a.configPath()
	if err != nil {
		return err
	}
	switch err := os.Remove(path); {
	case errors.Is(err, fs.ErrNotExist):
		a.note("Nothing is stored in %s.", path)
	case err != nil:
		return err
	default:
		if err := a.print("Forgotten: %s\n", path); err != nil {
			return err
		}
		a.note("The key stays valid until it is revoked in the console.")
	}
	for _, name := range []string{"SVC_TOKEN", "SVC_API_URL"} {
		if a.Getenv(name) != "" {
			a.warn("%s is set in the environment and goes on being used.", name)
		}
	}
	return nil
}
