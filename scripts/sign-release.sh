#!/bin/sh
# Signs the sums of a release with minisign, so that who has the public key can
# tell ours from another's. The secret key is a file that is never part of the
# repository.
#
#   scripts/sign-release.sh make FILE         make a key; its public half goes into README.md
#   scripts/sign-release.sh sign FILE FOLDER  sign FOLDER/checksums.txt; with - for FILE
#                                             the key is in the variable RELEASE_KEY
set -eu
usage() { sed -n '2,9p' "$0" | cut -c3- >&2; exit 2; }
command -v minisign >/dev/null || { echo "minisign is missing: install the Debian package minisign" >&2; exit 1; }
[ -n "${2:-}" ] || usage

case $1 in
make)
	readme=$(dirname "$0")/../README.md
	[ ! -e "$2" ] || { echo "$2 is there already; a new key needs a new file" >&2; exit 1; }
	# Without a password: a key that a machine signs with is guarded by its file.
	minisign -G -W -s "$2" -p "$2.pub" >/dev/null
	chmod 600 "$2"
	public=$(tail -n 1 "$2.pub")
	sed -i.before "s|^<!-- release key -->.*|<!-- release key --> \`$public\`|" "$readme"
	rm -f "$readme.before"
	echo "the secret half is $2: keep it; the public half is in README.md: $public"
	;;
sign)
	[ -n "${3:-}" ] || usage
	if [ "$2" = - ]; then
		key=$(mktemp) # which only its owner can read
		trap 'rm -f "$key"' EXIT
		printf '%s\n' "${RELEASE_KEY:?the variable has the secret key}" >"$key"
		set -- "$1" "$key" "$3"
	fi
	[ -r "$2" ] || { echo "$2 cannot be read: name the file of the secret key" >&2; exit 1; }
	minisign -S -s "$2" -m "$3/checksums.txt" -t "$(basename "$3")/checksums.txt of svc" >/dev/null
	echo "signed: $3/checksums.txt.minisig"
	;;
*) usage ;;
esac
