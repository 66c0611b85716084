package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// section is the outcome of one benchmark.
type section struct {
	rows  []row
	notes []string
}

// row is one line of the table: a quantity, or a ratio with what was asked of it.
type row struct {
	what, value, asked string
}

func (s *section) add(what, value, asked string) { s.rows = append(s.rows, row{what, value, asked}) }

func (s *section) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

func (s section) write(w io.Writer, b benchmark) {
	fmt.Fprintf(w, "## %s\n\n`go -C tests run ./bench %s`\n\n| what | median (spread) | asked for |\n|---|---|---|\n", b.title, b.name)
	for _, r := range s.rows {
		fmt.Fprintf(w, "| %s | %s | %s |\n", r.what, r.value, r.asked)
	}
	fmt.Fprintln(w)
	for _, n := range s.notes {
		fmt.Fprintln(w, strings.TrimRight(n, "\n")+"\n")
	}
}

func writeHeading(w io.Writer, rounds int) {
	fmt.Fprintf(w, `# Measured

Made by `+"`make bench`"+`. Each figure is the median, with the smallest and largest, of %d rounds in which the service and its peer took turns. Ratios are formed round by round.

Machine: %d cores, %s, %s, %s/%s.

`, rounds, runtime.NumCPU(), cpuModel(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
