#!/bin/bash
# setup.sh build|test: all that cross-building, or cross-building and testing, for arm64 needs, out of Debian's packages
# alone, in ${ARM64_HOME:-~/.cache/anicca-arm64}:
#   toolchain/   amd64 root of Debian sid with its Swift compiler
#   swift/       the same version's Swift libraries for arm64
#   sysroot/     arm64 headers and libraries of Debian 12 with the static libgpiod 2.2 of Debian 13
#   sdks/        the Swift SDK that ties the first three together
#   debian13/    arm64 root of Debian 13, in which tests and the package run under emulation (for `test` only)
# A part is made again only when what it is made of has changed here, so a second call is quick. To have a
# newer Swift compiler from sid, remove the directory.
# Exit status: 0 ready, 69 (EX_UNAVAILABLE) something is missing or cannot be had, which is then named.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/common.sh"
case ${1:-} in build | test) ;; *) sed -n '2,13s/^# \{0,1\}//p' "$0" >&2 && exit 64 ;; esac
need mmdebstrap=mmdebstrap qemu-aarch64-static=qemu-user-static arch-test=arch-test unshare=util-linux

# Debian's Swift that all this was tried with. sid moves on; any other version is used as well, but said aloud.
tried_swift=6.2.3-1+b1
headers="libc6-dev libgcc-12-dev libstdc++-12-dev linux-libc-dev base-files libi2c-dev libsqlite3-dev
    libsodium-dev libcurl4-openssl-dev libmosquitto-dev libssl-dev libinih-dev libpq-dev libmicrohttpd-dev zlib1g-dev"
# The packages that the tests and the package need in the emulated Debian 13, gpsd and Python for the tests alone.
run_time="systemd libcurl4t64 libmosquitto1 libssl3t64 libi2c0 libinih1 libmicrohttpd12t64 libpq5 libsodium23 libsqlite3-0 libstdc++6 zlib1g
    procps gpsd python3-minimal"

# recipe FUNCTION ARGUMENTS...: tells one way to make a directory from another.
recipe() {
    { declare -f "$1"; echo "$home $*"; } | sha256sum
}

# is_made NAME FUNCTION ARGUMENTS...: whether FUNCTION, as it is here, has made the directory NAME of ARGUMENTS.
is_made() {
    [ "$(cat "$home/$1.recipe" 2>/dev/null)" = "$(recipe "${@:2}")" ]
}

# made NAME FUNCTION ARGUMENTS...: has FUNCTION make the directory NAME, whose path it is given before ARGUMENTS,
# unless it is made.
made() {
    local name=$1 function=$2 started=$SECONDS
    if is_made "$@"; then return 0; fi
    say "making $name"
    rm -rf "$home/$name" "$home/$name.recipe"
    mkdir -p "$home/$name"
    shift 2
    # Not as the condition of an `if`, in which `set -e` would be without effect.
    set +e
    (set -e; "$function" "$home/$name" "$@") >"$home/$name.log" 2>&1
    local status=$?
    set -e
    if [ $status -ne 0 ]; then
        tail -n 20 "$home/$name.log" >&2
        fail 69 "could not make $name; the whole output is in $home/$name.log"
    fi
    recipe "$function" "$@" >"$home/$name.recipe"
    say "made $name in $((SECONDS - started)) s, $(du -sh "$home/$name" | cut -f1)"
}

# Prints the version of sid's Swift for arm64.
newest_swift() {
    rm -f "$home/apt-sid/fresh"
    apt_world "$home/apt-sid" sid
    apt-get -c "$home/apt-sid/apt.conf" -qq --print-uris download swiftlang |
        sed -n 's/.* swiftlang_\([^ ]*\)_arm64\.deb .*/\1/p' | sed 's/%3a/:/' ||
        fail 69 "Debian sid has no swiftlang for arm64 at present; try again later"
}

make_toolchain() { # DIRECTORY SWIFT-VERSION
    # The debugger, the language server and documentation are half a gigabyte and not needed.
    mmdebstrap --variant=minbase --architectures=amd64 --aptopt='Acquire::Check-Valid-Until "false"' \
        --dpkgopt='path-exclude=/usr/libexec/swift/lib/swift/embedded/*' \
        --dpkgopt='path-exclude=/usr/libexec/swift/bin/lldb*' \
        --dpkgopt='path-exclude=/usr/libexec/swift/lib/liblldb*' \
        --dpkgopt='path-exclude=/usr/libexec/swift/bin/clangd' \
        --dpkgopt='path-exclude=/usr/libexec/swift/bin/sourcekit-lsp' \
        --dpkgopt='path-exclude=/usr/libexec/swift/lib/libsourcekit*' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --include="swiftlang=$2,libc6-dev,g++,git,ca-certificates,pkgconf" sid "$1" "$(source_line sid)"
}

