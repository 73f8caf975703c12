#!/bin/sh
# Compiles the core as Embedded Swift, for this machine and for a Cortex-M4/M7 microcontroller, and prints the code size
# of each module. With --json only the benchmark's figure: bytes of text on armv7em.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# In order of dependency.
modules="Quantities Consent Signal DutyCycle Daybook Schedule"
# Code that a microcontroller would carry, and the 32 KB that the classifier's constants may take.
limit=81920

compile() { # target-triple-or-empty directory
    mkdir -p "$2"
    for module in $modules; do
        # shellcheck disable=SC2086 # The optional target is two words.
        swiftc ${1:+-target $1} -enable-experimental-feature Embedded -wmo -Osize -parse-as-library -swift-version 6 \
            -warnings-as-errors -I "$2" -module-name "$module" -emit-module -emit-module-path "$2/$module.swiftmodule" \
            -c "$root"/Sources/Core/"$module"/*.swift -o "$2/$module.o"
    done
}

text_of() { size "$@" | awk 'NR > 1 { sum += $1 } END { print sum + 0 }'; }

compile "" "$out/host"
compile armv7em-none-none-eabi "$out/armv7em"
total=$(text_of "$out"/armv7em/*.o)

if [ "${1:-}" = "--json" ]; then
    printf '{"embedded_core_text_bytes":%d}\n' "$total"
else
    for module in $modules; do
        printf '%-12s host %6d   armv7em %6d bytes of text\n' "$module" \
            "$(text_of "$out/host/$module.o")" "$(text_of "$out/armv7em/$module.o")"
    done
    printf '%-12s host %6d   armv7em %6d bytes of text (limit %d)\n' core "$(text_of "$out"/host/*.o)" "$total" "$limit"
fi
if [ "$total" -gt "$limit" ]; then
    echo "embedded: the core has $total bytes of text on armv7em, more than $limit" >&2
    exit 1
fi
