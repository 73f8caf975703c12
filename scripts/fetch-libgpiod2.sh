#!/bin/sh
# Unpacks Debian 13's libgpiod 2.x, the library and what is needed to build against it, under DIRECTORY and prints its
# version. What is there already is kept. The host's own apt state is not touched. Exit status: 0, 69 not to be had.
set -eu

cache=$1

# Where this host gets its Debian packages from; the public mirror where it has none (Raspberry Pi OS).
debian_mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
        sed -n 's!^[^#]*\(https\{0,1\}://[^ ]*/debian\)/\{0,1\}\( .*\)\{0,1\}$!\1!p' | sed 1q | grep . ||
        echo http://deb.debian.org/debian
}

# An apt of its own in directory $1: its own lists, cache and sources, and none of the host's hooks.
write_apt_configuration() {
    mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial"
    : >"$1/status"
    cat >"$1/sources.list" <<SOURCES
deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(debian_mirror) trixie main
SOURCES
    cat >"$1/apt.conf" <<CONFIGURATION
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
APT::Update::Error-Mode "any";
Dir::State "$1/state";
Dir::State::status "$1/status";
Dir::Cache "$1/cache";
Dir::Etc::SourceList "$1/sources.list";
Dir::Etc::SourceParts "/dev/null";
CONFIGURATION
}

fetch() {
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    write_apt_configuration "$scratch"
    (
        cd "$scratch" &&
        apt-get -c apt.conf -qq update &&
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
