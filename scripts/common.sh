# Shared by ./run and ./test; sourced, with $root set to the source folder.

# Needed to build and run the program.
run_packages=(g++ cmake ninja-build libeigen3-dev libhwy-dev libtbb-dev libqhull-dev nlohmann-json3-dev libzstd-dev
  libpugixml-dev libfmt-dev libcli11-dev libboost-dev libsqlite3-dev)
# Needed on top to build and run the tests.
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev libvalijson-dev libfcl-dev libsiconos-numerics-dev liburdfdom-dev libmujoco-dev
  pybind11-dev python3-dev python3-numpy python3-matplotlib clang-format)
# Needed on top for `./test --all` and `./test --ci`.
sanitizer_packages=(clang libclang-rt-14-dev lld)
# Engines to compare with (MuJoCo is among the packages of the tests), and what else continuous integration needs.
engine_packages=(libbullet-dev libode-dev libdart-collision-ode-dev libopenmpi-dev openmpi-bin)
ci_packages=(clang-tidy)

# Needed to build the documentation site (scripts/site, and a test).
site_packages=(mkdocs mkdocs-material doxygen)

# Needed to bundle the viewer's page, and to test it in a browser; without them the rest still works.
page_packages=(nodejs npm)
browser_packages=(chromium)

say() { printf '%s\n' "$*" >&2; }

# Prints those of the given packages that are not installed.
missing_packages() {
  local installed package
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "$@" 2>/dev/null || true)"
  for package in "$@"; do
    [[ $installed == *" installed:$package "* ]] || printf '%s\n' "$package"
  done
}

# Installs missing packages, or lists them and exits with 2. Without dpkg the build itself reports what is missing.
require_packages() { install_packages "$@" || exit 2; }

