// Command svc fetches bundles of the bundle delivery service and applies them to
// a folder.
//
// One file here is one command. What a command does lives in the packages
// client and workdir, and those below workdir; this one reads flags, asks, shows, and turns
// errors into exit codes, in exit.go and nowhere else. Results go to stdout,
// everything else to stderr.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/text/printable"
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

// Streams are the streams and the environment that the program was started with.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	// LookupEnv also reports whether a variable is set. Without it, empty variables
	// count as not set.
	LookupEnv func(string) (string, bool)
}

// checkNotEmpty refuses a variable of the environment that is set to nothing: a script
// that meant to set it would go on without what it protects.
func (s Streams) checkNotEmpty(name string) error {
	if s.LookupEnv == nil {
		return nil
	}
	if value, set := s.LookupEnv(name); set && value == "" {
		return fmt.Errorf("%s is set and empty; give it a value, or unset it: unset %s", name, name)
	}
	return nil
}

// answerVersion answers what needs no preparation, and says whether it did. What it
// answers, Main answers likewise.
func answerVersion(args []string, std Streams) bool {
	return onlyVersion(args) && printVersion(std.Out) == nil
}

// Main is the program without its short cut: it runs one command and returns the
// exit code.
func Main(ctx context.Context, args []string, std Streams) int {
	a := newApp(std)
	root := a.root()
	root.SetArgs(args)
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	cmd, err := root.ExecuteContextC(ctx)
	return a.finish(cmd, err)
}

// commands are the names of the commands.
var commands = [...]string{"auth", "completion", "diff", "doctor", "export", "generate", "help", "history", "licenses", "list", "login", "logout", "mcp", "pull", "push", "rollback", "show", "status", "verify", "watch"}

// onlyVersion says whether nothing but the version is asked for. That question
// comes from scripts and prompts, often, and needs no command to be made.
func onlyVersion(args []string) bool {
	switch len(args) {
	case 1:
		return args[0] == "--version"
	case 2:
		return args[1] == "--version" && slices.Contains(commands[:], args[0])
	}
	return false
}

func printVersion(out io.Writer) error {
	_, err := io.WriteString(out, "svc "+programVersion()+"\n")
	return err
}

// app is one run of the program.
type app struct {
	Streams
	term terminal

	// The global flags.
	apiURL, apiKey, caFile string
	caFingerprint          string // of auth and login alone
	version                bool
	yes, quiet, verbose    bool

	asJSON bool // of the commands that have --json

	// remembered is the project that this folder tells, where none was named.
	remembered string
}

func newApp(std Streams) *app {
	return &app{Streams: std, term: newTerminal(std)}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "svc",
		Short: "Fetch generated projects and apply them to a folder",
		Long: `svc fetches bundles of generated files and applies them to the current folder.
A pull either happens as a whole or not at all, and can be taken back. The folder of a
pull tells its project, so that --project need not be repeated there.`,
		Example: `  svc auth --api-key svc_… --api-url https://svc.example.com   # once; or svc login
  svc pull --latest --dry-run                                  # look first
  svc pull --latest                                            # then leap
  svc diff                                                     # what you changed since
  svc rollback                                                 # and back`,
		Args:          noSuchCommand,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := root.PersistentFlags()
	flags.BoolP("help", "h", false, "print usage for the command and exit")
	flags.BoolVar(&a.version, "version", false, "print the client version and exit")
	flags.StringVar(&a.apiURL, "api-url", "", "address of the service (else SVC_API_URL, else stored by svc auth)")
	flags.StringVar(&a.apiKey, "api-key", "", "API key, svc_<prefix8>_<hex32> (else SVC_TOKEN, else stored by svc auth)")
	flags.StringVar(&a.caFile, "ca-file", "", "PEM file with a certificate authority to trust (else SVC_CA_FILE, else stored)")
	flags.BoolVarP(&a.yes, "yes", "y", false, "answer every question with yes")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no hints: results, warnings and errors alone")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "show every file and every column, on a terminal too")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, err) })
	root.AddCommand(
		newAuthCommand(a), newLoginCommand(a), newLogoutCommand(a), newPullCommand(a), newRollbackCommand(a), newStatusCommand(a), newExportCommand(a),
		newPushCommand(a), newListCommand(a), newGenerateCommand(a), newWatchCommand(a), newVerifyCommand(a), newShowCommand(a), newDiffCommand(a), newHistoryCommand(a), newDoctorCommand(a),
		newLicensesCommand(a), newMCPCommand(a),
	)
	root.InitDefaultCompletionCmd()
	help := newHelpCommand()
	root.AddCommand(help)
	root.SetHelpCommand(help)
	a.prepare(root)
	return root
}

// prepare gives a command and those below it what all of them have: --version,
// and errors that say where help is.
func (a *app) prepare(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		a.prepare(sub)
	}
	check, run := cmd.Args, cmd.RunE
	if run == nil && cmd.HasSubCommands() {
		// Left to itself, cobra shows help for whatever stands behind a command
		// that only has others below it, and calls that a success.
		check, run = noSuchCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if a.version || check == nil {
			return nil
		}
		if err := check(cmd, args); err != nil {
			return usage(cmd, err)
		}
		return nil
	}
	if run == nil {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if a.version {
			return printVersion(a.Out)
		}
		a.term.quiet = a.quiet
		return run(cmd, args)
	}
}

// one accepts one argument and else says what it wants.
func one(wanted string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return errors.New(wanted)
		}
		return nil
	}
}

// optional accepts one argument or none, and else says what it wants.
func optional(wanted string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return one(wanted)(cmd, args)
	}
}

// none accepts no argument.
func none(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is too much: the command takes no argument", args[0])
	}
	return nil
}

func usage(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
}

// print writes a result.
func (a *app) print(format string, args ...any) error {
	keepInLine(args)
	_, err := fmt.Fprintf(a.Out, format, args...)
	return err
}

// step writes a note that begins with a word in colour.
func (a *app) step(colour, word, text string) {
	if !a.quiet {
		a.warnStep(colour, word, text)
	}
}

// warnStep writes a warning that begins with a word in colour.
func (a *app) warnStep(colour, word, text string) {
	if text == "" {
		a.warn("%s", a.term.paintNote(colour, word))
		return
	}
	word = fmt.Sprintf("%-*s", stepIndent-1, printable.Line(word))
	a.warn("%s %s", a.term.paintNote(colour, word), a.term.hanging(printable.Line(text)))
}

// unheard says that what was done could not be told. It is done all the same.
func (a *app) unheard(done string, err error) {
	if err != nil {
		a.warn("%s, but that could not be printed: %s", done, oneLine(err))
	}
}

// note writes something that is neither a result nor a warning, and that --quiet leaves
// out.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		a.warn(format, args...)
	}
}

// warn writes something that is not a result and that everybody should see. There is
// nowhere to report that it failed.
func (a *app) warn(format string, args ...any) {
	keepInLine(args)
	_, _ = fmt.Fprintln(a.Err, fmt.Sprintf(format, args...))
}
