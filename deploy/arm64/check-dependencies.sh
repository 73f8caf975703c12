#!/bin/bash
# check-dependencies.sh DEB...: whether an arm64 Debian 12 and 13 can install the packages DEB, by a simulated install
# against their package lists, which are kept for the next time. Runs nothing of them; needs neither setup.sh
# nor root.
# Exit status: 0 both can, 1 one cannot, 69 no package lists to be had.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/common.sh"
[ $# -ge 1 ] && [ -f "$1" ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 64; }
mapfile -t packages < <(readlink -f "$@")

status=0
for suite in bookworm trixie; do
    apt_world "$home/apt-$suite" "$suite"
    install=(apt-get -c "$home/apt-$suite/apt.conf" -qq --simulate --no-install-recommends install "${packages[@]}")
    if plan=$("${install[@]}" 2>&1); then
        echo "$suite arm64: installs, with $(($(grep -c '^Inst' <<<"$plan") - $#)) packages that it needs"
    else
        printf '%s\n' "$plan" "$suite arm64: does NOT install" >&2
        status=1
    fi
done
exit $status
