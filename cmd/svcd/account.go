package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// accountView is an account as the commands print it.
type accountView struct {
	AccountID    string   `json:"accountId"`
	Email        string   `json:"email"`
	Plan         svc.Plan `json:"plan"`
	PendingBytes int64    `json:"pendingBytes"`
	CreatedAt    api.Time `json:"createdAt"`
}

func viewAccount(a svc.Account) accountView {
	return accountView{a.ID, a.Email, a.Plan, a.PendingBytes, api.Time(a.CreatedAt)}
}

const planUsage = "hobby, developer or architect_pro"

func newAccountCommand(std Streams, environment []string) *cobra.Command {
	return group("account", "Make, list, change and delete accounts",
		newAccountCreateCommand(std, environment),
		newAccountInviteCommand(std, environment),
		newAccountListCommand(std, environment),
		newAccountSetPlanCommand(std, environment),
		newAccountResetPasswordCommand(std, environment),
		newAccountDeleteCommand(std, environment),
	)
}

// emailFlag adds the flag that names an account. Other commands call it
// --account, which is understood here as well.
func emailFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "account" {
			name = "email"
		}
		return pflag.NormalizedName(name)
	})
	cmd.Flags().StringVar(to, "email", "", "the e-mail address of its owner")
}

func newAccountCreateCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use: "create --email ADDRESS --plan PLAN", Short: "Make an account and print it as JSON", Args: cobra.NoArgs,
	}
	var email, plan string
	var passwordStdin, admin bool
	emailFlag(cmd, &email)
	cmd.Flags().StringVar(&plan, "plan", "", planUsage)
	cmd.Flags().BoolVar(&passwordStdin, "password-stdin", false, "read a password from the first line of stdin; without one the account lives by its keys")
	cmd.Flags().BoolVar(&admin, "admin", false, "let the account invite people and reset passwords in the console")
	required(cmd, "email", "plan")
	return operatorCommand(cmd, std, environment, true, nil, func(ctx context.Context, o *operator, _ []string) error {
		wanted := accounts.NewAccount{Email: email, Plan: svc.Plan(plan), Admin: admin}
		if passwordStdin {
			var err error
			if wanted.Password, err = readPassword(std.In); err != nil {
				return err
			}
		}
		made, err := o.accounts.Create(ctx, wanted)
		if err != nil {
			return err
		}
		return o.print(viewAccount(made))
	})
}

// maxPasswordLine is longer than any password that is accepted.
const maxPasswordLine = 4096

func readPassword(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, maxPasswordLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", usagef("--password-stdin was given, and the first line of stdin is empty")
	}
	return password, nil
}

func newAccountListCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "Print every account as a line of JSON", Args: cobra.NoArgs}
	return operatorCommand(cmd, std, environment, false, nil, func(ctx context.Context, o *operator, _ []string) error {
		for after := ""; ; {
			page, err := o.accounts.List(ctx, after)
			if err != nil {
				return err
			}
			for _, a := range page {
				if err := o.print(viewAccount(a)); err != nil {
					return err
				}
				after = a.Email
			}
			if len(page) < accounts.Page {
				return nil
			}
		}
	})
}

func newAccountSetPlanCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use: "set-plan --email ADDRESS --plan PLAN", Short: "Change the plan of an account", Args: cobra.NoArgs,
	}
	var email, plan string
	emailFlag(cmd, &email)
	cmd.Flags().StringVar(&plan, "plan", "", planUsage)
	required(cmd, "email", "plan")
	return operatorCommand(cmd, std, environment, false, nil, func(ctx context.Context, o *operator, _ []string) error {
		a, err := o.accounts.ByEmail(ctx, email)
		if err != nil {
			return err
		}
		if err := o.accounts.SetPlan(ctx, a.ID, svc.Plan(plan)); err != nil {
			return err
		}
		a.Plan = svc.Plan(plan)
		return o.print(viewAccount(a))
	})
}

func newAccountDeleteCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete --email ADDRESS", Short: "Delete an account with its keys, projects and bundles", Args: cobra.NoArgs,
	}
	var email string
	emailFlag(cmd, &email)
	required(cmd, "email")
	return operatorCommand(cmd, std, environment, false, nil, func(ctx context.Context, o *operator, _ []string) error {
		a, err := o.accounts.ByEmail(ctx, email)
		if err != nil {
			return err
		}
		if err := o.accounts.Delete(ctx, a.ID); err != nil {
			return err
		}
		return o.print(viewAccount(a))
	})
}
