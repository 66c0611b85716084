// Command svcd is the server of the bundle delivery service, and the commands
// with which its operator makes accounts, keys and projects.
//
// It holds settings and wiring, nothing else. Every setting is a flag, an
// environment variable and a key of the config file, in this order of
// precedence, and one that is unknown or wrong is refused by name before
// anything is touched. Results go to stdout, everything else to stderr.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/text/printable"
)

// The exit codes, all of them.
const (
	exitOK      = 0
	exitFailure = 1 // what was asked for could not be done
	exitUsage   = 2 // what was asked for makes no sense: a flag, a setting, an argument
)

// version is set by the linker for releases.
var version string

func programVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Streams are what a program reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Program is what the program was called as, for commands that are suggested.
	Program string
}

// Main is the whole program: it runs one command until it is done or the context
// ends, and returns the exit code. The environment has the form of os.Environ.
func Main(ctx context.Context, args []string, std Streams, environment []string) int {
	root := newRootCommand(std, environment)
	root.SetArgs(args)
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if _, werr := fmt.Fprintln(std.Err, "svcd: "+printable.Indented(explain(err))); werr != nil {
		return exitFailure // nobody can be told why
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	return exitFailure
}

// usageError is a mistake in how the program was called.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// explain gives the words for people.
func explain(err error) string {
	if e, ok := errors.AsType[*svc.Error](err); ok && e.Code != svc.CodeInternal {
		if e.Hint != "" {
			return e.Message + " " + e.Hint
		}
		return e.Message
	}
	return err.Error()
}

func newRootCommand(std Streams, environment []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "svcd",
		Short: "The bundle delivery service",
		Long: "svcd delivers generated project bundles over HTTPS.\n\n" +
			"Every setting is a flag, an environment variable (SVCD_ and the flag's name in\n" +
			"capitals, with _ for -) and a key of the TOML file that --config names, in this order.",
		Version:       programVersion(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(
		newServeCommand(std, environment),
		newHealthCommand(environment),
		newAccountCommand(std, environment),
		newKeyCommand(std, environment),
		newAuditCommand(std, environment),
		newSigningKeyCommand(std, environment),
		newProjectCommand(std, environment),
		newEngineCommand(std, environment),
		newMigrateCommand(std, environment),
		newBackupCommand(std, environment),
		newRestoreCommand(std, environment),
		newLicensesCommand(std),
	)
	usageErrors(root)
	return root
}

// usageErrors makes wrong arguments of a command and those below it usage errors.
func usageErrors(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		usageErrors(sub)
	}
	check := cmd.Args
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usagef("%w; see %s --help", err, cmd.CommandPath())
		}
		return nil
	}
}

// group makes a command that only has others below it.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return cmd.Help()
	}}
	cmd.AddCommand(subs...)
	return cmd
}
