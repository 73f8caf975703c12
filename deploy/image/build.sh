#!/bin/bash
# build.sh DEB IMAGE: makes IMAGE, for the card of a Raspberry Pi Zero 2 W, 3 or 4, and IMAGE.xz: Debian 13 for arm64 with Debian's kernel and
# firmware, and the package DEB, with everything off. Runs on amd64 as root; the arm64 programs run by emulation. docs/image.md tells what a
# user does with it.
# Exit status: 0 made, 64 usage, 69 a requirement is missing, which is then named; otherwise that of the command that failed.
set -euo pipefail
image_folder=$(dirname "$(readlink -f "$0")")
. "$image_folder/../arm64/common.sh"
[ $# -eq 2 ] && [ -f "$1" ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 64; }
need mmdebstrap=mmdebstrap qemu-aarch64-static=qemu-user-static arch-test=arch-test mke2fs=e2fsprogs mkfs.vfat=dosfstools mcopy=mtools \
    sfdisk=fdisk xz=xz-utils
umask 022
deb=$(readlink -f "$1")
mkdir -p "$(dirname "$2")"
image=$(readlink -f "$2")

packages="linux-image-arm64 raspi-firmware firmware-brcm80211 wireless-regdb systemd-sysv systemd-resolved systemd-timesyncd libpam-systemd
    udev kmod dbus wpasupplicant openssh-server sudo iproute2 iputils-ping fdisk e2fsprogs dosfstools ca-certificates tzdata less nano man-db"
# The partitions, in MiB: the first begins at 4; the root has room for an update, and grows over the card at the first start.
boot_size=384
room=300

# Where the security updates of Debian 13 come from: beside the mirror.
security_line() {
    source_line trixie-security | sed 's!/debian trixie-security!/debian-security trixie-security!; s/$/ non-free-firmware/'
}

work=$(mktemp -d /var/tmp/anicca-image-XXXXXX)
trap 'rm -rf "$work"' EXIT

say "Debian 13 for arm64"
cp "$deb" "$work/anicca-edge.deb"
# The kernel's hook reads where the root is, so that is told before a kernel is there; and once more at the end, as it may run before there
# is an initrd.
# shellcheck disable=SC2016,SC2086 # Expanded by mmdebstrap's shell; one word for each package.
"$here/emulated.sh" / mmdebstrap --quiet --variant=minbase --architectures=arm64 --components="main non-free-firmware" \
    --include="$(echo $packages | tr ' ' ',')" --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-include=/usr/share/doc/anicca-edge/*' \
    --essential-hook='mkdir -p "$1/etc/default" "$1/boot/firmware"' \
    --essential-hook="printf 'ROOTPART=LABEL=anicca-root\nCONSOLES=\"tty0 ttyS1,115200\"\n' >\"\$1/etc/default/raspi-firmware\"" \
    --dpkgopt='force-confold' \
    --customize-hook="copy-in $work/anicca-edge.deb /root" \
    --customize-hook='chroot "$1" apt-get --quiet --quiet --yes install /root/anicca-edge.deb && rm "$1/root/anicca-edge.deb"' \
    --customize-hook='chroot "$1" env DEB_MAINT_PARAMS=configure /etc/kernel/postinst.d/z50-raspi-firmware' \
    --customize-hook='chroot "$1" systemctl --quiet enable systemd-networkd systemd-resolved systemd-timesyncd ssh' \
    trixie "$work/root.tar" "$(source_line trixie) non-free-firmware" "$(security_line)" >&2

mkdir "$work/root"
tar -C "$work/root" --numeric-owner --exclude='./dev/*' -xpf "$work/root.tar"
rm "$work/root.tar"
cp -r "$image_folder/files" "$work/files"
chmod -R u=rwX,go=rX "$work/files"
cp -r --preserve=mode "$work/files/." "$work/root/"
# Of the making alone.
rm -f "$work/root/etc/dpkg/dpkg.cfg.d/99mmdebstrap" "$work/root/etc/apt/apt.conf.d/99mmdebstrap"
chroot_enable() { # UNIT
    ln -s "/usr/lib/systemd/system/$1" "$work/root/etc/systemd/system/multi-user.target.wants/$1"
}
chroot_enable anicca-first-boot.service
chroot_enable anicca-first-boot-account.service
# Every board makes its own.
rm -f "$work"/root/etc/ssh/ssh_host_* "$work/root/var/lib/dbus/machine-id" "$work/root/var/lib/systemd/random-seed"
: >"$work/root/etc/machine-id"
echo anicca >"$work/root/etc/hostname"
printf '127.0.0.1 localhost\n127.0.1.1 anicca\n::1 localhost ip6-localhost ip6-loopback\n' >"$work/root/etc/hosts"
ln -sf ../run/systemd/resolve/stub-resolv.conf "$work/root/etc/resolv.conf"
printf 'deb http://deb.debian.org/debian %s main non-free-firmware\n' trixie trixie-updates >"$work/root/etc/apt/sources.list"
echo 'deb http://security.debian.org/debian-security trixie-security main non-free-firmware' >>"$work/root/etc/apt/sources.list"
rm -rf "$work"/root/etc/apt/sources.list.d/* "$work"/root/var/lib/apt/lists/* "$work"/root/var/cache/apt/*.bin

say "the card"
cp "$image_folder/board.conf" "$work/root/boot/firmware/board.conf"
truncate --size="${boot_size}M" "$work/boot.fat"
mkfs.vfat -F 32 -n ANICCA-BOOT "$work/boot.fat" >/dev/null
mcopy -s -i "$work/boot.fat" "$work"/root/boot/firmware/* ::/
rm -r "$work"/root/boot/firmware/*
root_size=$(($(du -sm "$work/root" | cut -f1) * 110 / 100 + room))
truncate --size="${root_size}M" "$work/root.ext4"
mke2fs -q -t ext4 -L anicca-root -d "$work/root" "$work/root.ext4"
rm -f "$image" "$image.xz" "$image.xz.sha256" "$(dirname "$image")"/vmlinuz-* "$(dirname "$image")"/initrd.img-*
truncate --size="$((4 + boot_size + root_size))M" "$image"
sfdisk --quiet "$image" <<TABLE
label: dos
start=4MiB, size=${boot_size}MiB, type=c, bootable
start=$((4 + boot_size))MiB, size=${root_size}MiB, type=83
TABLE
dd if="$work/boot.fat" of="$image" bs=1M seek=4 conv=notrunc,sparse status=none
dd if="$work/root.ext4" of="$image" bs=1M seek=$((4 + boot_size)) conv=notrunc,sparse status=none
cp "$work/root/boot/vmlinuz-"* "$work/root/boot/initrd.img-"* "$(dirname "$image")/"

say "compressing"
xz --keep --threads=0 -3 "$image"
(cd "$(dirname "$image")" && sha256sum "$(basename "$image").xz" >"$(basename "$image").xz.sha256")
say "$image.xz: $(($(stat -c %s "$image.xz") / 1000000)) MB, on a card of $(((4 + boot_size + root_size) * 1048576 / 1000000)) MB or more"
