#!/bin/sh
# embedded-daemon.sh DIRECTORY: makes in DIRECTORY, of the same sources, aniccad-embedded, the sensing service and the store as
# Embedded Swift, without the Swift runtime, and aniccad-ordinary, with it; and aniccad-whole, the daemon as Embedded Swift, to be measured
# and not to be used. See docs/decisions/0041-embedded-daemon.md. The sources are those that sources.patch was made for, from the history.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
experiment=$root/Experiments/EmbeddedDaemon
mkdir -p "$1"
out=$(cd "$1" && pwd)
tools=$(dirname "$(readlink -f "$(command -v swiftc)")")
target() { swiftc -print-target-info | sed -n "s/.*\"$1\" *: *\"\(.*\)\".*/\1/p" | sed 1q; }
library=$(target runtimeResourcePath)/embedded
triple=$(uname -m)-unknown-linux-gnu
if [ ! -e "$library/Swift.swiftmodule/$triple.swiftmodule" ]; then
    echo "embedded-daemon: the toolchain has no Embedded Swift for $triple; docs/decisions/0041-embedded-daemon.md says for what it has" >&2
    exit 69
fi

# In order of dependency; the classifier is made fast and the rest small, as in Package.swift.
fast="Core/Quantities Core/Timekeeping Core/Signal Core/DutyCycle Core/Schedule"
small="Core/SettingKeys Domains Consent Ports Chips Adapters/Files Adapters/Program Adapters/Journaling Adapters/Config Adapters/LinuxBus
    Adapters/Vault Adapters/Ledger Services/Sensing"
# Of the whole daemon alone.
whole="Adapters/Systemd Adapters/Lending Adapters/Inbox Adapters/Gpsd Services/Permissions Services/Agent"
maps=
for module in CLinux CI2C CSystemd CSQLite CSodium CINIH; do maps="$maps -Xcc -fmodule-map-file=$out/studied/Sources/C/$module/module.modulemap"; done
for module in CGlibc CGPIOD; do maps="$maps -Xcc -fmodule-map-file=$experiment/$module/module.modulemap"; done

compile() { # language-options directory optimisation module files-below
    # shellcheck disable=SC2046,SC2086 # Options of several words; no file name has a space.
    swiftc $1 $3 -wmo -parse-as-library -swift-version 6 -suppress-warnings -package-name anicca -Xfrontend -function-sections -I "$2" $maps \
        -module-name "$4" -emit-module -emit-module-path "$2/$4.swiftmodule" -c $(find "$5" -name "*.swift") -o "$2/$4.o"
}

modules() { # language-options directory
    for path in $fast; do compile "$1" "$2" -O "${path##*/}" "$out/sources/$path"; done
    for path in $small; do compile "$1" "$2" -Osize "${path##*/}" "$out/sources/$path"; done
    compile "$1" "$2" -O SimulatedBus "$out/sources/Laboratory/SimulatedBus"
    compile "$1" "$2" -Osize Slice "$experiment/Slice"
}

link_options="--gc-sections --icf=safe --no-export-dynamic --as-needed -z pack-relative-relocs"
libraries="-lsqlite3 -lsodium -lsystemd -lgpiod -linih -li2c -lm"

link_embedded() { # program modules-of-another-program
    # shellcheck disable=SC2046,SC2086
    "$tools/clang" -fuse-ld=lld $(printf -- '-Wl,%s ' $link_options | sed 's/-Wl,-z -Wl,/-Wl,-z,/') $(ls "$out/embedded"/*.o | grep -vE "/($2)\.o") "$out/CGPIOD.o" \
        "$out/strtod.o" "$library/$triple/libswiftUnicodeDataTables.a" $libraries -o "$out/$1"
}

make_embedded() {
    embedded="-enable-experimental-feature Embedded"
    # The toolchain's own module of this name is for ordinary Swift.
    compile "$embedded" "$out/embedded" -Osize Glibc "$experiment/Glibc"
    modules "$embedded" "$out/embedded"
    for path in $whole; do compile "$embedded" "$out/embedded" -Osize "${path##*/}" "$out/sources/$path"; done
    cp "$experiment/Daemon/Main.swift" "$out/sources/Programs/aniccad"
    compile "$embedded" "$out/embedded" -Osize Daemon "$out/sources/Programs/aniccad"
    # What a program does not call would not all be left out.
    link_embedded aniccad-embedded "Daemon|Agent|Permissions|Systemd|Lending|Inbox|Gpsd"
    link_embedded aniccad-whole Slice
}

make_ordinary() {
    modules "" "$out/ordinary"
    # shellcheck disable=SC2046,SC2086
    swiftc -static-stdlib -use-ld=lld $(printf -- '-Xlinker %s ' $link_options) -L "$root/deploy/link" "$out/ordinary"/*.o "$out/CGPIOD.o" \
        $libraries -o "$out/aniccad-ordinary"
}

rm -rf "$out/studied" "$out/sources" "$out/embedded" "$out/ordinary" "$out/aniccad-embedded" "$out/aniccad-ordinary" "$out/aniccad-whole"
mkdir "$out/studied" "$out/embedded" "$out/ordinary"
studied=7c0ab2938c933b6c0553b62d95c32c10959ae908
if ! git -C "$root" archive "$studied" Sources | tar -x -C "$out/studied"; then
    echo "embedded-daemon: the history lacks $studied; fetch it with: git fetch --unshallow" >&2
    exit 66
fi
echo "embedded-daemon: $(python3 "$experiment/stage.py" "$out/studied/Sources" "$out/sources")" >&2
"$tools/clang" -Os -ffunction-sections -I"$out/studied/Sources/C/CGPIOD/include" -c "$out/studied/Sources/C/CGPIOD/CGPIOD.c" -o "$out/CGPIOD.o"
"$tools/clang" -Os -c "$experiment/CGlibc/strtod.c" -o "$out/strtod.o"
make_embedded
make_ordinary
