#!/bin/sh
# Packs programs that are built already as Debian packages, the same bytes for the same input: anicca-edge, anicca-edge-lab and
# anicca-receiver, and, for this machine's architecture, anicca-server, which is the same for each.
#   build-deb.sh [--arch amd64|arm64] [--suite trixie] [--emulator COMMAND] --programs DIR OUT-DIR
# --programs  where aniccad, anicca-upload, anicca, anicca-lab and anicca-receiver lie
# --arch      what they were built for; this machine unless it is said
# --suite     the Debian release whose libraries they name, if that is not the one of this machine
# --emulator  what runs them here, for the shell completions that they write, where this machine cannot
# Exit status: 0 and the paths of the packages on standard output, 1 when something fails, 64 wrong arguments.
set -eu
umask 022

root=$(cd "$(dirname "$0")/.." && pwd)
this_arch=$(dpkg --print-architecture)
arch=$this_arch suite= programs= emulator= out=

usage() {
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 64
}

while [ $# -gt 0 ]; do
    case $1 in
    --arch | --suite | --programs | --emulator) [ $# -ge 2 ] || usage ;;
    -*) usage ;;
    esac
    case $1 in
    --arch) arch=$2 && shift ;;
    --suite) suite=$2 && shift ;;
    --programs) programs=$2 && shift ;;
    --emulator) emulator=$2 && shift ;;
    *) [ -z "$out" ] && out=$1 || usage ;;
    esac
    shift
done
[ -n "$programs" ] && [ -n "$out" ] || usage
case $suite in "" | trixie) ;; *) usage ;; esac

stage=$root/.build/package/$arch${suite:+-$suite}
mkdir -p "$out"
out=$(cd "$out" && pwd)

# The version is said in two places that tools read; they must agree.
check_version() {
    said=$(sed -n 's/.*aniccaVersion = "\(.*\)".*/\1/p' "$root/Sources/System/Program/Version.swift")
    packed=$(dpkg-parsechangelog --file "$root/deploy/debian/changelog" --show-field Version)
    [ "$said" = "$packed" ] || {
        echo "build-deb: deploy/debian/changelog has $packed, Version.swift has $said: make them agree" >&2
        exit 1
    }
}

# run NAME ARGUMENTS...: one of the programs.
run() {
    # Unquoted on purpose: nothing, or a command and its arguments.
    # shellcheck disable=SC2086
    $emulator "$programs/$@"
}

write_completions() {
    mkdir "$stage/completions"
    for name in anicca anicca-lab; do
        run "$name" --version >/dev/null ||
            { echo "build-deb: $programs/$name does not run here: name what runs it with --emulator" >&2 && exit 1; }
        # Without "#! /bin/bash": bash reads it, and runs it never.
        run "$name" --generate-completion-script bash | sed '1{/^#!/d}' >"$stage/completions/$name"
        run "$name" --generate-completion-script zsh >"$stage/completions/_$name"
        run "$name" --generate-completion-script fish >"$stage/completions/$name.fish"
    done
}

# For users: the changes, the field guide and the pages that it links. A link to another file becomes its text.
lay_out_documents() {
    linked=$(grep -o '](\([a-z-]*\.md\)' "$root/docs/field-guide.md" | sed 's/^](//' | sort -u | grep -v '^proofs')
    for page in field-guide.md $linked; do cp "$root/docs/$page" "$stage/documents/"; done
    sed 's,](docs/,](,g' "$root/CHANGELOG.md" >"$stage/documents/CHANGELOG.md"
    for page in "$stage"/documents/*; do
        for target in $(grep -o '](\([^)#:]*\)' "$page" | sed 's/^](//' | grep -v '^http' | sort -u); do
            [ -e "$stage/documents/$target" ] || sed -i "s,\[\([^]]*\)\]($target[^)]*),\1,g" "$page"
        done
    done
}

# Everything that debhelper takes into the package, as the files in deploy/debian name it.
lay_out() {
    rm -rf "$stage" && mkdir -p "$stage/programs" "$stage/documents"
    for name in aniccad anicca-upload anicca anicca-lab anicca-receiver; do
        cp "$programs/$name" "$stage/programs/"
    done
    cp -R "$root/deploy/debian" "$root/deploy/man" "$root/deploy/hooks" "$stage/"
    cp -R "$root/systemd/agent" "$stage/systemd"
    cp -R "$root/systemd/server" "$stage/systemd-server"
    cp -R "$root/deploy/server" "$stage/server"
    cp "$root/deploy/anicca.conf" "$root/deploy/anicca.catalog" "$stage/"
    lay_out_documents
    # A later release of Debian gets a higher version, so that its package replaces the one of the release before.
    [ "$suite" != trixie ] || sed -i '1s/)/+deb13)/' "$stage/debian/changelog"
    write_completions
}

# The LLVM tools that come with Swift know every architecture; debhelper calls them by the names of binutils.
use_swift_tools_to_strip() {
    case $arch in arm64) triplet=aarch64-linux-gnu ;; *) triplet=x86_64-linux-gnu ;; esac
    ! command -v "$triplet-strip" >/dev/null || return 0
    swift=$(dirname "$(readlink -f "$(command -v swiftc)")")
    mkdir "$stage/tools"
    ln -s "$swift/llvm-objcopy" "$stage/tools/$triplet-objcopy"
    ln -s "$swift/llvm-objcopy" "$stage/tools/$triplet-strip"
    PATH=$stage/tools:$PATH
}

check_version
lay_out
sh "$stage/debian/depends.sh" --check "$stage"/programs/*
# Files left by an earlier version would be packed too.
# That for every architecture is packed where it is this machine's.
target=binary-arch
[ "$arch" != "$this_arch" ] || target=binary
for older in "$out"/anicca-*"_$arch.deb" "$out"/anicca-*_all.deb; do
    case $target:$older in binary-arch:*_all.deb) continue ;; esac
    case $older in
    *+deb13_*) [ "$suite" != trixie ] || rm -f "$older" ;;
    *) [ "$suite" = trixie ] || rm -f "$older" ;;
    esac
done
# Every file of the package gets the time of its changelog, whatever this machine's clock shows.
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog --file "$stage/debian/changelog" --show-field Timestamp)
export SOURCE_DATE_EPOCH
depends_from=installed
if [ "$arch" != "$this_arch" ] || [ -n "$suite" ]; then depends_from=table; fi
[ "$arch" = "$this_arch" ] || use_swift_tools_to_strip
(
    cd "$stage"
    OUT=$out DEPENDS_FROM=$depends_from DEB_BUILD_OPTIONS=nocheck \
        dpkg-architecture --force --host-arch "$arch" --command "debian/rules $target" >build.log 2>&1 ||
        { cat build.log >&2 && exit 1; }
)
version=$(dpkg-parsechangelog --file "$stage/debian/changelog" --show-field Version)
for name in anicca-edge anicca-edge-lab anicca-receiver; do echo "$out/${name}_${version}_$arch.deb"; done
[ "$target" = binary-arch ] || echo "$out/anicca-server_${version}_all.deb"
