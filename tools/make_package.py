#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts a build for Windows into one archive. scripts/package builds first and then calls this.

usage: tools/make_package.py --version X.Y.Z --architecture arm64|x64 --tool FOLDER --library FOLDER [--driver FOLDER]
                             --zig FOLDER --capstone FOLDER --zlib FOLDER --output FILE.zip

Without --driver the archive has neither the driver nor its installer.

The same files make the same archive, byte by byte: names are sorted and every entry has one date, SOURCE_DATE_EPOCH.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time
import zipfile

import stable_image

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST_ZIP_SECOND = 315532800  # 1980-01-01, the earliest time in a zip file
TEXT = (".txt", ".md", ".inf", ".man", ".wprp", ".h", ".ps1", ".bash", ".1")

# The authors of the libraries linked into the programs, and where the texts of their licences are.
ZIG_LICENSES = {
    "zig.txt": "LICENSE",  # its compiler_rt
    "libc++.txt": "lib/libcxx/LICENSE.TXT",
    "libc++abi.txt": "lib/libcxxabi/LICENSE.TXT",
    "libunwind.txt": "lib/libunwind/LICENSE.TXT",
    "mingw-w64.txt": "lib/libc/mingw/COPYING",
}
CAPSTONE_LICENSES = {"capstone.txt": "LICENSE.TXT", "capstone-llvm.txt": "LICENSE_LLVM.TXT"}
ZLIB_LICENSE = "LICENSE"
FMT_LICENSE = "/usr/share/doc/libfmt-dev/copyright"
LIBRARY = {"wperf.dll": "libwperf/bin/wperf.dll", "wperf.lib": "libwperf/lib/wperf.lib",
           "wperf-lib.lib": "libwperf/lib/wperf-lib.lib"}


MACHINES = {"arm64": 0xAA64, "x64": 0x8664}  # IMAGE_FILE_MACHINE_ARM64, _AMD64


class Missing(Exception):
    """A file of the archive was not built or is not installed."""


def need(path):
    path = pathlib.Path(path)
    if not path.is_file():
        raise Missing(f"{path}")
    return path.read_bytes()


def header_of(image):
    return int.from_bytes(image[0x3C:0x40], "little")


def need_stable_program(path, machine):
    """Returns the program, which tools/stable_image.py must have processed, so that it has no link time."""
    image = need_program(path, machine)
    if stable_image.stable(bytearray(image)) != image:
        raise Missing(f"{path} carries the time when it was linked: one without")
    return image


def need_program(path, wanted):
    image = need(path)
    machine = int.from_bytes(image[header_of(image) + 4:header_of(image) + 6], "little")
    if machine != MACHINES[wanted]:
        raise Missing(f"{path} is for another machine ({machine:#x}): one for {wanted}")
    return image


def is_signed(image):
    """Whether this PE file has a certificate table."""
    header = header_of(image)
    directory = header + 24 + 112 + 4 * 8  # optional header of PE32+, its fifth directory
    return int.from_bytes(image[directory + 4:directory + 8], "little") != 0


def make_inf(version, folder):
    output = folder / "wperf-driver.inf"
    subprocess.run(["cmake", f"-DVERSION={version}", f"-DOUTPUT={output}", "-P", ROOT / "driver/package/make_inf.cmake"],
                   check=True)
    return output.read_bytes()


def programs(tool, machine):
    files = {"wperf.exe": need_stable_program(tool / "wperf.exe", machine)}
    files["wperf-selftest.exe"] = need_program(tool / "wperf-selftest.exe", machine)
    files["wperf-selftest.pdb"] = need(tool / "wperf-selftest.pdb")
    for name in ("wperf-app.man", "wperf.wprp"):
        files[name] = need(ROOT / "driver/package" / name)
    return files


