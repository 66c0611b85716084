// Package hostile builds archives that no client may accept. It supports tests:
// each case is one attack on one rule, made by bending an archive that is good
// in every other respect, so that a refusal can have only one reason.
package hostile

import "slices"

// Case is one archive that must be refused.
type Case struct {
	// Name is fit for t.Run and for file names.
	Name string
	// Want is a part of the reason that the refusal must give.
	Want  string
	Bytes []byte
}

// Cases gives all archives, in a fixed order. They are built anew on every call
// and together stay below a few megabytes.
func Cases() []Case {
	return slices.Concat(pathCases(), setCases(), repositoryCases(), kindCases(), lieCases(), shapeCases(), bombCases(), manifestCases(), ruleCases())
}

// Good gives an archive from the same builder that must be accepted: the proof
// that the cases are refused for what was done to them.
func Good() []byte { return good().bytes() }

// GoodStreamed is Good as tools write it that do not know sizes in advance, and
// that add times and owners.
func GoodStreamed() []byte {
	a := good()
	const times = "UT\x05\x00\x03\x00\x00\x00\x00"
	for i := range a.entries {
		a.entries[i].stream(true)
		a.entries[i].local.extra, a.entries[i].central.extra = times, times
	}
	return a.bytes()
}
