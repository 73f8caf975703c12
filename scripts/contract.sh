#!/bin/sh
# Holds docs/openapi.yaml against anicca-receiver, which is to answer as it says and to refuse what it forbids (schemathesis), and
# against what a device really sends (Tests/Contract/device.py). Everything is on loopback, and the same at every run.
# Usage: contract.sh PROGRAMS
# CONTRACT_EXAMPLES=N asks for so many requests of each kind, in place of 100.
# Exit status: 0 the contract holds, or SKIPPED, which is printed, as PyPI was out of reach; 1 it does not hold; 69 (EX_UNAVAILABLE) no
# virtual environment, or no receiver.
set -eu
programs=$(realpath "$1")
cd "$(dirname "$0")/.."
root=$PWD
python=$root/.build/contract
pins=Tests/Contract/requirements.txt

fail() {
    echo "contract: $*" >&2
    exit 69
}

# A Python of our own with the pinned packages; made anew when the pins change.
if ! cmp -s "$pins" "$python/requirements.txt"; then
    mkdir -p .build
    python3 -m venv --clear "$python" || fail "no virtual environment; install python3-venv ('make setup' does)"
    if ! "$python/bin/pip" install --quiet --retries 1 --disable-pip-version-check --requirement "$pins"; then
        echo "contract: SKIPPED, as pip could not install $pins: connect this machine, or set PIP_FIND_LINKS to a folder with those packages"
        exit 0
    fi
    cp "$pins" "$python/requirements.txt"
fi

work=$(mktemp -d)
receiver=
finish() {
    [ -z "$receiver" ] || kill "$receiver" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

"$programs/anicca-receiver" --port 0 --store :memory: --token token --nudge "Stand up" --lifetime 600 >"$work/hello" &
receiver=$!
port=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    port=$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$work/hello")
    [ -z "$port" ] || break
    sleep 0.5
done
[ -n "$port" ] || fail "$programs/anicca-receiver does not listen; build it with: make build"

# Of methods that HTTP does not know the receiver's library says 404. Nothing is left behind but in the temporary directory.
if ! (cd "$work" && SCHEMATHESIS_HOOKS="$root/Tests/Contract/hooks.py" "$python/bin/st" run "$root/docs/openapi.yaml" \
    --url "http://127.0.0.1:$port" --header "Authorization: Bearer token" --seed 1 --max-examples "${CONTRACT_EXAMPLES:-100}" \
    --phases examples,coverage,fuzzing --exclude-checks unsupported_method --continue-on-failure --max-failures 20 \
    --generation-database none --request-timeout 10 --no-color) >"$work/log" 2>&1; then
    cat "$work/log" >&2
    echo "contract: anicca-receiver does not answer as docs/openapi.yaml says" >&2
    exit 1
fi
"$python/bin/python" Tests/Contract/refused.py "$port"
echo "contract: anicca-receiver answers as docs/openapi.yaml says:$(sed -n 's/^  \([0-9]* generated\), \([0-9]* passed\).*/ \1, \2/p' "$work/log")"
"$python/bin/python" Tests/Contract/device.py "$programs"
