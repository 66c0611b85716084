package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// asOperator gives what a command does to whoever is logged in on this machine, for
// the audit log.
func asOperator(ctx context.Context, environment []string) context.Context {
	a := svc.Actor{Kind: svc.ActorOperator, Name: "user " + strconv.Itoa(os.Getuid())}
	if known, err := user.Current(); err == nil && known.Username != "" {
		a.Name = known.Username
	}
	for _, variable := range environment {
		// Who runs the service as a user of its own comes by sudo, which says who that is.
		if before, found := strings.CutPrefix(variable, "SUDO_USER="); found && before != "" && before != a.Name {
			a.Name += " (sudo by " + before + ")"
		}
	}
	if host, err := os.Hostname(); err == nil {
		a.Address = host
	}
	return svc.WithActor(ctx, a)
}

// auditView is an entry of the audit log as the command prints it.
type auditView struct {
	ID        string          `json:"id"`
	At        api.Time        `json:"at"`
	Action    svc.AuditAction `json:"action"`
	AccountID string          `json:"accountId,omitempty"`
	Account   string          `json:"account,omitempty"`
	Actor     svc.ActorKind   `json:"actor"`
	ActorName string          `json:"actorName,omitempty"`
	Address   string          `json:"address,omitempty"`
	Subject   string          `json:"subject,omitempty"`
	Detail    string          `json:"detail,omitempty"`
}

func viewAudit(e svc.AuditEntry) auditView {
	return auditView{
		e.ID, api.Time(e.At), e.Action, e.AccountID, e.Email, e.Actor.Kind, e.Actor.Name, e.Actor.Address, e.Subject, e.Detail,
	}
}

// auditCommand is svcd audit.
type auditCommand struct {
	since, until, email, action, about string
	json                               bool
}

func newAuditCommand(std Streams, environment []string) *cobra.Command {
	var known []string
	for _, action := range svc.AuditActions() {
		known = append(known, string(action))
	}
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Print who did what, when and from where, the oldest first",
		Long: "Print the audit log, the oldest entry first: who did what, when and from where. Without\n" +
			"--json it is a table for people, with --json one object in each line. A time is one such\n" +
			"as 2026-11-16 or 2026-11-16T15:04:05Z, in UTC, or how long ago, such as 36h.\n\n" +
			"The actions are " + strings.Join(known, ",\n") + ".",
		Args: cobra.NoArgs,
	}
	var a auditCommand
	flags := cmd.Flags()
	flags.StringVar(&a.since, "since", "", "`time` from which on entries are printed (default all)")
	flags.StringVar(&a.until, "until", "", "`time` before which entries are printed (default all)")
	flags.StringVar(&a.email, "account", "", "e-mail `address` of the account, also of one that is gone")
	flags.StringVar(&a.action, "action", "", "only this `action`")
	flags.StringVar(&a.about, "about", "", "only entries with exactly this `text` as actor, address or subject: a prefix of a key, say")
	flags.BoolVar(&a.json, "json", false, "print an object of JSON in each line")
	return operatorCommand(cmd, std, environment, false, nil, func(ctx context.Context, o *operator, _ []string) error {
		return a.run(ctx, o, time.Now())
	})
}

func (a *auditCommand) run(ctx context.Context, o *operator, now time.Time) error {
	q := svc.AuditQuery{Action: svc.AuditAction(a.action), Email: strings.ToLower(strings.TrimSpace(a.email)), About: a.about, OldestFirst: true, Limit: accounts.AuditPage}
	if a.action != "" && !q.Action.Valid() {
		return usagef("--action: %q is not an action; see svcd audit --help", a.action)
	}
	var err error
	if q.Since, err = moment("since", a.since, now); err != nil {
		return err
	}
	if q.Until, err = moment("until", a.until, now); err != nil {
		return err
	}
	if err := o.tellHorizon(ctx); err != nil {
		return err
	}
	table := tabwriter.NewWriter(o.out, 0, 0, 2, ' ', 0)
	show := func(e svc.AuditEntry) error { return o.print(viewAudit(e)) }
	if !a.json {
		show = func(e svc.AuditEntry) error { return printAudit(table, e) }
		if _, err := fmt.Fprintln(table, "TIME\tACTION\tACCOUNT\tBY\tFROM\tSUBJECT\tDETAIL"); err != nil {
			return err
		}
	}
	for {
		page, err := o.accounts.Audit.List(ctx, q)
		if err != nil {
			return err
		}
		for _, e := range page {
			if err := show(e); err != nil {
				return fmt.Errorf("print the audit log: %w", err)
			}
			q.After = &svc.Cursor{CreatedAt: e.At, ID: e.ID}
		}
		if len(page) < accounts.AuditPage {
			return table.Flush()
		}
	}
}

// tellHorizon says what the audit log lacks, where it was cut.
func (o *operator) tellHorizon(ctx context.Context) error {
	horizon, err := o.accounts.Audit.Horizon(ctx)
	if err != nil || horizon.IsZero() {
		return err
	}
	_, err = fmt.Fprintf(o.notes, "svcd: entries until %s were removed, because their time was over\n", svc.FormatTime(horizon))
	return err
}

func printAudit(table *tabwriter.Writer, e svc.AuditEntry) error {
	by := string(e.Actor.Kind)
	if e.Actor.Name != "" {
		by += " " + e.Actor.Name
	}
	cells := []string{svc.FormatTime(e.At), string(e.Action), cmp.Or(e.Email, e.AccountID), by, e.Actor.Address, e.Subject, e.Detail}
	for i, cell := range cells {
		cells[i] = printable.Line(cmp.Or(cell, "-")) // which knows no tab
	}
	_, err := fmt.Fprintln(table, strings.Join(cells, "\t"))
	return err
}

// moment reads a time of a flag: a day, a moment, or how long ago.
func moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usagef("--%s: %q is no time such as 2026-11-16, 2026-11-16T15:04:05Z or 36h", flag, text)
}
