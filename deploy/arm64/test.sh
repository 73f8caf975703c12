#!/bin/bash
# test.sh [TARGET...]: cross-builds all tests and runs those of each TARGET (a folder of Tests that ends in "Tests"; all
# without one) in an emulated arm64 Debian 13, but for those that not-emulated.txt names. FILTER names single tests.
# One after the other: the tests of all targets at once each wait for an emulated processor, and none ends for an hour.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/common.sh"
list=$here/not-emulated.txt
built=$checkout/.build-arm64-tests/aarch64-unknown-linux-gnu/release

# Each line of the list: a name as --skip takes it, blanks, the reason. Lines of blanks or after # are for readers.
left_out() {
    sed -n 's/^\([^# ][^ ]*\) .*/\1/p' "$list"
}

"$here/setup.sh" test
# Optimised, as it is shipped: emulated code that is not would take hours.
swift_build .build-arm64-tests --build-tests -Xswiftc -enable-testing
skips=()
for name in $(left_out); do skips+=(--skip "$name"); done
cd "$checkout"
[ $# -gt 0 ] || set -- $(cd Tests && echo *Tests)
status=0
for target in "$@"; do
    begin=$SECONDS
    SHARED="$checkout $home/swift" "$here/emulated.sh" "$home/debian13" \
        env LD_LIBRARY_PATH="$home/swift/lib/swift/linux" \
        "$built"/*.xctest --testing-library swift-testing "${skips[@]}" --filter "^$target\..*${FILTER:-}" ||
        { status=$?; say "$target: FAILED"; }
    say "$target: $((SECONDS - begin)) s"
done
say "left out of the run by not-emulated.txt: $(left_out | wc -l) tests"
exit $status
