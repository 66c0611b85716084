package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write docs/cli.md from the commands")

// TestReference keeps docs/cli.md the same as what the commands say of
// themselves: go test ./cmd/svc -run TestReference -update
// Promise: client-help
func TestReference(t *testing.T) {
	var text strings.Builder
	text.WriteString("# The commands of svc\n\nMade from the program's own help by `go test ./cmd/svc -run TestReference -update`.\n\n")
	text.WriteString("Every command exits with 0 for success, 1 for a mistake or a refusal, 2 when the network or the server failed, and 130 after Ctrl-C. A bundle that is gone, because it was acknowledged or has expired, is information and no failure: svc pull and svc status exit with 0, so that a script which has pulled it before may ask again; svc pull has then written nothing. Results go to stdout, everything else to stderr.\n")
	root := newApp(Streams{In: strings.NewReader(""), Out: &strings.Builder{}, Err: &strings.Builder{}, Getenv: func(string) string { return "" }}).root()
	describe(&text, root)
	for _, cmd := range root.Commands() {
		if !cmd.Hidden {
			describe(&text, cmd)
		}
	}
	path := filepath.Join("..", "..", "docs", "cli.md")
	if *update {
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != text.String() {
		t.Error("docs/cli.md is not what the commands say; write it anew with -update")
	}
}

func describe(text *strings.Builder, cmd *cobra.Command) {
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	fmt.Fprintf(text, "\n## `%s`\n\n%s\n\n```\n%s\n```\n", cmd.CommandPath(), about, strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	if cmd.Example != "" {
		fmt.Fprintf(text, "\n```sh\n%s\n```\n", strings.ReplaceAll(strings.TrimPrefix(cmd.Example, "  "), "\n  ", "\n"))
	}
	flags := cmd.LocalFlags()
	if cmd.HasParent() {
		flags = cmd.LocalNonPersistentFlags()
	}
	if usages := strings.TrimRight(flags.FlagUsages(), "\n"); usages != "" {
		fmt.Fprintf(text, "\n```\n%s\n```\n", usages)
	}
}
