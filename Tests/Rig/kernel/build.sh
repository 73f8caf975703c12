#!/bin/sh
# build.sh OUT: puts the guest's kernel into the directory OUT: OUT/linux, a User-Mode Linux, which is an ordinary
# program, and OUT/i2c-stub.ko. Made from Debian's linux-source-6.1 with guest.config and patches/.
#
# Takes about ten minutes of processor time, so the result is kept in $RIG_CACHE and used again while the Debian
# packages, the configuration and the patches are the same.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
cache=${RIG_CACHE:-$HOME/.cache/anicca-rig}
packages="linux-source-6.1 gcc"

# shellcheck disable=SC2086 # one argument for each package
key=$({ cat "$here/guest.config" "$here"/patches/*.patch "$0"; dpkg-query -W $packages; } | sha256sum | cut -c1-16)
kept=$cache/kernel-$key.tar.xz
mkdir -p "$out" "$cache"
if [ -f "$kept" ]; then
    tar -C "$out" -xJf "$kept"
    echo "kernel: from the cache ($kept)"
    exit 0
fi

echo "kernel: building it, which takes some ten minutes ($key)"
work=$(mktemp -d "$cache/building.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
tar -C "$work" -xJf /usr/src/linux-source-6.1.tar.xz
source=$work/linux-source-6.1
for patch in "$here"/patches/*.patch; do patch -s -d "$source" -p1 <"$patch"; done

# Runs make; its output, mostly the linker's warnings about itself, is shown only when it fails.
build() {
    make -s -C "$source" ARCH=um O="$work/build" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}
build allnoconfig
(cd "$source" && scripts/kconfig/merge_config.sh -m -O "$work/build" "$work/build/.config" "$here/guest.config") >/dev/null
build olddefconfig
# Kconfig drops a setting whose dependencies are missing and says nothing.
grep '^CONFIG' "$here/guest.config" | while read -r setting; do
    grep -qxF "$setting" "$work/build/.config" || { echo "kernel: the configuration lost $setting" >&2; exit 1; }
done
build -j"$(nproc)" linux modules

mkdir "$work/kept"
strip -o "$work/kept/linux" "$work/build/linux"
cp "$work/build/drivers/i2c/i2c-stub.ko" "$work/kept/"
tar -C "$work/kept" -cJf "$kept.new" .
mv "$kept.new" "$kept"
tar -C "$out" -xJf "$kept"
