#!/usr/bin/env bash
# What `./test --tiers` makes of the results of sanitizers, and that `./test --ci` leaves the verdict to the suite unless it is told
# otherwise. Builds, tools and the test programs are replaced by scripts.
set -euo pipefail
source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/{scripts,src,tests/fuzz,bin,build}
sed 's/^shards=48$/shards=2/' "$source_root/test" >"$folder/test"
chmod +x "$folder/test"
cat "$source_root/scripts/common.sh" - >"$folder/scripts/common.sh" <<'STUBS'
require_packages() { :; }
install_packages() { :; }
require_page() { :; }
require_npm() { return 1; }
build() {
  [[ ! -f $root/no-$1 ]] || return "$(<"$root/no-$1")"
  mkdir -p "$root/build/$1"
  cp "$root/tests_program" "$root/build/$1/rigor_tests"
  cp "$root/tests_program" "$root/build/$1/rigor_extend_tests"
}
STUBS
printf '# why\nA.Slow*  9 s\n' >"$folder/scripts/slow_under_sanitizers.txt"
for tool in doxygen clang-tidy clang++ clang-format chromium; do
  printf '#!/bin/sh\n' >"$folder/bin/$tool"
  chmod +x "$folder/bin/$tool"
done
printf '#!/bin/sh\necho "100%% tests passed, 0 tests failed out of 7"\n' >"$folder/bin/ctest"
chmod +x "$folder/bin/ctest"
export PATH=$folder/bin:$PATH RIGOR_CI_MINUTES=60
unset RIGOR_CI_STRICT RIGOR_CI_SECONDS GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX

program() { # program SCRIPT: what the test programs do after their first test passed
  printf '#!/usr/bin/env bash\necho "[ RUN      ] A.B"\necho "[       OK ] A.B (0 ms)"\n%s\n' "$1" >"$folder/tests_program"
  chmod +x "$folder/tests_program"
}
expect() { # expect WHAT OPTION CODE TEXT: the exit code, and a text that the output contains
  local code=0
  "$folder/test" "$2" >"$folder/log" 2>&1 || code=$?
  if ((code != $3)) || ! grep -qF -- "$4" "$folder/log"; then
    echo "$1: code $code instead of $3, or without '$4':"
    cat "$folder/log"
    exit 1
  fi
}

program ''
expect "all pass" --tiers 0 "4 tests passed in build/asan-ubsan"
program 'if [[ $* == *-A.Slow* || $GTEST_TOTAL_SHARDS == "" ]]; then echo "[       OK ] A.C (0 ms)"; fi'
expect "slow tests come by themselves" --tiers 0 "8 tests passed in build/asan-ubsan"
program 'echo "[ RUN      ] A.C"; echo "[  FAILED  ] A.C (1 ms)"; [[ $* != *=A.C* ]]'
expect "one fails again" --tiers 1 "A.C failed in build/asan-ubsan"
program 'if [[ $* != *=A.C* ]]; then echo "[  FAILED  ] A.C, where GetParam() = 3 (1 ms)"; exit 1; fi'
expect "one passes by itself" --tiers 0 "A.C failed in build/asan-ubsan among others and passed by itself"
program 'echo "[ RUN      ] A.C"; echo "==1==ERROR: AddressSanitizer: heap-use-after-free"; exit 1'
expect "a report" --tiers 1 "a sanitizer reports a fault in A.C"
program 'echo "[ RUN      ] A.C"; echo "x.cpp:3:4: runtime error: shift exponent 64 is too large"; exit 1'
expect "a report of UBSan" --tiers 1 "a sanitizer reports a fault in A.C"
program 'echo "[ RUN      ] A.C"; exit 134'
expect "a crash" --tiers 1 "ended with code 134 in A.C"
expect "a crash does not decide" --ci 0 "what follows the suite ended with code 1, see above"
RIGOR_CI_STRICT=1 expect "a crash decides" --ci 1 "what follows the suite ended with code 1, see above"
program 'echo "[ RUN      ] A.C"; sleep 60'
RIGOR_CI_SECONDS=$((60 * 60 - 899)) expect "no time for the sanitizers" --tiers 0 "AddressSanitizer and UBSan were left out"
sed -i 's/fits 900/fits 1/' "$folder/test"
# On a busy machine not even the start fits into five seconds.
RIGOR_CI_SECONDS=$((60 * 60 - 5)) expect "the time is over" --tiers 0 "$(printf 'no time was left for A.Slow\nUBSan were left out')"
RIGOR_CI_MINUTES=0 expect "no time at all" --ci 0 "all that follows the suite was left out"
program ''
echo 124 >"$folder/no-asan-ubsan"
expect "the build takes too long" --tiers 0 " minutes: clang-tidy"
echo 1 >"$folder/no-asan-ubsan"
expect "the build fails" --tiers 1 "the asan-ubsan build failed"
expect "the build fails, which does not decide" --ci 0 "test: 7 passed, 0 failed"
rm "$folder/no-asan-ubsan"
echo 'exit 1' >>"$folder/bin/ctest"
expect "the suite fails" --ci 1 "test: 7 passed, 0 failed"
echo "all as expected"
