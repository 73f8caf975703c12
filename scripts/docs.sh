#!/bin/sh
# docs.sh OUT: makes the reference of what is public in the core, the signal, the domains and the devices, as web pages, from the comments of
# the sources and docs/AniccaEdge.docc. A warning is an error: a link that leads nowhere, or a parameter that is not there.
# Exit status: 0, 69 (EX_UNAVAILABLE) where the toolchain lacks docc, or that of what failed.
set -eu
cd "$(dirname "$0")/.."
out=${1:?the directory for the pages is missing}

# Debian's swiftlang has neither.
for tool in docc swift-symbolgraph-extract; do
    command -v "$tool" >/dev/null || {
        echo "docs: no $tool in this toolchain; take one of https://www.swift.org/install" >&2
        exit 69
    }
done

modules="Core Signal Domains Devices"
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT
for module in $modules; do swift build --quiet --target "$module"; done
built=$(swift build --show-bin-path)/Modules
# Devices imports C modules: those of a folder with a map of its own, and those that the build made one for.
headers=$(printf -- "-I %s " Sources/C/*/; printf -- "-Xcc -fmodule-map-file=%s " "${built%/Modules}"/*.build/module.modulemap)
target=$(swift -print-target-info | sed -n 's/^ *"unversionedTriple": "\(.*\)",$/\1/p')
for module in $modules; do
    swift-symbolgraph-extract -module-name "$module" -I "$built" $headers -target "$target" -minimum-access-level public \
        -output-dir "$graphs"
done

mkdir -p "$(dirname "$out")"
docc convert docs/AniccaEdge.docc --additional-symbol-graph-dir "$graphs" --output-path "$out" \
    --fallback-display-name "Anicca Edge" --fallback-bundle-identifier edge.anicca --warnings-as-errors
echo "docs: python3 -m http.server --directory $out shows http://localhost:8000/documentation/aniccaedge"
