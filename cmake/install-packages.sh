#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs those packages of debian-packages.txt that are missing. Who is not root is told the command instead.
# On a system without dpkg nothing happens: there the configuration says what it misses.
set -eu

command -v dpkg-query >/dev/null || exit 0
list=$(dirname "$0")/debian-packages.txt

missing=
for package in $(sed 's/#.*//' "$list"); do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=absent
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "Packages are missing. Install them with" >&2
    echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi
echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 # One word a package.
apt-get install -y -qq --no-install-recommends $missing </dev/null
