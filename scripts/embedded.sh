#!/bin/sh
# Compiles the core as Embedded Swift, for this machine and for a Cortex-M4/M7 microcontroller, and prints the code size
# of each module and of all of them linked. With --json only the benchmark's figure: bytes of text on armv7em, linked.
#
# The object of a module holds copies of functions of the modules below it; linked, each function is there once.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# In order of dependency.
modules="Core Signal"
# Code that a microcontroller would carry, and the 32 KB that the classifier's constants may take.
limit=86016
# What a microcontroller has no use for, and is not paid for in flash: text for people, the calibration, earlier boots.
left_out="Text.swift *+Text.swift Parts+Equatable.swift SphereFit*.swift StillWindow.swift BootHistory.swift"

sources() ( # module
    set -f
    # shellcheck disable=SC2046 # Each name is a word.
    find "$root/Sources/$1" -name "*.swift" ! -path "*/SettingKeys/*" $(for name in $left_out; do echo "! -name $name"; done)
)

compile() { # target-triple-or-empty directory
    mkdir -p "$2"
    for path in $modules; do
        module=${path##*/}
        # shellcheck disable=SC2046,SC2086 # The optional target is two words; no file name has a space.
        swiftc ${1:+-target $1} -enable-experimental-feature Embedded -wmo -Osize -Xfrontend -function-sections -parse-as-library -swift-version 6 \
            -warnings-as-errors -I "$2" -module-name "$module" -emit-module -emit-module-path "$2/$module.swiftmodule" \
            -c $(sources "$path") -o "$2/$module.o"
    done
}

text_of() { size -A "$@" | awk '$1 ~ /^\.(text|rodata|ARM\.exidx)/ { sum += $2 } END { print sum + 0 }'; }

# Everything public stays, as nothing calls it yet.
link() { # objects
    "$(dirname "$(readlink -f "$(command -v swiftc)")")/ld.lld" -shared --gc-sections --unresolved-symbols=ignore-all \
        -o "$out/core.elf" "$@"
}

compile "" "$out/host"
compile armv7em-none-none-eabi "$out/armv7em"
link "$out"/armv7em/*.o
total=$(text_of "$out/core.elf")

if [ "${1:-}" = "--json" ]; then
    printf '{"embedded_core_text_bytes":%d}\n' "$total"
else
    for path in $modules; do
        module=${path##*/}
        printf '%-12s host %6d   armv7em %6d bytes of text\n' "$module" \
            "$(text_of "$out/host/$module.o")" "$(text_of "$out/armv7em/$module.o")"
    done
    printf 'core, linked              armv7em %6d bytes of text (limit %d)\n' "$total" "$limit"
fi
if [ "$total" -gt "$limit" ]; then
    echo "embedded: the core has $total bytes of text on armv7em, more than $limit" >&2
    exit 1
fi
