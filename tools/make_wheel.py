#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts the Python package and one built libwperf into a wheel, without any other tool and without a network.

usage: tools/make_wheel.py --library FILE --output FOLDER

FILE is a libwperf.so. The tag names the systems that this file runs on: manylinux_2_N if it needs only libraries of
glibc and N is the newest glibc version that it needs, otherwise linux. The same files make the same wheel, byte by
byte: names are sorted and every entry has one date, SOURCE_DATE_EPOCH.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST_ZIP_SECOND = 315532800  # 1980-01-01, the earliest time in a zip file
# Libraries of every glibc system. If the file needs any other one, the wheel is only for this distribution.
GLIBC = re.compile(r"(?:lib(?:c|m|dl|rt|pthread|gcc_s)|ld-linux[\w-]*)\.so\.\d$")
ELF_MACHINES = {62: "x86_64", 183: "aarch64"}
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
    header = path.read_bytes()[:20]
    machine = ELF_MACHINES.get(int.from_bytes(header[18:20], "little"))
    if header[:4] != b"\x7fELF" or machine is None:
        raise Refused(f"{path} is not a library of Linux for x86_64 or aarch64")
    return linux_tag(path, machine)


def metadata(version):
    return (f"Metadata-Version: 2.1\nName: wperf\nVersion: {version}\nSummary: {project_text('description')}\n"
            f"License: BSD-3-Clause\nRequires-Python: {project_text('requires-python')}\n")


def wheel_text(tag):
    return f"Wheel-Version: 1.0\nGenerator: wperf make_wheel\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"


def contents(library, version):
    """{name in the wheel: bytes}, without RECORD."""
    files = {f"wperf/{path.name}": path.read_bytes() for path in (ROOT / "python" / "wperf").glob("*.py")}
    files["wperf/libwperf.so"] = library.read_bytes()
    info = f"wperf-{version}.dist-info"
    files[f"{info}/METADATA"] = metadata(version).encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    for name, place in LICENSES.items():
        if not pathlib.Path(place).is_file():
            raise Refused(f"{place} is missing: the licence of code inside of the library")
        files[f"{info}/licenses/{name}"] = pathlib.Path(place).read_bytes()
    return files


def record(files, name):
    lines = []
    for one in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[one]).digest()).rstrip(b"=").decode()
        lines.append(f"{one},sha256={digest},{len(files[one])}\n")
    return "".join(lines) + f"{name},,\n"


def make_wheel(library, folder, seconds):
    version, tag = version_of(), platform_tag(library)
    files = contents(library, version)
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
            entry.external_attr = (0o100755 if one.endswith(".so") else 0o100644) << 16
            archive.writestr(entry, files[one], compresslevel=9)
    return output


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("library", "output"):
        parser.add_argument(f"--{option}", required=True, type=pathlib.Path)
    options = parser.parse_args()
    try:
        output = make_wheel(options.library, options.output, int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_ZIP_SECOND)))
    except (OSError, Refused) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{output}: {output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
