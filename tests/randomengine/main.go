// Command randomengine is a program behind the exec engine, for tests: it writes
// files at length, in pieces and with pauses, in ways that are hard on whoever
// follows. The prompt is a [Task] in JSON. With a folder as its argument it leaves a
// file there each time a task is begun, named by the seed: a model that is asked twice
// is paid twice.
//
// The seed of the task decides what happens; the words are others each time it
// runs, so that the output of two attempts at one run can never pass for each
// other.
package main

import (
	"bufio"
	crand "crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Task says what to do.
type Task struct {
	Seed    uint64 `json:"seed"`
	Files   int    `json:"files"`    // that are written at once, piece by piece
	Pieces  int    `json:"pieces"`   // of each of them
	PauseMS int    `json:"pause_ms"` // the longest between two pieces
	// Ending: "" is well; "outage" tells an error, "crash" exits with 3,
	// "invalid" never passes validation.
	Ending string `json:"ending"`
}

type request struct {
	Prompt  string `json:"prompt"`
	Attempt int    `json:"attempt"`
}

// line is one line of the answer.
type line map[string]any

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "randomengine:", err)
		os.Exit(3)
	}
}

func run() error {
	var req request
	if err := json.NewDecoder(bufio.NewReader(os.Stdin)).Decode(&req); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	var task Task
	if err := json.Unmarshal([]byte(req.Prompt), &task); err != nil {
		return fmt.Errorf("read the task: %w", err)
	}
	var nonce [8]byte
	if _, err := crand.Read(nonce[:]); err != nil {
		return err
	}
	once := binary.LittleEndian.Uint64(nonce[:])
	if len(os.Args) > 1 && req.Attempt == 1 {
		if err := os.WriteFile(filepath.Join(os.Args[1], fmt.Sprintf("%d-%016x", task.Seed, once)), nil, 0o600); err != nil {
			return fmt.Errorf("note that the task is begun: %w", err)
		}
	}
	r := &engine{
		task: task, once: once, attempt: req.Attempt,
		plot:  rand.New(rand.NewPCG(task.Seed, 1)),
		words: rand.New(rand.NewPCG(task.Seed, once)),
	}
	return r.write()
}

type engine struct {
	task        Task
	once        uint64
	attempt     int
	plot, words *rand.Rand
}

func (r *engine) write() error {
	broken := r.task.Ending == "invalid" || r.attempt == 1 && r.plot.IntN(3) == 0
	if r.attempt > 1 {
		return r.data(broken) // the rest passed
	}
	opening := []line{
		{"type": "state_update", "key": "seed", "value": fmt.Sprint(r.task.Seed), "reason": "asked"},
		{"type": "file", "path": "empty.txt"},
		{"type": "file", "path": "whole.md", "content": r.text(6000)},
		{"type": "file", "path": fmt.Sprintf("once/%016x.txt", r.once), "content": "of this attempt alone\n"},
	}
	for _, l := range opening {
		if err := say(l); err != nil {
			return err
		}
	}
	if err := r.interleave(); err != nil {
		return err
	}
	if err := r.rewrite(); err != nil {
		return err
	}
	switch r.task.Ending {
	case "outage":
		return say(line{"type": "error", "code": "UPSTREAM_OUTAGE", "message": "The model is “out” – for now."})
	case "crash":
		return errors.New("as asked")
	}
	if err := r.data(broken); err != nil {
		return err
	}
	return say(line{"type": "usage", "model": "randomengine", "input_tokens": 7, "output_tokens": r.task.Files * r.task.Pieces})
}

// interleave writes several files at the same time.
func (r *engine) interleave() error {
	left := make(map[int]int, r.task.Files)
	open := make([]int, r.task.Files)
	for i := range open {
		open[i], left[i] = i, r.task.Pieces
	}
	for len(open) > 0 {
		at := r.plot.IntN(len(open))
		n := open[at]
		path := fmt.Sprintf("src/file%d.txt", n)
		if err := say(line{"type": "token", "file": path, "delta": r.text(1 + r.plot.IntN(160))}); err != nil {
			return err
		}
		if left[n]--; left[n] <= 0 {
			open = append(open[:at], open[at+1:]...)
			if n%2 == 0 { // the others are complete when the engine is done
				if err := say(line{"type": "file", "path": path, "mode": "0755"}); err != nil {
					return err
				}
			}
		}
		r.pause()
	}
	return nil
}

// rewrite tells a file and then says that it is another.
func (r *engine) rewrite() error {
	for range 5 {
		if err := say(line{"type": "token", "file": "rewritten.txt", "delta": r.text(80)}); err != nil {
			return err
		}
		r.pause()
	}
	return say(line{"type": "file", "path": "rewritten.txt", "content": r.text(9000)})
}

// data writes a file that is validated.
func (r *engine) data(broken bool) error {
	content, err := json.Marshal(map[string]any{"once": r.once, "text": r.text(300)})
	if err != nil {
		return err
	}
	if broken {
		content = content[:len(content)-1]
	}
	return say(line{"type": "file", "path": "data.json", "content": string(content)})
}

func (r *engine) pause() {
	if r.task.PauseMS > 0 {
		time.Sleep(time.Duration(r.plot.IntN(r.task.PauseMS*1000)) * time.Microsecond)
	}
}

// pieces of text that readers of lines, bytes, characters and markup stumble over.
var pieces = []string{
	"plain words ", "Grüße ", "日本語の文章", "🙂👩‍👩‍👧 ", "e\u0301 ", "\n", "\r\n", "\t", "\n\n", "data: no\n", "id: 7\n", ": \n",
	"\u2028", "\u2029", `"quoted\" `, "</script><!-- ", "\ufeff", "\x7f", "\u0001", "&amp; ", "𝄞",
}

func (r *engine) text(atLeast int) string {
	var b strings.Builder
	for b.Len() < atLeast {
		if r.words.IntN(8) == 0 {
			fmt.Fprintf(&b, "%x ", r.words.Uint32())
		}
		b.WriteString(pieces[r.words.IntN(len(pieces))])
	}
	return b.String()
}

func say(l line) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(text, '\n'))
	return err
}
