#!/bin/bash
# test-deb.sh DEB: installs the arm64 package DEB, and that of the laboratory beside it, in an emulated Debian 13 with its maintainer scripts, runs its
# programs, removes and purges it, and reports failures. systemd does not run there: see test-rig.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/common.sh"
[ $# -eq 1 ] && [ -f "$1" ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 64; }

"$here/setup.sh" test
handed=$(mktemp -d)
trap 'rm -rf "$handed"' EXIT
cp "$1" "$handed/anicca-edge.deb"
for name in anicca-edge-lab anicca-receiver; do cp "${1/anicca-edge_/${name}_}" "$handed/$name.deb"; done
cp "$here/installed.sh" "$handed/"
SHARED="$handed" "$here/emulated.sh" "$home/debian13" sh "$handed/installed.sh" "$handed"
say "the package installs, runs, and goes in an emulated Debian 13"
