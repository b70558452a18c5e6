#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts the Python package and one built libwperf into a wheel, without any other tool and without a network.

usage: tools/make_wheel.py --library LIBWPERF.SO --output FOLDER
       tools/make_wheel.py --archive ARCHIVE --output FOLDER

ARCHIVE is a .tar.gz or .zip of scripts/package; the library and the licences are taken from it. The wheel's tag names
the systems that the library runs on: win_arm64, win_amd64, manylinux_2_N if it needs only libraries of glibc and N is
the newest glibc version that it needs, otherwise linux. The same files make the same wheel, byte by byte: names are
sorted and every entry has one date, SOURCE_DATE_EPOCH.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST_ZIP_SECOND = 315532800  # 1980-01-01, the earliest time in a zip file
# Libraries of every glibc system. If the file needs any other library, the wheel is only for this distribution.
GLIBC = re.compile(r"(?:lib(?:c|m|dl|rt|pthread|gcc_s)|ld-linux[\w-]*)\.so\.\d$")
ELF_MACHINES = {62: "x86_64", 183: "aarch64"}
PE_MACHINES = {0x8664: "amd64", 0xAA64: "arm64"}
# The authors of the code inside of libwperf.so.
LICENSES = {"fmt.txt": "/usr/share/doc/libfmt-dev/copyright", "llvm.txt": "/usr/share/doc/llvm-19-dev/copyright"}


class Refused(Exception):
    """The reason why no wheel is made."""


def version_of(source=ROOT):
    """The version of a source tree."""
    text = (source / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(wperf VERSION ([0-9.]+)", text, re.MULTILINE)[1]


def project_text(key):
    """A text of python/pyproject.toml."""
    text = (ROOT / "python" / "pyproject.toml").read_text(encoding="utf-8")
    return re.search(rf'^{key} = "(.*)"$', text, re.MULTILINE)[1]


def read_elf(option, path):
    return subprocess.run(["readelf", "-W", option, str(path)], check=True, capture_output=True, text=True).stdout


def linux_tag(path, machine):
    """The tag for Linux systems, derived from the libraries and the versions of glibc's symbols that the file needs."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", read_elf("-d", path))
    versions = [tuple(map(int, one)) for one in re.findall(r"\bGLIBC_(\d+)\.(\d+)", read_elf("-V", path))]
    if versions and all(GLIBC.match(one) for one in needed):
        return "manylinux_{}_{}_{}".format(*max(versions), machine)
    return f"linux_{machine}"


def platform_tag(path):
    image = path.read_bytes()
    if image[:2] == b"MZ":
        header = int.from_bytes(image[0x3C:0x40], "little")
        machine = PE_MACHINES.get(int.from_bytes(image[header + 4:header + 6], "little"))
        if machine is not None:
            return f"win_{machine}"
    machine = ELF_MACHINES.get(int.from_bytes(image[18:20], "little"))
    if image[:4] != b"\x7fELF" or machine is None:
        raise Refused(f"{path} is not a library for x86-64 or 64-bit Arm")
    return linux_tag(path, machine)


def metadata(version):
    return (f"Metadata-Version: 2.1\nName: wperf\nVersion: {version}\nSummary: {project_text('description')}\n"
            f"License: BSD-3-Clause\nRequires-Python: {project_text('requires-python')}\n")


def wheel_text(tag):
    return f"Wheel-Version: 1.0\nGenerator: wperf make_wheel\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"


def installed_licenses():
    files = {}
    for name, place in LICENSES.items():
        if not pathlib.Path(place).is_file():
            raise Refused(f"{place} is missing: the licence of code inside of the library")
        files[name] = pathlib.Path(place).read_bytes()
    return files


def files_of(archive):
    """{name: bytes} of a .zip or .tar.gz."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            return {name: opened.read(name) for name in opened.namelist()}
    with tarfile.open(archive) as opened:
        return {entry.name: opened.extractfile(entry).read() for entry in opened if entry.isfile()}


def unpack_library(archive, folder):
    """The path of the archive's library, now in the folder, and {name: bytes} of its licences."""
    files = files_of(archive)
    found = [name for name in files if re.search(r"/(?:wperf\.dll|libwperf\.so[\d.]*)$", name)]
    if len(found) != 1:
        raise Refused(f"{archive} has {len(found)} files of libwperf instead of one")
    path = pathlib.Path(folder) / pathlib.PurePosixPath(found[0]).name
    path.write_bytes(files[found[0]])
    return path, {pathlib.PurePosixPath(name).name: content for name, content in files.items() if "/licenses/" in name}


def contents(library, licenses, version):
    """{name in the wheel: bytes}, without RECORD."""
    files = {f"wperf/{path.name}": path.read_bytes() for path in (ROOT / "python" / "wperf").glob("*.py")}
    files["wperf/wperf.dll" if library.suffix == ".dll" else "wperf/libwperf.so"] = library.read_bytes()
    info = f"wperf-{version}.dist-info"
    files[f"{info}/METADATA"] = metadata(version).encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    for name, content in licenses.items():
        files[f"{info}/licenses/{name}"] = content
    return files


def record(files, name):
    lines = []
    for one in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[one]).digest()).rstrip(b"=").decode()
        lines.append(f"{one},sha256={digest},{len(files[one])}\n")
    return "".join(lines) + f"{name},,\n"


def make_wheel(library, licenses, folder, seconds):
    version, tag = version_of(), platform_tag(library)
    files = contents(library, licenses, version)
    files[f"wperf-{version}.dist-info/WHEEL"] = wheel_text(tag).encode()
    name = f"wperf-{version}.dist-info/RECORD"
    files[name] = record(files, name).encode()
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / f"wperf-{version}-py3-none-{tag}.whl"
    date = time.gmtime(max(seconds, FIRST_ZIP_SECOND))[:6]
    with zipfile.ZipFile(output, "w") as archive:
        for one in sorted(files):
            entry = zipfile.ZipInfo(one, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the same on every build machine
            entry.external_attr = (0o100755 if one.endswith((".so", ".dll")) else 0o100644) << 16
            archive.writestr(entry, files[one], compresslevel=9)
    return output


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    for option in ("library", "archive"):
        source.add_argument(f"--{option}", type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    options = parser.parse_args(words)
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_ZIP_SECOND))
    try:
        with tempfile.TemporaryDirectory() as folder:
            library, licenses = ((options.library, installed_licenses()) if options.library else
                                 unpack_library(options.archive, folder))
            output = make_wheel(library, licenses, options.output, seconds)
    except (OSError, tarfile.TarError, Refused) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{output}: {output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
