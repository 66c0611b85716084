// Command manuals writes the manual pages and the shell completions that come
// with the programs of a release.
//
// Both are made from the programs' own help, so that no page can tell of a flag
// that is not there.
//
//	go run ./deploy/release/manuals -o bin/release
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// completions are the shells, with the names of the files that they look for.
var completions = map[string]string{"bash": "%s.bash", "zsh": "_%s", "fish": "%s.fish", "powershell": "%s.ps1"}

func main() {
	out := flag.String("o", "", "the folder to write to")
	flag.Parse()
	if err := writeAll(context.Background(), *out); err != nil {
		fmt.Fprintln(os.Stderr, "manuals:", err)
		os.Exit(1)
	}
}

func writeAll(ctx context.Context, out string) error {
	if out == "" {
		return fmt.Errorf("name the folder to write to with -o")
	}
	dir, err := os.MkdirTemp("", "svc-manuals-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // nothing in it is needed
	for _, name := range []string{"svc", "svcd"} {
		p := program{name: name, path: filepath.Join(dir, name)}
		build := exec.CommandContext(ctx, "go", "build", "-o", p.path, "./cmd/"+name) //nolint:gosec // one of the two above
		if said, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w: %s", name, err, said)
		}
		if err := p.write(ctx, out); err != nil {
			return err
		}
	}
	return nil
}

// program is one whose manual and completions are written.
type program struct{ name, path string }

func (p program) write(ctx context.Context, out string) error {
	for shell, file := range completions {
		text, err := p.ask(ctx, "completion", shell)
		if err != nil {
			return err
		}
		if err := put(filepath.Join(out, "completions", fmt.Sprintf(file, p.name)), text); err != nil {
			return err
		}
	}
	var page bytes.Buffer
	if err := p.manual(ctx, &page); err != nil {
		return err
	}
	return put(filepath.Join(out, "man", p.name+".1"), page.String())
}

func put(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return err
	}
	return os.WriteFile(filepath.Clean(file), []byte(text), 0o644) //nolint:gosec // it is for everybody
}

// ask runs the program and gives what it prints, whatever is in the environment.
func (p program) ask(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, p.path, args...) //nolint:gosec // what was just built
	cmd.Env = []string{"HOME=/nonexistent", "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", p.name, strings.Join(args, " "), err)
	}
	return string(out), nil
}

// manual writes the manual page: a section for the program and one for each of
// its commands, as their help has them.
func (p program) manual(ctx context.Context, page *bytes.Buffer) error {
	help, err := p.ask(ctx, "--help")
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(strings.TrimSpace(help), "\n")
	about := strings.TrimPrefix(first, p.name+" ")
	fmt.Fprintf(page, ".TH %s 1\n.SH NAME\n%s \\- %s\n", strings.ToUpper(p.name), p.name, roff(strings.TrimSuffix(about, ".")))
	return p.section(ctx, page, nil, help)
}

var commandLine = regexp.MustCompile(`(?m)^  ([a-z]+)  +\S`)

// section writes the help of a command, and then those of the ones below it.
func (p program) section(ctx context.Context, page *bytes.Buffer, path []string, help string) error {
	title := strings.ToUpper(strings.Join(append([]string{p.name}, path...), " "))
	if len(path) == 0 {
		title = "DESCRIPTION"
	}
	fmt.Fprintf(page, ".SH %q\n.nf\n%s\n.fi\n", title, roff(strings.TrimSpace(help)))
	_, below, found := strings.Cut(help, "Commands:\n")
	if !found {
		return nil
	}
	list, _, _ := strings.Cut(below, "\n\n")
	for _, m := range commandLine.FindAllStringSubmatch(list, -1) {
		if m[1] == "help" || m[1] == "completion" {
			continue
		}
		next := append(append([]string{}, path...), m[1])
		text, err := p.ask(ctx, append(append([]string{}, next...), "--help")...)
		if err != nil {
			return err
		}
		if err := p.section(ctx, page, next, text); err != nil {
			return err
		}
	}
	return nil
}

// roff makes text safe: a backslash is an escape, and so is a point or a quote at
// the beginning of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
