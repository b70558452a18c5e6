#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Describes the contents of an archive in an SPDX 2.3 document: its programs and the third-party libraries inside of
them, with versions and licences. scripts/package calls it.

usage: tools/make_sbom.py linux   --archive FILE.tar.gz --build BUILD --tree TREE [--sysroot FOLDER] --output FILE
       tools/make_sbom.py windows --archive FILE.zip --build BUILD --zig FOLDER --capstone FOLDER --zlib FOLDER --output FILE

The facts for Linux are not listed by hand. ninja lists the system's headers and archives that each program is made of,
dpkg names their packages, and readelf lists the libraries that the program loads. A library whose licence
tools/libraries.py does not know is an error. --sysroot: for a cross build, the folder of scripts/packages.sh with the
other architecture's packages.
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid
import zipfile

import debian_package
import libraries

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST_SECOND = 1767225600  # 2026-01-01
PLACES = {"wperf.exe": "bin/wperf.exe", "wperf-devgen.exe": "bin/wperf-devgen.exe", "wperf.dll": "lib/wperf.dll"}  # in the build
OURS = libraries.Library("wperf", "BSD-3-Clause", "NOASSERTION")


class Document:
    """Packages, files, and the relations between them."""

    def __init__(self, archive, seconds):
        content = archive.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        self.name = archive.name
        self.seconds = seconds
        self.namespace = f"https://spdx.org/spdxdocs/{archive.name}-{uuid.uuid5(uuid.NAMESPACE_URL, digest)}"
        self.packages = {}
        self.files = {}
        self.relationships = []
        version = re.search(r"-(\d[\d.]*)-", archive.name)[1]
        self.archive = self.add_package("archive", OURS, version, {
            "packageFileName": archive.name, "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
            "copyrightText": (ROOT / "LICENSE").read_text(encoding="utf-8").splitlines()[2], "primaryPackagePurpose": "ARCHIVE"})
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", self.archive)

    def add_package(self, key, library, version, more=None):
        """Adds the package unless it exists. Returns its id."""
        identity = "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", key)
        package = {"SPDXID": identity, "name": library.name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                   "licenseConcluded": "NOASSERTION", "licenseDeclared": library.license, "copyrightText": "NOASSERTION",
                   "primaryPackagePurpose": "LIBRARY"}
        if library.page != "NOASSERTION":
            package["homepage"] = library.page
        if version:
            package["versionInfo"] = version
        self.packages.setdefault(identity, package | (more or {}))
        return identity

    def add_file(self, name, content):
        identity = "SPDXRef-File-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
        self.files[identity] = {
            "SPDXID": identity, "fileName": f"./{name}", "fileTypes": ["BINARY"], "licenseConcluded": "NOASSERTION",
            "copyrightText": "NOASSERTION",
            "checksums": [{"algorithm": algorithm, "checksumValue": hashlib.new(algorithm, content).hexdigest()}
                          for algorithm in ("SHA1", "SHA256")]}
        self.relate(self.archive, "CONTAINS", identity)
        return identity

    def relate(self, one, how, other):
        relationship = {"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other}
        if relationship not in self.relationships:
            self.relationships.append(relationship)

    def text(self):
        created = datetime.datetime.fromtimestamp(self.seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": self.name,
                    "documentNamespace": self.namespace,
                    "creationInfo": {"created": created, "creators": ["Organization: The wperf authors", "Tool: make_sbom.py"]},
                    "packages": list(self.packages.values()), "files": list(self.files.values()),
                    "relationships": self.relationships}
        if any("LicenseRef-public-domain" in package["licenseDeclared"] for package in self.packages.values()):
            document["hasExtractedLicensingInfos"] = [
                {"licenseId": "LicenseRef-public-domain", "name": "Public domain",
                 "extractedText": "This file has been put into the public domain. You can do whatever you want with this file."}]
        return json.dumps(document, indent=2) + "\n"


class System:
    """Debian's packages, of this machine or of a folder with another architecture's."""

    def __init__(self, sysroot):
        self.sysroot = sysroot.resolve() if sysroot is not None else None
        self.versions, self.files = {}, {}
        if sysroot is not None:
            rows = (sysroot / "packages/files").read_text(encoding="utf-8").splitlines()
            self.files = {path: package for package, _, path in (row.partition(" ") for row in rows)}
            self.versions = dict(row.split() for row in (sysroot / "packages/versions").read_text(encoding="utf-8").splitlines())

    def owners(self, paths):
        """{package: one of the paths that it owns}."""
        names, found = {}, {}
        for path in paths:
            real = pathlib.Path(path).resolve()
            if self.sysroot is not None and real.is_relative_to(self.sysroot):
                found[self.files[str(real)[len(str(self.sysroot)):]]] = path
            else:
                names[str(real)] = path
        if not names:
            return found
        # Packages that are older than the merge of /lib and /usr/lib list their files in /lib.
        words = [word for name in sorted(names) for word in (name, name.removeprefix("/usr"))]
        done = subprocess.run(["dpkg-query", "-S", *words], text=True, capture_output=True)
        seen = set()
        for line in done.stdout.splitlines():
            packages, _, path = line.partition(": ")
            name = path if path in names else f"/usr{path}"
            seen.add(name)
            found[packages.split(",")[0].split(":")[0]] = names[name]
        if set(names) - seen:
            raise RuntimeError(f"no package has {', '.join(sorted(set(names) - seen))}")
        return found

    def owner_of_library(self, name):
        """The package of a library that programs load."""
        if self.sysroot is None:
            return next(iter(self.owners([debian_package.run("gcc", f"-print-file-name={name}").strip()])))
        return next((package for path, package in self.files.items() if path.endswith(f"/{name}")), "an unknown package")

    def version(self, package):
        return self.versions.get(package) or debian_package.run("dpkg-query", "-W", "-f", "${Version}", package)


class Build:
    """A build, as ninja describes it."""

    def __init__(self, folder):
        self.folder = folder.resolve()
        self.headers = {}
        target = None
        for line in debian_package.run("ninja", "-C", self.folder, "-t", "deps").splitlines():
            if line.startswith("    "):
                self.headers[target].append(self.absolute(line.strip()))
            elif ": #deps" in line:
                target = line.partition(":")[0]
                self.headers[target] = []

    def absolute(self, name):
        return os.path.normpath(self.folder / name)

    def is_foreign(self, path):
        return not any(pathlib.Path(path).is_relative_to(ours) for ours in (ROOT, self.folder)) or "/arm64-sysroot/" in path

    def parts(self, target):
        """(headers, archives) of the system from which the target is made."""
        inputs = debian_package.run("ninja", "-C", self.folder, "-t", "inputs", target).splitlines()
        headers = {header for one in inputs for header in self.headers.get(one, []) if self.is_foreign(header)}
        archives = {self.absolute(one) for one in inputs if one.endswith(".a") and self.is_foreign(self.absolute(one))}
        return headers, archives

    def has_runtime_inside(self, target):
        """Whether GCC's own libraries are linked into the target, and the path of its C++ library."""
        link = debian_package.run("ninja", "-C", self.folder, "-t", "commands", "-s", target)
        if "-static-libstdc++" not in link:
            return None
        compiler = re.search(r"(\S*g\+\+\S*|\S*/c\+\+)", link)
        return debian_package.run(compiler[1], "-print-file-name=libstdc++.a").strip() if compiler else None


# Packages whose headers only declare functions and add no code: packages of the kernel, and of libraries that are
# loaded or opened by name.
DECLARING = {"libc6-dev", "linux-libc-dev", "libcapstone-dev", "libcurl4-openssl-dev", "libunicorn-dev", "libcrypt-dev",
             "libstdc++-12-dev", "libgcc-12-dev"}


def purl(package, version, architecture):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
             "referenceLocator": f"pkg:deb/debian/{package.replace('+', '%2B')}@{version.replace('+', '%2B').replace('~', '%7E')}"
                                 f"?arch={architecture}"}]


