package workdir

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// forgedLog is a log as a stranger would write it, with entries of their choice.
func forgedLog(entries string) string {
	return `{"log_version":1,"bundle_id":"` + bundle1 + `","project_id":"p","client_version":"x",` +
		`"started_at":"2026-01-01T00:00:00.000Z","finished_at":"2026-01-01T00:00:00.000Z","entries":[` + entries + `],"ack":{"status":"acknowledged"}}`
}

func writtenEntry(name, before, after string) string {
	text, err := json.Marshal(Entry{Type: FileWritten, Path: name, SHA256Before: before, SHA256After: after})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func backupEntry(kind EntryType, name, backup, digest string) string {
	text, err := json.Marshal(Entry{Type: kind, Path: name, Backup: backup, SHA256Before: digest})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// forgedJournal is a journal without a valid seal.
func forgedJournal(j journal) string {
	j.Version = 1
	if j.Kind == "" {
		j.Kind = kindPull
	}
	if j.BundleID == "" {
		j.BundleID = bundle1
	}
	text, err := key(strings.Repeat("k", 32)).sign(purposeJournal, j)
	if err != nil {
		panic(err)
	}
	return string(text)
}

var (
	evil      = digestOf([]byte("evil"))
	precious  = digestOf([]byte("precious"))
	something = digestOf([]byte("something else"))
)

// forged are folders that came from a stranger. Each holds the user's file
// precious.txt, which the stranger wants gone, changed or leaked.
func forged() map[string]tree {
	history := historyDir + "/" + bundle1
	log := func(entries ...string) tree { return tree{LogName: forgedLog(strings.Join(entries, ","))} }
	with := func(t tree, more tree) tree {
		t = maps.Clone(t)
		maps.Copy(t, more)
		return t
	}
	journalOf := func(j journal, more tree) tree { return with(tree{journalName: forgedJournal(j)}, more) }
	place := func(to, before string) journal {
		return journal{Steps: []step{{Op: opPlace, From: stageDir + "/0", Path: to, Before: before, After: evil}}}
	}
	staged := tree{stageDir + "/0": "evil"}
	cases := map[string]tree{
		"log: other content than the file has": log(writtenEntry("precious.txt", "", something)),
		"log: no digest":                       log(`{"type":"file_written","path":"precious.txt"}`),
		"log: malformed digest":                log(writtenEntry("precious.txt", "", strings.ToUpper(precious))),
		"log: old content without backup":      log(writtenEntry("precious.txt", evil, precious)),
		"log: backup of nothing":               log(writtenEntry("precious.txt", evil, precious), backupEntry(FileBackup, "precious.txt", history+"/files/precious.txt", evil)),
		"log: backup with other content": with(log(writtenEntry("precious.txt", evil, precious), backupEntry(FileBackup, "precious.txt", history+"/files/precious.txt", evil)),
			tree{history + "/files/precious.txt": "not evil"}),
		"log: backup in another place": with(log(writtenEntry("precious.txt", evil, precious), backupEntry(FileBackup, "precious.txt", "evil.txt", evil)),
			tree{"evil.txt": "evil"}),
		"log: backup in another bundle's history": with(log(writtenEntry("precious.txt", evil, precious), backupEntry(FileBackup, "precious.txt", historyDir+"/"+bundle2+"/x", evil)),
			tree{historyDir + "/" + bundle2 + "/x": "evil"}),
		"log: backup outside":               log(writtenEntry("precious.txt", evil, precious), backupEntry(GlobalConfigBackup, "precious.txt", "../outside.txt", evil)),
		"log: backup climbs out":            log(writtenEntry("precious.txt", evil, precious), backupEntry(FileBackup, "precious.txt", history+"/../../../../outside.txt", evil)),
		"log: claims itself as a file":      log(writtenEntry(LogName, "", evil)),
		"log: same file twice":              log(writtenEntry("precious.txt", "", precious), writtenEntry("precious.txt", "", precious)),
		"log: unknown type":                 log(`{"type":"delete","path":"precious.txt"}`),
		"log: unknown base":                 log(`{"type":"file_kept","path":"precious.txt","base":"root"}`),
		"log: home folder":                  log(`{"type":"file_written","path":"secret.json","base":"home","sha256_after":"` + precious + `"}`),
		"log: start-up file":                log(`{"type":"config_merged","path":".bashrc","base":"home","sha256_after":"` + precious + `"}`),
		"log: not JSON":                     {LogName: "rollback everything"},
		"log: cut off":                      {LogName: forgedLog(writtenEntry("precious.txt", "", precious))[:120]},
		"log: another version":              {LogName: strings.Replace(forgedLog(""), `"log_version":1`, `"log_version":2`, 1)},
		"log: bundle id leads out":          {LogName: strings.Replace(forgedLog(""), bundle1, "../../../../../../../../../../tmp/aaaaa", 1)},
		"log: previous log that is missing": log(writtenEntry("precious.txt", "", precious), backupEntry(FileBackup, LogName, history+"/"+LogName, evil)),
		"log: too large":                    {LogName: forgedLog("") + strings.Repeat(" ", maxLog)},
		"record without seal":               with(log(writtenEntry("precious.txt", "", something)), tree{history + "/record.json": forgedRecord(writtenEntry("precious.txt", "", something))}),
		"journal: other content":            journalOf(place("precious.txt", something), staged),
		"journal: staged content differs":   journalOf(place("precious.txt", precious), tree{stageDir + "/0": "not evil"}),
		"journal: nothing staged":           journalOf(place("precious.txt", precious), nil),
		"journal: version control":          journalOf(place(".git/hooks/post-checkout", ""), staged),
		"journal: outside":                  journalOf(place("../outside.txt", ""), staged),
		"journal: absolute":                 journalOf(place("/outside.txt", ""), staged),
		"journal: the lock":                 journalOf(place(lockName, ""), staged),
		"journal: takes a file of the user's": journalOf(journal{Steps: []step{
			{Op: opPlace, From: "precious.txt", Path: "public/precious.txt", After: precious},
		}}, nil),
		"journal: removes what is not what it says": journalOf(journal{Steps: []step{{Op: opRemove, Path: "precious.txt", Before: something}}}, nil),
		"journal: home folder":                      journalOf(journal{Home: true, PullID: strings.Repeat("0", 32)}, nil),
		"journal: retires the project":              journalOf(journal{Kind: kindRollback, Discard: []string{"src"}}, tree{"src/a": "x"}),
		"journal: retires another's history":        journalOf(journal{Kind: kindRollback, Discard: []string{historyDir + "/" + bundle2}}, tree{historyDir + "/" + bundle2 + "/x": "x"}),
		"journal: pull that retires":                journalOf(journal{Discard: []string{history}}, tree{history + "/x": "x"}),
		"journal: unknown step":                     journalOf(journal{Steps: []step{{Op: "exec", Path: "precious.txt"}}}, nil),
		"journal: unknown kind":                     journalOf(journal{Kind: "purge"}, nil),
		"journal: not JSON":                         {journalName: "{"},
		"journal: no body":                          {journalName: `{"seal":""}`},
	}
	for name, path := range map[string]string{
		"climbs out": "../outside.txt", "absolute": "/etc/passwd", "drive": "C:/outside.txt", "backslash": `..\outside.txt`,
		"dots inside": "a/../../outside.txt", "version control": ".git/config", "version control in capitals": ".GIT/config",
		"the client's own": ".svc/lock", "device": "NUL", "empty": "", "nested version control": "sub/.git/config",
		"control character": "a\x00b", "short name": "GIT~1/config",
	} {
		cases["path: "+name] = log(writtenEntry(path, "", precious))
		cases["folder: "+name] = log(writtenEntry("precious.txt", "", precious), `{"type":"directory_created","path":`+quote(path)+`}`)
	}
	return cases
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func forgedRecord(entries string) string {
	l, err := ParseLog([]byte(forgedLog(entries)))
	if err != nil {
		panic(err)
	}
	facts, err := l.facts()
	if err != nil {
		panic(err)
	}
	text, err := key(strings.Repeat("k", 32)).sign(purposeRecord, record{
		Version: 1, Sequence: 1, PullID: strings.Repeat("0", 32), BundleID: bundle1, Facts: facts,
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// newVictim is a folder with something to lose, and a user who has used svc
// before.
func newVictim(t *testing.T) *fixture {
	t.Helper()
	b := newFixture(t)
	b.put("precious.txt", "precious")
	tree{".git/": "", ".git/config": "precious"}.write(t, b.dir)
	tree{"secret.json": "precious", ".bashrc": "precious"}.write(t, b.home)
	must.Do(t, os.WriteFile(filepath.Join(filepath.Dir(b.dir), "outside.txt"), []byte("precious"), 0o600))
	must.Do(t, b.with(nil, func(f *Folder) error { _, err := f.ensureKey(); return err }))
	return b
}

// TestForgedFolders shows that nothing is written, changed or deleted.
// Promise: forged-folder
func TestForgedFolders(t *testing.T) {
	cases := forged()
	if len(cases) < 60 {
		t.Errorf("only %d forged folders", len(cases))
	}
	for name, forgery := range cases {
		t.Run(name, func(t *testing.T) {
			b := newVictim(t)
			forgery.write(t, b.dir)
			b.refuses(func(f *Folder) error { _, _, err := f.Rollback(bundle1); return err })
		})
	}
}

// refuses says that something fails and changes nothing at all.
func (b *fixture) refuses(do func(*Folder) error) {
	b.tb.Helper()
	before := readTree(b.tb, filepath.Dir(b.dir))
	if err := b.with(nil, do); err == nil {
		b.tb.Error("it was done")
	}
	same(b.tb, "everything", readTree(b.tb, filepath.Dir(b.dir)), before)
}

// TestForgedLinks are folders in which a link leads elsewhere.
// Promise: forged-folder
func TestForgedLinks(t *testing.T) {
	link := func(b *fixture, to, name string) { must.Do(t, os.Symlink(to, filepath.Join(b.dir, name))) }
	for name, forge := range map[string]func(b *fixture){
		"the log": func(b *fixture) { link(b, "../outside.txt", LogName) },
		"a written file": func(b *fixture) {
			link(b, "precious.txt", "a")
			b.put(LogName, forgedLog(writtenEntry("a", "", precious)))
		},
		"a written file outside": func(b *fixture) {
			link(b, "../outside.txt", "a")
			b.put(LogName, forgedLog(writtenEntry("a", "", precious)))
		},
		"a folder above a written file": func(b *fixture) {
			link(b, ".git", "a")
			b.put(LogName, forgedLog(writtenEntry("a/config", "", precious)))
		},
		".svc": func(b *fixture) {
			tree{"fake/journal.json": forgedJournal(journal{Steps: []step{{Op: opRemove, Path: "precious.txt", Before: precious}}}), "fake/stage/0": "x"}.write(t, b.dir)
			link(b, "fake", ".svc")
		},
		".svc outside": func(b *fixture) { link(b, "../home", ".svc") },
		"the history": func(b *fixture) {
			tree{"fake/files/precious.txt": "evil", ".svc/history/": ""}.write(t, b.dir)
			link(b, "../../fake", ".svc/history/"+bundle1)
			b.put(LogName, forgedLog(writtenEntry("precious.txt", evil, precious)+","+
				backupEntry(FileBackup, "precious.txt", historyDir+"/"+bundle1+"/files/precious.txt", evil)))
		},
		"the rollback log": func(b *fixture) {
			link(b, "../outside.txt", RollbackLogName)
			b.put(LogName, forgedLog(""))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newVictim(t)
			forge(b)
			b.refuses(func(f *Folder) error { _, _, err := f.Rollback(bundle1); return err })
		})
	}
	t.Run("pull through .svc", func(t *testing.T) {
		b := newVictim(t)
		link(b, "../home", ".svc")
		b.refuses(func(f *Folder) error {
			_, err := pullInto(f, bundle2, archive(t, nil, sf{Path: "a", Content: text("x")}), "")
			return err
		})
	})
	t.Run("the sentinel", func(t *testing.T) {
		b := newVictim(t)
		link(b, "../outside.txt", PendingName)
		b.refuses(func(f *Folder) error { return f.AddPending(Pending{BundleID: bundle1, APIURL: "https://x"}) })
	})
}

// TestStrangersLogThatFits: without a seal, a log whose every word is true may
// be taken back, because nothing can be lost by it.
func TestStrangersLogThatFits(t *testing.T) {
	b := newVictim(t)
	b.put("generated.txt", "evil")
	b.put(LogName, forgedLog(writtenEntry("generated.txt", "", evil)))
	l, _ := b.rollback(bundle1)
	got := b.tree()
	if _, left := got["generated.txt"]; left || got["precious.txt"] != "precious" || len(l.Deleted) != 1 {
		t.Errorf("tree %v, log %v", got, l)
	}
}

// TestLostKey: without ~/.svc the user's own log is a stranger's.
// Promise: forged-folder
func TestLostKey(t *testing.T) {
	b := newFixture(t)
	b.put("a.txt", "old")
	b.pull(bundle1, archive(t, nil, sf{Path: "a.txt", Content: text("new")}, sf{Path: "b.txt", Content: text("new")}))
	must.Do(t, os.Remove(filepath.Join(b.home, keyName)))
	b.put("b.txt", "edited")
	b.refuses(func(f *Folder) error { _, _, err := f.Rollback(bundle1); return err })
	b.put("b.txt", "new")
	b.rollback(bundle1)
	same(t, "project", b.tree().visible(), tree{"a.txt": "old"})
}

// A backup that says nothing of its content is not believed.
func TestABackupHasADigest(t *testing.T) {
	for _, kind := range []EntryType{FileBackup, FileDeleted} {
		e := Entry{Type: kind, Path: "a.txt", Backup: historyDir + "/" + bundle1 + "/files/a.txt", SHA256Before: precious}
		if err := e.check(bundle1); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		e.SHA256Before = ""
		if err := e.check(bundle1); err == nil {
			t.Errorf("%s without a digest is believed", kind)
		}
	}
}
