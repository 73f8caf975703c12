#!/bin/bash
# test-deb.sh DEB: installs the arm64 package DEB in an emulated Debian 13 with its maintainer scripts, runs its
# programs, removes and purges it, and reports failures. systemd does not run there: see test-rig.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/common.sh"
[ $# -eq 1 ] && [ -f "$1" ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 64; }

"$here/setup.sh" test
# The demonstration's server is not in the package.
swift_build .build-arm64 --static-swift-stdlib --product anicca-receiver
handed=$(mktemp -d)
trap 'rm -rf "$handed"' EXIT
cp "$1" "$handed/anicca-edge.deb"
cp "$checkout/.build-arm64/aarch64-unknown-linux-gnu/release/anicca-receiver" "$here/installed.sh" "$handed/"
SHARED="$handed" "$here/emulated.sh" "$home/debian13" sh "$handed/installed.sh" "$handed"
say "the package installs, runs, and goes in an emulated Debian 13"
