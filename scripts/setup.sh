#!/bin/sh
# setup.sh [PACKAGE...]: installs the packages that building Anicca Edge needs on Debian 12, Debian 13 and Raspberry Pi
# OS, and the packages that are named. g++ is there for the C++ library that Swift programs are linked
# with: Debian's swiftlang depends on a C compiler alone. Calls apt only when something is missing. Exit status: 0
# ready, 69 (EX_UNAVAILABLE) something is missing that this script cannot install; it then says what to do.
set -eu

packages="git ca-certificates libgpiod-dev libi2c-dev libsqlite3-dev libsodium-dev libcurl4-openssl-dev libmosquitto-dev
    libssl-dev libinih-dev libpq-dev libmicrohttpd-dev
    zlib1g-dev pkg-config python3 make binutils g++ $*"
oldest_swift=6.0
lock=/var/lock/anicca-setup

unavailable() {
    echo "setup: $*" >&2
    exit 69
}

# Whether the package is installed, for any architecture.
is_installed() {
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

missing_packages() {
    for package in $packages; do
        is_installed "$package" || printf '%s ' "$package"
    done
}

# Runs a command as root and shows its output only when it fails.
as_root() {
    if ! output=$($run_as_root "$@" 2>&1); then
        echo "$output" >&2
        unavailable "'$*' failed; mend what it says above and run this again"
    fi
}

install_packages() {
    missing=$(missing_packages)
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null || unavailable "no apt-get here; install the equivalents of: $missing"
    if [ "$(id -u)" -eq 0 ]; then
        run_as_root=
    elif command -v sudo >/dev/null; then
        run_as_root=sudo
    else
        unavailable "as root, run: apt-get update && apt-get install --yes --no-install-recommends $missing"
    fi
    echo "setup: installing $missing"
    # Two of these at a time would not both get apt's locks.
    as_root flock "$lock" apt-get update
    # Unquoted on purpose: one argument for each package.
    # shellcheck disable=SC2086
    as_root flock "$lock" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $missing
}

# Prints the version of the Swift compiler, such as 6.0.3; nothing when there is none.
swift_version() {
    swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | sed 1q
}

is_at_least() {
    [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | sed 1q)" = "$2" ]
}

# The programs are linked with lld: that of the toolchain or, where it has none, Debian's.
has_lld() {
    [ -x "$(dirname "$(readlink -f "$(command -v swiftc)")")/ld.lld" ] || command -v ld.lld >/dev/null
}

check_swift() {
    version=$(swift_version)
    if [ -n "$version" ] && is_at_least "$version" "$oldest_swift"; then return 0; fi
    unavailable "Swift $oldest_swift or later is needed, ${version:-none} was found.
  Debian 13: apt install swiftlang
  others:    https://www.swift.org/install"
}

install_packages
check_swift
if ! has_lld; then
    packages=lld
    install_packages
fi
echo "setup: ready, with Swift $version"
