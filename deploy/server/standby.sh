# The commands of anicca-server about a second machine, which is read by that script.
#
# PostgreSQL's own replication (manual, "Streaming Replication" and "Synchronous Replication"): the second machine follows the first one over
# TLS, with a role that can do nothing else. Once it is waited for, an answer to a device means that both machines have the data on their disks.

standby=$etc/standby
# The name under which a machine follows, and that under which it copies: a copy has nothing yet, and must not count as one that follows.
following=anicca_standby
copying=anicca_copy

# Also while PostgreSQL is stopped.
is_standby() { [ -e "$(cluster | cut -d ' ' -f 3)/standby.signal" ]; }
# is_followed [CONDITION]: whether the second machine is connected, and the condition holds for it.
is_followed() {
    [ -n "$(query --command "SELECT 1 FROM pg_stat_replication WHERE application_name = '$following' AND state = 'streaming'${1:+ AND $1}")" ]
}
# Whether a change, which is none, comes to its end.
can_change() {
    is_followed && as_postgres timeout 20 psql --no-psqlrc --quiet --command "SELECT pg_logical_emit_message(true, 'anicca', '')" >/dev/null
}
# is_following [ADDRESS]: whether this machine is connected with the first one.
is_following() { [ -n "$(query --command "SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'${1:+ AND sender_host = '$1'}" 2>/dev/null)" ]; }
is_waited_for() { [ -n "$(query --command "SHOW synchronous_standby_names" 2>/dev/null)" ]; }
has_standby() { [ -e "$standby/passfile" ]; }
# second_address: of the machine that may follow this one.
second_address() { sed -n 's|^hostssl replication "anicca-standby" \(.*\)/[0-9]* .*|\1|p' "$(query --command "SHOW hba_file")"; }
# is_second_quiet: a standby has no nginx that runs, so one that serves was promoted.
is_second_quiet() {
    second=$(second_address)
    case $second in "") return 0 ;; *:*) second="[$second]" ;; esac
    status=0
    curl --silent --insecure --connect-timeout 5 --max-time 10 --output /dev/null "https://$second/" || status=$?
    [ "$status" -ne 0 ]
}
stop_here="Then this machine must not serve any more (systemctl disable postgresql nginx; systemctl stop postgresql 'postgresql@*' nginx), and can follow: anicca-server standby offer, there"

# take_settings FILE: settings and keys of the first machine.
take_settings() { tar -C / -xzf "$1" "${etc#/}" "${site#/}"; }

# has_first_machine: whether it answers, in any of ten seconds: it may just be starting.
has_first_machine() {
    first=$(query --command "SHOW primary_conninfo" | tr ' ' '\n' | sed -n "s/^host=//p" | tr -d "'")
    for _ in $(seq 5); do
        status=0
        pg_isready --quiet --timeout=3 --host="$first" --port=5432 || status=$?
        [ "$status" -eq 2 ] || return 0
        sleep 2
    done
    return 1
}

# offer ADDRESS FILE: on the first machine, for the machine with that address. It can be repeated, and changes no password.
offer() {
    is_address "$1" || fail "'$1' is no IP address"
    [ ! -e "$2" ] || fail "$2 exists and is not written over"
    [ -d "$(dirname "$2")" ] || fail "there is no directory $(dirname "$2")"
    [ "$(query --command "SHOW ssl")" = on ] || fail "PostgreSQL has ssl = off, and what it sends could be read on the way"
    install -d -o root -g postgres -m 750 "$standby"
    if ! has_standby; then
        printf '*:*:*:anicca-standby:%s\n' "$(openssl rand -hex 24)" | install -o postgres -m 600 /dev/stdin "$standby/passfile.new"
        mv "$standby/passfile.new" "$standby/passfile"
    fi
    install -m 644 "$(query --command "SHOW ssl_cert_file")" "$standby/server.crt"
    # Not among the words of a command, which everybody can read.
    query --file - >/dev/null <<END
SELECT 'CREATE ROLE "anicca-standby" LOGIN REPLICATION' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'anicca-standby') \\gexec
ALTER ROLE "anicca-standby" PASSWORD '$(cut -d: -f5 "$standby/passfile")';
SELECT pg_create_physical_replication_slot('$following')
WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = '$following');
END
    access=$(query --command "SHOW hba_file")
    cp -p "$access" "$access.new"
    case $1 in *:*) bits=128 ;; *) bits=32 ;; esac
    { sed '/"anicca-standby"/d' "$access" && echo "hostssl replication \"anicca-standby\" $1/$bits scram-sha-256"; } >"$access.new"
    mv "$access.new" "$access"
    # A machine that is silently away is noticed within this time, in place of a minute.
    query --command "ALTER SYSTEM SET wal_sender_timeout = '15s'" --command "SELECT pg_reload_conf()" >/dev/null
    if [ "$(query --command "SHOW listen_addresses")" != '*' ]; then
        query --command "ALTER SYSTEM SET listen_addresses = '*'"
        systemctl restart postgresql
        start_postgres
    fi
    umask 077
    tar -C / -czf "$2.part" "${etc#/}" "${site#/}"
    sync "$2.part"
    mv "$2.part" "$2"
    say "$1 may follow this machine. Copy $2 there by a way that nobody can read, and: anicca-server standby follow THIS-ADDRESS FILE"
}

