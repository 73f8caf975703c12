# shellcheck shell=bash Definitions shared by the scripts of this directory. Source it; it starts nothing.

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck disable=SC2034 # For those who source this.
checkout=$(readlink -f "$here/../..")
# Everything that setup.sh makes lies here. Its paths are written into the Swift SDK: it cannot be moved.
home=${ARM64_HOME:-$HOME/.cache/anicca-arm64}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

say() {
    echo "arm64: $*" >&2
}

# fail STATUS WORDS...: ends the script. 69 (EX_UNAVAILABLE) is for a requirement that this host lacks.
fail() {
    local status=$1
    shift
    say "$*"
    exit "$status"
}

# need COMMAND=PACKAGE...: ends the script when a command is missing.
need() {
    [ "$(id -u)" -eq 0 ] || fail 69 "must be run as root: it enters file systems of its own"
    local wanted missing=
    for wanted; do
        command -v "${wanted%%=*}" >/dev/null || missing="$missing ${wanted#*=}"
    done
    [ -z "$missing" ] || fail 69 "missing here; run: apt-get install --yes --no-install-recommends$missing"
}

# source_line SUITE: where packages of SUITE come from, as a line of sources.list.
source_line() {
    echo "deb [signed-by=$keyring] $(sh "$checkout/scripts/debian-mirror.sh") $1 main"
}

# apt_world DIRECTORY SUITE: scripts/apt-world.sh for arm64 packages. Package lists of the last day are used again.
apt_world() {
    if [ -n "$(find "$1/fresh" -mtime -1 2>/dev/null)" ]; then return 0; fi
    sh "$checkout/scripts/apt-world.sh" "$1" "$2" arm64 && touch "$1/fresh" ||
        fail 69 "cannot read Debian's index of $2; check the network and try again"
}

# swift_build DIRECTORY ARGUMENTS...: `swift build -c release` of the checkout for arm64, in DIRECTORY of the checkout.
swift_build() {
    local scratch=$1
    shift
    (cd "$checkout" && "$here/in-toolchain.sh" swift build -c release --swift-sdks-path "$home/sdks" \
        --swift-sdk anicca-arm64 --scratch-path "$scratch" --jobs "${JOBS:-$(nproc)}" "$@") >&2
}
