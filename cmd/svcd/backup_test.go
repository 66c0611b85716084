package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
)

// load imports projects and acknowledges their bundles until it is stopped, and
// says how often it did.
func load(t *testing.T, i *instance, key string) (done func() int64) {
	t.Helper()
	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "a.txt"), bytes.Repeat([]byte("load "), 10_000), 0o600); err != nil {
		t.Fatal(err)
	}
	i.checked() // made here, for it may end the test
	var rounds atomic.Int64
	var over atomic.Bool
	round := func() error {
		code, out, text := runMain(t, nil, "project", "import", files, "--account", email, "--data-dir", i.dir)
		if code != exitOK {
			return errors.New(text)
		}
		var made imported
		if err := json.Unmarshal([]byte(out), &made); err != nil {
			return err
		}
		if rounds.Add(1)%3 == 0 {
			return nil // a bundle that waits
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, i.base+"/bundles/"+made.BundleID+"/ack", nil)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+key)
		answer, err := i.http.Do(r)
		if err != nil {
			return err
		}
		if answer.StatusCode != http.StatusOK {
			err = errors.New(answer.Status)
		}
		return errors.Join(err, answer.Body.Close())
	}
	var working sync.WaitGroup
	for range 2 {
		working.Go(func() {
			for !over.Load() {
				if err := round(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	return func() int64 {
		over.Store(true)
		working.Wait()
		return rounds.Load()
	}
}

// Promise: backup-consistent, restore-complete, attestation-moves
func TestBackup(t *testing.T) {
	t.Parallel()
	l := live(t)
	i := startIn(t, l.dir)
	folder := t.TempDir()
	first := filepath.Join(folder, "first.tar")

	t.Run("is whole under load, and its restoration is the service", func(t *testing.T) {
		done := load(t, i, l.key)
		for _, name := range []string{"first.tar", "second.tar", "third.tar"} {
			log := &transcript{}
			cmd := program(t, "backup", filepath.Join(folder, name), "--data-dir", i.dir)
			cmd.Stderr = log
			out, err := cmd.Output()
			if err != nil || !strings.Contains(string(out), `"archives":`) {
				t.Fatalf("%v: %s %s", err, out, log)
			}
			code, _, text := runMain(t, nil, "restore", "--check", filepath.Join(folder, name))
			if code != exitOK {
				t.Errorf("exit %d: %s", code, text)
			}
		}
		t.Logf("%d rounds", done())
		info, err := os.Stat(first)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the backup has mode %v (%v)", info.Mode(), err)
		}
		dir := filepath.Join(t.TempDir(), "again")
		code, _, text := runMain(t, nil, "restore", first, "--data-dir", dir)
		if code != exitOK || !strings.Contains(text, "revoked work again") {
			t.Fatalf("exit %d: %s", code, text)
		}
		again := startIn(t, dir)
		if !bytes.Equal(mustRead(t, filepath.Join(dir, "tls", "ca.pem")), mustRead(t, filepath.Join(i.dir, "tls", "ca.pem"))) {
			t.Error("clients have to trust another authority")
		}
		l.check(t, again)
		if code, _, text := runMain(t, nil, "restore", first, "--data-dir", dir); code != exitFailure || !strings.Contains(text, "not empty") {
			t.Errorf("exit %d: %s", code, text)
		}
	})

	t.Run("leaves nothing behind", func(t *testing.T) {
		for _, pattern := range []string{"backup", "blobs/tmp/*/*"} {
			left, err := filepath.Glob(filepath.Join(i.dir, pattern))
			if err != nil || len(left) != 0 {
				t.Errorf("%v is left (%v)", left, err)
			}
		}
		left, err := os.ReadDir(folder)
		if err != nil || len(left) != 3 {
			t.Errorf("%v lie beside the backups (%v)", left, err)
		}
	})

	t.Run("can be killed", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "killed.tar")
		for n := range 4 {
			cmd := program(t, "backup", file, "--data-dir", i.dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// Each time a little further: at its lock, its copy, its file.
			for _, sign := range []string{"backup.lock", "backup/svcd.db", file + ".partial"}[:min(n, 3)] {
				if !filepath.IsAbs(sign) {
					sign = filepath.Join(i.dir, sign)
				}
				eventually(t, "the backup begins", func() bool {
					_, begun := os.Stat(sign)
					_, done := os.Stat(file)
					return begun == nil || done == nil
				})
			}
			_ = cmd.Process.Kill() // it may have ended
			_ = cmd.Wait()         // likewise
			if _, err := os.Stat(file); err == nil {
				if code, _, text := runMain(t, nil, "restore", "--check", file); code != exitOK {
					t.Errorf("it has its name and is no good: exit %d: %s", code, text)
				}
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
		}
		if code, _, text := runMain(t, nil, "backup", file, "--data-dir", i.dir); code != exitOK {
			t.Errorf("exit %d: %s", code, text)
		}
		left, err := filepath.Glob(filepath.Join(i.dir, "blobs", "tmp", "*", "*"))
		if _, missing := os.Stat(file + ".partial"); err != nil || len(left) != 0 || !os.IsNotExist(missing) {
			t.Errorf("%v is left (%v, %v)", left, err, missing)
		}
	})

	t.Run("goes through pipes, and without certificates", func(t *testing.T) {
		const secret = "the private key from an ACME authority"
		store, err := sqlite.Open(t.Context(), datadir.Dir(i.dir).Database())
		if err == nil {
			err = errors.Join(store.CertificateFiles().Put(t.Context(), svc.CertificateFile{Name: "host.key", Content: []byte(secret)}), store.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		if code, out, text := runMain(t, nil, "backup", "-", "--data-dir", i.dir); code != exitOK || !strings.Contains(out, secret) {
			t.Fatalf("the key is not in a whole backup: exit %d: %s", code, text)
		}
		code, out, text := runMain(t, nil, "backup", "-", "--without-tls", "--data-dir", i.dir)
		if code != exitOK {
			t.Fatalf("exit %d: %s", code, text)
		}
		if strings.Contains(out, secret) {
			t.Error("the key is in a backup without certificates")
		}
		dir := filepath.Join(t.TempDir(), "piped")
		var said, errText bytes.Buffer
		code = Main(t.Context(), []string{"restore", "-", "--data-dir", dir}, Streams{In: strings.NewReader(out), Out: &said, Err: &errText}, nil)
		if code != exitOK {
			t.Fatalf("exit %d: %s", code, errText.String())
		}
		if _, err := os.Stat(filepath.Join(dir, "tls")); !os.IsNotExist(err) {
			t.Errorf("the certificates went along (%v)", err)
		}
	})

	t.Run("refuses", func(t *testing.T) {
		cut := filepath.Join(t.TempDir(), "cut.tar")
		content := mustRead(t, first)
		if err := os.WriteFile(cut, content[:len(content)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		fresh := filepath.Join(t.TempDir(), "fresh")
		for _, tc := range []struct {
			name string
			args []string
			code int
			want string
		}{
			{"a folder that is not there", []string{"backup", fresh, "--data-dir", fresh}, exitFailure, "no data folder"},
			{"records that are elsewhere", []string{"backup", fresh, "--database-url", "postgres://x/y"}, exitUsage, "PostgreSQL"},
			{"half a backup", []string{"restore", cut, "--data-dir", fresh}, exitFailure, "not complete"},
			{"half a backup, harmlessly", []string{"restore", cut, "--data-dir", fresh}, exitFailure, "nothing was changed"},
			{"half a backup, checked", []string{"restore", "--check", cut}, exitFailure, "not complete"},
			{"something else", []string{"restore", filepath.Join(i.dir, "svcd.db"), "--data-dir", fresh}, exitFailure, "no backup"},
			{"nothing", []string{"restore", filepath.Join(fresh, "none"), "--data-dir", fresh}, exitFailure, "none"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				code, out, text := runMain(t, nil, tc.args...)
				if code != tc.code || out != "" || !strings.Contains(text, tc.want) {
					t.Errorf("exit %d: %s %s", code, out, text)
				}
				if _, err := os.Lstat(fresh); !os.IsNotExist(err) {
					t.Errorf("%s was left (%v)", fresh, err)
				}
			})
		}
	})
}

// A restore that is killed leaves a folder that nobody uses, and that the next one
// makes whole.
// Promise: restore-interrupted
func TestRestoreCanBeKilled(t *testing.T) {
	t.Parallel()
	l := live(t)
	file := filepath.Join(t.TempDir(), "backup.tar")
	if code, _, text := runMain(t, nil, "backup", file, "--data-dir", l.dir); code != exitOK {
		t.Fatalf("exit %d: %s", code, text)
	}
	dir := filepath.Join(t.TempDir(), "volume")
	if err := os.Mkdir(dir, 0o700); err != nil { // as a mounted volume would be
		t.Fatal(err)
	}
	// It waits for the rest of the backup when it is killed.
	cmd := program(t, "restore", "-", "--data-dir", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	content := mustRead(t, file)
	if _, err := in.Write(content[:len(content)*3/4]); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the database is unpacked", func() bool {
		_, err := os.Stat(filepath.Join(dir, ".restoring", "svcd.db"))
		return err == nil
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"account", "list"}, {"backup", file + "2"}} {
		if code, _, text := runMain(t, nil, append(command, "--data-dir", dir)...); code != exitFailure || !strings.Contains(text, "svcd restore again") {
			t.Errorf("%v: exit %d: %s", command, code, text)
		}
	}
	if code, _, text := runMain(t, nil, "restore", file, "--data-dir", dir); code != exitOK {
		t.Fatalf("exit %d: %s", code, text)
	}
	l.check(t, startIn(t, dir))
}

// A restore that ends while it puts things in their places, at any of them,
// leaves a folder that nobody uses, and that the next one makes whole.
// Promise: restore-interrupted
func TestRestoreCanEndWhilePlacing(t *testing.T) {
	t.Parallel()
	l := live(t)
	file := filepath.Join(t.TempDir(), "backup.tar")
	if code, _, text := runMain(t, nil, "backup", file, "--data-dir", l.dir); code != exitOK {
		t.Fatalf("exit %d: %s", code, text)
	}
	refused := func(t *testing.T, dir string) {
		t.Helper()
		for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"key", "list", "--account", email}, {"migrate", "--database-url", "postgres://x/y"}} {
			if code, _, text := runMain(t, nil, append(command, "--data-dir", dir)...); code != exitFailure || !strings.Contains(text, "svcd restore again") {
				t.Errorf("%v: exit %d: %s", command, code, text)
			}
		}
	}
	again := func(t *testing.T, dir string) {
		t.Helper()
		if code, _, text := runMain(t, nil, "restore", file, "--data-dir", dir); code != exitOK {
			t.Fatalf("exit %d: %s", code, text)
		}
		l.check(t, startIn(t, dir))
	}

	t.Run("by force", func(t *testing.T) {
		whole := t.TempDir()
		if code, _, text := runMain(t, nil, "restore", file, "--data-dir", whole); code != exitOK {
			t.Fatalf("exit %d: %s", code, text)
		}
		if err := os.Remove(filepath.Join(whole, datadir.LockName)); err != nil {
			t.Fatal(err)
		}
		for placed := 0; ; placed++ {
			// What a process leaves that dies after so many renames.
			dir := datadir.Dir(t.TempDir())
			corner := datadir.Dir(dir.Halfway())
			if err := os.CopyFS(string(corner), os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(string(corner))
			if err != nil || len(entries) < 3 {
				t.Fatalf("%v were unpacked (%v)", entries, err)
			}
			for _, e := range entries[:placed] {
				if err := os.Rename(corner.Path(e.Name()), dir.Path(e.Name())); err != nil {
					t.Fatal(err)
				}
			}
			refused(t, string(dir))
			again(t, string(dir))
			if placed == len(entries) {
				break
			}
		}
	})

	t.Run("by a failure, which it does not call harmless", func(t *testing.T) {
		dir := t.TempDir()
		content := mustRead(t, file)
		obstacle := filepath.Join(dir, "tls", "other")
		in := io.MultiReader(bytes.NewReader(content[:len(content)/2]), readOnce(func() {
			if err := errors.Join(os.Mkdir(filepath.Dir(obstacle), 0o700), os.WriteFile(obstacle, nil, 0o600)); err != nil {
				t.Error(err)
			}
		}), bytes.NewReader(content[len(content)/2:]))
		var out, text bytes.Buffer
		code := Main(t.Context(), []string{"restore", "-", "--data-dir", dir}, Streams{In: in, Out: &out, Err: &text}, nil)
		if code != exitFailure || out.Len() != 0 || strings.Contains(text.String(), "nothing was changed") || !strings.Contains(text.String(), "svcd restore again") {
			t.Errorf("exit %d: %s %s", code, out.String(), text.String())
		}
		refused(t, dir)
		again(t, dir)
	})
}

// readOnce is a reader of nothing that does something when it is read.
type readOnce func()

func (r readOnce) Read([]byte) (int, error) {
	r()
	return 0, io.EOF
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
