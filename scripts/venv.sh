#!/bin/sh
# Makes a Python of our own with pinned packages, and makes it anew when the pins change.
# Usage: venv.sh DIRECTORY REQUIREMENTS
# Exit status: 0 ready, 69 (EX_UNAVAILABLE) no virtual environment, or no packages.
set -eu
if cmp -s "$2" "$1/requirements.txt"; then exit 0; fi

fail() {
    echo "venv: $*" >&2
    exit 69
}

mkdir -p "$(dirname "$1")"
python3 -m venv --clear "$1" || fail "no virtual environment; install python3-venv ('make setup' does)"
"$1/bin/pip" install --quiet --retries 1 --disable-pip-version-check --requirement "$2" ||
    fail "pip could not install $2: connect this machine, or set PIP_FIND_LINKS to a folder with those packages"
cp "$2" "$1/requirements.txt"
