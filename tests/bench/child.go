package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// child is this program once more, as a server: what is measured must not share
// a process with what measures. It is asked one question a line, in JSON, and
// answers each with a line.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// order is a question to a child.
type order struct {
	Do      string `json:"do"`
	Runs    int    `json:"runs,omitempty"`
	Events  int    `json:"events,omitempty"`
	PauseMS int    `json:"pauseMs,omitempty"`
}

// child starts this program once more. It ends when it has no more orders.
func (e *env) child(ctx context.Context, arg string, more ...string) *child {
	c := &child{cmd: exec.CommandContext(ctx, must(os.Executable()), append([]string{arg}, more...)...)}
	c.cmd.Stderr = os.Stderr
	c.in = must(c.cmd.StdinPipe())
	c.out = json.NewDecoder(bufio.NewReader(must(c.cmd.StdoutPipe())))
	check(c.cmd.Start())
	e.later(func() error { return errors.Join(c.in.Close(), c.cmd.Wait()) })
	return c
}

// ask sends an order and waits for its answer, which may be nil for one that says
// nothing.
func (c *child) ask(o order, answer any) {
	if answer == nil {
		answer = new(any)
	}
	err := json.NewEncoder(c.in).Encode(o)
	if err == nil {
		err = c.out.Decode(answer)
	}
	if err != nil {
		check(fmt.Errorf("%s: %w", o.Do, err))
	}
}

// obey answers orders until there are no more.
func obey(in io.Reader, out io.Writer, do func(order) (any, error)) error {
	orders, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer, err := do(o)
		if err != nil {
			return fmt.Errorf("%s: %w", o.Do, err)
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
}

// statistics are the fields of /proc/PID/stat, from the third on (the second is a
// name that may hold anything), of a process and those that it started.
func statistics(pid int) (all [][]string) {
	for _, file := range must(filepath.Glob("/proc/[0-9]*/stat")) {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if own := filepath.Base(filepath.Dir(file)); own == strconv.Itoa(pid) || fields[1] == strconv.Itoa(pid) {
			all = append(all, fields)
		}
	}
	return all
}

// processorTime is how many seconds of the processor a process and its children
// have used.
func processorTime(pid int) (seconds float64) {
	const ticks = 100 // in a second: USER_HZ, the same on every Linux
	for _, fields := range statistics(pid) {
		for _, field := range fields[11:15] { // its own, user and system, and that of children which have ended
			seconds += must(strconv.ParseFloat(field, 64)) / ticks
		}
	}
	return seconds
}

// contextSwitches is how often the threads of a process gave up a core or lost it.
func contextSwitches(pid int) (n float64) {
	for _, path := range must(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))) {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		for line := range strings.Lines(string(text)) {
			if name, value, _ := strings.Cut(line, ":"); strings.HasSuffix(name, "ctxt_switches") {
				n += must(strconv.ParseFloat(strings.TrimSpace(value), 64))
			}
		}
	}
	return n
}

// resident is the memory that a process and its children have, in bytes.
func resident(pid int) (bytes float64) {
	for _, fields := range statistics(pid) {
		bytes += must(strconv.ParseFloat(fields[21], 64)) * float64(os.Getpagesize())
	}
	return bytes
}

// ownProcessorTime is what this process has used of the processor.
func ownProcessorTime() time.Duration {
	var used syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
