#!/bin/sh
# Compiles the CGPIOD shim against both generations of libgpiod: the 1.x installed here (Debian 12) and the
# 2.x of Debian 13, whose development package is unpacked under .build/libgpiod2 and kept for the next run.
# The host's own apt state is not touched. Exit status: 0 both compile, 1 one does not, 69 no 2.x to be had.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cache=$root/.build/libgpiod2
shim=$root/Sources/C/CGPIOD
: "${CC:=cc}"

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
        apt-get -c apt.conf -qq download libgpiod-dev &&
        dpkg-deb -x libgpiod-dev_*.deb unpacked &&
        dpkg-deb -f libgpiod-dev_*.deb Version >unpacked/version
    ) || return
    mkdir -p "$(dirname "$cache")" && rm -rf "$cache" && mv "$scratch/unpacked" "$cache"
}

# Compiles the shim with the gpiod.h in directory $2 and fails unless it took the branch of generation $1:
# the object then calls the function $3, which only that generation has.
check() {
    object=$(mktemp)
    if "$CC" -std=c11 -Wall -Wextra -Werror -I"$2" -I"$shim/include" -c "$shim/CGPIOD.c" -o "$object" &&
        nm --undefined-only "$object" | grep -q " $3\$"; then
        echo "libgpiod $1: CGPIOD compiles against $4"
        rm -f "$object"
    else
        echo "libgpiod $1: CGPIOD does NOT compile against $4" >&2
        rm -f "$object"
        return 1
    fi
}

[ -f "$cache/version" ] || fetch || {
    echo "check-libgpiod2: cannot download libgpiod-dev of Debian 13; check the network and try again" >&2
    exit 69
}

status=0
check 2.x "$cache/usr/include" gpiod_line_request_read_edge_events \
    "Debian 13's libgpiod-dev $(cat "$cache/version")" || status=1
if grep -q GPIOD_LINE_BULK_MAX_LINES /usr/include/gpiod.h 2>/dev/null; then
    check 1.x /usr/include gpiod_line_event_read_fd_multiple \
        "the installed libgpiod-dev $(dpkg-query -W -f '${Version}' libgpiod-dev)" || status=1
else
    echo "libgpiod 1.x: not installed here, not checked"
fi
exit $status
