#!/bin/sh
# Checks the units of device and server as systemd itself sees them, without installing or starting anything:
# `systemd-analyze verify` must have nothing to say, and `systemd-analyze security` must find each service exposed by no
# more than $LIMIT of 10.
#
# systemd reads them in a directory tree of their own, in which the programs that they start are there by name only.
set -eu
# The arrow before a score is made of other characters elsewhere.
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../systemd"
LIMIT=${LIMIT:-1.5}

if ! command -v systemd-analyze >/dev/null; then
    echo "check-units: there is no systemd-analyze on this machine: apt-get install systemd" >&2
    exit 69
fi

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
units=$root/usr/lib/systemd/system
mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/etc/systemd/system" "$units"
ln -s usr/bin "$root/bin"
ln -s usr/sbin "$root/sbin"
ln -s usr/lib "$root/lib"
# The units that the project's units refer to.
cp -r /lib/systemd/system/. "$units"
cp agent/* server/* "$units"
for program in $(sed -n 's/^Exec[A-Za-z]*=[-@:+!]*\([^ ]*\).*/\1/p' agent/*.service server/*.service | sort -u); do
    install -D -m 755 /dev/null "$root/$program"
done

tenths=$(awk -v limit="$LIMIT" 'BEGIN { print limit * 10 }')
failed=0

# A template is checked by way of the instances that our services ask for: on a device one for each of them, on a server two receivers.
instances=$(cd agent && ls | grep -v '@')
for template in agent/*@.*; do
    template=${template#agent/}
    for service in agent/*.service; do
        service=${service#agent/}
        instances="$instances ${template%%@*}@${service%.service}.${template##*.}"
    done
done
instances="$instances $(cd server && ls | grep -v '@') anicca-receiver@1.service anicca-receiver@2.service"
complaints=$(systemd-analyze verify --man=no --recursive-errors=no --root="$root" $instances 2>&1) || failed=1
if [ -n "$complaints" ]; then
    printf '%s\n' "$complaints" >&2
    failed=1
fi

for service in agent/*.service server/*.service; do
    service=$(basename "$service")
    case $service in *@.service) service=${service%.service}1.service ;; esac
    line=$(systemd-analyze security --no-pager --offline=true --root="$root" --threshold="$tenths" "$service") || failed=1
    printf '%s\n' "$line" | sed -n "s/^→ Overall exposure level for \(.*\): \([0-9.]*\).*/\1: \2 of at most $LIMIT/p"
done

[ "$failed" -eq 0 ] || { echo "check-units: the units need attention" >&2; exit 1; }
