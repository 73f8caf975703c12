#!/bin/sh
# apt-world.sh DIRECTORY SUITE ARCHITECTURE: an apt of its own in DIRECTORY, with the present index of a Debian release,
# nothing installed and none of the host's hooks. Use it by `apt-get -c DIRECTORY/apt.conf`.
# Exit status: 0, or that of apt where the index cannot be read.
set -eu
directory=$1
suite=$2
architecture=$3

mkdir -p "$directory/state/lists/partial" "$directory/cache/archives/partial"
: >"$directory/status"
mirror=$(sh "$(dirname "$0")/debian-mirror.sh")
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$directory/sources.list"
cat >"$directory/apt.conf" <<CONFIGURATION
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Architectures;
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Sandbox::User "$(id -un)";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Dir::State "$directory/state";
Dir::State::status "$directory/status";
Dir::Cache "$directory/cache";
Dir::Etc::SourceList "$directory/sources.list";
Dir::Etc::SourceParts "/dev/null";
CONFIGURATION
# sid's index can be a few days past its date on a mirror; its signature is checked all the same.
[ "$suite" != sid ] || echo 'Acquire::Check-Valid-Until "false";' >>"$directory/apt.conf"
apt-get -c "$directory/apt.conf" -qq update
