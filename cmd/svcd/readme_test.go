package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// shellBlocks are the commands of the README that readers are told to paste.
var shellBlocks = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

func TestCommandsOfTheREADMEWork(t *testing.T) {
	t.Parallel()
	needs.Program(t, "curl", "the README uses it; install curl")
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	script := "set -eu\n"
	for _, block := range shellBlocks.FindAllStringSubmatch(string(text), -1) {
		script += block[1]
	}

	folder := t.TempDir()
	installPrograms(t, filepath.Join(folder, "bin"))
	i := startIn(t, filepath.Join(folder, "svcd-data"))
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir = folder
	// svc refuses some of its variables when they are empty.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SVC_") })
	cmd.Env = append(cmd.Env, "HOME="+folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, i.log)
	}

	asked := routesInLog(t, i.log.String())
	for _, route := range []string{
		api.RouteBundles, api.RouteLatestBundle, api.RouteBundle, api.RouteDownload, api.RouteAcknowledge,
		api.RouteProjects, api.RouteRepackage, api.RouteHealth, api.RouteReady, api.RouteOpenAPI, api.RouteManifest,
		api.RouteGenerations, api.RouteProjectGeneration, api.RouteGeneration, api.RouteStream, api.RouteCancel,
	} {
		if !slices.Contains(asked, route) {
			t.Errorf("the README shows no request to %s", route)
		}
	}
}

// installPrograms puts both programs where `make build` would.
func installPrograms(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	wrapper := "#!/bin/sh\n" + asProgram + "=1 exec " + printable.ShellWord(self) + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "svcd"), []byte(wrapper), 0o700); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "svc"), "../svc")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the client: %v\n%s", err, out)
	}
}

// routesInLog are the routes that were answered without a failure.
func routesInLog(t *testing.T, log string) []string {
	t.Helper()
	var routes []string
	for line := range strings.Lines(log) {
		var entry struct {
			Msg, Route string
			Status     int
		}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "request" && entry.Status < 400 {
			routes = append(routes, entry.Route)
		}
	}
	return routes
}
