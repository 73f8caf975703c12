# shellcheck shell=bash
# What the scripts of this directory share. Source it; it starts nothing.

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck disable=SC2034 # For those who source this.
checkout=$(readlink -f "$here/../..")
# Everything that setup.sh makes lies here. Its paths are written into the Swift SDK: it cannot be moved.
home=${ARM64_HOME:-$HOME/.cache/anicca-arm64}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

say() {
    echo "arm64: $*" >&2
}

# fail STATUS WORDS...: ends the script. 69 (EX_UNAVAILABLE) is for what this host lacks.
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

# Where this host gets its Debian packages from; the public mirror where it has none (Raspberry Pi OS).
debian_mirror() {
    local found
    found=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
        sed -n 's!^[^#]*\(https\{0,1\}://[^ ]*/debian\)/\{0,1\}\( .*\)\{0,1\}$!\1!p') || true
    echo "${found:-http://deb.debian.org/debian}" | head -n 1
}

# source_line SUITE: where packages of SUITE come from, as a line of sources.list.
source_line() {
    echo "deb [signed-by=$keyring] $(debian_mirror) $1 main"
}

# apt_world DIRECTORY SUITE: an apt of its own in DIRECTORY, for arm64 packages of SUITE, with nothing installed and
# none of the host's hooks; use it by `apt-get -c DIRECTORY/apt.conf`. Package lists of the last day are used again.
apt_world() {
    if [ -n "$(find "$1/fresh" -mtime -1 2>/dev/null)" ]; then return 0; fi
    mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial"
    : >"$1/status"
    source_line "$2" >"$1/sources.list"
    # sid's index can be a few days past its date on a mirror; its signature is checked all the same.
    cat >"$1/apt.conf" <<CONFIGURATION
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Architectures;
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
Dir::State "$1/state";
Dir::State::status "$1/status";
Dir::Cache "$1/cache";
Dir::Etc::SourceList "$1/sources.list";
Dir::Etc::SourceParts "/dev/null";
CONFIGURATION
    apt-get -c "$1/apt.conf" -qq update && touch "$1/fresh" ||
        fail 69 "cannot read Debian's index of $2 from $(debian_mirror)"
}

# swift_build DIRECTORY ARGUMENTS...: `swift build -c release` of the checkout for arm64, in DIRECTORY of the checkout.
swift_build() {
    local scratch=$1
    shift
    (cd "$checkout" && "$here/in-toolchain.sh" swift build -c release --swift-sdks-path "$home/sdks" \
        --swift-sdk anicca-arm64 --scratch-path "$scratch" --jobs "${JOBS:-$(nproc)}" "$@") >&2
}
