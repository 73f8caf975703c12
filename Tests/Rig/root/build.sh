#!/bin/sh
# build.sh SUITE OUT.ext4 [DEB] [HARDWARE]: makes the disk of a guest: Debian SUITE (bookworm or trixie, amd64), the
# package DEB, and that of the laboratory beside it, installed as dpkg installs them, and in /rig the rig's programs for the guest, with HARDWARE (rig-hardware)
# if given. An empty DEB is none.
#
# The Debian system without these is kept in $RIG_CACHE while base.sh stays the same: to have it with the newest
# packages, delete it there. Needs root, mmdebstrap, zstd and e2fsprogs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# Again, in namespaces of its own: no mount and no process is left behind, whatever happens.
if [ "${RIG_UNSHARED:-}" != yes ]; then
    [ "$(id -u)" -eq 0 ] || { echo "root: $0 must be run as root (it makes files of other owners)" >&2; exit 77; }
    RIG_UNSHARED=yes exec unshare --mount --pid --fork --kill-child sh "$0" "$@"
fi

suite=$1
image=$2
package=${3:-}
hardware=${4:-}
cache=${RIG_CACHE:-$HOME/.cache/anicca-rig}
megabytes=1024

work=$(mktemp -d "${TMPDIR:-/var/tmp}/rig-root.XXXXXX")
trap 'umount "$work/root/proc" 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
root=$work/root

# The Debian system: from the cache, or made and put there.
unpack_base() {
    base=$cache/root-$suite-$(sha256sum <"$here/base.sh" | cut -c1-16).tar.zst
    if [ ! -f "$base" ]; then
        echo "root: making the base of $suite"
        mkdir -p "$cache"
        sh "$here/base.sh" "$suite" "$base.new.tar.zst"
        mv "$base.new.tar.zst" "$base"
    fi
    mkdir "$root"
    tar -C "$root" --numeric-owner --zstd -xf "$base"
}

# The settings of every guest. Masked are units that would only wait there (for a login, a time server, a day) or look
# for hardware that its kernel does not have.
configure() {
    echo rig >"$root/etc/hostname"
    echo "127.0.0.1 localhost rig" >"$root/etc/hosts"
    : >"$root/etc/fstab"
    # Without one, systemd takes every start for the first and presets all units anew.
    echo a11ccaed9e0000000000000000000001 >"$root/etc/machine-id"
    mkdir -p "$root/host" "$root/var/log/journal"
    for unit in getty.target systemd-timesyncd.service systemd-networkd.service systemd-networkd.socket \
        systemd-pstore.service e2scrub_reap.service e2scrub_all.timer fstrim.timer dpkg-db-backup.timer \
        apt-daily.timer apt-daily-upgrade.timer systemd-update-utmp.service systemd-update-utmp-runlevel.service \
        modprobe@dm_mod.service modprobe@drm.service modprobe@efi_pstore.service modprobe@loop.service; do
        ln -sf /dev/null "$root/etc/systemd/system/$unit"
    done
    ln -sf /lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
}

install_rig() {
    install -D -m 755 -t "$root/rig" "$here/../guest/init" "$here/../guest/agent"
    [ -z "$hardware" ] || install -m 755 "$hardware" "$root/rig/rig-hardware"
    install -m 644 "$here/../guest/rig-agent.service" "$root/etc/systemd/system/"
    mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
    ln -s ../rig-agent.service "$root/etc/systemd/system/multi-user.target.wants/"
}

# Its maintainer scripts run as in an installation, but start no services, as no systemd runs in there.
install_package() {
    cp "$package" "$root/package.deb"
    cp "$(dirname "$package")/anicca-edge-lab_${package#*/anicca-edge_}" "$root/laboratory.deb"
    cp "$(dirname "$package")/anicca-receiver_${package#*/anicca-edge_}" "$root/receiver.deb"
    mount -t proc proc "$root/proc"
    chroot "$root" env DEBIAN_FRONTEND=noninteractive dpkg --install /package.deb /receiver.deb /laboratory.deb >"$work/dpkg.log" 2>&1 ||
        { cat "$work/dpkg.log" >&2; echo "root: $package does not install" >&2; exit 1; }
    umount "$root/proc"
    rm "$root/package.deb" "$root/laboratory.deb" "$root/receiver.deb"
}

unpack_base
configure
install_rig
[ -z "$package" ] || install_package
mkdir -p "$(dirname "$image")"
truncate -s "${megabytes}M" "$work/image"
mke2fs -q -t ext4 -L rig -E lazy_itable_init=0,lazy_journal_init=0 -d "$root" "$work/image"
cp --sparse=always "$work/image" "$image.new"
mv "$image.new" "$image"
