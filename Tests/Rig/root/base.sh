#!/bin/sh
# base.sh SUITE OUT.tar.zst: a small Debian (bookworm or trixie, amd64) with systemd, the libraries that the package
# anicca-edge depends on, and the tools of the proofs. Needs mmdebstrap, zstd, root and Debian's mirror.
set -eu
suite=$1
out=$2

init=systemd,systemd-sysv,udev,dbus,kmod
tools=gpiod,i2c-tools,python3,iproute2,procps,e2fsprogs
libraries=libi2c0,libsqlite3-0,libsodium23,libmosquitto1,libpq5,libinih1,zlib1g,libstdc++6,ca-certificates
case $suite in
bookworm) libraries=$libraries,libgpiod2,libcurl4,libmicrohttpd12 ;;
trixie) libraries=$libraries,libgpiod3,libcurl4t64,libmicrohttpd12t64 ;;
*) echo "base: no suite '$suite': bookworm or trixie" >&2; exit 64 ;;
esac

mirror=$(sh "$(dirname "$0")/../../../scripts/debian-mirror.sh")

mmdebstrap --quiet --mode=root --variant=minbase --architectures=amd64 --include="$init,$tools,$libraries" \
    --aptopt='Acquire::Languages "none"' --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-include=/usr/share/man/*/anicca*' --dpkgopt='path-include=/usr/share/doc/anicca-edge/*' \
    "$suite" "$out" "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
