#!/bin/sh
# Compiles the CGPIOD shim against both generations of libgpiod: the 1.x installed here (Debian 12) and the
# 2.x of Debian 13, which is unpacked under .build/libgpiod2 and kept for the next run.
# Exit status: 0 both compile, 1 one does not, 69 no 2.x to be had.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cache=$root/.build/libgpiod2
shim=$root/Sources/C/CGPIOD
: "${CC:=cc}"

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

version=$(sh "$root/scripts/fetch-libgpiod2.sh" "$cache")

status=0
check 2.x "$cache/usr/include" gpiod_line_request_read_edge_events \
    "Debian 13's libgpiod-dev $version" || status=1
if grep -q GPIOD_LINE_BULK_MAX_LINES /usr/include/gpiod.h 2>/dev/null; then
    check 1.x /usr/include gpiod_line_event_read_fd_multiple \
        "the installed libgpiod-dev $(dpkg-query -W -f '${Version}' libgpiod-dev)" || status=1
else
    echo "libgpiod 1.x: not installed here, not checked"
fi
exit $status
