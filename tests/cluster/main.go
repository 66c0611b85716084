//go:build unix

// Command cluster starts the service as a big installation has it, on this
// machine: a PostgreSQL, an S3, three servers of NATS and three svcd behind a
// load balancer. It tells where to find them, and ends and removes all of it
// when it is interrupted.
//
//	make cluster
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/bundle-delivery/svc/internal/testkit/cluster"
)

func main() {
	program := flag.String("svcd", "", "the server to run (default: it is built)")
	client := flag.String("svc", "svc", "the client that the next steps name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *program, *client, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// run has a cluster until the context ends. The flags are for every svcd.
func run(ctx context.Context, program, client string, flags []string) (err error) {
	dir, err := os.MkdirTemp("", "svc-cluster")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	fmt.Println("Starting PostgreSQL, S3, three servers of NATS and three svcd; the first time builds some of them.")
	c, err := cluster.Start(ctx, cluster.Config{Dir: dir, Program: program, Flags: flags})
	if ctx.Err() != nil {
		return err // interrupted: what was started is ended
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	next, err := nextSteps(ctx, c, dir, client)
	if err != nil {
		return err
	}
	fmt.Print(next)
	<-ctx.Done()
	fmt.Println("\nEnding all of it.")
	return nil
}

const newcomer = "you@example.com"

// nextSteps makes an account and says what can be done now.
func nextSteps(ctx context.Context, c *cluster.Cluster, dir, client string) (string, error) {
	if _, err := c.Admin(ctx, "account", "create", "--email", newcomer, "--plan", "developer"); err != nil {
		return "", err
	}
	key, err := c.Admin(ctx, "key", "create", "--account", newcomer, "--name", "cluster")
	if err != nil {
		return "", err
	}
	operator := filepath.Join(dir, "operator.env")
	var exports strings.Builder
	for _, v := range c.Environment {
		name, text, _ := strings.Cut(v, "=")
		fmt.Fprintf(&exports, "export %s='%s'\n", name, text)
	}
	if err := os.WriteFile(operator, []byte(exports.String()), 0o600); err != nil {
		return "", fmt.Errorf("write the operator's environment: %w", err)
	}
	ca := filepath.Join(c.Data, "tls", "ca.pem")
	var b strings.Builder
	fmt.Fprintf(&b, "\n  The service listens at  %s\n  Clients have to trust   %s\n  Account and key         %s  %s\n\n", c.Base, ca, newcomer, key)
	fmt.Fprintf(&b, "  In another terminal:\n\n    export SVC_API_URL=%s SVC_CA_FILE=%s SVC_TOKEN=%s\n    %s generate \"a todo list API in Go\"\n\n", c.Base, ca, key, client)
	fmt.Fprintf(&b, "  As its operator:\n\n    . %s\n    %s account list\n\n  The processes:\n\n", operator, c.Program)
	for _, s := range c.Servers {
		fmt.Fprintf(&b, "    %-11s %-22s metrics %s/metrics, log %s\n", s.Name, s.Address, s.Metrics, s.LogFile)
	}
	for _, p := range c.Engines.All() {
		fmt.Fprintf(&b, "    %-11s %-22s log %s\n", p.Name, p.Address, p.LogFile)
	}
	b.WriteString("\n  Ctrl-C ends and removes all of it.\n")
	return b.String(), nil
}
