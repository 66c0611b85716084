#!/bin/sh
# Runs the tests that are too long for every change: campaigns of kills and
# faults, clusters, galleries of screenshots, evaluations, mutants. `make test-long` runs
# all of them, and what fails does not keep the others from running.
#
#   ONLY=cluster        those whose name has this in it (a regular expression)
#   SAMPLE=8 SEED=42    as many as fit into eight minutes, chosen by the seed;
#                       never those that no seed repeats: fuzzing, the race detector
#   KILLS=500 FAULTS=10 how often the server is killed, and every fault comes
#   OUTAGE=60s          how long records, bytes and events are out of reach
#   LIST=1              says what would be run
#
# A line for each: name, minutes on two quiet cores, lane, command. Those in the
# lane "waiting" wait more than they work, for an outage to end or a killed server
# to be back: they run beside the ones in the lane "working", and what they print
# comes at the end. All are run with CI=true, so that what is missing is a failure:
# nothing passes by being skipped. What `make test` has run is not run again as it
# was: on a cluster and with the race detector it runs without the long tests.
set -euf
cd "$(dirname "$0")/.."
SEED=${SEED:-$(date +%s)}
FAULTS=${FAULTS:-1}
if [ -n "${SAMPLE:-}" ]; then
	KILLS=${KILLS:-20} OUTAGE=${OUTAGE:-60s} outage_minutes=2
else
	KILLS=${KILLS:-100} OUTAGE=${OUTAGE:-10m} outage_minutes=15
fi

all=$(cat <<LIST
outage         $outage_minutes waiting go -C tests test -count 1 -timeout 1h -parallel 6 -v -run TestRunsSurviveAnOutage ./torture -torture.outage $OUTAGE
kills-bundles   2 waiting go -C tests test -count 1 -timeout 6h -v -run TestKilledServerKeepsItsPromises ./torture -torture.kills $KILLS -torture.seed $SEED
kills-runs      3 waiting go -C tests test -count 1 -timeout 6h -v -run TestKilledServerEndsEveryRun|TestStalledServer ./torture -torture.kills $KILLS -torture.seed $SEED
kills-pushes    2 waiting go -C tests test -count 1 -timeout 1h -v -run TestServerKilledAtASystemCallOfAPush|TestClientKilledAtASystemCallOfAPush ./torture -torture.kills 50
faults          6 waiting go -C tests test -count 1 -timeout 6h -v -run TestFaults ./torture -torture.rounds $FAULTS -torture.seed $SEED
full-disk       1 waiting go -C tests test -count 1 -timeout 1h -v -run TestFullDisk ./torture -torture.rounds $FAULTS -torture.seed $SEED
stalled         3 waiting go -C tests test -count 1 -timeout 30m -v -run TestStalled ./edge
mcp             3 waiting go -C tests test -count 1 -timeout 30m -v ./mcp
agents          3 waiting go test -count 1 -timeout 30m -run TestRealAgents ./cmd/svcd
release         8 working go test -count 1 -timeout 1h -v -run TestBuildsAreReproducible|TestSnapshotAsACarefulStranger ./deploy
containers      8 working go test -count 1 -timeout 1h -run TestWorkerImage|TestUnitTriesProjects ./deploy
templates       3 working go test -count 1 -timeout 30m -run TestProjectsOfTheTemplateEnginePassTheirChecks ./cmd/svcd
document       12 working go test -count 1 -timeout 30m -run TestEveryFormOfTheDocumentIsBuilt ./internal/engine/template/stack
former          6 working go test -count 1 -timeout 30m -run TestRowsOfFormerProgramsArrive ./internal/engine/template/stack
matrix          8 working go test -count 1 -timeout 30m -run TestEveryLanguageMigratesEveryStore ./internal/engine/template/stack
typescript      2 working go test -count 1 -timeout 30m -run TestTypeScriptWithItsOwnCompiler ./internal/validate
gallery         4 working go test -count 1 -timeout 30m -run Accessible|FirstBundle|FirstSteps|Keyboard|CountedDown|LiveView|Silent|WhatChanged|TryingAgain|Cancelled|ThousandFiles|Passkeys|Provider ./cmd/svcd
workbench       2 working go test -count 1 -timeout 30m -v -run TestALargeRunIsWatched ./cmd/svcd
cluster         1 working go -C tests test -count 1 -timeout 30m ./cluster
cluster-scripts 2 working env SVC_TEST_CLUSTER=1 SVC_TEST_LONG= go test -count 1 -timeout 30m ./cmd/svc
cluster-svcd    5 working env SVC_TEST_CLUSTER=1 SVC_TEST_LONG= go test -count 1 -timeout 1h ./cmd/svcd
cluster-follow  1 working env SVC_TEST_CLUSTER=1 SVC_TEST_LONG= go -C tests test -count 1 -timeout 30m ./follow -follow.seed $SEED
million         2 working go test -count 1 -timeout 30m -run TestReadsOnlyWhatItAnswersWithAmongAMillion ./internal/postgres
newer-schema    1 working go test -count 1 -timeout 30m -run TestConformanceOnANewerSchema ./internal/postgres
proxies         1 working go -C tests test -count 1 -timeout 30m -v -run TestNothingIsSmuggledThroughAProxy ./edge
oidc            1 working go -C tests test -count 1 -timeout 30m -v ./oidc
openapi         1 working go -C tests test -count 1 -timeout 30m -v -run TestTheDocumentPassesTheLinters ./edge
race            7 working env SVC_TEST_LONG= make test-race
mutants        12 working go -C tests run ./mutants
fuzz            4 working env ONLY= FUZZTIME=10s scripts/fuzz.sh
LIST
)
all=$(echo "$all" | grep -E "^[a-z-]*(${ONLY:-})[a-z-]* ")

if [ -n "${SAMPLE:-}" ]; then
	left=$SAMPLE
	all=$(echo "$all" | grep -vE '^(fuzz|race) ' | while read -r name rest; do
		echo "$(echo "$SEED $name" | cksum | cut -d' ' -f1) $name $rest"
	done | sort -n | while read -r _ name minutes rest; do
		[ "$minutes" -le "$left" ] || continue
		left=$((left - minutes))
		echo "$name $minutes $rest"
	done)
fi
if [ -n "${LIST:-}" ]; then
	echo "$all"
	exit
fi

export CI=true SVC_TEST_LONG=1
scripts/ensure-tools.sh long
echo "seed $SEED (SEED=$SEED repeats the choices)"
notes=$(mktemp -d)
trap 'rm -rf "$notes"' EXIT
trap 'trap - TERM; kill 0' INT TERM # both lanes
began=$(date +%s)

# lane runs what is in one of the lanes, and notes how each ended.
lane() {
	echo "$all" | while read -r name minutes of command; do
		[ "$of" = "$1" ] || continue
		echo "== $name, about $minutes minutes: $command"
		since=$(date +%s)
		# shellcheck disable=SC2086 # a command and its arguments, of which none has a space
		if $command </dev/null; then ended=passed; else ended=FAILED; fi
		printf '%5d s  %s  %s\n' $(($(date +%s) - since)) $ended "$name" | tee -a "$notes/times" >&3
	done
}

exec 3>&1
lane waiting >"$notes/waiting" 2>&1 &
lane working
wait
cat "$notes/waiting"
echo "== all took $(($(date +%s) - began)) s (seed $SEED):"
sort -rn "$notes/times"
# Whatever ended without a note has not passed either.
[ "$(grep -c '  passed  ' "$notes/times")" = "$(echo "$all" | wc -l)" ] || { echo "FAILED" >&2; exit 1; }
