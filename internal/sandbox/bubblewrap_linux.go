//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// inner is the number of user and group inside, whoever it is outside.
const inner = "1000"

// devShm is the size of /dev/shm, which would be half of the machine's memory.
const devShm = 16 << 20

// systemFolders are where programs and their libraries lie. On most systems all
// but the first are links into it.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// configuration is what programs need of /etc: where alternatives, libraries and
// certificates are. Nothing of it is secret, and keys lie elsewhere.
var configuration = []string{
	"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted",
}

// etc are the files that are made for a box.
var etc = []struct{ path, content string }{
	{"/etc/passwd", "sandbox:x:" + inner + ":" + inner + "::" + Home + ":/bin/sh\n"},
	{"/etc/group", "sandbox:x:" + inner + ":\n"},
	{"/etc/hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"},
	{"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
}

// wrap gives the arguments of bubblewrap for a box, with the files that it reads
// beside its standard ones.
func wrap(spec Spec, hidden []string) (args []string, files []*os.File, err error) {
	args = []string{
		"--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session", "--as-pid-1",
		"--uid", inner, "--gid", inner, "--clearenv", "--cap-drop", "ALL", "--hostname", "sandbox",
	}
	for _, folder := range systemFolders {
		info, err := os.Lstat(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, nil, fmt.Errorf("show the system in a sandbox: %w", err)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(folder)
			if err != nil {
				return nil, nil, fmt.Errorf("show the system in a sandbox: %w", err)
			}
			args = append(args, "--symlink", target, folder)
		default:
			args = append(args, "--ro-bind", folder, folder)
		}
	}
	for _, path := range configuration {
		args = append(args, "--ro-bind-try", path, path)
	}
	defer func() {
		if err != nil {
			closeAll(files)
		}
	}()
	give := func(content []byte) (number string, err error) {
		f, err := filled(content)
		if err != nil {
			return "", err
		}
		files = append(files, f)
		return strconv.Itoa(2 + len(files)), nil
	}
	for _, file := range etc {
		number, err := give([]byte(file.content))
		if err != nil {
			return nil, files, err
		}
		args = append(args, "--perms", "0444", "--file", number, file.path)
	}
	args = append(
		args, "--proc", "/proc",
		"--tmpfs", "/proc/1", "--remount-ro", "/proc/1", // the shell, which no command looks into
		"--dev", "/dev",
		"--size", strconv.Itoa(devShm), "--tmpfs", "/dev/shm",
		"--size", strconv.FormatInt(spec.Limits.Disk, 10), "--tmpfs", Work,
		"--dir", Source, "--dir", Home, "--dir", Temp, "--symlink", Temp[1:], "/tmp",
	)
	for _, m := range spec.Show {
		args = append(args, "--ro-bind", filepath.Clean(m.From), m.To)
	}
	for _, folder := range covered(hidden, spec.Show) {
		args = append(args, "--tmpfs", folder, "--remount-ro", folder)
	}
	if spec.Forward != nil {
		args = append(args, spec.Forward.mounts()...)
	}
	number, err := give(filter())
	if err != nil {
		return nil, files, err
	}
	args = append(args, "--chdir", Source, "--seccomp", number, "--remount-ro", "/dev", "--remount-ro", "/", "--")
	return args, files, nil
}

// covered lists where in a box folders would be seen that are hidden: in the
// system's folders and in what is shown.
func covered(hidden []string, show []Mount) (all []string) {
	for _, folder := range systemFolders {
		show = append(show, Mount{From: folder, To: folder})
	}
	for _, folder := range hidden {
		folder, err := resolved(folder)
		if err != nil {
			continue // it is not there, and so is nothing in it
		}
		for _, m := range show {
			from, err := resolved(m.From)
			if err != nil {
				continue
			}
			if rel, err := filepath.Rel(from, folder); err == nil && filepath.IsLocal(rel) {
				all = append(all, filepath.Join(m.To, rel))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// resolved is a folder as it is seen without links.
func resolved(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(folder)
}

// filled gives a file from which a short content can be read once.
func filled(content []byte) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for a sandbox: %w", err)
	}
	_, err = w.Write(content) // fits in the pipe
	if err = errors.Join(err, w.Close()); err != nil {
		_ = r.Close() // nobody has it
		return nil, fmt.Errorf("fill a pipe for a sandbox: %w", err)
	}
	return r, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // it was only read
	}
}
