#!/bin/sh
# Copies what the console shows and did not write itself (style sheet, scripts,
# icons, and the accessibility checker of its tests) out of npm packages, and
# refuses any file whose hash is not the one noted in console-assets.sha256.
# The files are part of the repository: this is run after a version was changed in
# console-assets.txt.
#
#   scripts/console-assets.sh          copy and check
#   scripts/console-assets.sh --note   copy and note new hashes: read the diff
set -eu
cd "$(dirname "$0")/.."

icons='activity archive arrow-right ban check circle-check circle-help circle-x clock copy download file-text folder gauge hourglass key-round layers loader log-out package play plus refresh-cw search settings shield trash-2 triangle-alert users zap'

vendor=internal/web/console/static/vendor
checker=internal/web/console/testdata
notes=scripts/console-assets.sha256
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fetch() { # package version
	folder=$work/$(echo "$1" | tr '/@' '__')
	mkdir -p "$folder"
	(cd "$work" && npm pack --silent "$1@$2" >"$work/name" 2>/dev/null)
	tar -xzf "$work/$(tail -n 1 "$work/name")" -C "$folder" --strip-components=1
}

version() { awk -v name="$1" '$1 == name { print $2 }' scripts/console-assets.txt; }

mkdir -p "$vendor/icons" "$checker"
fetch htmx.org "$(version htmx.org)"
cp "$folder/dist/htmx.min.js" "$vendor/htmx.min.js"
cp "$folder/LICENSE" "$vendor/htmx.LICENSE"
fetch @picocss/pico "$(version @picocss/pico)"
cp "$folder/css/pico.min.css" "$vendor/pico.min.css"
cp "$folder/LICENSE.md" "$vendor/pico.LICENSE"
fetch uplot "$(version uplot)"
cp "$folder/dist/uPlot.iife.min.js" "$vendor/uplot.min.js"
cp "$folder/dist/uPlot.min.css" "$vendor/uplot.min.css"
cp "$folder/LICENSE" "$vendor/uplot.LICENSE"
fetch lucide-static "$(version lucide-static)"
for icon in $icons; do cp "$folder/icons/$icon.svg" "$vendor/icons/$icon.svg"; done
cp "$folder/LICENSE" "$vendor/icons/LICENSE"
fetch axe-core 4.14.0
cp "$folder/axe.min.js" "$checker/axe.min.js"
cp "$folder/LICENSE" "$checker/axe.LICENSE"

list() { find "$vendor" "$checker/axe.min.js" "$checker/axe.LICENSE" -type f | LC_ALL=C sort; }
if [ "${1:-}" = --note ]; then
	list | xargs sha256sum >"$notes"
else
	sha256sum --quiet --check "$notes"
	[ "$(list | wc -l)" = "$(wc -l <"$notes")" ] || { echo "there are files without a noted hash" >&2; exit 1; }
fi
