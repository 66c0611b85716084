#!/bin/sh
# Runs the tests that are too long for every change: campaigns of kills and
# faults, clusters, galleries of screenshots, evaluations. `make test-long` runs
# all of them, and what fails does not keep the others from running.
#
#   ONLY=cluster        those whose name has this in it (a regular expression)
#   SAMPLE=8 SEED=42    as many as fit into eight minutes, chosen by the seed;
#                       never those that no seed repeats: fuzzing, the race detector
#   KILLS=500 FAULTS=10 how often the server is killed, and every fault comes
#   LIST=1              says what would be run
#
# A line for each: name, minutes on two quiet cores, command. They are run with
# CI=true, so that what is missing is a failure: nothing passes by being skipped.
set -euf
cd "$(dirname "$0")/.."
SEED=${SEED:-$(date +%s)}
KILLS=${KILLS:-$([ -n "${SAMPLE:-}" ] && echo 20 || echo 100)}
FAULTS=${FAULTS:-1}

all=$(cat <<LIST
kills-bundles   2 go -C tests test -count 1 -timeout 6h -v -run TestKilledServerKeepsItsPromises ./torture -torture.kills $KILLS -torture.seed $SEED
kills-runs      2 go -C tests test -count 1 -timeout 6h -v -run TestKilledServerEndsEveryRun|TestStalledServer ./torture -torture.kills $KILLS -torture.seed $SEED
kills-pushes    2 go -C tests test -count 1 -timeout 1h -v -run TestServerKilledAtASystemCallOfAPush ./torture -torture.kills 50
faults          4 go -C tests test -count 1 -timeout 6h -v -run TestFaults ./torture -torture.rounds $FAULTS -torture.seed $SEED
outage          3 go -C tests test -count 1 -timeout 30m -v -run TestRunsSurviveAnOutage ./torture -torture.outage 60s
outage-long    13 go -C tests test -count 1 -timeout 1h -v -run TestRunsSurviveAnOutage ./torture -torture.outage 10m
full-disk       1 go -C tests test -count 1 -timeout 1h -v -run TestFullDisk ./torture -torture.rounds $FAULTS -torture.seed $SEED
templates       3 go test -count 1 -timeout 30m -run TestProjectsOfTheTemplateEnginePassTheirChecks ./cmd/svcd
containers     12 go test -count 1 -timeout 1h -run TestWorkerImage|TestUnitTriesProjects ./deploy
agents          3 go test -count 1 -timeout 30m -run TestRealAgents ./cmd/svcd
gallery         2 go test -count 1 -timeout 30m -run TestPagesInUse ./cmd/svcd
cluster         2 go -C tests test -count 1 -timeout 30m ./cluster
cluster-client  1 go test -count 1 -timeout 30m -run TestScriptsOnACluster ./cmd/svc
cluster-scripts 2 env SVC_TEST_CLUSTER=1 go test -count 1 -timeout 30m ./cmd/svc
cluster-svcd    7 env SVC_TEST_CLUSTER=1 go test -count 1 -timeout 1h ./cmd/svcd
cluster-follow  2 env SVC_TEST_CLUSTER=1 go -C tests test -count 1 -timeout 30m ./follow -follow.seed $SEED
stalled         3 go -C tests test -count 1 -timeout 30m -v -run TestStalled ./edge
proxies         1 go -C tests test -count 1 -timeout 30m -v -run TestNothingIsSmuggledThroughAProxy ./edge
openapi         1 go -C tests test -count 1 -timeout 30m -v -run TestTheDocumentPassesTheLinters ./edge
race           10 env CGO_ENABLED=1 go test -count 1 -timeout 1h -race ./...
race-tests      8 env CGO_ENABLED=1 go -C tests test -count 1 -timeout 1h -race ./...
eval            4 go -C tests run ./eval -least 35
release        12 go test -count 1 -timeout 1h -v -run TestBuildsAreReproducible|TestSnapshotAsACarefulStranger ./deploy
fuzz            6 env FUZZTIME=20s scripts/fuzz.sh
LIST
)
all=$(echo "$all" | grep -E "^[a-z-]*(${ONLY:-})[a-z-]* ")

if [ -n "${SAMPLE:-}" ]; then
	left=$SAMPLE
	all=$(echo "$all" | grep -vE '^(fuzz|race|race-tests) ' | while read -r name rest; do
		echo "$(echo "$SEED $name" | cksum | cut -d' ' -f1) $name $rest"
	done | sort -n | while read -r _ name minutes command; do
		[ "$minutes" -le "$left" ] || continue
		left=$((left - minutes))
		echo "$name $minutes $command"
	done)
fi
if [ -n "${LIST:-}" ]; then
	echo "$all"
	exit
fi

export CI=true SVC_TEST_LONG=1
scripts/ensure-tools.sh long
echo "seed $SEED (SEED=$SEED repeats the choices)"
failed=
while read -r name minutes command; do
	echo "== $name, about $minutes minutes: $command"
	began=$(date +%s)
	# shellcheck disable=SC2086 # a command and its arguments, of which none has a space
	$command </dev/null || failed="$failed $name"
	echo "== $name took $(($(date +%s) - began)) s"
done <<LIST
$all
LIST
[ -z "$failed" ] || { echo "FAILED:$failed (seed $SEED)" >&2; exit 1; }
