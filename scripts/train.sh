#!/bin/sh
# Trains the activity classifier and the scorer of sleep, and checks that the committed constants equal the results.
# Usage: train.sh RECORDINGS...
#        train.sh --test
#        train.sh --python
# With --test only the tests of the training run, which need no recordings; with --python only its Python is made.
# Leaves in .build/training: ActivityConstants.swift, golden.json, SleepConstants.swift, golden-sleep.json, and for `make accuracy`
# the recordings of all folders in recordings, the models in held-out, and made-up households: one of each wearer in household, more
# of them in households.
# With RECORD=1 docs/figures/training.json says of what it was made.
# Exit status: 0 the same, 1 something differs, 66 (EX_NOINPUT) no recordings, 69 (EX_UNAVAILABLE) no Python packages.
set -eu
cd "$(dirname "$0")/.."
python=.build/python
result=.build/training

fail() {
    status=$1
    shift
    echo "train: $*" >&2
    exit "$status"
}

make_python() { sh scripts/venv.sh "$python" Training/requirements.txt; }

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

if [ "$1" = --python ]; then
    make_python
    exit
fi
if [ "$1" = --test ]; then
    make_python
    exec "$python/bin/python" -m unittest discover --start-directory Training
fi
for folder in "$@"; do
    [ -f "$folder/index.csv" ] || fail 66 "no recordings at $folder; give their folders: make train RECORDINGS=\"DIR DIR\""
done
make_python
echo "train: training on $*; this takes some minutes"
rm -rf "$result"
recordings=$result/recordings
"$python/bin/python" Training/join.py --out "$recordings" "$@"
"$python/bin/python" Training/train.py --recordings "$recordings" --seed 1 --out "$result" --held-out
"$python/bin/python" Training/sleep.py --recordings "$recordings" --tried --out "$result"
"$python/bin/python" Training/household.py --recordings "$recordings" --models "$result/held-out" --out "$result/household"
for seed in 2 3 4 5 6 7; do
    "$python/bin/python" Training/household.py --recordings "$recordings" --models "$result/held-out" --seed "$seed" \
        --out "$result/households/$seed"
done
same=0
is_same "$result/ActivityConstants.swift" Sources/Signal/ActivityConstants.swift || same=1
is_same "$result/golden.json" Tests/SignalTests/golden.json || same=1
is_same "$result/SleepConstants.swift" Sources/Signal/SleepConstants.swift || same=1
is_same "$result/golden-sleep.json" Tests/SignalTests/golden-sleep.json || same=1
[ "$same" -ne 0 ] || python3 - <<'RECORD'
import sys
sys.path.insert(0, "scripts")
import record
record.keep("training", "make train", ["Training", "scripts/train.sh", "Sources/Signal", "Tests/SignalTests/golden.json",
                                       "Tests/SignalTests/golden-sleep.json"], {"constants": "as committed"})
RECORD
exit "$same"