def driver_files(tool, driver, machine, version):
    files = {"wperf-devgen.exe": need_stable_program(tool / "wperf-devgen.exe", machine)}
    files["wperf-driver.sys"] = need_program(driver / "wperf-driver.sys", machine)
    files["wperf-driver.pdb"] = need(driver / "wperf-driver.pdb")
    files["wperf-driver.inf"] = make_inf(version, driver)
    if (driver / "wperf-driver.cat").is_file():  # made and signed by hand, from the files above
        files["wperf-driver.cat"] = need(driver / "wperf-driver.cat")
    files["wperf-driver.man"] = need(ROOT / "driver/package/wperf-driver.man")
    return files


def library(folder, machine):
    files = {place: need_stable_program(folder / name, machine) if name.endswith(".dll") else need(folder / name)
             for name, place in LIBRARY.items()}
    for header in sorted((ROOT / "include").rglob("*.h")):
        files["libwperf/include/" + header.relative_to(ROOT / "include").as_posix()] = header.read_bytes()
    return files


def pages():
    files = {}
    for folder in ("docs/user", "docs/man", "completions"):
        for path in sorted((ROOT / folder).iterdir()):
            if path.is_file():
                files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    files["docs/SKILL.md"] = need(ROOT / "docs/SKILL.md")
    return files


def licenses(zig, capstone, zlib):
    files = {"LICENSE.txt": need(ROOT / "LICENSE"), "licenses/fmt.txt": need(FMT_LICENSE)}
    files |= {f"licenses/{name}": need(zig / place) for name, place in ZIG_LICENSES.items()}
    files |= {f"licenses/{name}": need(capstone / place) for name, place in CAPSTONE_LICENSES.items()}
    files["licenses/zlib.txt"] = need(zlib / ZLIB_LICENSE)
    return files


def readme(version, driver):
    """Lines that begin with @DRIVER@ are for archives with the driver, lines that begin with @NO DRIVER@ are for
    archives without it. driver: its bytes or None."""
    text = (ROOT / "tools/package_readme.txt").read_text(encoding="utf-8")
    kept, left_out = ("@DRIVER@", "@NO DRIVER@") if driver else ("@NO DRIVER@", "@DRIVER@")
    text = "".join(line.removeprefix(kept) for line in text.splitlines(keepends=True) if not line.startswith(left_out))
    signature = "\n" + " " * 31 + "(not signed yet)" if driver and not is_signed(driver) else ""
    return text.replace("@VERSION@", version).replace("@SIGNATURE@", signature).encode()


def with_windows_lines(name, content):
    if not name.endswith(TEXT) and not name.startswith("completions/"):
        return content
    if name.endswith((".bash", "_wperf", ".fish", ".1")):
        return content  # for shells and man pages of Unix
    return content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def write_entry(archive, name, date, content):
    entry = zipfile.ZipInfo(name, date)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # the same on every machine that packs
    entry.external_attr = 0o100644 << 16
    archive.writestr(entry, content, compresslevel=9)


def write_archive(output, top, files, seconds):
    """files: {name in the archive: bytes}."""
    date = time.gmtime(max(seconds, FIRST_ZIP_SECOND))[:6]
    with zipfile.ZipFile(output, "w") as archive:
        for name in sorted(files):
            write_entry(archive, f"{top}/{name}", date, with_windows_lines(name, files[name]))


def collect(options):
    tool, machine = options.tool, options.architecture
    files = programs(tool, machine) | library(options.library, machine) | pages()
    if options.driver:
        files |= driver_files(tool, options.driver, machine, options.version)
    files |= licenses(options.zig, options.capstone, options.zlib)
    files["README.txt"] = readme(options.version, files.get("wperf-driver.sys"))
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--architecture", required=True, choices=MACHINES)
    for option in ("tool", "library", "zig", "capstone", "zlib", "output"):
        parser.add_argument(f"--{option}", required=True, type=pathlib.Path)
    parser.add_argument("--driver", type=pathlib.Path)
    options = parser.parse_args()
    try:
        files = collect(options)
    except Missing as error:
        print(f"error: {error} is missing", file=sys.stderr)
        return 1
    output = options.output
    output.parent.mkdir(parents=True, exist_ok=True)
    write_archive(output, output.stem, files, int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_ZIP_SECOND)))
    print(f"{output}: {len(files)} files, {output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
