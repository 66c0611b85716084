package workdir

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// maxPortIncrements is how far a taken port is moved.
const maxPortIncrements = 10

// ErrNoPort says that no free port was found dirs a declared one.
var ErrNoPort = errors.New("no free port")

// chosenPorts are the numbers of a bundle's ports in a folder.
type chosenPorts struct {
	given    map[string]int
	declared map[string]int
	users    []string // ports whose number the user has written
	// before are the numbers that earlier pulls settled on, the newest first.
	before map[string][]earlierPort
}

// choosePorts gives every logical port of a bundle its number in this folder:
// the one that the user has written into a .env file; else the one that an
// earlier pull gave it, as long as the bundle declares what it declared then;
// else the declared one, or the next that is free. The second value are the
// entries for the log: one for each number that is not the declared one or not
// the one before, and one for each .env file that has yet another.
func (f *Folder) choosePorts(m bundlezip.Manifest, history []pastPull) (chosenPorts, []Entry, error) {
	chosen := chosenPorts{given: map[string]int{}, declared: map[string]int{}, before: map[string][]earlierPort{}}
	given := chosen.given
	var entries []Entry
	reasons := map[string]string{}
	used := portsOfOthers(history, m.ProjectID)
	// Numbers that are fixed come first, so that no other port takes one.
	for _, p := range m.Ports {
		chosen.declared[p.Name] = p.Port
		before := portsBefore(history, m, p)
		chosen.before[p.Name] = before
		n, file, others := f.portOfUser(p, before)
		entries = append(entries, others...)
		if file == "" {
			if len(before) == 0 || before[0].declared != p.Port {
				continue
			}
			n, reasons[p.Name] = before[0].number, "an earlier pull chose it"
		} else {
			chosen.users = append(chosen.users, p.Name)
			reasons[p.Name] = "your " + file + " says so"
		}
		given[p.Name], used[n] = n, true
	}
	for _, p := range m.Ports {
		attempts := 0
		if given[p.Name] == 0 {
			n := p.Port
			for used[n] || f.env.PortTaken(n) {
				if attempts == maxPortIncrements || n == 1<<16-1 {
					return chosenPorts{}, nil, fmt.Errorf("%w for %q: %d to %d are all taken; stop what listens there and pull again", ErrNoPort, p.Name, p.Port, n)
				}
				attempts++
				n++
			}
			given[p.Name], used[n] = n, true
			reasons[p.Name] = "the bundle declares it"
			if attempts > 0 {
				reasons[p.Name] = fmt.Sprintf("%d is taken", p.Port)
			}
		}
		from := p.Port
		if before := chosen.before[p.Name]; len(before) > 0 && from == given[p.Name] {
			from = before[0].number // files that stay may still have that one
		}
		if n := given[p.Name]; n != from {
			entries = append(entries, Entry{
				Type: PortConflictResolved, Name: p.Name, From: from, To: n, Attempts: &attempts, Detail: reasons[p.Name],
			})
		}
	}
	return chosen, entries, nil
}

// portOfUser reads the number that the user has written into a .env file in the
// place of a port, and names that file; "" if there is none. One that an earlier pull
// gave is not the user's, in that file either. The entries name files that have yet
// another.
func (f *Folder) portOfUser(p bundlezip.Port, before []earlierPort) (number int, first string, others []Entry) {
	for _, use := range p.Uses {
		if !isEnvFile(use.Path) {
			continue
		}
		content, err := f.project.read(use.Path, maxMerged)
		if err != nil {
			continue
		}
		n, found := portInEnv(string(content), use.Template)
		last := slices.IndexFunc(before, func(e earlierPort) bool { return e.number == n })
		switch {
		case !found, last >= 0 && !before[last].users:
		case first == "":
			number, first = n, use.Path
		case n != number:
			others = append(others, Entry{
				Type: ConflictEntry, Path: use.Path, Name: p.Name,
				Detail: fmt.Sprintf("port %q is %d here and %d in %s; %d is used", p.Name, n, number, first, number),
			})
		}
	}
	return number, first, others
}

// withPorts puts the chosen numbers into the content of a bundle's file.
func withPorts(content []byte, name string, ports []bundlezip.Port, given map[string]int) ([]byte, error) {
	var places []portPlace
	for _, p := range ports {
		for _, use := range p.Uses {
			if use.Path != name || given[p.Name] == p.Port {
				continue
			}
			start, end, err := bundlezip.FindPort(content, use.Template, p.Port)
			if err != nil {
				return nil, fmt.Errorf("port %q in %s: %w", p.Name, name, err)
			}
			places = append(places, portPlace{start, end, given[p.Name]})
		}
	}
	return splicePorts(content, places), nil
}

// movePorts gives a file of the folder the numbers of this pull, where it has
// those that an earlier pull gave. Numbers that the user wrote stay.
func (pl *planner) movePorts(name string, content []byte) []byte {
	var places []portPlace
	for _, p := range pl.manifest.Ports {
		for _, use := range p.Uses {
			if use.Path != name {
				continue
			}
			for i, before := range pl.ports.before[p.Name] {
				// A number of long ago may be another port's by now.
				if i == 0 || !pl.ports.isAnothers(p.Name, before.number) {
					places = append(places, portPlaces(content, use, before.number, pl.ports.given[p.Name])...)
				}
			}
		}
	}
	return splicePorts(content, places)
}

// isAnothers says whether another port of the bundle has a number now, or had it
// after the last pull.
func (c chosenPorts) isAnothers(name string, number int) bool {
	for other, given := range c.given {
		before := c.before[other]
		if other != name && (given == number || len(before) > 0 && before[0].number == number) {
			return true
		}
	}
	return false
}

// portPlaces finds where a file has a number in a place of a port, to be replaced by
// another one.
func portPlaces(content []byte, use bundlezip.PortUse, from, to int) (places []portPlace) {
	if from == to {
		return nil
	}
	find := bundlezip.PortPlaces
	if isEnvFile(use.Path) {
		find = portPlacesInEnv
	}
	for _, at := range find(content, use.Template, from) {
		places = append(places, portPlace{at, at + len(strconv.Itoa(from)), to})
	}
	return places
}

// portPlace is where a number stands in a text, and the one that takes its place.
type portPlace struct{ start, end, number int }

func splicePorts(content []byte, places []portPlace) []byte {
	slices.SortFunc(places, func(a, b portPlace) int { return cmp.Compare(b.start, a.start) })
	for _, p := range slices.CompactFunc(places, func(a, b portPlace) bool { return a.start == b.start }) {
		content = slices.Concat(content[:p.start], []byte(strconv.Itoa(p.number)), content[p.end:])
	}
	return content
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
