#!/bin/sh
# certificates.sh: an authority in a directory, and what it signs. Keys are EC P-256 and readable by their owner alone.
#
#   certificates.sh authority DIR NAME         makes the directory and an authority of that name, for 10 years
#   certificates.sh server DIR HOST [HOST...]  a certificate of a server, for 90 days; HOST is a name or an IP address
#   certificates.sh device DIR NAME            a certificate of a device, for a year
#   certificates.sh renew DIR NAME             the next one of a server or device: NAME.next.key and NAME.next.crt
#   certificates.sh extend DIR NAME [HOST...]  a new certificate for the same key, in place of NAME.crt; with hosts, a server's
#                                              for these, and the key too if there is none
#   certificates.sh revoke DIR FILE            takes back what FILE, a certificate, says, and makes crl.pem anew
#   certificates.sh crl DIR                    makes crl.pem anew, for 30 days
#   certificates.sh list DIR                   what was signed, what is revoked, and until when each is valid
#
# Use one authority for devices and none of the devices' for the server: whoever takes the key of one cannot play the other. Devices
# verify the server against the authorities of their system, so a server on the Internet has its certificate from one of
# those, and only a closed network needs "server".
#
# A lost device loses its token first (anicca-receiver revoke), which holds from the next request on. Its certificate ends with
# its year or, where nginx has ssl_crl, with the next reload after "revoke". A list that is over refuses every device, so who uses
# one makes it anew every week (crl, then: systemctl reload nginx), and who cannot see to that is safer without.
#
# Nothing is written over, except by extend, and each command can be repeated if it was interrupted. Exit status: 0 done, 1 not done, 64 usage, 69 openssl is missing.
set -eu
umask 077

authority_days=3650
server_days=90
device_days=365
crl_days=30

fail() {
    echo "certificates: $*" >&2
    exit 1
}

usage() {
    sed -n '4,12s/^#   //p' "$0" >&2
    exit 64
}

# Each path is to be new.
refuse_existing() {
    for path; do
        [ ! -e "$path" ] || fail "$path exists and is not written over; move it away, or see: $0 renew"
    done
}

# A name that is a file's name and stands in a subject.
check_name() {
    case $1 in
        '' | -* | .* | *[!A-Za-z0-9._-]*) fail "'$1' is no name of letters, digits, '.', '_' and '-'" ;;
    esac
    [ "${#1}" -le 64 ] || fail "'$1' is longer than 64 characters"
}

enter() {
    cd "$1" 2>/dev/null || fail "there is no directory $1; make it with: $0 authority $1 NAME"
    [ -f authority.key ] || fail "there is no authority in $1; make one with: $0 authority $1 NAME"
}

# The configuration of openssl-ca(1). A request is always this script's own, so its names are copied as they are.
write_configuration() {
    cat >openssl.cnf <<END
[ca]
default_ca = this
[this]
database = index
serial = serial
crlnumber = crlnumber
new_certs_dir = signed
certificate = authority.crt
private_key = authority.key
policy = any
unique_subject = no
copy_extensions = copy
default_md = sha256
rand_serial = yes
[any]
commonName = supplied
[authority]
basicConstraints = critical,CA:TRUE,pathlen:0
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[device]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[req]
distinguished_name = name
[name]
END
}

# Runs openssl and shows what it says only when it fails.
quietly() {
    if ! said=$(openssl "$@" 2>&1); then
        printf '%s\n' "$said" >&2
        fail "openssl $1 failed"
    fi
}

# A key that is there was made by a command that was interrupted.
make_key() {
    [ ! -f "$1" ] || return 0
    quietly genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.new"
    mv "$1.new" "$1"
}

# certify KIND DAYS STEM SUBJECT NAMES: STEM.crt for STEM.key
certify() {
    if [ -n "$5" ]; then
        quietly req -new -config openssl.cnf -key "$3.key" -subj "/CN=$4" -addext "subjectAltName=$5" -out "$3.csr"
    else
        quietly req -new -config openssl.cnf -key "$3.key" -subj "/CN=$4" -out "$3.csr"
    fi
    quietly ca -batch -config openssl.cnf -extensions "$1" -days "$2" -notext -in "$3.csr" -out "$3.crt.new"
    rm "$3.csr"
    chmod 644 "$3.crt.new"
    mv "$3.crt.new" "$3.crt"
    echo "$3.crt is valid for $2 days"
}

