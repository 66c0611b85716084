package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/text/printable"
)

// announce tells where the service is: scripts by a file, people by a few lines
// on standard output, when they are watching or when it is the first start. The
// link that makes the first account is a secret. It is shown on a terminal, or
// where the operator asks for it: anything else may be a log, which many read and
// which is kept.
func (f *listeners) announce(ctx context.Context, s *settings, dir datadir.Dir, p *components, std Streams) error {
	if f.base == nil {
		f.log.Info("serving", "roles", s.roles, "version", programVersion())
		return nil
	}
	f.log.Info("serving", "url", f.base.String(), "ca", f.caFile, "roles", s.roles, "version", programVersion())
	if err := dir.PublishAddress(f.address); err != nil {
		return err
	}
	accounts, err := p.accounts.Count(ctx)
	if err != nil {
		return err
	}
	watched := isTerminal(std.Out)
	if accounts > 0 && !watched {
		return nil
	}
	setUp := ""
	if watched || s.printSetUp {
		if setUp, err = p.setUpLink(ctx); err != nil {
			return err
		}
	}
	_, err = io.WriteString(std.Out, banner(s, f.base.String(), f.caFile, accounts == 0, setUp, std.Program))
	if err != nil {
		return fmt.Errorf("tell the address: %w", err)
	}
	return nil
}

// banner is what people read after starting the service, and what they can type
// next if it is the first time, with the set-up link where it may be seen.
func banner(s *settings, base, caFile string, first bool, setUp, program string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  The service listens at  %s\n", base)
	if caFile != "" {
		fmt.Fprintf(&b, "  Clients have to trust   %s\n", caFile)
		fmt.Fprintf(&b, "\n  A browser warns at first, because no public authority vouches for this service but its\n  own; it is at %s/ca.pem for those who want to trust it.\n", strings.TrimRight(base, "/"))
	}
	if first {
		folder := ""
		if s.dataDir != defaultSettings().dataDir {
			folder = " --data-dir " + printable.ShellWord(s.dataDir)
		}
		trust := ""
		if caFile != "" {
			trust = " --ca-file " + printable.ShellWord(caFile)
		}
		client := filepath.Join(filepath.Dir(program), "svc")
		if filepath.Dir(program) == "." && !strings.HasPrefix(program, ".") {
			client = "svc"
		}
		if setUp != "" {
			fmt.Fprintf(&b, "\n  Make the first account in a browser (the link works once, for an hour):\n\n    %s\n", setUp)
			b.WriteString("\n  Or in another terminal:\n\n")
		} else {
			b.WriteString("\n  Make the first account in a browser with the link that a start with --print-setup-link\n  shows, or in another terminal:\n\n")
		}
		fmt.Fprintf(&b, "    %s account create%s --email you@example.com --plan developer\n", printable.ShellWord(program), folder)
		fmt.Fprintf(&b, "    %s key create%s --account you@example.com --name laptop | %s auth --api-key - --api-url %s%s\n",
			printable.ShellWord(program), folder, printable.ShellWord(client), base, trust)
		fmt.Fprintf(&b, "    %s generate \"a todo list API in Go\"\n", printable.ShellWord(client))
	}
	b.WriteString("\n")
	return b.String()
}
