#!/bin/sh
# Unpacks Debian 13's libgpiod 2.x, the library and its development files, under DIRECTORY and prints its version. Files
# there already are kept. The host's own apt state is not touched. Exit status: 0, 69 not to be had.
set -eu

cache=$1
scripts=$(cd "$(dirname "$0")" && pwd)

fetch() {
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    (
        sh "$scripts/apt-world.sh" "$scratch" trixie "$(dpkg --print-architecture)" &&
        cd "$scratch" &&
        apt-get -c apt.conf -qq download libgpiod-dev libgpiod3 &&
        for package in *.deb; do dpkg-deb -x "$package" unpacked || exit; done &&
        dpkg-deb -f libgpiod-dev_*.deb Version >unpacked/version
    ) || return
    mkdir -p "$(dirname "$cache")" && rm -rf "$cache" && mv "$scratch/unpacked" "$cache"
}

[ -f "$cache/version" ] || fetch || {
    echo "fetch-libgpiod2: cannot download libgpiod of Debian 13; check the network and try again" >&2
    exit 69
}
cat "$cache/version"