def inside(build, system, target):
    """Debian's packages whose code is inside of the target. The suffix -cross of the cross compilers' packages is
    removed."""
    headers, archives = build.parts(target)
    runtime = build.has_runtime_inside(target)
    found = set(system.owners(headers | archives | ({runtime} if runtime else set())))
    runtime_packages = set(system.owners({runtime})) if runtime else set()
    known = libraries.LINKED | libraries.LINKED_INTO_SIMULATOR
    linked = set()
    for package in found:
        plain = re.sub(r"-(arm64|amd64)-cross$", "", package)
        if package in runtime_packages or (plain in known and plain not in DECLARING):
            linked.add((package, known[plain]))
        elif plain not in DECLARING:
            raise RuntimeError(f"{target} is made of {package}, whose licence tools/libraries.py does not know")
    return linked


def describe_linux(document, options):
    architecture = re.search(r"-linux-(\w+)\.", document.name)[1]
    system = System(pathlib.Path(options.sysroot) if options.sysroot else None)
    build = Build(pathlib.Path(options.build))
    tree = pathlib.Path(options.tree)
    for path in sorted(path for path in tree.rglob("*") if debian_package.is_elf(path)):
        file = document.add_file(path.relative_to(tree).as_posix(), path.read_bytes())
        for package, library in sorted(inside(build, system, f"bin/{path.name}"), key=lambda one: one[0]):
            version = system.version(package)
            document.relate(file, "STATIC_LINK", document.add_package(
                package, library, version, {"externalRefs": purl(package, version, architecture)}))
        for name in sorted(libraries.needed_libraries(path)):
            package = system.owner_of_library(name)
            if package != "libc6":
                raise RuntimeError(f"{path} loads {name} of {package}, whose licence tools/libraries.py does not know")
            document.relate(file, "DYNAMIC_LINK", document.add_package(
                package, libraries.GLIBC, system.version(package), {"comment": "Not in the archive."}))
        for name in sorted(libraries.opened_libraries(path)):
            library = document.add_package(name, libraries.OPENED[name][0], "", {"comment": f"Opened as {name} if it is there."})
            document.relate(library, "OPTIONAL_DEPENDENCY_OF", file)


