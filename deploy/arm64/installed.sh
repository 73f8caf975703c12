#!/bin/sh
# installed.sh DIRECTORY: the part of test-deb.sh within the emulated Debian 13, where DIRECTORY has the two
# packages. Ends with 1 at the first failure.
set -eu
handed=$1
cd /
export DEBIAN_FRONTEND=noninteractive

# step WORDS...: says what comes next, which a failure then stands below.
step() {
    printf '\n== %s\n' "$*"
}

expect() { # WHAT WANTED FOUND
    [ "$2" = "$3" ] || {
        printf 'wrong: %s must be "%s", and is "%s"\n' "$1" "$2" "$3" >&2
        exit 1
    }
}

as_wearer() {
    runuser --user anicca -- "$@"
}

step "install"
apt-get install --quiet --yes --no-install-recommends "$handed"/anicca-*.deb
expect "the state of the package" "ii " "$(dpkg-query --show --showformat '${db:Status-Abbrev}' anicca-edge)"
expect "what differs from the package" "" "$(dpkg --verify anicca-edge)"
expect "the groups of anicca" "anicca anicca-companion gpio i2c" "$(id -Gn anicca | tr ' ' '\n' | sort | paste -sd ' ')"
expect "the owner of the store" "anicca:anicca 700" "$(stat -c '%U:%G %a' /var/lib/anicca)"
expect "the units that start with the system" "enabled enabled enabled" \
    "$(systemctl is-enabled aniccad.service anicca-upload.timer anicca-upload.path | paste -sd ' ')"

step "the programs"
for program in aniccad anicca-upload anicca anicca-lab; do "$program" --version; done
anicca-receiver --help >/dev/null
as_wearer anicca validate-config
as_wearer anicca doctor && status=0 || status=$?
expect "the exit status of anicca doctor, where there is no I2C bus" 69 "$status"

step "a simulated day on the store of the package"
# The first run makes the key and the store; everything is off, so it collects nothing.
as_wearer anicca-lab daemon typical --days 1 >/dev/null
for domain in motion steps; do as_wearer anicca-lab toggle "$domain" on; done
as_wearer anicca-lab daemon typical --days 1
as_wearer anicca days
as_wearer anicca status
as_wearer anicca-upload --json && status=0 || status=$?
expect "the exit status of anicca-upload, where no clock was ever synchronised" 75 "$status"

step "anicca-lab demo --days 1"
as_wearer anicca-lab demo --days 1

step "remove"
apt-get remove --quiet --yes anicca-edge anicca-edge-lab anicca-receiver
for kept in /etc/anicca/anicca.conf /var/lib/anicca/ledger.sqlite; do test -e "$kept"; done
expect "the programs that are left" "" "$(ls /usr/bin | grep anicca || true)"

step "purge"
apt-get purge --quiet --yes anicca-edge
for gone in /etc/anicca /var/lib/anicca; do test ! -e "$gone"; done
id anicca
