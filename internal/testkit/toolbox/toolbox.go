// Package toolbox builds the servers that tests run beside the service.
//
// Its law: a program comes from the Go module proxy, in the version that a go.mod
// of this repository names, and is built once into bin/tools under a name that
// ends with that version: after an upgrade the old one is not taken for the new.
package toolbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Program is something that can be built.
type Program struct {
	name   string // of the file
	module string // that it is in
	main   string // the package to build
	folder string // below the repository's root, with the go.mod that names it
}

// NATS is the server for events: the one that the service embeds, as a program.
func NATS() Program {
	return Program{name: "nats-server", module: "github.com/nats-io/nats-server/v2", main: "github.com/nats-io/nats-server/v2", folder: "."}
}

// S3 is versitygw, which keeps objects as files.
func S3() Program {
	return Program{
		name: "versitygw", module: "github.com/versity/versitygw", main: "github.com/versity/versitygw/cmd/versitygw",
		folder: filepath.Join("tools", "s3"),
	}
}

// ACME is pebble, an authority for tests.
func ACME() Program {
	return Program{
		name: "pebble", module: "github.com/letsencrypt/pebble/v2", main: "github.com/letsencrypt/pebble/v2/cmd/pebble",
		folder: filepath.Join("tools", "acme"),
	}
}

// Build gives the path of a program, which is built unless it is there.
func Build(ctx context.Context, p Program) (string, error) {
	root, err := Root(ctx)
	if err != nil {
		return "", err
	}
	version, err := goCommand(ctx, filepath.Join(root, p.folder), "list", "-m", "-f", "{{.Version}}", p.module)
	if err != nil {
		return "", fmt.Errorf("find the version of %s: %w", p.name, err)
	}
	tools := filepath.Join(root, "bin", "tools")
	path := filepath.Join(tools, p.name+"-"+version)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(tools, 0o750); err != nil {
		return "", fmt.Errorf("build %s: %w", p.name, err)
	}
	// In a folder of its own first: several tests may build at once.
	aside, err := os.MkdirTemp(tools, "build")
	if err != nil {
		return "", fmt.Errorf("build %s: %w", p.name, err)
	}
	defer func() { _ = os.RemoveAll(aside) }() // nothing in it is needed
	fresh := filepath.Join(aside, p.name)
	if _, err := goCommand(ctx, filepath.Join(root, p.folder), "build", "-o", fresh, p.main); err != nil {
		return "", fmt.Errorf("build %s: %w", p.name, err)
	}
	if err := os.Rename(fresh, path); err != nil {
		return "", fmt.Errorf("build %s: %w", p.name, err)
	}
	return path, nil
}

func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// Root is the folder of the repository, found from the working directory: that of
// a package of this module or of one that is tested with it.
func Root(ctx context.Context) (string, error) {
	dir, err := goCommand(ctx, ".", "list", "-m", "-f", "{{.Dir}}", "github.com/bundle-delivery/svc")
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	return dir, nil
}
