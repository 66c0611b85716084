package workdir

import (
	"strings"
	"testing"
)

// FuzzParseLog: whatever a folder's log says, what is read from it speaks only
// of places that a bundle may write to.
// Promise: forged-folder
func FuzzParseLog(f *testing.F) {
	for _, t := range forged() {
		if log, ok := t[LogName]; ok && len(log) < 1<<16 {
			f.Add([]byte(log))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := ParseLog(text)
		if err != nil {
			return
		}
		for _, e := range l.Entries {
			if e.Type == PortConflictResolved {
				continue
			}
			if err := checkTarget(e.Path); err != nil {
				t.Errorf("entry for %q: %v", e.Path, err)
			}
			unsafe := strings.HasPrefix(e.Backup, "/") || strings.Contains(e.Backup, "..") || strings.Contains(e.Backup, `\`)
			if e.Base == "" && (e.Type == FileBackup || e.Type == GlobalConfigBackup) && unsafe {
				t.Errorf("backup %q", e.Backup)
			}
		}
		if _, err := l.facts(); err != nil {
			t.Error(err)
		}
	})
}

// FuzzParseJournal: the same for the journal.
// Promise: forged-folder
func FuzzParseJournal(f *testing.F) {
	for _, t := range forged() {
		if journal, ok := t[journalName]; ok {
			f.Add([]byte(journal))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		j, authentic, err := parseJournal(key("another key that nobody else has"), text)
		if authentic {
			t.Error("a forged journal passes for authentic")
		}
		if err != nil {
			return
		}
		for _, s := range j.Steps {
			if err := checkPlace(s.Path); err != nil {
				t.Error(err)
			}
			if s.Op == opPlace && !isStatePath(s.From) {
				t.Errorf("a step takes %q", s.From)
			}
		}
		for _, folder := range j.Discard {
			if !isStatePath(folder) {
				t.Errorf("%q is retired", folder)
			}
		}
	})
}

// FuzzPending: only UUIDs come out of a sentinel.
// Promise: ack-sentinel
func FuzzPending(f *testing.F) {
	f.Add(bundle1 + " https://svc.example.com\n")
	f.Add("../../etc/passwd https://x\r\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range parsePending(text) {
			if !IsBundleID(p.BundleID) || strings.ContainsAny(p.APIURL, " \t\r\n") {
				t.Errorf("%+v", p)
			}
		}
	})
}
