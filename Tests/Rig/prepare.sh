#!/bin/sh
# prepare.sh PROGRAMS [IMAGE...]: makes the parts of a guest, in .build/rig:
#   kernel/        the kernel (kernel/build.sh; minutes when it is not in the cache)
#   rig-hardware   from the directory PROGRAMS; images have that of the directory GUEST_PROGRAMS, if it is set, which
#                  is linked with the libraries of their release
#   IMAGE.ext4     for each IMAGE: bookworm or trixie, with the package of .build/deb for that release installed;
#                  bookworm-bare or trixie-bare without it. bookworm unless said.
# Installs its own requirements, as root or with sudo.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
build=$project/.build/rig
programs=${1:?the directory of rig-hardware is missing}
shift
[ $# -gt 0 ] || set -- bookworm

packages="linux-source-6.1 gcc make flex bison bc libelf-dev libssl-dev cpio kmod xz-utils patch
    mmdebstrap debian-archive-keyring zstd e2fsprogs util-linux"
# Unquoted on purpose: one argument for each package.
# shellcheck disable=SC2086
sh "$project/scripts/setup.sh" $packages

as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
RIG_CACHE=${RIG_CACHE:-$HOME/.cache/anicca-rig}
export RIG_CACHE

# The newest package for Debian release $1, or nothing; that for trixie has +deb13 in its version.
package_for() {
    case $1 in trixie) pick="grep -F" ;; *) pick="grep -vF" ;; esac
    ls -t "$project"/.build/deb/anicca-edge_*_amd64.deb 2>/dev/null | $pick +deb13 | sed 1q
}

make_image() {
    package=
    case $1 in
    *-bare) ;;
    *)
        package=$(package_for "$1")
        [ -n "$package" ] || { echo "rig: no package for $1 in .build/deb: run make deb first" >&2; exit 69; }
        ;;
    esac
    $as_root env RIG_CACHE="$RIG_CACHE" sh "$here/root/build.sh" "${1%-bare}" "$build/$1.ext4" "$package" "${GUEST_PROGRAMS:-$programs}/rig-hardware"
    echo "rig: image $1${package:+ with $(basename "$package")}"
}

mkdir -p "$build"
sh "$here/kernel/build.sh" "$build/kernel"
install "$programs/rig-hardware" "$build/rig-hardware"
for image in "$@"; do make_image "$image"; done
