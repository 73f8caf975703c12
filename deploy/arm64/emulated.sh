#!/bin/bash
# emulated.sh ROOT COMMAND...: runs COMMAND in the file system ROOT, where arm64 programs run by qemu's user mode
# emulation, whatever process starts them. COMMAND's writes into ROOT are discarded; SHARED names directories of this
# host that it sees, and may write, at the same path. With ROOT "/" it stays in this host's file system.
#
# The kernel learns to start arm64 programs only within a user namespace that ends with COMMAND (Linux 6.7 and later
# keep a binfmt_misc for each), so this host stays as it is. Needs root; all users of the host exist within.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/common.sh"
need unshare=util-linux qemu-aarch64-static=qemu-user-static arch-test=arch-test
[ $# -ge 2 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 64; }

# An ELF file (7f 45 4c 46) of 64 bits, little endian, for machine 183: AArch64. The mask leaves the ABI open, and
# lets position-independent programs (type 3) pass beside others (type 2).
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
# P: the program sees its own argv[0]. F: the emulator is opened now, and so need not be in ROOT.
emulator=":qemu-aarch64:M::$magic:$mask:$(readlink -f "$(command -v qemu-aarch64-static)"):PF"

# The maps of a user namespace can only be written from outside, when unshare(1) below has made it, which it says
# through the first pipe; the second says that it may go on.
pipes=$(mktemp -d)
mkfifo "$pipes/unshared" "$pipes/mapped"
(
    read -r _ <"$pipes/unshared"
    for map in uid_map gid_map; do awk '{ print $1, $1, $3 }' "/proc/self/$map" >"/proc/$$/$map"; done
    echo >"$pipes/mapped"
    rm -r "$pipes"
) &

# Nothing is ever in it but for what a run mounts there for itself.
scratch=$home/layer
mkdir -p "$scratch"

# shellcheck disable=SC2016 # Expanded by the inner shell.
exec env pipes="$pipes" emulator="$emulator" scratch="$scratch" \
    unshare --user --mount --pid --fork --kill-child bash -euo pipefail -c '
    echo >"$pipes/unshared"
    read -r _ <"$pipes/mapped"
    root=$1
    shift
    mount -t proc proc /proc
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null ||
        { echo "arm64: this kernel has no binfmt_misc for a user namespace; Linux 6.7 or later has" >&2; exit 69; }
    echo "$emulator" >/proc/sys/fs/binfmt_misc/register
    arch-test arm64 >/dev/null || { echo "arm64: qemu-aarch64-static does not run here" >&2; exit 69; }
    # This shell stays, as the first process of its namespace: it adopts those whom COMMAND leaves behind.
    if [ "$root" = / ]; then "$@"; exit; fi

    # A layer in memory above ROOT takes the writes.
    mount -t tmpfs tmpfs "$scratch"
    mkdir "$scratch/upper" "$scratch/work" "$scratch/root"
    mount -t overlay -o "userxattr,lowerdir=$root,upperdir=$scratch/upper,workdir=$scratch/work" overlay \
        "$scratch/root"
    root=$scratch/root
    # Every installed system has one.
    tr -d - </proc/sys/kernel/random/uuid >"$root/etc/machine-id"
    mount --rbind /proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/tmp"
    for directory in ${SHARED:-}; do
        mkdir -p "$root/$directory"
        mount --rbind "$directory" "$root/$directory"
    done
    chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        TERM=dumb LANG=C.UTF-8 sh -c '\''cd "$0" 2>/dev/null || cd /; exec "$@"'\'' "$PWD" "$@" || exit $?
' emulated "$@"
