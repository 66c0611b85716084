package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"time"

	"golang.org/x/term"
)

// Whatever is read from the standard input is read here: a read cannot be taken back,
// and so the program goes on without it when it is to end.

// reply is what was read.
type reply struct {
	text string
	err  error
}

// input waits for what read takes from the standard input, or for the end of the
// program.
func (a *app) input(ctx context.Context, read func(io.Reader) (string, error)) (string, error) {
	answered := make(chan reply, 1)
	go func() {
		text, err := read(a.In)
		answered <- reply{text, err}
	}()
	return a.reply(ctx, answered)
}

func (a *app) reply(ctx context.Context, answered <-chan reply) (string, error) {
	select {
	case <-ctx.Done():
		a.endLine()
		return "", ctx.Err()
	case r := <-answered:
		return r.text, r.err
	}
}

// endLine ends the line in which the user was asked, where nobody else has.
func (a *app) endLine() {
	if a.term.inTTY && a.term.errTTY {
		_, _ = fmt.Fprintln(a.Err)
	}
}

// readAll reads a text to its end, up to a size.
func readAll(limit int64) func(io.Reader) (string, error) {
	return func(in io.Reader) (string, error) {
		text, err := io.ReadAll(io.LimitReader(in, limit))
		return string(text), err
	}
}

func readLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(in).ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return strings.TrimSpace(line), err
}

// confirm asks a question. An empty answer is the one that is expected; no answer at
// all is no. With --yes nobody is asked.
func (a *app) confirm(ctx context.Context, question string, expected bool) (bool, error) {
	if a.yes {
		return true, nil
	}
	_, _ = fmt.Fprint(a.Err, question)
	line, err := a.input(ctx, readLine)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		return false, nil //nolint:nilerr // an end of the input is an answer as well
	}
	line = strings.ToLower(line)
	return line == "y" || line == "yes" || line == "" && expected, nil
}

// ask asks for a line of text, on a terminal.
func (a *app) ask(ctx context.Context, question string) (string, error) {
	_, _ = fmt.Fprint(a.Err, question)
	return a.input(ctx, readLine)
}

// askSecret asks for a line that the terminal does not show.
func (a *app) askSecret(ctx context.Context, question string) (string, error) {
	file, ok := a.In.(*os.File)
	if !ok {
		return a.ask(ctx, question)
	}
	before, err := term.GetState(int(file.Fd()))
	if err != nil {
		return "", err
	}
	answered := make(chan reply, 1)
	go func() {
		secret, err := term.ReadPassword(int(file.Fd()))
		answered <- reply{strings.TrimSpace(string(secret)), err}
	}()
	// The question comes when the echo is off, so that it is known what to undo.
	for hidden := false; !hidden && len(answered) == 0; time.Sleep(time.Millisecond) {
		now, err := term.GetState(int(file.Fd()))
		hidden = err != nil || !reflect.DeepEqual(now, before)
	}
	_, _ = fmt.Fprint(a.Err, question)
	text, err := a.reply(ctx, answered)
	if ctx.Err() != nil { // the read still waits
		return "", errors.Join(ctx.Err(), term.Restore(int(file.Fd()), before))
	}
	a.endLine()
	return text, err
}
