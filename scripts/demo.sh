#!/bin/sh
# The whole service in one go: starts it in a temporary folder, generates a
# project with the progress on the screen, pulls it into a folder and stops.
# Nothing of the user's own settings is read or changed.
#
# FOLDER is where the project goes, PROMPT what is generated; both have defaults.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
prompt=${PROMPT:-a todo list API in Go}
state=$(mktemp -d "${TMPDIR:-/tmp}/svc-demo.XXXXXX")
project=${FOLDER:-$state/project}
server=

finish() {
	[ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" || true; }
	rm -rf "$state/data" "$state/home"
}
trap finish EXIT
trap 'exit 130' INT TERM

"$root/bin/svcd" serve --data-dir "$state/data" --listen 127.0.0.1:0 2>"$state/svcd.log" &
server=$!
tries=0
until [ -f "$state/data/svcd.addr" ]; do
	tries=$((tries + 1))
	if [ $tries -gt 300 ] || ! kill -0 "$server" 2>/dev/null; then
		cat "$state/svcd.log" >&2
		exit 1
	fi
	sleep 0.1
done

"$root/bin/svcd" account create --data-dir "$state/data" --email demo@example.com --plan developer >/dev/null
SVC_TOKEN=$("$root/bin/svcd" key create --data-dir "$state/data" --account demo@example.com --name demo)
SVC_API_URL=https://$(cat "$state/data/svcd.addr")
SVC_CA_FILE=$state/data/tls/ca.pem
export SVC_TOKEN SVC_API_URL SVC_CA_FILE

mkdir -p "$project" "$state/home"
cd "$project"
HOME=$state/home "$root/bin/svc" generate "$prompt" --pull
echo
echo "The project is in $project. To go on:"
echo "  cd $project && cat README.md"