def number(path, pattern):
    found = re.search(pattern, pathlib.Path(path).read_text(encoding="utf-8", errors="replace"))
    if found is None:
        raise RuntimeError(f"{path} does not say its version")
    return found[1]


def windows_libraries(options):
    """{name: (library, version)} of the libraries inside of the programs for Windows, by the sources that they are
    built from."""
    zig, capstone, zlib = (pathlib.Path(one) for one in (options.zig, options.capstone, options.zlib))
    llvm = number(zig / "lib/libcxx/include/__config", r"define _LIBCPP_VERSION (\d+)")
    llvm = f"{int(llvm[:2])}.{int(llvm[2:4])}.{int(llvm[4:])}"
    mingw = zig / "lib/libc/include/any-windows-any/_mingw_mac.h"
    mingw_version = ".".join(number(mingw, rf"define __MINGW64_VERSION_{part} (\d+)") for part in ("MAJOR", "MINOR", "BUGFIX"))
    capstone_header = capstone / "include/capstone/capstone.h"
    capstone_version = ".".join(number(capstone_header, rf"define CS_{part}\s+(\d+)")
                                for part in ("API_MAJOR", "API_MINOR", "VERSION_EXTRA"))
    fmt = int(number("/usr/include/fmt/core.h", r"define FMT_VERSION (\d+)"))
    page = libraries.LLVM.page
    license_of_llvm = libraries.LLVM.license
    return {
        "fmt": (libraries.FMT, f"{fmt // 10000}.{fmt // 100 % 100}.{fmt % 100}"),
        "zlib": (libraries.ZLIB, number(zlib / "zlib.h", r'define ZLIB_VERSION "([\d.]+)')),
        "capstone": (libraries.CAPSTONE, capstone_version),
        "libcxx": (libraries.Library("libc++", license_of_llvm, page), llvm),
        "libcxxabi": (libraries.Library("libc++abi", license_of_llvm, page), llvm),
        "libunwind": (libraries.Library("libunwind", license_of_llvm, page), llvm),
        "compiler-rt": (libraries.Library("compiler_rt of zig", "MIT", "https://ziglang.org"),
                        json.loads((zig / "package.json").read_text(encoding="utf-8"))["version"]),
        "mingw-w64": (libraries.Library("mingw-w64", "ZPL-2.1", "https://www.mingw-w64.org"), mingw_version),
    }


def describe_windows(document, options):
    """ninja lists the libraries that a program is linked with. The compiler's own libraries are in every program."""
    found = windows_libraries(options)
    of_compiler = ["libcxx", "libcxxabi", "libunwind", "compiler-rt", "mingw-w64"]
    with zipfile.ZipFile(options.archive) as archive:
        for name in sorted(name for name in archive.namelist() if name.endswith((".exe", ".dll", ".sys"))):
            short = name.partition("/")[2]
            file = document.add_file(short, archive.read(name))
            target = PLACES.get(short.rpartition("/")[2])
            if target is None:
                continue  # it contains no third-party code
            inputs = debian_package.run("ninja", "-C", options.build, "-t", "inputs", target)
            inside_it = re.findall(r"wperf_(fmt|zlib|capstone)\.(?:a|lib)$", inputs, re.MULTILINE)
            for key in [*sorted(set(inside_it)), *of_compiler]:
                document.relate(file, "STATIC_LINK", document.add_package(key, *found[key]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system", choices=("linux", "windows"))
    for option in ("archive", "output"):
        parser.add_argument(f"--{option}", required=True)
    for option in ("build", "tree", "sysroot", "zig", "capstone", "zlib"):
        parser.add_argument(f"--{option}")
    options = parser.parse_args()
    document = Document(pathlib.Path(options.archive), int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_SECOND)))
    try:
        (describe_linux if options.system == "linux" else describe_windows)(document, options)
    except (RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    pathlib.Path(options.output).write_text(document.text(), encoding="utf-8")
    print(f"{options.output}: {len(document.packages)} packages, {len(document.files)} programs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
