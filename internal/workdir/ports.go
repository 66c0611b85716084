package workdir

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/bundle-delivery/svc/internal/bundlezip"
)

// maxPortIncrements is how far a taken port is moved.
const maxPortIncrements = 10

// ErrNoPort says that no free port was found dirs a declared one.
var ErrNoPort = errors.New("no free port")

// choosePorts gives every logical port of a bundle its number in this folder.
// The user's own .env file is asked first, then the pulls before this one. The
// second value are the entries for the log: one for each number that is not the
// declared one or not the one before, and one for each .env file that has yet
// another.
func (f *Folder) choosePorts(ports []bundlezip.Port, history []pastPull) (map[string]int, []Entry, error) {
	given := map[string]int{}
	var entries []Entry
	used := map[int]bool{}
	settled := map[string]bool{}
	// Numbers that are fixed come first, so that no other port takes one.
	for _, p := range ports {
		n, others, ok := f.portOfUser(p)
		entries = append(entries, others...)
		if !ok {
			n, ok = portGiven(history, p.Name)
		}
		if ok {
			given[p.Name], settled[p.Name], used[n] = n, true, true
		}
	}
	for _, p := range ports {
		attempts := 0
		if !settled[p.Name] {
			n := p.Port
			for used[n] || f.env.PortTaken(n) {
				if attempts == maxPortIncrements || n == 1<<16-1 {
					return nil, nil, fmt.Errorf("%w for %q: %d to %d are all taken; stop what listens there and pull again", ErrNoPort, p.Name, p.Port, n)
				}
				attempts++
				n++
			}
			given[p.Name], used[n] = n, true
		}
		from := p.Port
		if earlier, ok := portGiven(history, p.Name); ok && from == given[p.Name] {
			from = earlier // files that stay may still have that one
		}
		if n := given[p.Name]; n != from {
			entries = append(entries, Entry{
				Type: PortConflictResolved, Name: p.Name, From: from, To: n, Attempts: &attempts,
			})
		}
	}
	return given, entries, nil
}

// portOfUser reads the number that the user's own .env file has in the place of
// a port. The entries name files that have another one.
func (f *Folder) portOfUser(p bundlezip.Port) (number int, others []Entry, ok bool) {
	first := ""
	for _, use := range p.Uses {
		name := path.Base(use.Path)
		if name != ".env" && !strings.HasPrefix(name, ".env.") {
			continue
		}
		content, err := f.project.read(use.Path, maxMerged)
		if err != nil {
			continue
		}
		n, found := portInEnv(string(content), use.Template)
		switch {
		case !found:
		case !ok:
			number, first, ok = n, use.Path, true
		case n != number:
			others = append(others, Entry{
				Type: ConflictEntry, Path: use.Path, Name: p.Name,
				Detail: fmt.Sprintf("port %q is %d here and %d in %s; %d is used", p.Name, n, number, first, number),
			})
		}
	}
	return number, others, ok
}

// withPorts puts the chosen numbers into the content of a bundle's file.
func withPorts(content []byte, name string, ports []bundlezip.Port, given map[string]int) ([]byte, error) {
	type splice struct {
		start, end int
		number     string
	}
	var splices []splice
	for _, p := range ports {
		for _, use := range p.Uses {
			if use.Path != name || given[p.Name] == p.Port {
				continue
			}
			start, end, err := bundlezip.FindPort(content, use.Template, p.Port)
			if err != nil {
				return nil, fmt.Errorf("port %q in %s: %w", p.Name, name, err)
			}
			splices = append(splices, splice{start, end, strconv.Itoa(given[p.Name])})
		}
	}
	slices.SortFunc(splices, func(a, b splice) int { return cmp.Compare(b.start, a.start) })
	for _, s := range splices {
		content = slices.Concat(content[:s.start], []byte(s.number), content[s.end:])
	}
	return content, nil
}

// portTaken asks the system whether something listens on a port, on all
// addresses or on the machine's own.
func portTaken(port int) bool {
	number := strconv.Itoa(port)
	for _, host := range []string{"", "127.0.0.1", "::1"} {
		address := net.JoinHostPort(host, number)
		listener, err := net.Listen("tcp", address)
		if err == nil {
			_ = listener.Close()
			continue
		}
		if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, errAddressInUse) {
			return true
		}
		// A port that this user may not open can still be in use.
		if connection, err := net.DialTimeout("tcp", address, 200*time.Millisecond); err == nil {
			_ = connection.Close()
			return true
		}
	}
	return false
}