# follow ADDRESS FILE: on the second machine.
follow() {
    is_address "$1" || fail "'$1' is no IP address"
    [ -r "$2" ] || fail "$2 cannot be read"
    gzip --test "$2" 2>/dev/null && tar -tzf "$2" | grep -x "${standby#/}/passfile" >/dev/null ||
        fail "$2 is not from anicca-server standby offer, or is damaged"
    # shellcheck disable=SC2046
    set -- "$1" "$2" $(cluster)
    [ $# -eq 5 ] || fail "there is no cluster of PostgreSQL: pg_lsclusters"
    if is_following "$1"; then
        take_settings "$2"
        # A start that was interrupted.
        start_cluster "$3-$4"
        say "this machine follows $1 already, and has its settings and keys of now"
        return
    fi
    say "copying the database"
    tar -C / -xzf "$2" "${standby#/}"
    rm -rf "$5.new"
    as_postgres pg_basebackup --pgdata="$5.new" --slot="$following" --wal-method=stream --checkpoint=fast --write-recovery-conf \
        --dbname="host=$1 user=anicca-standby sslmode=verify-ca sslrootcert=$standby/server.crt passfile=$standby/passfile application_name=$copying" ||
        fail "there is no copy of the database, for the reason above"
    [ "$3" = "$(cat "$5.new/PG_VERSION")" ] || fail "the first machine has PostgreSQL $(cat "$5.new/PG_VERSION"), and this is $3"
    sed -i "s/application_name=$copying/application_name=$following/" "$5.new/postgresql.auto.conf"
    # Once this machine is the first one, it is alone.
    printf '%s\n' "archive_mode = off" "synchronous_standby_names = ''" >>"$5.new/postgresql.auto.conf"
    # shellcheck disable=SC2086
    systemctl disable --quiet --now $units
    systemctl stop anicca-receiver@1 anicca-receiver@2 "postgresql@$3-$4"
    kept=before-$(date -u +%Y%m%dT%H%M%SZ)
    [ ! -e "$5" ] || mv "$5" "$5.$kept"
    mv "$5.new" "$5"
    # It has keys.
    ! is_set_up || (umask 077 && tar -C / --exclude="${standby#/}" -cf "$etc.$kept.tar" "${etc#/}" "${site#/}")
    take_settings "$2"
    start_cluster "$3-$4" || fail "PostgreSQL does not start: journalctl -u postgresql@$3-$4"
    for _ in $(seq 60); do
        if is_following "$1"; then
            say "this machine follows $1; its data from before is in $5.$kept. Next, on $1: anicca-server standby on"
            return
        fi
        sleep 1
    done
    fail "the copy is there and does not follow: see /var/log/postgresql"
}

# wait_for on|off: on the first machine.
wait_for() {
    if [ "$1" = on ]; then
        is_followed || fail "no machine follows this one: anicca-server standby offer, and standby follow on the second machine"
        query --command "ALTER SYSTEM SET synchronous_standby_names = '$following'" --command "SELECT pg_reload_conf()" >/dev/null
        say "from now on an answer means that both machines have the data; while the second one is away, devices wait"
        return
    fi
    is_second_quiet || fail "$(second_address) serves devices, so it was promoted; what this machine takes from now on would be lost. $stop_here"
    query --command "ALTER SYSTEM RESET synchronous_standby_names" --command "SELECT pg_reload_conf()" >/dev/null
    # What is kept for a machine that never comes back would fill the disk.
    if is_followed; then
        say "the second machine still follows, and is not waited for: after its promotion, the last seconds may be missing"
    else
        query --command "SELECT pg_drop_replication_slot('$following') FROM pg_replication_slots WHERE slot_name = '$following'" >/dev/null
        say "this machine goes on alone. The other one lacks what comes from now on: never promote it. For a second machine: anicca-server standby offer, follow and on"
    fi
}

check_standby() {
    verdict "the database follows that of the first machine" "see /var/log/postgresql; is the first one there? If it is lost, and standby off was not given there: anicca-server promote" \
        is_following
    echo "note    this machine is a standby and serves no device; anicca-server promote makes it the server"
}

# Each of its steps can be repeated, and the last one ends what tells that it is under way.
promote() {
    start_postgres
    [ -n "$(query --command "SHOW primary_conninfo")" ] || fail "this machine follows none"
    if is_standby; then
        last=$(query --command "SELECT to_char(pg_last_xact_replay_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')")
        ! has_first_machine || fail "the first machine is there. Stop it first, so that nothing is lost; there: systemctl disable postgresql nginx; systemctl stop postgresql 'postgresql@*' nginx"
        [ "$(query --command "SELECT pg_promote(true, 600)")" = t ] || fail "PostgreSQL was not promoted: see /var/log/postgresql"
        say "the last change that came here from the first machine is of ${last:-the time before the last start} UTC"
    fi
    renew
    setup
    query --command "ALTER SYSTEM RESET primary_conninfo" --command "ALTER SYSTEM RESET primary_slot_name" --command "SELECT pg_reload_conf()" >/dev/null
    say "this machine is the server now: let the name $(server_name) lead to it. The other one must not serve any more; it can follow: anicca-server standby offer, here"
}
