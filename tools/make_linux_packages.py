#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes an archive and Debian packages of an installed build for Linux. scripts/package builds and installs first.

usage: tools/make_linux_packages.py --version X.Y.Z --architecture amd64|arm64 --archive TREE --components FOLDER
                                    --output FOLDER [--licenses FOLDER] [--unpacked FOLDER]… [--level 6]

TREE is a prefix with all files. FOLDER/COMPONENT/usr has the files of one component of cmake/install.cmake, which
become one package. --licenses: where Debian's copyright files are, /usr/share/doc. --unpacked: a library's package for
another architecture, unpacked with `dpkg-deb -R`. --level: how hard to compress, 1 to 9. The same files make the same
packages; SOURCE_DATE_EPOCH is their date.
"""
import argparse
import datetime
import email.utils
import gzip
import io
import os
import pathlib
import re
import shutil
import sys
import tarfile
import tempfile
import textwrap

import debian_package
import libraries

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST_SECOND = 1767225600  # 2026-01-01, for a tree without a repository
MAINTAINER = "The wperf authors"

DESCRIPTIONS = {
    "wperf": """performance profiler for Linux and for Windows on Arm
 wperf shows where the time of a program goes and why its threads wait,
 counts hardware events, and compares builds. It reads perf.data files
 of other machines and .etl traces of Windows. Its command line and its
 JSON are compatible with WindowsPerf's wperf.""",
    "wperf-sim": """simulated Windows-on-Arm machine for wperf
 With this library, `wperf --device sim` measures on a simulated machine,
 which executes ARM64 programs of Windows with the logic of wperf's driver
 underneath. It opens Unicorn, which is under the GPL.""",
    "libwperf": """performance profiler, as a library
 libwperf counts and samples hardware events from a program. It has a C
 interface, and one for programs that were written for WindowsPerf's.""",
    "libwperf-dev": """performance profiler, files for building programs
 The headers of libwperf, and what CMake and pkg-config need to find it.""",
}


def packages_of(names):
    return ", ".join(sorted({libraries.OPENED[name][1] for name in names}))


def maintainer():
    """The publisher's name and address, from the environment as for Debian's tools."""
    return f"{os.environ.get('DEBFULLNAME', MAINTAINER)} <{os.environ.get('DEBEMAIL', 'wperf@packages.invalid')}>"


def soname_version(tree):
    name = next(path for path in tree.rglob("libwperf.so.*") if not path.is_symlink())
    return re.search(r"soname: \[libwperf\.so\.(\d+)\]", debian_package.run("readelf", "-dW", name))[1]


def linked_libraries(tree):
    """{Debian's package: library} of the libraries inside of the programs of the tree."""
    if not any(debian_package.is_elf(path) for path in tree.rglob("*")):
        return {}
    return libraries.LINKED | (libraries.LINKED_INTO_SIMULATOR if any(tree.rglob("libwperf-sim.so")) else {})


def copyright_file(package, options):
    """The package may be for another architecture, or for the cross compiler on this machine."""
    for folder in (options.licenses, "/usr/share/doc"):
        for name in (package, f"{package}-{options.architecture}-cross"):
            path = pathlib.Path(folder) / name / "copyright"
            if path.is_file():
                return path
    raise RuntimeError(f"{package} is not installed: its copyright file is missing")


def license_text(linked, options):
    parts = [(ROOT / "LICENSE").read_text(encoding="utf-8")]
    for package, library in linked.items():
        text = copyright_file(package, options).read_text(encoding="utf-8")
        parts.append(f"{'-' * 79}\nParts of {library.name}, from Debian's {package}, are inside of the programs:\n\n{text}")
    return "\n".join(parts)


