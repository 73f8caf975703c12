#!/bin/bash
# in-toolchain.sh COMMAND...: runs COMMAND among the cross-compilers of setup.sh, in the same directory as here. The
# checkout and the directory of setup.sh have the same paths there. Needs root; leaves nothing mounted behind.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/common.sh"
need unshare=util-linux git=git

# Where git is configured to take packages from a local copy (`url.DIRECTORY.insteadOf`), SwiftPM does so there too.
git_redirections=$(git config --get-regexp '^url\..*\.insteadof$' || true)
git_copies=$(echo "$git_redirections" | sed -n 's/^url\.\(\/.*\)\.insteadof .*/\1/p' | sort -u)

# shellcheck disable=SC2016 # Expanded by the inner shell.
exec env git_redirections="$git_redirections" shared="$home $checkout $git_copies" \
    unshare --mount --pid --fork --kill-child bash -euo pipefail -c '
    root=$1
    shift
    mount --make-rprivate /
    # The compiler finds its own files by /proc/self/exe.
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    touch "$root/etc/resolv.conf"
    mount --bind /etc/resolv.conf "$root/etc/resolv.conf"
    for directory in $shared; do
        mkdir -p "$root/$directory"
        mount --rbind "$directory" "$root/$directory"
    done
    : >"$root/etc/gitconfig"
    while read -r key value; do
        [ -z "$key" ] || git config --file "$root/etc/gitconfig" --add "$key" "$value"
    done <<<"$git_redirections"
    exec chroot "$root" env -i HOME=/root PATH=/usr/libexec/swift/bin:/usr/bin:/bin:/usr/sbin:/sbin \
        TERM=dumb LANG=C.UTF-8 sh -c '\''cd "$0" && exec "$@"'\'' "$PWD" "$@"
' in-toolchain "$home/toolchain" "$@"
