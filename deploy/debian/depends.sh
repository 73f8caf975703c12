#!/bin/sh
# Prints the Depends field for programs that cannot run here: from the libraries that they name and the versions of the
# symbols that they take from glibc. The package names are those of Debian 12 and 13, the versions those of Debian 12,
# against which the programs are built.
#   depends.sh PROGRAM...
#   depends.sh --check PROGRAM...   prints nothing, and fails if no PROGRAM names one of the libraries of the table
# Exit status: 0, or 1 when a library has no row, or, with --check, a row has no program.
set -eu

table='
libcurl.so.4        libcurl4t64 (>= 7.88) | libcurl4 (>= 7.88)
libgpiod.so.2       libgpiod2 (>= 1.6)
libgpiod.so.3       libgpiod3 (>= 2.2)
libi2c.so.0         libi2c0 (>= 4.3)
libinih.so.1        libinih1 (>= 55)
libmicrohttpd.so.12 libmicrohttpd12t64 (>= 0.9.75) | libmicrohttpd12 (>= 0.9.75)
libmosquitto.so.1   libmosquitto1 (>= 2.0.11)
libpq.so.5          libpq5 (>= 15)
libcrypto.so.3      libssl3t64 (>= 3.0.0) | libssl3 (>= 3.0.0)
libssl.so.3         libssl3t64 (>= 3.0.0) | libssl3 (>= 3.0.0)
libsodium.so.23     libsodium23 (>= 1.0.18)
libsqlite3.so.0     libsqlite3-0 (>= 3.40)
libz.so.1           zlib1g (>= 1:1.2.13)'

fail() {
    echo "depends.sh: $*" >&2
    exit 1
}

check= depends=
[ "$1" != --check ] || { check=yes && shift; }
needed=$(readelf --dynamic "$@" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u)
# Packed relocations are of glibc 2.36, and have a name of their own.
glibc=$(readelf --version-info "$@" | sed 's/GLIBC_ABI_DT_RELR/GLIBC_2.36/' | grep -o 'GLIBC_2[.0-9]*' | sort -Vu | tail -n 1)

for library in $needed; do
    # Of glibc, whose package wants a version of its own.
    case $library in libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | ld-linux-*) continue ;; esac
    package=$(printf '%s\n' "$table" | sed -n "s/^$library  *//p")
    [ -n "$package" ] || fail "which package has $library? Add it to the table"
    # One package may have several of them.
    case "$depends," in *", $package,"*) continue ;; esac
    depends="$depends, $package"
done
if [ -z "$check" ]; then
    echo "libc6 (>= ${glibc#GLIBC_})$depends"
    exit
fi
for library in $(printf '%s\n' "$table" | cut -d' ' -f1); do
    # Each of Debian 12 and 13 has one of the two, and the programs for arm64 have theirs within.
    case $library in libgpiod.so.*) continue ;; esac
    printf '%s\n' "$needed" | grep -qx "$library" || fail "no program names $library: remove it from the table"
done
