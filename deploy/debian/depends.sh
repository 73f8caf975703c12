#!/bin/sh
# Prints the Depends field for programs that cannot run here: from the libraries that they name and the versions of the
# symbols that they take from glibc. The package names are those of Debian 12 and 13, the versions those of Debian 12,
# against which the programs are built.
#   depends.sh PROGRAM...
set -eu

package_of() {
    case $1 in
    libcurl.so.4) echo "libcurl4t64 (>= 7.88) | libcurl4 (>= 7.88)" ;;
    libgpiod.so.2) echo "libgpiod2 (>= 1.6)" ;;
    libgpiod.so.3) echo "libgpiod3 (>= 2.2)" ;;
    libgcc_s.so.1) echo "libgcc-s1 (>= 12)" ;;
    libi2c.so.0) echo "libi2c0 (>= 4.3)" ;;
    libinih.so.1) echo "libinih1 (>= 55)" ;;
    libmosquitto.so.1) echo "libmosquitto1 (>= 2.0.11)" ;;
    libssl.so.3 | libcrypto.so.3) echo "libssl3t64 (>= 3.0.0) | libssl3 (>= 3.0.0)" ;;
    libsodium.so.23) echo "libsodium23 (>= 1.0.18)" ;;
    libsqlite3.so.0) echo "libsqlite3-0 (>= 3.40)" ;;
    libstdc++.so.6) echo "libstdc++6 (>= 12)" ;;
    libz.so.1) echo "zlib1g (>= 1:1.2.13)" ;;
    # Of glibc: see its version below.
    libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | ld-linux-*) ;;
    *)
        echo "depends.sh: which package has $1?" >&2
        return 1
        ;;
    esac
}

glibc=$(readelf --version-info "$@" | grep -o 'GLIBC_2[.0-9]*' | sort -Vu | tail -n 1)
depends="libc6 (>= ${glibc#GLIBC_})"
for library in $(readelf --dynamic "$@" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u); do
    package=$(package_of "$library")
    # One package may have several of them.
    case "$depends," in *", $package,"*) package= ;; esac
    depends="$depends${package:+, $package}"
done
echo "$depends"
