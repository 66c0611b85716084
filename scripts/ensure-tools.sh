#!/bin/sh
# Makes sure that the programs which some tests use are there: installs what is
# missing where that is possible (Debian, as root), and says loudly which tests
# will be skipped otherwise. With CI=true a missing program is a failure, because
# a skipped test proves nothing.
#
# Without an argument it looks after what the tests need, with "long" also after
# what the long ones need, with "bench" after what the benchmarks compare with,
# with "cluster" after what a cluster on this machine needs, with "release" after
# what signs a release.
#
# A line for each program: command or file, Debian package, what needs it.
set -eu
PATH=$PATH:/usr/sbin:/sbin

needed='
unzip   unzip                archives are read by Info-ZIP
zip     zip                  benchmarks against Info-ZIP
7z      p7zip-full           archives are read by 7-Zip
bsdtar  libarchive-tools     archives are read by libarchive
python3 python3              archives are read by Python, and projects in Python are tested
/usr/lib/python3/dist-packages/psycopg python3-psycopg projects in Python with PostgreSQL are tested
chromium chromium            the console is used and checked with axe in a browser, and runs are followed in one
curl    curl                 the commands of the README are run, and runs are followed
gcc     build-essential      the race detector
initdb  postgresql           projects with a database are tested
psql    postgresql-client    records are moved between databases
sqlite3 sqlite3              records are moved between databases
promtool prometheus          the alert rules are checked and tried
systemd-analyze systemd      the unit is verified and its hardening judged
pgbouncer pgbouncer           records are kept behind a pooler
node    nodejs               projects in TypeScript and static sites are tested, and runs are followed
npm     npm                  projects in TypeScript are built, and eventsource, Redocly and Spectral are installed
bwrap   bubblewrap           what is generated is tried in a sandbox
cargo   cargo                projects in Rust are tried
strace  strace               programs are killed at a system call of a push
haproxy haproxy              the balancer of the compose file is tried, and smuggling behind a proxy
nginx   nginx-light          smuggling behind a proxy is tried
minisign minisign            releases are signed, and their signatures checked
'
if [ "${1:-}" = long ]; then
	needed="$needed
podman  podman               the image of the worker is built and run
runc    runc                 the image of the worker is run
/usr/libexec/podman/catatonit catatonit the image of the worker is run with --init
debootstrap debootstrap      the image of the worker is built where no registry can be reached
"
fi
if [ "${1:-}" = bench ]; then
	needed='
zip     zip                  making an archive
wrk     wrk                  requests a second
nginx   nginx-light          serving a file
unzip   unzip                unpacking an archive
curl    curl                 fetching an archive
initdb  postgresql           records of several processes, and their round trips
/usr/lib/nginx/modules/ngx_nchan_module.so libnginx-mod-nchan streaming events
'
fi

if [ "${1:-}" = release ]; then
	needed='
minisign minisign            signing the sums
'
fi

if [ "${1:-}" = cluster ]; then
	needed='
initdb  postgresql           the records of the cluster
'
fi

have() {
	command -v "$1" >/dev/null 2>&1 || [ -e "$1" ] || ls /usr/lib/postgresql/*/bin/"$1" >/dev/null 2>&1
}

missing_packages=
while read -r command package _; do
	[ -n "$command" ] || continue
	have "$command" || missing_packages="$missing_packages $package"
done <<LIST
$needed
LIST

if [ -n "$missing_packages" ] && command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
	echo "installing:$missing_packages"
	# shellcheck disable=SC2086 # a list of words
	{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing_packages; } >/dev/null || true
fi

status=0
while read -r command package reason; do
	[ -n "$command" ] || continue
	if ! have "$command"; then
		echo "MISSING: $command (Debian package $package): $reason. The tests that need it are SKIPPED." >&2
		[ "${CI:-}" = true ] && status=1
	fi
done <<LIST
$needed
LIST
exit $status
