#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes an installer of Windows (.msi) from an archive that tools/make_package.py made: the same files, in Program Files,
and that folder on everybody's PATH. scripts/package calls it.

usage: tools/make_msi.py --archive wperf-X.Y.Z-windows-ARCHITECTURE.zip --output FILE.msi

The installer does not install the driver. wperf-devgen does that, from the driver's files, which the installer puts
into the tool's folder.

The tables are written here, and msibuild (Debian's msitools) imports them. msitools' own compiler, wixl, knows neither ARM64 nor
environment variables in Debian 12. The same archive makes the same installer, byte by byte: identities are computed from names, and each
date is SOURCE_DATE_EPOCH.
"""
import argparse
import hashlib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import uuid
import zipfile

ARCHIVE = re.compile(r"wperf-(\d+\.\d+\.\d+)-windows-(arm64|x64)\.zip")
NAMES = uuid.UUID("b0b7f1a7-9b1c-5d5e-8c0a-5a2f3d6c7e11")  # the namespace of all identities below; it must never change
# For each architecture: its name in Windows Installer, and the first version of Windows Installer that supports it.
PLATFORMS = {"arm64": ("Arm64", 500), "x64": ("x64", 200)}
CABINET = "wperf.cab"
ONLY_DETECT = 2  # an attribute of the table Upgrade
VERSION_SIGNATURE = struct.pack("<I", 0xFEEF04BD)  # the signature of VS_FIXEDFILEINFO
FIRST_SECOND = 315532800  # 1980-01-01, the earliest time in a cabinet


class Refused(Exception):
    """The reason why no installer is made."""


def identity(*words):
    """Returns a GUID; the same words always give the same GUID."""
    return "{" + str(uuid.uuid5(NAMES, "/".join(words))).upper() + "}"


def product_code(architecture, version):
    return identity("product", architecture, version)


def upgrade_code(architecture):
    """The code stays the same in all versions."""
    return identity("upgrade", architecture)


def row_key(path):
    """The name of a file, its component or a folder in the tables."""
    return "_" + uuid.uuid5(NAMES, path).hex


class Contents:
    """The files of the archive and their folders, in the order of the cabinet."""

    def __init__(self, path):
        match = ARCHIVE.fullmatch(path.name)
        if match is None:
            raise Refused(f"{path} is not named wperf-X.Y.Z-windows-ARCHITECTURE.zip")
        self.version, self.architecture = match.groups()
        with zipfile.ZipFile(path) as archive:
            self.files = {name.partition("/")[2]: archive.read(name) for name in sorted(archive.namelist())}
        self.digest = hashlib.sha256(path.read_bytes()).hexdigest()
        parents = {parent for name in self.files for parent in pathlib.PurePosixPath(name).parents}
        self.folders = sorted(str(parent) for parent in parents if parent.name)


def windows_name(path, number):
    """Short and long name. The short name is for disks that allow only short names."""
    name = pathlib.PurePosixPath(path)
    return f"{number:08d}{name.suffix[:4]}|{name.name}"


def folder_key(path):
    """The key of the folder that holds a file or folder."""
    parent = str(pathlib.PurePosixPath(path).parent)
    return "INSTALLDIR" if parent == "." else row_key(parent)


def file_version(content):
    """The version and language in a program's resources; empty for other files, which are recognised by their hash."""
    at = content.find(VERSION_SIGNATURE) if content.startswith(b"MZ") else -1
    if at < 0:
        return "", ""
    high, low = struct.unpack_from("<II", content, at + 8)
    return f"{high >> 16}.{high & 0xFFFF}.{low >> 16}.{low & 0xFFFF}", "1033"


def product_rows(contents):
    """The first half of an installation runs as the user, the second as the system. The second gets only the properties that are marked
    as secure."""
    return [("ALLUSERS", "1"), ("ARPNOMODIFY", "1"), ("ARPCOMMENTS", "Performance profiler"), ("Manufacturer", "The wperf authors"),
            ("ProductCode", product_code(contents.architecture, contents.version)), ("ProductLanguage", "1033"),
            ("ProductName", "wperf"), ("ProductVersion", contents.version),
            ("SecureCustomProperties", "INSTALLDIR;NEWER_VERSION;OLDER_VERSION;OTHER_ARCHITECTURE;WINDOWS_MAJOR"),
            ("UpgradeCode", upgrade_code(contents.architecture))]


def upgrade_rows(contents):
    (other,) = set(PLATFORMS) - {contents.architecture}
    ours, version = upgrade_code(contents.architecture), contents.version
    return [(ours, "", version, "", 0, "", "OLDER_VERSION"), (ours, version, "", "", ONLY_DETECT, "", "NEWER_VERSION"),
            (upgrade_code(other), "", "", "", ONLY_DETECT, "", "OTHER_ARCHITECTURE")]


CONDITIONS = [
    ("Installed OR WINDOWS_MAJOR", "wperf needs Windows 10 or newer."),
    ("Installed OR NOT NEWER_VERSION", "A newer version of wperf is installed. Remove it first."),
    ("Installed OR NOT OTHER_ARCHITECTURE", "wperf for another processor is installed. Remove it first."),
]
FIRST_ACTIONS = [("FindRelatedProducts", "", 25), ("AppSearch", "", 50), ("LaunchConditions", "", 100), ("ValidateProductID", "", 700),
                 ("CostInitialize", "", 800), ("FileCost", "", 900), ("CostFinalize", "", 1000)]
# An older version is removed within the transaction: if the new version can't be installed, the older version is
# restored.
ACTIONS = [*FIRST_ACTIONS, ("InstallValidate", "", 1400), ("InstallInitialize", "", 1500), ("RemoveExistingProducts", "", 1501),
           ("ProcessComponents", "", 1600), ("UnpublishFeatures", "", 1800), ("RemoveEnvironmentStrings", "", 3300),
           ("RemoveFiles", "", 3500), ("InstallFiles", "", 4000), ("WriteEnvironmentStrings", "", 5200),
           ("RegisterUser", "", 6000), ("RegisterProduct", "", 6100), ("PublishFeatures", "", 6300), ("PublishProduct", "", 6400),
           ("InstallFinalize", "", 6600)]


def file_rows(contents):
    vital = 512  # without it nothing is installed
    rows = []
    for number, (path, content) in enumerate(contents.files.items(), 1):
        key = row_key(path)
        rows.append((key, key, windows_name(path, number), len(content), *file_version(content), vital, number))
    return rows


def hash_rows(contents):
    return [(row_key(path), 0, *struct.unpack("<4i", hashlib.md5(content).digest()))
            for path, content in contents.files.items() if file_version(content) == ("", "")]


def component_rows(contents):
    """One component for each file. Its GUID depends only on its path, as Windows Installer requires."""
    is_64_bit = 256
    return [(row_key(path), identity("component", contents.architecture, path), folder_key(path), is_64_bit, "", row_key(path))
            for path in contents.files]


def directory_rows(contents):
    return [("TARGETDIR", "", "SourceDir"), ("ProgramFiles64Folder", "TARGETDIR", "."),
            ("INSTALLDIR", "ProgramFiles64Folder", "wperf"),
            *((row_key(path), folder_key(path), windows_name(path, number)) for number, path in enumerate(contents.folders, 1))]


def summary_rows(contents, seconds):
    platform, installer_version = PLATFORMS[contents.architecture]
    date = time.strftime("%Y/%m/%d %H:%M:%S", time.gmtime(seconds))
    compressed = 2
    return [(1, 1252), (2, "Installation Database"), (3, f"wperf {contents.version}"), (4, "The wperf authors"), (5, "Installer"),
            (7, f"{platform};1033"), (9, identity("package", contents.architecture, contents.digest)), (12, date), (13, date),
            (14, installer_version), (15, compressed), (18, "make_msi.py"), (19, 2)]


def tables(contents, seconds):
    """{name: (columns and their types, number of columns in the key, rows)}. Types are those of the format IDT: s text, l text to
    translate, i number, with the length; a capital letter allows nothing in it."""
    windows = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion"
    local_machine, raw_value_64_bit = 2, 2 | 16
    return {
        "_SummaryInformation": ("PropertyId i2 Value l255", 1, summary_rows(contents, seconds)),
        "Property": ("Property s72 Value l0", 1, product_rows(contents)),
        "Directory": ("Directory s72 Directory_Parent S72 DefaultDir l255", 1, directory_rows(contents)),
        "Component": ("Component s72 ComponentId S38 Directory_ s72 Attributes i2 Condition S255 KeyPath S72", 1,
                      component_rows(contents)),
        "File": ("File s72 Component_ s72 FileName l255 FileSize i4 Version S72 Language S20 Attributes I2 Sequence i2", 1,
                 file_rows(contents)),
        "MsiFileHash": ("File_ s72 Options i2 HashPart1 i4 HashPart2 i4 HashPart3 i4 HashPart4 i4", 1, hash_rows(contents)),
        "Media": ("DiskId i2 LastSequence i2 DiskPrompt L64 Cabinet S255 VolumeLabel S32 Source S72", 1,
                  [(1, len(contents.files), "", f"#{CABINET}", "", "")]),
        "Feature": ("Feature s38 Feature_Parent S38 Title L64 Description L255 Display I2 Level i2 Directory_ S72 Attributes i2", 1,
                    [("All", "", "wperf", "", 1, 1, "INSTALLDIR", 0)]),
        "FeatureComponents": ("Feature_ s38 Component_ s72", 2, [("All", row_key(path)) for path in contents.files]),
        # = writes the value, - removes it again, * for all users; the folder is appended to the present value.
        "Environment": ("Environment s72 Name l255 Value L255 Component_ s72", 1,
                        [("PATH", "=-*PATH", "[~];[INSTALLDIR]", row_key("wperf.exe"))]),
        "Upgrade": ("UpgradeCode s38 VersionMin S20 VersionMax S20 Language S255 Attributes i4 Remove S255 ActionProperty s72", 5,
                    upgrade_rows(contents)),
        # Windows has this value since version 10. Windows Installer's own number stopped at 8.1.
        "AppSearch": ("Property s72 Signature_ s72", 2, [("WINDOWS_MAJOR", "WindowsMajor")]),
        "RegLocator": ("Signature_ s72 Root i2 Key s255 Name S255 Type I2", 1,
                       [("WindowsMajor", local_machine, windows, "CurrentMajorVersionNumber", raw_value_64_bit)]),
        "LaunchCondition": ("Condition s255 Description l255", 1, CONDITIONS),
        "InstallExecuteSequence": ("Action s72 Condition S255 Sequence I2", 1, ACTIONS),
        "InstallUISequence": ("Action s72 Condition S255 Sequence I2", 1, [*FIRST_ACTIONS, ("ExecuteAction", "", 1300)]),
    }


def write_table(path, columns, keys, rows):
    """The format IDT: names, types, the table with its key, rows."""
    names, types = columns.split()[::2], columns.split()[1::2]
    head = [names, types, [path.stem, *names[:keys]]]
    text = "".join("\t".join(str(field) for field in row) + "\r\n" for row in [*head, *rows])
    path.write_bytes(text.encode("ascii"))


def run(*words, cwd):
    # TZ: gcab writes local times.
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=os.environ | {"TZ": "UTC"}, text=True, capture_output=True)
    if done.returncode != 0:
        raise Refused(f"{words[0]}: {done.stderr.strip() or done.stdout.strip()}")


def write_cabinet(folder, files, seconds):
    """files: {path: bytes}; the cabinet calls them by their keys."""
    for path, content in files.items():
        staged = folder / row_key(path)
        staged.write_bytes(content)
        os.utime(staged, (seconds, seconds))
    run("gcab", "--create", "--zip", CABINET, *(row_key(path) for path in files), cwd=folder)


def write_installer(contents, output, seconds):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_cabinet(folder, contents.files, seconds)
        words = []
        for table, (columns, keys, rows) in tables(contents, seconds).items():
            write_table(folder / f"{table}.idt", columns, keys, rows)
            words += ["-i", f"{table}.idt"]
        run("msibuild", "installer.msi", *words, "-a", CABINET, CABINET, cwd=folder)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_bytes((folder / "installer.msi").read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("archive", "output"):
        parser.add_argument(f"--{option}", required=True, type=pathlib.Path)
    options = parser.parse_args()
    try:
        contents = Contents(options.archive)
        write_installer(contents, options.output, max(int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_SECOND)), FIRST_SECOND))
    except (Refused, OSError, zipfile.BadZipFile) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{options.output}: {len(contents.files)} files, {options.output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
