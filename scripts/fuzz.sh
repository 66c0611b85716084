#!/bin/sh
# Runs every fuzz test of the module, one after the other, each for FUZZTIME.
# ONLY names a single one. A finding ends the run and stays in testdata/fuzz.
set -eu
cd "$(dirname "$0")/.."
time=${FUZZTIME:-10m}
all=$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u | while read -r folder; do
	grep -h '^func Fuzz' "$folder"/*_test.go | sed 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/' | sort | while read -r name; do
		[ -n "${ONLY:-}" ] && [ "$ONLY" != "$name" ] || echo "$folder $name"
	done
done)
[ -n "$all" ] || { echo "no fuzz test is named ${ONLY:-Fuzz…}" >&2; exit 1; }
echo "$all" | while read -r folder name; do
	echo "fuzzing $folder $name for $time"
	go test "$folder" -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 10x </dev/null
done
