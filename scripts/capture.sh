#!/bin/sh
# Takes the pictures of the client in docs/images: starts a service, runs the
# client in a terminal (tmux) and draws what stands there as SVG. The pictures
# show what the programs print, so take them anew when that changes:
#
#   make build && scripts/capture.sh
#
# It needs tmux and touches nothing outside of docs/images and a temporary folder.
set -eu
cd "$(dirname "$0")/.."
home=$PWD
command -v tmux >/dev/null || { echo "tmux is not installed; on Debian: apt-get install tmux" >&2; exit 1; }

lab=$(mktemp -d)
pane="tmux -L svc-capture-$$ -f /dev/null"
daemon=
finish() {
	$pane kill-server 2>/dev/null || true
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
	rm -rf "$lab"
}
trap finish EXIT

"$home/bin/svcd" serve --data-dir "$lab/data" --listen 127.0.0.1:0 >"$lab/log" 2>&1 &
daemon=$!
tries=0
until [ -s "$lab/data/svcd.addr" ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 300 ] || { cat "$lab/log" >&2; exit 1; }
	sleep 0.1
done
admin() { command=$1; shift; "$home/bin/svcd" "$command" "$@" --data-dir "$lab/data"; }
admin account create --email ada@example.com --plan developer >/dev/null

mkdir -p "$lab/home" "$lab/shop"
HOME=$lab/home PATH=$home/bin:$PATH PS1='$ ' ENV=
export HOME PATH PS1 ENV
unset SVC_TOKEN SVC_API_URL SVC_CA_FILE NO_COLOR
admin key create --account ada@example.com --name laptop |
	svc auth --api-key - --api-url "https://$(cat "$lab/data/svcd.addr")" --ca-file "$lab/data/tls/ca.pem" 2>/dev/null >/dev/null

# draw FILE TITLE turns a captured pane into a picture: one line of text for each
# line, and the colours that the client uses. It knows no other escapes.
draw() {
	awk -v title="$2" -v columns=88 '
	function escape(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
	function shown(s, code,   style) {
		if (s == "") return ""
		style = ""
		if (code ~ /(^|;)1(;|$)/) style = " font-weight=\"bold\""
		if (match(code, /(^|;)3[1-6](;|$)/)) {
			n = substr(code, RSTART, RLENGTH); gsub(/[^0-9]/, "", n)
			style = style " fill=\"" ink[n] "\""
		}
		return style == "" ? escape(s) : "<tspan" style ">" escape(s) "</tspan>"
	}
	BEGIN {
		ink[31] = "#ff7b72"; ink[32] = "#7ee787"; ink[33] = "#e3b341"; ink[36] = "#79c0ff"
		high = 18
	}
	{ sub(/[ \t]+$/, ""); text[NR] = $0; if ($0 != "" && $0 != "$") last = NR }
	END {
		printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">\n", columns * 8.4 + 32, last * high + 60, escape(title)
		printf "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#0d1117\"/>\n", escape(title)
		print "<g fill=\"#ff5f57\"><circle cx=\"18\" cy=\"18\" r=\"5\"/><circle cx=\"36\" cy=\"18\" r=\"5\" fill=\"#febc2e\"/><circle cx=\"54\" cy=\"18\" r=\"5\" fill=\"#28c840\"/></g>"
		print "<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, \047DejaVu Sans Mono\047, monospace\" font-size=\"14\" fill=\"#e6edf3\">"
		for (i = 1; i <= last; i++) {
			rest = text[i]; code = ""; out = ""
			while (match(rest, /\033\[[0-9;]*m/)) {
				plain = substr(rest, 1, RSTART - 1)
				change = substr(rest, RSTART + 2, RLENGTH - 3)
				rest = substr(rest, RSTART + RLENGTH)
				out = out shown(plain, code)
				if (change == "" || change == "0" || change == "39") code = ""
				else code = code == "" ? change : code ";" change
			}
			out = out shown(rest, code)
			if (out != "") printf "<text x=\"16\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", 36 + i * high, out
		}
		print "</g>\n</svg>"
	}' >"$1"
}

# capture NAME TITLE FOLDER COMMAND... runs the commands in a terminal as if they
# had been typed, and draws what stands there in the end.
capture() {
	name=$1 title=$2 folder=$3
	shift 3
	rm -f "$lab/done"
	{
		for command in "$@"; do
			printf 'printf "$ %%s\\n" \047%s\047\n%s\n' "$command" "$command"
		done
		printf ': >"%s/done"\nsleep 60\n' "$lab"
	} >"$lab/play"
	$pane new-session -d -s "$name" -x 88 -y 70 -c "$folder" sh "$lab/play"
	tries=0
	until [ -e "$lab/done" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 600 ] || { echo "$title: the commands do not end" >&2; exit 1; }
		sleep 0.1
	done
	sleep 0.3
	$pane capture-pane -t "$name" -e -p | draw "$home/docs/images/$name.svg" "$title"
	$pane kill-session -t "$name"
}

capture svc-generate 'svc generate, and the project is in the folder' "$lab/shop" \
	'svc generate "a bookmarks API in Python" --pull'

# The user works on, and so does the service.
project=$(sed -n 's/.*"project_id": *"\([^"]*\)".*/\1/p' "$lab/shop/resolution_log.json")
cd "$lab/shop"
sed -i '1s/.*/# Links worth keeping/' README.md
sed -i 's/"editor.formatOnSave": true/"editor.formatOnSave": false/' .vscode/settings.json
sed -i 's/--uid 10001/--uid 2000/' Dockerfile
svc generate --project "$project" "add a database" >/dev/null 2>&1
capture svc-dry-run 'svc pull --dry-run shows what a pull would do' "$lab/shop" \
	'svc pull --latest --dry-run'
capture svc-conflict 'A pull that meets changes of the user' "$lab/shop" \
	'svc pull --latest' 'svc verify'

mkdir "$lab/fresh"
svc export "$project" >/dev/null 2>&1
capture svc-pull 'svc pull, and a look at what was delivered' "$lab/fresh" \
	'svc pull --latest' 'svc verify'
