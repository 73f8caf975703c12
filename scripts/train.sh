#!/bin/sh
# Trains the activity classifier and the scorer of sleep, and checks that the committed constants equal the results.
# Usage: train.sh RECORDINGS
#        train.sh --test
#        train.sh --python
# With --test only the tests of the training run, which need no recordings; with --python only its Python is made.
# Leaves in .build/training: ActivityConstants.swift, golden.json, SleepConstants.swift, golden-sleep.json, and for `make accuracy`
# the models in held-out and made-up households.
# Exit status: 0 the same, 1 something differs, 66 (EX_NOINPUT) no recordings, 69 (EX_UNAVAILABLE) no Python packages.
set -eu
recordings=$1
case $1 in --test | --python) ;; *) recordings=$(realpath "$1") ;; esac
cd "$(dirname "$0")/.."
python=.build/python
result=.build/training

fail() {
    status=$1
    shift
    echo "train: $*" >&2
    exit "$status"
}

# A Python of our own with the pinned packages; made anew when the pins change.
make_python() {
    if cmp -s Training/requirements.txt "$python/requirements.txt"; then return 0; fi
    mkdir -p .build
    python3 -m venv --clear "$python" || fail 69 "no virtual environment; install python3-venv ('make setup' does)"
    "$python/bin/pip" install --quiet --disable-pip-version-check --requirement Training/requirements.txt ||
        fail 69 "pip could not install Training/requirements.txt: connect this machine, or set PIP_FIND_LINKS to a
  folder with those packages, and run 'make train' again"
    cp Training/requirements.txt "$python/requirements.txt"
}

# Whether the committed file ($2) is the one that the training made ($1).
is_same() {
    if cmp -s "$1" "$2"; then
        echo "train: $2 is what the training makes"
    else
        echo "train: $2 differs from what the training made here, $1" >&2
        echo "  Copy that over it if the training was changed on purpose. Processors without AVX2 round otherwise." >&2
        return 1
    fi
}

if [ "$recordings" = --python ]; then
    make_python
    exit
fi
if [ "$recordings" = --test ]; then
    make_python
    exec "$python/bin/python" -m unittest discover --start-directory Training
fi
[ -f "$recordings/index.csv" ] || fail 66 "no recordings at $recordings; give their folder: make train RECORDINGS=DIR"
make_python
echo "train: training on $recordings; this takes some minutes"
rm -rf "$result"
"$python/bin/python" Training/train.py --recordings "$recordings" --seed 1 --out "$result" --held-out
"$python/bin/python" Training/sleep.py --recordings "$recordings" --out "$result"
"$python/bin/python" Training/household.py --recordings "$recordings" --models "$result/held-out" --out "$result/household"
same=0
is_same "$result/ActivityConstants.swift" Sources/Core/Signal/ActivityConstants.swift || same=1
is_same "$result/golden.json" Tests/SignalTests/golden.json || same=1
is_same "$result/SleepConstants.swift" Sources/Core/Signal/SleepConstants.swift || same=1
is_same "$result/golden-sleep.json" Tests/SignalTests/golden-sleep.json || same=1
exit "$same"