# sign KIND DAYS STEM SUBJECT NAMES: STEM.key and STEM.crt
sign() {
    refuse_existing "$3.crt"
    make_key "$3.key"
    certify "$@"
}

make_authority() {
    refuse_existing "$1"
    rm -rf "$1.new"
    mkdir -p "$1.new/signed"
    cd "$1.new"
    : >index
    echo 01 >crlnumber
    write_configuration
    make_key authority.key
    quietly req -x509 -new -config openssl.cnf -extensions authority -key authority.key -sha256 -days "$authority_days" \
        -subj "/CN=$2" -out authority.crt
    chmod 644 authority.crt
    make_list
    cd ..
    mv "${1##*/}.new" "${1##*/}"
    echo "authority.crt is valid for $authority_days days; authority.key belongs on a machine without a network"
}

# The list is the one file that is made anew, at once and whole.
make_list() {
    quietly ca -batch -config openssl.cnf -gencrl -crldays "$crl_days" -out crl.pem.new
    chmod 644 crl.pem.new
    mv crl.pem.new crl.pem
}

check_hosts() {
    for host; do
        case $host in *[!A-Za-z0-9.:*-]*) fail "'$host' is neither a name of a host nor an address" ;; esac
    done
}

# The hosts as subjectAltName= takes them.
alternative_names() {
    names=
    for host; do
        case $host in
            *:*) kind=IP ;;
            *[!0-9.]*) kind=DNS ;;
            *) kind=IP ;;
        esac
        names=${names:+$names,}$kind:$host
    done
    printf '%s\n' "$names"
}

# again WORK NAME STEM: does this work, sign or certify, for STEM as it was done for NAME.
again() {
    [ -f "$2.crt" ] || fail "there is no $2.crt to $command"
    names=$(openssl x509 -in "$2.crt" -noout -ext subjectAltName 2>/dev/null | sed -n '2s/^ *//p' | sed 's/IP Address:/IP:/g; s/, /,/g')
    if openssl x509 -in "$2.crt" -noout -ext extendedKeyUsage | grep -q "Server"; then
        "$1" server "$server_days" "$3" "$2" "$names"
    else
        "$1" device "$device_days" "$3" "$2" ""
    fi
}

[ $# -ge 2 ] || usage
command -v openssl >/dev/null || { echo "certificates: openssl is missing: apt-get install openssl" >&2; exit 69; }
command=$1 directory=$2
shift 2
case $command:$# in
    authority:1)
        check_name "$1"
        make_authority "$directory" "$1"
        ;;
    server:0 | device:0 | renew:0 | extend:0 | revoke:0) usage ;;
    server:*)
        check_hosts "$@"
        enter "$directory"
        stem=$(printf '%s\n' "$1" | tr ':*' '__')
        check_name "$stem"
        sign server "$server_days" "$stem" "$1" "$(alternative_names "$@")"
        ;;
    device:1)
        check_name "$1"
        enter "$directory"
        sign device "$device_days" "$1" "$1" ""
        ;;
    renew:1)
        check_name "$1"
        enter "$directory"
        again sign "$1" "$1.next"
        ;;
    extend:1)
        check_name "$1"
        enter "$directory"
        [ -f "$1.key" ] || fail "there is no $1.key to extend"
        again certify "$1" "$1"
        ;;
    extend:*)
        stem=$1
        check_name "$stem"
        shift
        check_hosts "$@"
        enter "$directory"
        make_key "$stem.key"
        certify server "$server_days" "$stem" "$1" "$(alternative_names "$@")"
        ;;
    revoke:1)
        certificate=$(realpath "$1")
        enter "$directory"
        quietly ca -batch -config openssl.cnf -revoke "$certificate"
        make_list
        echo "revoked; where nginx has ssl_crl, copy crl.pem there and run: systemctl reload nginx"
        ;;
    crl:0)
        enter "$directory"
        make_list
        ;;
    list:0)
        enter "$directory"
        awk -F '\t' '{ state = ($1 == "R") ? "revoked" : "valid"; print state, "until", $2, "serial", $4, $6 }' index
        ;;
    *) usage ;;
esac
