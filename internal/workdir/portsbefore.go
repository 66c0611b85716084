package workdir

import (
	"cmp"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// earlierPort is the number that an earlier pull settled on for a port.
type earlierPort struct {
	number   int
	declared int  // by the bundle of that pull
	users    bool // the user had written it
}

// portsBefore gives what the pulls of a project settled on for a port of its bundle,
// each number once, the newest first. An older record lacks what was declared; it then
// counts as the same.
func portsBefore(history []pastPull, m bundlezip.Manifest, p bundlezip.Port) (out []earlierPort) {
	for _, past := range history {
		if !past.authentic || past.ProjectID != "" && past.ProjectID != m.ProjectID {
			continue
		}
		name := past.nameOfPort(m.Ports, p)
		n := past.Ports[name]
		if n > 0 && n < 1<<16 && !slices.ContainsFunc(out, func(e earlierPort) bool { return e.number == n }) {
			out = append(out, earlierPort{n, cmp.Or(past.Declared[name], n), slices.Contains(past.UserPorts, name)})
		}
	}
	return out
}

// nameOfPort is what a port was called in the bundle of a pull: as it is now, or, if
// there was none of that name, as the only one that stood in the same place and has
// lost its name since. Empty if there was none.
func (r record) nameOfPort(ports []bundlezip.Port, p bundlezip.Port) string {
	if _, ok := r.Ports[p.Name]; ok {
		return p.Name
	}
	inSamePlace := func(one, other bundlezip.Port) bool {
		return slices.ContainsFunc(one.Uses, func(u bundlezip.PortUse) bool { return slices.Contains(other.Uses, u) })
	}
	name := ""
	for _, old := range r.PortUses {
		if slices.ContainsFunc(ports, func(now bundlezip.Port) bool { return now.Name == old.Name }) || !inSamePlace(old, p) {
			continue
		}
		rival := func(now bundlezip.Port) bool {
			_, known := r.Ports[now.Name]
			return now.Name != p.Name && !known && inSamePlace(old, now)
		}
		if name != "" || slices.ContainsFunc(ports, rival) {
			return ""
		}
		name = old.Name
	}
	return name
}

// portsOfOthers are the numbers that the last pulls of other projects settled on.
func portsOfOthers(history []pastPull, projectID string) map[int]bool {
	used := map[int]bool{}
	seen := map[string]bool{"": true, projectID: true}
	for _, past := range history {
		if past.push != nil || !past.authentic || seen[past.ProjectID] {
			continue
		}
		seen[past.ProjectID] = true
		for _, n := range past.Ports {
			used[n] = true
		}
	}
	return used
}
