#!/bin/sh
# Fuzzes everything that reads bytes of others, from the inputs in Tests/Fuzz/Corpus on, and prints the count of executions of each.
#   fuzz.sh [RUNS]
# With FAULTS_SEED each run tries the same inputs, as far as the timing of libFuzzer allows; without, it draws its own.
# Found inputs are kept in .build-fuzz/corpus, and go on from there the next time; one that breaks something stays as crash-*.
# Exit status: 0 nothing broke, 1 something did. Without libFuzzer in the toolchain it says so and ends with 0.
set -eu
cd "$(dirname "$0")/.."
runs=${1:-20000}
resources=$(${SWIFT:-swift} -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
if ! ls "$resources"/clang/lib/*/libclang_rt.fuzzer*.a >/dev/null 2>&1; then
    echo "fuzz: SKIPPED, as this toolchain has no libFuzzer"
    exit 0
fi
ANICCA_FUZZ=1 ${SWIFT:-swift} build -c release --scratch-path .build-fuzz --product fuzz \
    -Xswiftc -sanitize=fuzzer -Xswiftc -enable-testing >.build-fuzz.log 2>&1 ||
    { cat .build-fuzz.log >&2 && exit 1; }
rm .build-fuzz.log
# libFuzzer itself keeps the input that ended the program.
export SWIFT_BACKTRACE=enable=no
failed=0
for target in $(ls Tests/Fuzz/Corpus); do
    found=.build-fuzz/corpus/$target
    mkdir -p "$found"
    log=.build-fuzz/$target.log
    if FUZZ_TARGET=$target .build-fuzz/release/fuzz -seed="${FAULTS_SEED:-0}" -runs="$runs" -max_total_time=1800 -max_len=4096 -timeout=30 \
        -artifact_prefix=".build-fuzz/$target-" "$found" "Tests/Fuzz/Corpus/$target" >"$log" 2>&1; then
        echo "fuzz: $target: $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log") executions, nothing broke"
    else
        tail -20 "$log"
        echo "fuzz: $target broke: FUZZ_TARGET=$target .build-fuzz/release/fuzz .build-fuzz/$target-*"
        failed=1
    fi
done
exit "$failed"
