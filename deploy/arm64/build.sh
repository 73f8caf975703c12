#!/bin/bash
# build.sh OUT: cross-builds the packages for arm64 Debian 12 and later, whose programs have the Swift library inside,
# into the directory OUT. What the compiler made stays in .build-arm64 for the next time.
# JOBS: how many compilers at a time; as many as there are processors unless it is said.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/common.sh"
[ $# -eq 1 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 64; }
programs="aniccad anicca-upload anicca anicca-lab anicca-receiver"
built=$checkout/.build-arm64/aarch64-unknown-linux-gnu/release

# check_versions PROGRAM LIBRARY VERSION: fails when PROGRAM wants a LIBRARY newer than Debian 12 has.
check_versions() {
    local newest
    newest=$(readelf --version-info --wide "$1" | grep -o "\b$2_[0-9.]*" | cut -d_ -f2 | sort -uV | tail -n 1)
    [ "$(printf '%s\n' "$newest" "$3" | sort -V | tail -n 1)" = "$3" ] ||
        fail 1 "$1 wants $2 $newest, and Debian 12 has $3: see older-debian.c"
}

"$here/setup.sh" build
need readelf=binutils
swift_build .build-arm64 --static-swift-stdlib
for program in $programs; do
    check_versions "$built/$program" GLIBC 2.36
    # C++'s library is inside: see deploy/link.
    if readelf --dynamic "$built/$program" | grep -q 'NEEDED.*libstdc++'; then fail 1 "$program wants the shared libstdc++"; fi
done
sh "$checkout/deploy/build-deb.sh" --arch arm64 --emulator "qemu-aarch64-static -L $home/sysroot" --programs "$built" "$1"
