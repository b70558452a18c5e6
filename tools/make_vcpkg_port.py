#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes vcpkg's port of the library libwperf, from the templates in cmake/vcpkg_port.

usage: tools/make_vcpkg_port.py --repository OWNER/NAME --ref TAG --archive FILE.tar.gz --output FOLDER
       tools/make_vcpkg_port.py --source FOLDER --output FOLDER

The first kind is for vcpkg's registry. FILE is GitHub's archive of TAG, which vcpkg will download:
https://github.com/OWNER/NAME/archive/TAG.tar.gz. The second kind builds a working tree, so that the port can be tried
before a tag exists: vcpkg install wperf --overlay-ports=FOLDER
"""
import argparse
import hashlib
import json
import pathlib
import re
import sys

from make_wheel import version_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "cmake/vcpkg_port"
FROM_GITHUB = """vcpkg_from_github(
  OUT_SOURCE_PATH SOURCE_PATH
  REPO {repository}
  REF "{ref}"
  SHA512 {sum})"""
FROM_FOLDER = 'set(SOURCE_PATH "{source}")'


class Refused(Exception):
    """The reason why no port is written."""


def manifest(version, repository):
    tools = [{"name": name, "host": True} for name in ("vcpkg-cmake", "vcpkg-cmake-config")]
    return {"name": "wperf", "version": version, "description": "Counts and samples performance events from a program",
            **({"homepage": f"https://github.com/{repository}"} if repository else {}),
            "license": "BSD-3-Clause", "supports": "linux & (x64 | arm64)", "dependencies": ["capstone", "curl", "fmt", *tools, "zlib"]}


def fetch_text(options):
    if options.source:
        if not (options.source / "CMakeLists.txt").is_file():
            raise Refused(f"{options.source} holds no source of wperf")
        return FROM_FOLDER.format(source=options.source.resolve())
    if not (options.repository and options.ref and options.archive):
        raise Refused("name --repository, --ref and --archive of a release, or --source of a working tree")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", options.repository):
        raise Refused(f"{options.repository} is no repository: OWNER/NAME")
    return FROM_GITHUB.format(repository=options.repository, ref=options.ref,
                              sum=hashlib.sha512(options.archive.read_bytes()).hexdigest())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("repository", "ref"):
        parser.add_argument(f"--{option}")
    for option in ("archive", "source"):
        parser.add_argument(f"--{option}", type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    options = parser.parse_args()
    port = options.output / "wperf"
    try:
        fetch = fetch_text(options)
        port.mkdir(parents=True, exist_ok=True)
        text = (TEMPLATES / "portfile.cmake.in").read_text(encoding="utf-8").replace("@FETCH@", fetch)
        (port / "portfile.cmake").write_text(text, encoding="utf-8")
        described = manifest(version_of(options.source or ROOT), options.repository)
        (port / "vcpkg.json").write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")
        (port / "usage").write_bytes((TEMPLATES / "usage").read_bytes())
    except (Refused, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{port}: {described['version']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
