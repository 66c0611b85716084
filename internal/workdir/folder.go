package workdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bundle-delivery/svc"
)

// Env is what a folder needs from the world around it.
type Env struct {
	// Home is the user's home folder. Without one nothing is signed and no
	// bundle can change files there.
	Home string
	// Version of the client, for the log.
	Version string
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// PortTaken says whether something on this machine listens on a TCP port;
	// nil asks the system.
	PortTaken func(port int) bool
	// Fault is asked before every change to a file system; nil lets all pass.
	Fault Fault

	// sync waits for the disk; nil is the system's way.
	sync syncFunc
	// accountHomes stands in for what the system knows about accounts.
	accountHomes func(dir string) []string
}

// Folder is a project root.
type Folder struct {
	dir     string
	project disk
	home    *homeDisk // nil without a home folder
	homes   []string  // home folders that the project may lie in
	hook    *hook
	env     Env
}

// ErrBusy says that another process is at work in the folder.
var ErrBusy = errors.New("another svc is at work in this folder; wait until it has finished")

// Open opens a folder and changes nothing.
func Open(dir string, env Env) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	// Where the folder really lies decides which of its files are places of
	// the home folder that no bundle may touch.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	if env.Now == nil {
		env.Now = time.Now
	}
	if env.PortTaken == nil {
		env.PortTaken = portTaken
	}
	if env.sync == nil {
		env.sync = osSync
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, hook: &hook{fault: env.Fault, sync: env.sync}, env: env}
	f.project = disk{root: root, hook: f.hook}
	if env.accountHomes == nil {
		env.accountHomes = accountHomes
	}
	f.homes = realFolders(append(env.accountHomes(dir), env.Home))
	if env.Home == "" {
		return f, nil
	}
	if f.env.Home, err = filepath.EvalSymlinks(env.Home); err != nil {
		f.env.Home = ""
		return f, nil //nolint:nilerr // a home that is not there is no home
	}
	if home, err := os.OpenRoot(f.env.Home); err == nil {
		f.home = &homeDisk{disk{root: home, hook: f.hook}}
	}
	return f, nil
}

// Close releases the folder.
func (f *Folder) Close() error {
	err := f.project.root.Close()
	if f.home != nil {
		err = errors.Join(err, f.home.root.Close())
	}
	return err
}

// Dir is the folder's resolved path.
func (f *Folder) Dir() string { return f.dir }

// lock makes .svc and takes the lock in it.
func (f *Folder) lock() (unlock func() error, err error) {
	d := f.project
	if err := d.mkdir(stateDir); err != nil {
		return nil, err
	}
	for range 100 {
		at, err := d.lookFile(lockName)
		if err != nil {
			return nil, err
		}
		if !at.exists {
			if err := f.hook.allow("create", lockName); err != nil {
				return nil, err
			}
		}
		file, err := d.root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, d.wrote(err)
		}
		if err := tryLock(file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		// Whoever tidies up removes the file while holding it; a lock on a
		// file without a name keeps nobody out.
		if held, err := file.Stat(); err == nil {
			if at, err := d.root.Lstat(lockName); err == nil && os.SameFile(held, at) {
				if err := f.writeIgnoreFile(); err != nil {
					return nil, errors.Join(err, file.Close())
				}
				return file.Close, nil
			}
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
	return nil, ErrBusy
}

// writeIgnoreFile keeps .svc out of version control. A file of the user's with that
// name stays; an empty one was left by a client that died while writing it.
func (f *Folder) writeIgnoreFile() error {
	at, err := f.project.lookFile(ignoreName)
	if err != nil || at.exists && at.info.Size() > 0 {
		return err
	}
	if err := f.project.remove(ignoreName); err != nil {
		return err
	}
	_, err = f.project.create(ignoreName, perm{bits: 0o644}, strings.NewReader(ignoreAll))
	return err
}

// tidy removes what a pull or rollback that was never committed has left, and
// .svc itself if nothing worth keeping is in it. The lock must be held and no
// journal be open.
func (f *Folder) tidy() error {
	d := f.project
	if err := f.clearStaging(); err != nil {
		return err
	}
	for _, name := range []string{historyDir, trashDir} {
		if err := d.removeEmpty(name); err != nil {
			return err
		}
	}
	names, err := d.list(stateDir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name := stateDir + "/" + name; name != ignoreName && name != lockName {
			return nil
		}
	}
	if text, err := d.read(ignoreName, 16); err == nil && len(text) > 0 && string(text) != ignoreAll {
		return nil
	}
	if at, err := d.lookFile(lockName); err != nil || at.exists && at.info.Size() > 0 {
		return err
	}
	for _, name := range []string{ignoreName, lockName, stateDir} {
		if err := d.remove(name); err != nil {
			if f.hook.stopped != nil {
				return err
			}
			return nil // Windows does not remove an open lock; it does no harm there
		}
	}
	return nil
}

// clearStaging removes everything that a commit would have put in place.
func (f *Folder) clearStaging() error {
	if f.home != nil {
		if err := f.home.clearStaging(f.dir); err != nil {
			return err
		}
	}
	for _, name := range []string{journalTemp, tempName} {
		if err := f.project.remove(name); err != nil {
			return err
		}
	}
	// The stage goes last: as long as it is there, everybody knows that there
	// is something to clear.
	return clearStage(f.project, stageDir)
}

// clearStage removes staged files, and only what is named like one.
func clearStage(d disk, stage string) error {
	names, err := d.list(stage)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.Trim(name, "0123456789") != "" {
			continue
		}
		if err := d.remove(stage + "/" + name); err != nil {
			return err
		}
	}
	return d.removeEmpty(stage)
}

func (f *Folder) now() string { return svc.FormatTime(f.env.Now()) }

// notHere turns the absence of a file into a sentence.
func notHere(err error, name, what string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no %s here", what, name)
	}
	return err
}
