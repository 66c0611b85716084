#!/bin/sh
# Takes the pictures of docs/console.md anew: the tests of the console, in Chromium,
# leave a picture of each page that they look at. Look at them before you commit them.
set -eu
cd "$(dirname "$0")/.."
shots=$(mktemp -d)
trap 'rm -rf "$shots"' EXIT
SVC_TEST_LONG=1 SVC_SCREENSHOTS=$shots go -C tests test -count 1 -timeout 30m ./console -run 'TestPagesInUse|TestAnInvitation|TestALiveViewSurvives|TestARunLeads'
while read -r name shot; do
	cp "$shots/$shot.png" "docs/images/console-$name.png"
done <<'PICTURES'
overview                    overview-1280-light
usage-dark                  usage-1280-dark
first-steps-dark            overview-first-steps-1280-dark
first-steps-narrow          overview-first-steps-390-light
clients                     clients-signed-out-1280-light
clients-narrow-dark         clients-signed-out-390-dark
live                        generation-live-1280-light
live-dark                   generation-live-1280-dark
live-narrow                 generation-live-390-light
live-narrow-dark            generation-live-390-dark
generation                  generation-1280-light
generation-dark             generation-1280-dark
generation-narrow           generation-390-light
generation-narrow-dark      generation-390-dark
difference                  difference-1280-light
difference-dark             difference-1280-dark
difference-narrow           difference-390-light
difference-narrow-dark      difference-390-dark
PICTURES