make_swift() { # DIRECTORY SWIFT-VERSION
    local resources=./usr/libexec/swift/lib/swift
    apt_world "$home/apt-sid" sid
    (cd "$1" && apt-get -c "$home/apt-sid/apt.conf" -qq download "swiftlang=$2" "libswiftlang=$2")
    dpkg --fsys-tarfile "$1"/libswiftlang_*_arm64.deb | tar -x -C "$1" "$resources/linux"
    dpkg --fsys-tarfile "$1"/swiftlang_*_arm64.deb | tar -x -C "$1" --wildcards \
        --exclude='*/embedded' --exclude='*/host' --exclude='*/migrator' --exclude='*/FrameworkABIBaseline' \
        --exclude='lib_InternalSwift*' "$resources" "${resources}_static" './usr/libexec/swift/lib/clang/*/include'
    rm "$1"/*.deb
    ln -s usr/libexec/swift/lib "$1/lib"
}

make_sysroot() { # DIRECTORY PACKAGES
    mmdebstrap --variant=extract --architectures=arm64 --include="$2" bookworm "$1" "$(source_line bookworm)"
    merge_usr "$1"
    make_links_relative "$1"
    add_static_libgpiod "$1"
    rm -rf "$1/var/cache" "$1/dev" "$1/usr/share"
    for libraries in swift swift_static; do ln -s "../../../swift/lib/$libraries" "$1/usr/lib/$libraries"; done
    echo '{"DisplayName": "Debian 12 arm64", "Version": "12", "VersionMap": {}, "CanonicalName": "linux",
        "SupportedTargets": {}}' >"$1/SDKSettings.json"
}

# Debian 12's packages have files in /lib and /usr/lib, and are only merged when installed; links and linker scripts
# resolve in a merged tree.
merge_usr() { # ROOT
    for directory in lib bin sbin; do
        if [ -d "$1/$directory" ] && [ ! -L "$1/$directory" ]; then
            mkdir -p "$1/usr/$directory"
            cp -a "$1/$directory/." "$1/usr/$directory/"
            rm -r "${1:?}/$directory"
        fi
        [ -e "$1/$directory" ] || ln -s "usr/$directory" "$1/$directory"
    done
}

# Absolute links, such as that of libm.so, would lead to this host's own libraries.
make_links_relative() { # ROOT
    find "$1/usr" -type l -lname '/*' | while read -r link; do
        ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" "$1$(readlink "$link")")" "$link"
    done
}

# Debian 12 and 13 have libgpiod 1.6 and 2.2, which differ in interface and soname. One program for both carries the
# library within it. libgpiod is LGPL 2.1: it can be linked anew from the project's sources.
add_static_libgpiod() { # ROOT
    local world libraries=$1/usr/lib/aarch64-linux-gnu
    world=$(mktemp -d)
    apt_world "$world" trixie
    (cd "$world" && apt-get -c apt.conf -qq download libgpiod-dev)
    dpkg -x "$world"/libgpiod-dev_*.deb "$world/unpacked"
    cp "$world/unpacked/usr/include/gpiod.h" "$1/usr/include/"
    cp "$world/unpacked/usr/lib/aarch64-linux-gnu/libgpiod.a" "$libraries/"
    rm -r "$world"
}

# The arm64 programs of the packages run while they are installed, so this is done under emulation.
make_debian13() { # DIRECTORY PACKAGES
    "$here/emulated.sh" / mmdebstrap --variant=minbase --architectures=arm64 --include="$2" \
        --dpkgopt='path-exclude=/usr/share/locale/*' trixie "$1" "$(source_line trixie)"
}

make_sdks() { # DIRECTORY COMPATIBILITY-SOURCE-CHECKSUM
    local sdk=$1/anicca-arm64.artifactbundle/anicca-arm64
    mkdir -p "$sdk"
    cp "$here/older-debian.c" "$1/"
    "$here/in-toolchain.sh" sh -eu -c 'clang --target=aarch64-linux-gnu --sysroot="$1" -O2 -c "$2/older-debian.c" \
        -o "$2/older-debian.o"; ar rc "$2/lib_Testing_Foundation.a"' sh "$home/sysroot" "$1"
    cat >"$1/anicca-arm64.artifactbundle/info.json" <<JSON
{"schemaVersion": "1.0", "artifacts": {"anicca-arm64":
    {"type": "swiftSDK", "version": "1", "variants": [{"path": "anicca-arm64"}]}}}
JSON
    cat >"$sdk/swift-sdk.json" <<JSON
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {"sdkRootPath": "$home/sysroot",
    "swiftResourcesPath": "$home/swift/lib/swift", "swiftStaticResourcesPath": "$home/swift/lib/swift_static",
    "toolsetPaths": ["toolset.json"]}}}
JSON
    # The second directory of libraries has an empty lib_Testing_Foundation.a, which Debian's Swift asks for but lacks.
    cat >"$sdk/toolset.json" <<JSON
{"schemaVersion": "1.0", "rootPath": "/usr/libexec/swift/bin",
    "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld", "-Xclang-linker", "-fuse-ld=lld"]},
    "linker": {"path": "ld.lld", "extraCLIOptions": ["$1/older-debian.o", "-L$1"]}}
JSON
}

comma_separated() {
    echo "$*" | tr -s ' \n' ','
}

mkdir -p "$home"
exec 9>"$home/lock"
flock --nonblock 9 || { say "waiting for another setup.sh" && flock 9; }
swift_version=$(cat "$home/swift.version" 2>/dev/null || true)
# sid has one version at a time: one that was found earlier is of use only if all that is of it was fetched.
if ! is_made toolchain make_toolchain "$swift_version" || ! is_made swift make_swift "$swift_version"; then
    swift_version=$(newest_swift)
    echo "$swift_version" >"$home/swift.version"
fi

# All at once: each waits for the network most of the time.
made toolchain make_toolchain "$swift_version" &
made swift make_swift "$swift_version" &
# shellcheck disable=SC2086 # One word for each package.
made sysroot make_sysroot "$(comma_separated $headers)" &
status=0
for part in $(jobs -p); do wait "$part" || status=$?; done
[ "$status" -eq 0 ] || exit "$status"
made sdks make_sdks "$swift_version $(sha256sum <"$here/older-debian.c")"
if [ "$1" = test ]; then
    # shellcheck disable=SC2086
    made debian13 make_debian13 "$(comma_separated $run_time)"
fi

if [ "$swift_version" = "$tried_swift" ]; then
    say "ready, with Swift $swift_version of Debian sid"
else
    say "WARNING: Debian sid now has Swift $swift_version; tried here was $tried_swift."
    say "WARNING: if a build or a test fails from here on, look first at what changed between the two."
fi
