#!/bin/sh
# report-picture.sh PROGRAMS OUT.png: makes the picture in the README: the page of `anicca report` about three days of a simulated wearer, in
# Chromium. Most simulated wearers sit stiller than people do, some quarters of an afternoon, which passes for sleep; the one of this seed
# does not on these days.
set -eu
programs=${1:?the directory of the programs is missing}
out=$(realpath "${2:?the picture to write is missing}")
seed=19

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
mkdir -m 700 "$directory/store" "$directory/inbox"
cat >"$directory/anicca.conf" <<CONFIGURATION
[store]
directory = $directory/store
key-file = $directory/key
[run]
bell-directory = $directory
[companion]
inbox = $directory/inbox
[fence "home"]
latitude = 48.2
longitude = 16.37
radius = 150
[time]
trust = hardware-clock
CONFIGURATION

live() {
    "$programs/anicca-lab" daemon $seed --with-surroundings --config "$directory/anicca.conf" "$@" >"$directory/log" 2>&1 ||
        { cat "$directory/log" >&2; exit 1; }
}
live --days 1 --from 2025-01-12
for domain in motion steps sleep screenTime location; do
    "$programs/anicca-lab" toggle $domain on --config "$directory/anicca.conf" >"$directory/log"
done
live --days 8 --from 2025-01-13
"$programs/anicca" report --days 3 --html "$directory/report.html" --config "$directory/anicca.conf" >"$directory/log"
chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --user-data-dir="$directory/browser" \
    --window-size=900,960 --screenshot="$out" "file://$directory/report.html" 2>"$directory/log" || { cat "$directory/log" >&2; exit 1; }