def changes(version):
    """The points of this version in CHANGELOG.md."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(version)}\b.*?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if section is None:
        raise RuntimeError(f"CHANGELOG.md has no section for {version}")
    points = re.findall(r"^- (.*?)(?=^- |^\s*$|\Z)", section[1] + "\n", re.MULTILINE | re.DOTALL)
    return [re.sub(r"\s+", " ", point).strip() for point in points]


def debian_changelog(version, seconds):
    lines = [f"wperf ({version}) unstable; urgency=medium", ""]
    for point in changes(version):
        lines += textwrap.wrap(point, 76, initial_indent="  * ", subsequent_indent="    ")
    date = email.utils.format_datetime(datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc))
    lines += ["", f" -- {maintainer()}  {date}", ""]
    return "\n".join(lines)


class Packages:
    """The .deb files of one build."""

    def __init__(self, options, seconds):
        self.options = options
        self.seconds = seconds
        self.components = pathlib.Path(options.components)
        self.unpacked = [pathlib.Path(one) for one in options.unpacked]
        self.library = "libwperf" + soname_version(self.components / "libwperf")

    def depends(self, component, tree):
        """Returns the control fields that name other packages."""
        same = f"(= {self.options.version})"
        linked = debian_package.linked_packages(tree, self.options.architecture, self.unpacked)
        opened = packages_of(libraries.opened_libraries(tree))
        if component == "libwperf-dev":
            return {"Depends": f"{self.library} {same}"}
        if component == "wperf-sim":
            return {"Depends": f"{linked}, {opened}", "Enhances": f"wperf, {self.library}"}
        return {"Depends": linked, "Recommends": opened, "Suggests": f"wperf-sim {same}"}

    def control_files(self, component, tree):
        if component != "libwperf":
            return {}
        major = soname_version(tree)
        return {"shlibs": f"libwperf {major} {self.library} (>= {self.options.version})\n",
                "triggers": "activate-noawait ldconfig\n"}

    def add_documents(self, component, package, tree):
        folder = tree / "usr/share/doc" / package
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "LICENSE").unlink(missing_ok=True)  # Debian's place for it is the copyright file
        (folder / "copyright").write_text(license_text(linked_libraries(tree), self.options), encoding="utf-8")
        debian_package.compressed(folder / "changelog", debian_changelog(self.options.version, self.seconds).encode())
        for page in tree.glob("usr/share/man/man*/*.[0-9]"):
            debian_package.compressed(page, page.read_bytes())
            page.unlink()
        overrides = ROOT / "tools/lintian" / component
        if overrides.is_file():
            target = tree / "usr/share/lintian/overrides" / package
            target.parent.mkdir(parents=True)
            target.write_text(overrides.read_text(encoding="utf-8").replace("@PACKAGE@", package), encoding="utf-8")

    def make(self, component):
        package = self.library if component == "libwperf" else component
        name = f"{package}_{self.options.version}_{self.options.architecture}.deb"
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder) / "tree"
            shutil.copytree(self.components / component, tree, symlinks=True)
            self.add_documents(component, package, tree)
            fields = {"Package": package, "Version": self.options.version, "Architecture": self.options.architecture,
                      "Source": "" if package == "wperf" else "wperf", "Maintainer": maintainer(),
                      **self.depends(component, tree),
                      "Section": {"libwperf": "libs", "libwperf-dev": "libdevel"}.get(component, "devel"), "Priority": "optional",
                      "Multi-Arch": {"wperf": "foreign", "wperf-sim": ""}.get(component, "same"),
                      "Description": DESCRIPTIONS[component]}
            debian_package.build(tree, fields, self.control_files(component, tree), pathlib.Path(self.options.output) / name,
                                 self.seconds, self.options.level)
        return name


def write_archive(tree, output, options, seconds, extra):
    """A .tar.gz of the tree below one folder, with the files of `extra` ({name: bytes}). All entries have the same date
    and no owner."""
    packed = io.BytesIO()
    top = output.name.removesuffix(".tar.gz")
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        def add(name, path=None, content=None):
            entry = tarfile.TarInfo(f"{top}/{name}") if path is None else archive.gettarinfo(path, f"{top}/{name}")
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime = seconds
            if content is not None:
                entry.size, entry.mode = len(content), 0o644
            elif not entry.issym():
                entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            if content is None and entry.isreg():
                content = path.read_bytes()
            archive.addfile(entry, io.BytesIO(content) if content is not None else None)

        for path in sorted(tree.rglob("*")):
            add(path.relative_to(tree).as_posix(), path=path)
        for name, content in sorted(extra.items()):
            add(name, content=content)
    output.write_bytes(gzip.compress(packed.getvalue(), compresslevel=options.level, mtime=0))


def make_archive(options, seconds):
    name = f"wperf-{options.version}-linux-{options.architecture}"
    output = pathlib.Path(options.output) / f"{name}.tar.gz"
    tree = pathlib.Path(options.archive)
    readme = (ROOT / "tools/package_readme_linux.txt").read_text(encoding="utf-8")
    extra = {f"licenses/{package}.txt": copyright_file(package, options).read_bytes()
             for package in linked_libraries(tree)}
    extra["README.txt"] = readme.replace("@VERSION@", options.version).encode()
    extra["CHANGELOG.md"] = (ROOT / "CHANGELOG.md").read_bytes()
    write_archive(tree, output, options, seconds, extra)
    return output.name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("version", "architecture", "archive", "components", "output"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--licenses", default="/usr/share/doc")
    parser.add_argument("--unpacked", action="append", default=[])
    parser.add_argument("--level", type=int, default=6)
    options = parser.parse_args()
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_SECOND))
    pathlib.Path(options.output).mkdir(parents=True, exist_ok=True)
    try:
        made = [make_archive(options, seconds)]
        packages = Packages(options, seconds)
        made += [packages.make(component) for component in DESCRIPTIONS if (packages.components / component).is_dir()]
    except (RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for name in made:
        print(f"{pathlib.Path(options.output) / name}: {(pathlib.Path(options.output) / name).stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
