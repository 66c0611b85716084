package main

import (
	"slices"
	"strings"
)

// lane is what a test shares the machine with.
type lane string

const (
	// working tests keep the cores busy and run one after the other.
	working lane = "working"
	// waiting tests wait more than they work, for an outage to end or a killed
	// server to be back. They run beside the working ones, one after the other.
	waiting lane = "waiting"
)

// test is a line of the table: tests of one folder, or a command.
type test struct {
	name    string
	minutes int // on two quiet cores
	lane    lane

	folder  string   // whose tests run
	run     string   // which of them; all if empty
	timeout string   // as go test takes it
	verbose bool     // go test -v
	args    []string // further arguments of go test

	command []string // what runs in place of go test
	env     []string // variables of this test alone
	// unrepeatable is set if no seed repeats what happens. A sample has none of these.
	unrepeatable bool
}

// skipLong is the variable that leaves out what needs.Long marks: make test has run
// the others, but not on a cluster or with the race detector.
const skipLong = "SVC_TEST_LONG="

// table has all long tests. s has what they can be asked for.
func table(s settings) []test {
	kills := []string{"-torture.kills", s.kills, "-torture.seed", s.seed}
	rounds := []string{"-torture.rounds", s.faults, "-torture.seed", s.seed}
	onCluster := []string{"SVC_TEST_CLUSTER=1", skipLong}
	return []test{
		{
			name: "outage", minutes: s.outageMinutes, lane: waiting, timeout: "1h", verbose: true,
			folder: "tests/torture", run: "TestRunsSurviveAnOutage",
			args: []string{"-parallel", "6", "-torture.outage", s.outage},
		},
		{
			name: "kills-bundles", minutes: 2, lane: waiting, timeout: "6h", verbose: true,
			folder: "tests/torture", run: "TestKilledServerKeepsItsPromises", args: kills,
		},
		{
			name: "kills-runs", minutes: 3, lane: waiting, timeout: "6h", verbose: true,
			folder: "tests/torture", run: "TestKilledServerEndsEveryRun|TestStalledServer", args: kills,
		},
		{
			name: "kills-pushes", minutes: 2, lane: waiting, timeout: "1h", verbose: true,
			folder: "tests/torture", run: "TestServerKilledAtASystemCallOfAPush|TestClientKilledAtASystemCallOfAPush",
			args: []string{"-torture.kills", "50"},
		},
		{
			name: "faults", minutes: 6, lane: waiting, timeout: "6h", verbose: true,
			folder: "tests/torture", run: "TestFaults", args: rounds,
		},
		{
			name: "full-disk", minutes: 1, lane: waiting, timeout: "1h", verbose: true,
			folder: "tests/torture", run: "TestFullDisk", args: rounds,
		},
		{
			name: "stalled", minutes: 3, lane: waiting, timeout: "30m", verbose: true,
			folder: "tests/edge", run: "TestStalled",
		},
		{name: "mcp", minutes: 3, lane: waiting, timeout: "30m", verbose: true, folder: "tests/mcp"},
		{name: "agents", minutes: 3, lane: waiting, timeout: "30m", folder: "cmd/svcd", run: "TestRealAgents"},
		{
			name: "release", minutes: 8, lane: working, timeout: "1h", verbose: true,
			folder: "deploy", run: "TestBuildsAreReproducible|TestSnapshotAsACarefulStranger",
		},
		{
			name: "containers", minutes: 8, lane: working, timeout: "1h",
			folder: "deploy", run: "TestWorkerImage|TestUnitTriesProjects",
		},
		{
			name: "templates", minutes: 3, lane: working, timeout: "30m",
			folder: "cmd/svcd", run: "TestProjectsOfTheTemplateEnginePassTheirChecks",
		},
		{
			name: "document", minutes: 12, lane: working, timeout: "30m",
			folder: "internal/engine/template/stack", run: "TestEveryFormOfTheDocumentIsBuilt",
		},
		{
			name: "former", minutes: 6, lane: working, timeout: "30m",
			folder: "internal/engine/template/stack", run: "TestRowsOfFormerProgramsArrive",
		},
		{
			name: "matrix", minutes: 8, lane: working, timeout: "30m",
			folder: "internal/engine/template/stack", run: "TestEveryLanguageMigratesEveryStore",
		},
		{
			name: "typescript", minutes: 2, lane: working, timeout: "30m",
			folder: "internal/validate", run: "TestTypeScriptWithItsOwnCompiler",
		},
		{
			name: "gallery", minutes: 4, lane: working, timeout: "30m", folder: "tests/console",
			run: "Accessible|FirstBundle|FirstSteps|Keyboard|CountedDown|LiveView|Silent|WhatChanged|TryingAgain|Cancelled|ThousandFiles|Passkeys|Provider",
		},
		{
			name: "workbench", minutes: 2, lane: working, timeout: "30m", verbose: true,
			folder: "tests/console", run: "TestALargeRunIsWatched",
		},
		{name: "cluster", minutes: 1, lane: working, timeout: "30m", folder: "tests/cluster"},
		{name: "cluster-scripts", minutes: 2, lane: working, timeout: "30m", folder: "cmd/svc", env: onCluster},
		{name: "cluster-svcd", minutes: 3, lane: working, timeout: "1h", folder: "cmd/svcd", env: onCluster},
		{name: "cluster-console", minutes: 2, lane: working, timeout: "1h", folder: "tests/console", env: onCluster},
		{
			name: "cluster-follow", minutes: 1, lane: working, timeout: "30m",
			folder: "tests/follow", args: []string{"-follow.seed", s.seed}, env: onCluster,
		},
		{
			name: "million", minutes: 2, lane: working, timeout: "30m",
			folder: "internal/store/postgres", run: "TestReadsOnlyWhatItAnswersWithAmongAMillion",
		},
		{
			name: "newer-schema", minutes: 1, lane: working, timeout: "30m",
			folder: "internal/store/postgres", run: "TestConformanceOnANewerSchema",
		},
		{
			name: "proxies", minutes: 1, lane: working, timeout: "30m", verbose: true,
			folder: "tests/edge", run: "TestNothingIsSmuggledThroughAProxy",
		},
		{name: "oidc", minutes: 1, lane: working, timeout: "30m", verbose: true, folder: "tests/oidc"},
		{
			name: "openapi", minutes: 1, lane: working, timeout: "30m", verbose: true,
			folder: "tests/edge", run: "TestTheDocumentPassesTheLinters",
		},
		{
			name: "race", minutes: 7, lane: working, unrepeatable: true,
			command: []string{"make", "test-race"}, env: []string{skipLong},
		},
		{name: "mutants", minutes: 12, lane: working, command: []string{"go", "-C", "tests", "run", "./mutants"}},
		{
			name: "fuzz", minutes: 4, lane: working, unrepeatable: true,
			command: []string{"scripts/fuzz.sh"}, env: []string{"ONLY=", "FUZZTIME=10s"},
		},
	}
}

// argv is the command that runs the test in the repository's folder.
func (t test) argv() []string {
	if t.command != nil {
		return t.command
	}
	argv := []string{"go"}
	folder, inTests := strings.CutPrefix(t.folder, "tests/")
	if inTests { // a module of its own
		argv = append(argv, "-C", "tests")
	}
	argv = append(argv, "test", "-count", "1", "-timeout", t.timeout)
	if t.verbose {
		argv = append(argv, "-v")
	}
	if t.run != "" {
		argv = append(argv, "-run", t.run)
	}
	return slices.Concat(argv, []string{"./" + folder}, t.args)
}

// line is the command as a person would type it.
func (t test) line() string { return strings.Join(slices.Concat(t.env, t.argv()), " ") }
