package main

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Promise: client-version
func TestShortCutKnowsEveryCommand(t *testing.T) {
	var names []string
	for _, cmd := range newApp(Streams{Getenv: func(string) string { return "" }}).root().Commands() {
		if !cmd.Hidden {
			names = append(names, cmd.Name())
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, commands[:]); diff != "" {
		t.Error(diff)
	}
}

// The short cut must not be told from the way through the commands.
// Promise: client-version
func TestShortCutSaysTheSame(t *testing.T) {
	type end struct {
		Code     int
		Out, Err string
	}
	try := func(way func(std Streams) int) end {
		var out, err bytes.Buffer
		code := way(Streams{In: strings.NewReader(""), Out: &out, Err: &err, Getenv: func(string) string { return "" }})
		return end{code, out.String(), err.String()}
	}
	questions := [][]string{{"--version"}, {"nonsense", "--version"}, {"--version", "pull"}, {"--version=false"}, {"pull", "--version", "x"}}
	for _, name := range commands {
		questions = append(questions, []string{name, "--version"})
	}
	for _, args := range questions {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			long := try(func(std Streams) int { return Main(t.Context(), args, std) })
			short := try(func(std Streams) int {
				if answerVersion(args, std) {
					return exitOK
				}
				return Main(t.Context(), args, std)
			})
			if diff := cmp.Diff(long, short); diff != "" {
				t.Error(diff)
			}
		})
	}
	if !onlyVersion([]string{"--version"}) || !onlyVersion([]string{"pull", "--version"}) || onlyVersion([]string{"nonsense", "--version"}) {
		t.Error("the short cut is not taken where it should be, or where it should not")
	}
}

// Some libraries work for longer when a program starts than this program does
// to answer. What was needed of them is at hand without: see internal/workdir/merge for
// differences, internal/bundle/bundlezip for case.
// Promise: mcp-unlinked
func TestNothingSlowIsLinked(t *testing.T) {
	slow := []string{"github.com/aymanbagabas/go-udiff", "golang.org/x/text/cases", "golang.org/x/text/language", "github.com/modelcontextprotocol/go-sdk/mcp"}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, "net/http") {
		t.Fatalf("these are not the packages of a client: %q", linked)
	}
	for _, path := range slow {
		if slices.Contains(linked, path) {
			t.Errorf("the client links %s", path)
		}
	}
}
