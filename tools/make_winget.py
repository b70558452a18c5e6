#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the manifests with which winget installs wperf: three files of YAML, made from the .msi files that scripts/package made.

usage: tools/make_winget.py --url https://…/FOLDER --output FOLDER [--identifier Publisher.Package] [--page https://…] FILE.msi…

--url: where the .msi files will be downloaded from, without their names. winget compares checksums, so make the
manifests last, from the signed files. They are written to FOLDER/manifests/…, with the layout of the repository
microsoft/winget-pkgs.
"""
import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MANIFEST_VERSION = "1.10.0"
LOCALE = "en-US"
ARCHITECTURES = {"Arm64": "arm64", "x64": "x64"}  # by the name that Windows Installer has for them
PLAIN = re.compile(r"[A-Za-z][\w .,()/-]*(?<! )$")  # a text that needs no quotation marks in YAML
DESCRIPTION = ("wperf shows where a program spends its time and why its threads wait. On Windows on Arm it counts hardware events, with "
               "Windows' own tracing or with a driver.")


class Refused(Exception):
    """The reason why no manifest is written."""


def msiinfo(*words):
    done = subprocess.run(["msiinfo", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(f"{words[-2] if words[0] == 'export' else words[-1]} is not an installer of Windows")
    return done.stdout


class Installer:
    """An .msi file, as it describes itself."""

    def __init__(self, path):
        self.name = path.name
        self.sum = hashlib.sha256(path.read_bytes()).hexdigest().upper()
        rows = [line.split("\t") for line in msiinfo("export", str(path), "Property").splitlines()[3:]]
        self.properties = {row[0]: row[1] for row in rows if len(row) == 2}
        template = re.search(r"^Template: (\w+);", msiinfo("suminfo", str(path)), re.MULTILINE)
        if template is None or template[1] not in ARCHITECTURES:
            raise Refused(f"{path} does not say for which processor it is")
        self.architecture = ARCHITECTURES[template[1]]

    def manifest(self, url):
        facts = self.properties
        return {"Architecture": self.architecture, "InstallerUrl": f"{url.rstrip('/')}/{self.name}", "InstallerSha256": self.sum,
                "ProductCode": facts["ProductCode"],
                "AppsAndFeaturesEntries": [{"DisplayName": facts["ProductName"], "Publisher": facts["Manufacturer"],
                                            "ProductCode": facts["ProductCode"], "UpgradeCode": facts["UpgradeCode"],
                                            "InstallerType": "msi"}]}


def copyright_line():
    return re.search(r"^Copyright .*$", (ROOT / "LICENSE").read_text(encoding="utf-8"), re.MULTILINE)[0]


def manifests(installers, options):
    """{end of the file's name: the manifest}."""
    facts = installers[0].properties
    version = facts["ProductVersion"]
    head = {"PackageIdentifier": options.identifier, "PackageVersion": version}
    end = {"ManifestVersion": MANIFEST_VERSION}
    locale = {"PackageLocale": LOCALE, "Publisher": facts["Manufacturer"], "PackageName": facts["ProductName"],
              **({"PackageUrl": options.page} if options.page else {}), "License": "BSD-3-Clause", "Copyright": copyright_line(),
              "ShortDescription": "A performance profiler for Windows on Arm, Windows and Linux", "Description": DESCRIPTION,
              "Moniker": "wperf", "Tags": ["arm64", "performance", "profiler", "tracing"]}
    return {
        "": head | {"DefaultLocale": LOCALE, "ManifestType": "version"} | end,
        ".installer": head | {
            "Platform": ["Windows.Desktop"], "MinimumOSVersion": "10.0.0.0", "InstallerType": "msi", "Scope": "machine",
            "InstallModes": ["interactive", "silent", "silentWithProgress"], "UpgradeBehavior": "install", "Commands": ["wperf"],
            "ElevationRequirement": "elevationRequired", "Installers": [one.manifest(options.url) for one in installers],
            "ManifestType": "installer"} | end,
        f".locale.{LOCALE}": head | locale | {"ManifestType": "defaultLocale"} | end,
    }


def yaml_lines(value, indent=""):
    """The lines of a mapping. Its values are texts, lists of texts and lists of mappings."""
    lines = []
    for key, inner in value.items():
        if isinstance(inner, str):
            lines.append(f"{indent}{key}: {yaml_text(inner)}")
            continue
        lines.append(f"{indent}{key}:")
        for item in inner:
            if isinstance(item, str):
                lines.append(f"{indent}- {yaml_text(item)}")
            else:
                first, *rest = yaml_lines(item, indent + "  ")
                lines += [f"{indent}- {first.strip()}", *rest]
    return lines


def yaml_text(text):
    return text if PLAIN.match(text) else json.dumps(text)  # JSON strings are valid YAML


def write(folder, identifier, found):
    version = found[""]["PackageVersion"]
    place = folder / "manifests" / identifier[0].lower() / pathlib.Path(*identifier.split(".")) / version
    place.mkdir(parents=True, exist_ok=True)
    for name, manifest in found.items():
        schema = f"https://aka.ms/winget-manifest.{manifest['ManifestType']}.{MANIFEST_VERSION}.schema.json"
        text = "\n".join([f"# yaml-language-server: $schema={schema}", *yaml_lines(manifest)]) + "\n"
        (place / f"{identifier}{name}.yaml").write_text(text, encoding="utf-8", newline="\r\n")
    return place


def check(options, installers):
    if not re.match(r"https://.", options.url):
        raise Refused("--url must name the folder, beginning with https://, from which the .msi files will be downloaded")
    if not re.fullmatch(r"[\w-]{1,32}(?:\.[\w-]{1,32}){1,7}", options.identifier):
        raise Refused(f"{options.identifier} is no identifier of winget: it is made of two or more words with dots between")
    if len({one.properties["ProductVersion"] for one in installers}) > 1:
        raise Refused("the .msi files are of different versions")
    if len({one.architecture for one in installers}) < len(installers):
        raise Refused("two .msi files are for the same processor")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default="")
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--identifier", default="wperf.wperf")
    parser.add_argument("--page", default="")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    try:
        installers = sorted((Installer(path) for path in options.files), key=lambda one: one.architecture)
        check(options, installers)
        place = write(options.output, options.identifier, manifests(installers, options))
    except (Refused, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{place}: 3 files for {', '.join(one.architecture for one in installers)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
