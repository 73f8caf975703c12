#!/bin/sh
# Runs the Swift tests that are built. They get a directory for temporary files of their own, which is removed at the end. Files that they left
# in it are listed and fail the run.
# Exit status: that of `swift test`, or 1.
set -eu
# A short name: messages with paths in it have to fit 80 columns.
directory=$(mktemp -d /tmp/XXX)
trap 'rm -rf "$directory"' EXIT
# PostgreSQL of the receiver's tests runs as a user of its own.
chmod 1777 "$directory"
TMPDIR=$directory ${SWIFT:-swift} test --skip-build --parallel "$@"
# SwiftPM's locks and folders are no concern of the tests.
left=$(ls -A "$directory" | grep -vE '^(_|TemporaryDirectory\.|swift-generated)' || true)
[ -z "$left" ] || { printf 'tests: left behind:\n%s\n' "$left" >&2; exit 1; }
