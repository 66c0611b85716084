package main

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// terminals are the ways to run a command: without a terminal and on one.
func terminals() []bool { return []bool{false, true} }

// openTerminal opens a terminal that changes nothing of what is written to it, and
// the screen that shows it.
func openTerminal(t *testing.T, columns uint16) (screen, terminal *os.File) {
	t.Helper()
	screen, terminal = openPlainTerminal(t, columns)
	if _, err := term.MakeRaw(int(terminal.Fd())); err != nil {
		t.Fatal(err)
	}
	return screen, terminal
}

// openPlainTerminal opens a terminal as people have it, with lines, an echo and Ctrl-C.
func openPlainTerminal(t *testing.T, columns uint16) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(screen.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	if err == nil {
		terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return screen, terminal
}
