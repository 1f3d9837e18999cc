#!/usr/bin/env bash
# scripts/unity_groups.py separates files that share local names; cmake/unity_compile compiles a group file by file where it missed one.
# unity.sh COMPILER
set -euo pipefail
compiler=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/Unity"
cd "$folder"

fail() {
  echo "$1"
  exit 1
}

cat >a.cpp <<<'namespace { constexpr int kStep = 1; struct LocalPart { int x; }; } int a() { return LocalPart{kStep}.x; }'
cat >b.cpp <<<'namespace { int double_of(int x) { return 2 * x; } } int b() { return double_of(1); }'
cat >c.cpp <<<'namespace { double kStep[] = {3.0}; } int c() { return static_cast<int>(kStep[0]); }'
cat >d.cpp <<<'namespace { int Vec3 = 4; } int d() { return Vec3; }'
groups=$("$root/scripts/unity_groups.py" 8 a.cpp b.cpp c.cpp d.cpp)
[[ $groups == $'0000 a.cpp\n0000 b.cpp\n0001 c.cpp' ]] || fail "c.cpp shares a name with a.cpp, d.cpp one with a header; the groups are: $groups"

write_group() { printf '#include "%s"\n' "$@" >Unity/unity_0_cxx.cxx; }
compile() { "$root/cmake/unity_compile" "$compiler" -MD -MT group.o -MF group.d -o group.o -c "$folder/Unity/unity_0_cxx.cxx"; }
write_group "$folder"/{a,b}.cpp
compile 2>log || fail "a group does not compile: $(<log)"
[[ ! -s log ]] || fail "a group that compiles says: $(<log)"

write_group "$folder"/{a,b,c}.cpp
compile 2>log || fail "a group whose names collide is not compiled file by file: $(<log)"
grep -q 'c.cpp' log || fail "the files are not listed: $(<log)"
for file in a b c; do grep -q "$file.cpp" group.d || fail "$file.cpp is not among the files that the group depends on: $(<group.d)"; done
cat >main.cpp <<<'int a(); int b(); int c(); int main() { return a() + b() + c(); }'
"$compiler" main.cpp group.o -o program
status=0
./program || status=$?
((status == 6)) || fail "the objects were not joined: $status"

echo 'int b() { return missing; }' >b.cpp
if compile 2>log; then fail "a mistake in a source is not an error"; fi
grep -q "b.cpp:1" log || fail "a mistake is not reported with its file: $(<log)"
echo "all as expected"
