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

func startChild(ctx context.Context, arg string, more ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, self, append([]string{arg}, more...)...)}
	c.cmd.Stderr = os.Stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = json.NewDecoder(bufio.NewReader(out))
	return c, c.cmd.Start()
}

// ask sends an order and waits for its answer, which may be nil for one that says
// nothing.
func (c *child) ask(o order, answer any) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if _, err := c.in.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("%s: %w", o.Do, err)
	}
	if answer == nil {
		answer = new(any)
	}
	if err := c.out.Decode(answer); err != nil {
		return fmt.Errorf("%s: %w", o.Do, err)
	}
	return nil
}

// stop ends the child: it has no more orders.
func (c *child) stop() error {
	return errors.Join(c.in.Close(), c.cmd.Wait())
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

// processTree is a process and those that it started.
func processTree(pid int) ([]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	all := []int{pid}
	for _, file := range stats {
		fields, err := statFields(file)
		if err != nil {
			continue // it has ended
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil && parent == pid {
			child, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				return nil, err
			}
			all = append(all, child)
		}
	}
	return all, nil
}

// statFields are the fields of /proc/PID/stat from the third on: the second is a
// name that may hold anything.
func statFields(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	end := strings.LastIndexByte(string(text), ')')
	fields := strings.Fields(string(text[end+1:]))
	if end < 0 || len(fields) < 22 {
		return nil, fmt.Errorf("%s cannot be read", file)
	}
	return fields, nil
}

// processorTime is what a process and its children have used of the processor.
func processorTime(pid int) (time.Duration, error) {
	const tick = time.Second / 100 // USER_HZ, the same on every Linux
	pids, err := processTree(pid)
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, p := range pids {
		fields, err := statFields(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil {
			return 0, err
		}
		for _, field := range fields[11:13] { // utime and stime
			n, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				return 0, err
			}
			sum += time.Duration(n) * tick
		}
	}
	return sum, nil
}

// resident is the memory that a process and its children have, in bytes.
func resident(pid int) (float64, error) {
	pids, err := processTree(pid)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, p := range pids {
		fields, err := statFields(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil {
			return 0, err
		}
		pages, err := strconv.ParseInt(fields[21], 10, 64)
		if err != nil {
			return 0, err
		}
		sum += float64(pages) * float64(os.Getpagesize())
	}
	return sum, nil
}

// ownProcessorTime is what this process has used of the processor.
func ownProcessorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0 // it cannot fail for this process
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
