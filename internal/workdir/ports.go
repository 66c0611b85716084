package workdir

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/bundle-delivery/svc/internal/bundlezip"
)

// maxPortIncrements is how far a taken port is moved.
const maxPortIncrements = 10

// ErrNoPort says that no free port was found near a declared one.
var ErrNoPort = errors.New("no free port")

// choosePorts gives every logical port of a bundle its number in this folder.
// The second value are the entries for the log: one for each number that is not
// the declared one.
func (f *Folder) choosePorts(ports []bundlezip.Port, history []level) (map[string]int, []Entry, error) {
	given := map[string]int{}
	var entries []Entry
	used := map[int]bool{}
	settled := map[string]bool{}
	// Numbers that are fixed come first, so that no other port takes one.
	for _, p := range ports {
		n, ok := portGiven(history, p.Name)
		if !ok {
			n, ok = f.portOfUser(p)
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
		if n := given[p.Name]; n != p.Port {
			entries = append(entries, Entry{
				Type: PortConflictResolved, Name: p.Name, From: p.Port, To: n, Attempts: &attempts,
			})
		}
	}
	return given, entries, nil
}

// portOfUser reads the number that the user's own .env file has in the place of
// a port.
func (f *Folder) portOfUser(p bundlezip.Port) (int, bool) {
	for _, use := range p.Uses {
		name := path.Base(use.Path)
		if name != ".env" && !strings.HasPrefix(name, ".env.") {
			continue
		}
		content, err := f.project.read(use.Path, maxMerged)
		if err != nil {
			continue
		}
		if n, ok := portInText(string(content), use.Template); ok {
			return n, true
		}
	}
	return 0, false
}

// portInText finds the one number that stands in the place of a template, as a
// name of its own: PORT={port} does not speak of DB_PORT.
func portInText(text, template string) (int, bool) {
	before, after, _ := strings.Cut(template, bundlezip.PortPlaceholder)
	pattern, err := regexp.Compile(`(?m)(?:^|[^A-Za-z0-9_])` + regexp.QuoteMeta(before) + `([0-9]{1,5})` + regexp.QuoteMeta(after) + `(?:$|[^0-9])`)
	if err != nil {
		return 0, false
	}
	matches := pattern.FindAllStringSubmatch(text, 2)
	if len(matches) != 1 {
		return 0, false
	}
	n, err := strconv.Atoi(matches[0][1])
	return n, err == nil && n > 0 && n < 1<<16
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
