package harness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// Build makes the server's binary in a folder, as the repository's go.mod has it,
// whichever module asks. Flags are more flags of go build.
func Build(ctx context.Context, dir string, flags ...string) (string, error) {
	return build(ctx, dir, "svcd", flags...)
}

// BuildClient makes the client's binary in a folder.
func BuildClient(ctx context.Context, dir string) (string, error) { return build(ctx, dir, "svc") }

func build(ctx context.Context, dir, program string, flags ...string) (string, error) {
	root, err := toolbox.Root(ctx)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, program)
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"build"}, flags, []string{"-o", path, "./cmd/" + program})...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", program, err, out)
	}
	return path, nil
}

// Config says which svcd to run, and how.
type Config struct {
	Name    string // empty: svcd
	Program string
	Data    string // its log is appended to this folder's name with ".log"
	Flags   []string
	// Listen is the address to serve on, the same at every start. Empty: one that
	// is free.
	Listen string
	// Admin is the address for metrics, if they are wanted.
	Admin string
	// Authority is the file with what to trust. Empty: the server makes its own.
	Authority string
	// Environment says where things are kept, if not in the data folder. With it
	// the settings of svcd in the environment of this process are left out.
	Environment []string
}

// Server is one svcd.
type Server struct {
	*Process
	Service        // at its own address; without Base when it has no API
	Metrics string // http address, with /metrics; empty when there is none
}

// Start runs a server on a data folder, with more flags if wanted, and waits
// until it is ready.
func Start(ctx context.Context, program, data string, flags ...string) (*Server, error) {
	s, err := NewServer(Config{Program: program, Data: data, Flags: flags})
	if err != nil {
		return nil, err
	}
	if err := s.Start(ctx); err != nil {
		return nil, errors.Join(err, s.Kill())
	}
	return s, nil
}

// NewServer prepares a server, which has yet to be started.
func NewServer(c Config) (*Server, error) {
	s := &Server{Service: Service{Data: c.Data, Program: c.Program, Environment: c.Environment}}
	s.Process = &Process{Name: c.Name, Address: c.Listen, LogFile: c.Data + ".log"}
	if s.Name == "" {
		s.Name = "svcd"
	}
	address := filepath.Join(c.Data, "svcd.addr")
	args := []string{"serve", "--data-dir", c.Data, "--listen", c.Listen}
	if c.Listen == "" {
		args[len(args)-1] = "127.0.0.1:0"
	}
	if c.Admin != "" {
		s.Metrics = "http://" + c.Admin
		args = append(args, "--admin-listen", c.Admin)
	}
	args = append(args, c.Flags...)
	s.Command = func() *exec.Cmd {
		_ = os.Remove(address) // of the start before, where there was one
		cmd := exec.Command(c.Program, args...)
		if c.Environment != nil {
			cmd.Env = append(plainEnvironment(), c.Environment...)
		}
		return cmd
	}
	if c.Listen != "" {
		s.Base = "https://" + c.Listen
	}
	if c.Authority != "" {
		var err error
		if s.Client, err = Trusting(c.Authority); err != nil {
			return nil, err
		}
	}
	s.Ready = func(ctx context.Context) (err error) {
		if c.Listen == "" {
			found, err := os.ReadFile(address)
			if err != nil {
				return err
			}
			s.Base = "https://" + string(found)
		}
		if s.Client == nil {
			if s.Client, err = Trusting(filepath.Join(c.Data, "tls", "ca.pem")); err != nil {
				return err
			}
		}
		return Answers(ctx, s.Client, s.Base+"/readyz")
	}
	if !servesAPI(c.Flags) {
		s.Base = ""
		s.Ready = func(ctx context.Context) error { return Answers(ctx, http.DefaultClient, s.Metrics+"/metrics") }
	}
	return s, nil
}

// Stop asks the server to end, waits for it, and tells when it did not end well.
func (s *Server) Stop() error {
	err := s.Process.Stop()
	if s.Client != nil {
		s.Client.CloseIdleConnections()
	}
	return errors.Join(err, s.Err())
}

// servesAPI reads the roles in the flags of a svcd.
func servesAPI(flags []string) bool {
	roles := "api"
	for i, flag := range flags {
		if flag == "--roles" && i+1 < len(flags) {
			roles = flags[i+1]
		}
	}
	return slices.Contains(strings.Split(roles, ","), "api")
}

// plainEnvironment is this process's without what would be settings of svcd.
func plainEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SVCD_") || strings.HasPrefix(v, "AWS_") })
}
