#!/usr/bin/env bash
# ./run and ./test configure a build again when packages were installed or removed since, and only then.
# `cmake` and `ninja` are replaced by functions that note their arguments.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../scripts" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
source "$scripts/common.sh"
say() { :; }
packages=$'libbullet-dev 1\nlibode-dev 1'
installed_packages() { printf '%s\n' "$packages"; }
cmake() {
  echo "cmake $*" >>"$root/calls"
  touch "$root/build/release/build.ninja"
}
ninja() { :; }

expect() {  # expect WHAT CALL: a build makes this call of cmake, or none
  : >"$root/calls"
  build release all
  if [[ $(<"$root/calls") != "$2" ]]; then
    echo "$1: expected '$2', got '$(<"$root/calls")'"
    exit 1
  fi
}
expect "a first build" "cmake --preset release"
expect "nothing new" ""
packages+=$'\nlibdart-dev 1'
expect "a package was installed" "cmake --preset release"
packages=${packages/libode-dev 1/libode-dev 2}
expect "a package has another version" "cmake --preset release --fresh"
packages=$'libode-dev 2'
expect "packages were removed" "cmake --preset release --fresh"
expect "nothing new" ""
echo "all as expected"
