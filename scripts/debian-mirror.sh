#!/bin/sh
# Prints the address of this host's Debian mirror; the public mirror if it has none of Debian (Raspberry Pi OS).
cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed -n 's!^[^#]*\(https\{0,1\}://[^ ]*/debian\)/\{0,1\}\( .*\)\{0,1\}$!\1!p' | sed 1q | grep . ||
    echo http://deb.debian.org/debian