# The same, but only reports packages that cannot be installed.
install_packages() {
  command -v dpkg-query >/dev/null || return 0
  local missing=() as_root=() log why=
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0

  if [[ ${RIGOR_NO_INSTALL:-0} == 1 ]]; then
    why="RIGOR_NO_INSTALL is set"
  elif ((EUID != 0)); then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      why="installing them needs root"
    fi
  fi
  if [[ -z $why ]]; then
    log=$(mktemp)
    say "rigor: installing packages: ${missing[*]}"
    if "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update </dev/null >"$log" 2>&1 &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        "${missing[@]}" </dev/null >>"$log" 2>&1 &&
      mapfile -t missing < <(missing_packages "$@") && ((${#missing[@]} == 0)); then
      rm -f "$log"
      return 0
    fi
    tail -n 5 "$log" >&2
    rm -f "$log"
    why="installing them failed"
  fi
  say "rigor: Debian packages are missing (${missing[*]}) and $why; run: apt-get install -y --no-install-recommends ${missing[*]}"
  return 1
}

# require_npm FOLDER WHAT: installs the npm packages of a folder as its lock file says, once for each version of that file. Where
# that is impossible WHAT is missing, and everything else goes on; a failure is not repeated for ten minutes, since npm waits
# long for a network that is not there.
require_npm() {
  local folder=$root/$1 what=$2 stamp=$root/$1/node_modules/.installed failed=$root/build/npm-failed-${1//\//-} log
  if ! command -v npm >/dev/null; then install_packages "${page_packages[@]}" || true; fi
  if [[ -f $stamp ]] && cmp -s "$stamp" "$folder/package-lock.json"; then return 0; fi
  if ! command -v npm >/dev/null; then
    say "rigor: npm is missing, so $what"
    return 1
  fi
  if [[ ${RIGOR_NO_INSTALL:-0} == 1 ]]; then
    say "rigor: RIGOR_NO_INSTALL is set and \`npm ci\` was not run in $1, so $what"
    return 1
  fi
  if [[ -n $(find "$failed" -mmin -10 2>/dev/null) ]]; then
    say "rigor: npm could not install the packages of $1 a few minutes ago, so $what; rm ${failed#"$root"/} tries again"
    return 1
  fi
  log=$(mktemp)
  say "rigor: installing the npm packages of $1"
  if (cd "$folder" && npm ci --ignore-scripts --no-fund --no-audit) </dev/null >"$log" 2>&1; then
    cp "$folder/package-lock.json" "$stamp"
    rm -f "$log" "$failed"
    return 0
  fi
  tail -n 5 "$log" >&2
  rm -f "$log"
  mkdir -p "$root/build" && touch "$failed"
  say "rigor: npm could not install the packages of $1, so $what"
  return 1
}

# The packages of the viewer's page. A build that was configured without them is configured again.
require_page() {
  local before=0
  [[ -d $root/src/viewer/web/node_modules/esbuild ]] && before=1
  require_npm src/viewer/web "the viewer's page is missing from the program" || return 0
  if ((!before)); then rm -f "$root"/build/*/build.ninja; fi
}

# Copies build output to standard error: progress on one line on a terminal, every twentieth part of it elsewhere, and nothing at all
# when nothing was to be done.
show_progress() {
  local line open=0 shown=0 done_steps all_steps
  while IFS= read -r line; do
    case $line in
      *"no work to do."* | *"Re-checking globbed directories"* | "ninja: Entering directory"*) continue ;;
    esac
    if [[ -t 2 && $line == \[*/*\]* ]]; then
      printf '\r\033[K%.*s' "${COLUMNS:-80}" "$line" >&2
      open=1
    elif [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      done_steps=${BASH_REMATCH[1]} all_steps=${BASH_REMATCH[2]}
      ((20 * done_steps / all_steps > shown)) || continue
      shown=$((20 * done_steps / all_steps))
      printf '%s\n' "$line" >&2
    else
      ((open)) && printf '\n' >&2
      open=0
      printf '%s\n' "$line" >&2
    fi
  done
  if ((open)); then printf '\r\033[K' >&2; fi
}

# Prints the packages that a build may use, each with its version, as far as they are installed.
installed_packages() {
  command -v dpkg-query >/dev/null || return 0
  dpkg-query -W -f='${db:Status-Status} ${Package} ${Version}\n' "${run_packages[@]}" "${test_packages[@]}" \
    "${engine_packages[@]}" 2>/dev/null | sed -n 's/^installed //p' | sort || true
}

# build PRESET [fresh] TARGET...: configures if there is no build yet, or if packages were installed or removed since (or always, with
# `fresh`), and builds the targets. One build at a time per preset: a second one waits. A build that takes longer than $build_seconds,
# where that is set, is stopped and returns 124.
build() {
  local preset=$1 dir=$root/build/$1 fresh=0 log status=0
  shift
  if [[ ${1:-} == fresh ]]; then
    fresh=1
    shift
  fi
  mkdir -p "$dir"
  (
    if command -v flock >/dev/null; then
      flock 9
    fi
    local now options=()
    now=$(installed_packages)
    # What CMake has found stays in its cache. A package that is gone, or that has another version, needs a new cache.
    if [[ -f $dir/packages.txt ]] && grep -Fxqv -f <(printf '%s\n' "$now") "$dir/packages.txt"; then options=(--fresh); fi
    if ((fresh)) || [[ ! -f $dir/build.ninja ]] || ! cmp -s <(printf '%s\n' "$now") "$dir/packages.txt"; then
      log=$dir/configure.log
      say "rigor: configuring build/$preset"
      if ! (cd "$root" && cmake --preset "$preset" "${options[@]}") >"$log" 2>&1; then
        cat "$log" >&2
        exit 1
      fi
      printf '%s\n' "$now" >"$dir/packages.txt"
    fi
    local limit=()
    if [[ -n ${build_seconds:-} ]]; then limit=(timeout "$build_seconds"); fi
    "${limit[@]}" ninja -C "$dir" "$@" 2>&1 | show_progress
  ) 9>"$dir/.lock" || status=$?
  if ((status == 124)); then
    say "rigor: building build/$preset took longer than $build_seconds seconds and was stopped"
    return 124
  fi
  if ((status)); then
    say "rigor: building build/$preset failed"
    return 1
  fi
}
