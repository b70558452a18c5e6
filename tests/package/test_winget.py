# SPDX-License-Identifier: BSD-3-Clause
"""The manifests of tools/make_winget.py: they follow winget's schema 1.10.0 and agree with the .msi files."""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(os.environ.get("WPERF_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
try:
    import yaml
except ImportError:
    print("skipped: the YAML reader of Python (python3-yaml) is not installed")
    sys.exit(77)
if not (shutil.which("msibuild") and shutil.which("gcab")):
    print("skipped: msitools and gcab are not installed")
    sys.exit(77)

URL = "https://example.org/releases/3.8.0"
VERSION = re.compile(r"\d{1,5}(\.\d{1,5}){2}")
IDENTIFIER = re.compile(r'[^.\s\\/:*?"<>|]{1,32}(\.[^.\s\\/:*?"<>|]{1,32}){1,7}')
ADDRESS = re.compile(r"https?://.{1,2040}")
GUID = re.compile(r"\{[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\}")


def text(shortest, longest):
    return re.compile(rf"(?s).{{{shortest},{longest}}}")


def one_of(*words):
    return re.compile("|".join(map(re.escape, words)))


HEAD = {"PackageIdentifier": IDENTIFIER, "PackageVersion": VERSION, "ManifestVersion": VERSION}
ENTRY = {"DisplayName": text(1, 256), "Publisher": text(1, 256), "ProductCode": GUID, "UpgradeCode": GUID,
         "InstallerType": one_of("msi", "wix")}
INSTALLER = {"Architecture": one_of("x86", "x64", "arm", "arm64", "neutral"), "InstallerUrl": ADDRESS,
             "InstallerSha256": re.compile("[0-9A-Fa-f]{64}"), "ProductCode": GUID, "AppsAndFeaturesEntries": [ENTRY]}
# For each kind of manifest: every allowed key, with its values. [x] is a list of x without repetitions.
RULES = {
    "version": HEAD | {"DefaultLocale": one_of("en-US"), "ManifestType": one_of("version")},
    "installer": HEAD | {
        "Platform": [one_of("Windows.Desktop", "Windows.Universal")], "MinimumOSVersion": re.compile(r"\d+(\.\d+){0,3}"),
        "InstallerType": one_of("msi", "wix"), "Scope": one_of("user", "machine"),
        "InstallModes": [one_of("interactive", "silent", "silentWithProgress")],
        "UpgradeBehavior": one_of("install", "uninstallPrevious", "deny"), "Commands": [text(1, 40)],
        "ElevationRequirement": one_of("elevationRequired", "elevationProhibited", "elevatesSelf"), "Installers": [INSTALLER],
        "ManifestType": one_of("installer")},
    "defaultLocale": HEAD | {
        "PackageLocale": one_of("en-US"), "Publisher": text(2, 256), "PackageName": text(2, 256), "PackageUrl": ADDRESS,
        "License": text(3, 512), "Copyright": text(3, 512), "ShortDescription": text(3, 256), "Description": text(3, 10000),
        "Moniker": text(1, 40), "Tags": [text(1, 40)], "ManifestType": one_of("defaultLocale")},
}
REQUIRED = {
    "version": {*HEAD, "DefaultLocale", "ManifestType"},
    "installer": {*HEAD, "Installers", "InstallerType", "ManifestType"},
    "defaultLocale": {*HEAD, "PackageLocale", "Publisher", "PackageName", "License", "ShortDescription", "ManifestType"},
}
MOST_TAGS = 16


def faults(value, rule, place=""):
    """Returns a text for each value that breaks the rule."""
    if isinstance(rule, re.Pattern):
        return [] if isinstance(value, str) and rule.fullmatch(value) else [f"{place}: {value!r}"]
    if isinstance(rule, list):
        if not isinstance(value, list) or len(value) != len({repr(item) for item in value}):
            return [f"{place}: {value!r}"]
        return [fault for item in value for fault in faults(item, rule[0], place)]
    return [fault for key, inner in value.items()
            for fault in (faults(inner, rule[key], f"{place}/{key}") if key in rule else [f"{place}/{key} is unknown"])]


class WingetTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make_installer(self, architecture, version="3.8.0"):
        archive = self.folder / f"wperf-{version}-windows-{architecture}.zip"
        with zipfile.ZipFile(archive, "w") as out:
            out.writestr("top/wperf.exe", f"MZ for {architecture}")
        output = archive.with_suffix(".msi")
        subprocess.run([sys.executable, "-B", ROOT / "tools/make_msi.py", "--archive", archive, "--output", output], check=True,
                       capture_output=True)
        return output

    def run_tool(self, *words):
        return subprocess.run([sys.executable, "-B", ROOT / "tools/make_winget.py", "--output", self.folder / "out", *words],
                              capture_output=True, text=True, check=False)

    def test_manifests(self):
        files = [self.make_installer(architecture) for architecture in ("x64", "arm64")]
        done = self.run_tool("--url", URL + "/", "--page", "https://example.org", *files)
        self.assertEqual(done.returncode, 0, done.stderr)
        place = self.folder / "out/manifests/w/wperf/wperf/3.8.0"
        self.assertEqual({path.name for path in place.iterdir()},
                         {"wperf.wperf.yaml", "wperf.wperf.installer.yaml", "wperf.wperf.locale.en-US.yaml"})
        found = {}
        for path in place.iterdir():
            manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
            kind = manifest["ManifestType"]
            self.assertEqual(faults(manifest, RULES[kind]), [])
            self.assertLessEqual(REQUIRED[kind], set(manifest))
            self.assertIn(f"$schema=https://aka.ms/winget-manifest.{kind}.{manifest['ManifestVersion']}.schema.json\n", path.read_text())
            found[kind] = manifest
        self.assertEqual(set(found), set(RULES))
        self.assertLessEqual(len(found["defaultLocale"]["Tags"]), MOST_TAGS)
        self.check_installers(found["installer"]["Installers"], files)

    def check_installers(self, rows, files):
        self.assertEqual([row["Architecture"] for row in rows], ["arm64", "x64"])
        for row, path in zip(rows, reversed(files)):
            self.assertLessEqual({"Architecture", "InstallerUrl", "InstallerSha256"}, set(row))
            self.assertEqual(row["InstallerUrl"], f"{URL}/{path.name}")
            self.assertEqual(row["InstallerSha256"].lower(), hashlib.sha256(path.read_bytes()).hexdigest())
            properties = subprocess.run(["msiinfo", "export", path, "Property"], check=True, capture_output=True, text=True).stdout
            for key, name in (("ProductCode", "ProductCode"), ("UpgradeCode", "UpgradeCode"), ("Publisher", "Manufacturer")):
                self.assertIn(f"{name}\t{row['AppsAndFeaturesEntries'][0][key]}\n", properties.replace("\r", ""))

    def test_refusals(self):
        arm, x64, newer = self.make_installer("arm64"), self.make_installer("x64"), self.make_installer("x64", "3.9.0")
        nothing = self.folder / "nothing.msi"
        nothing.write_bytes(b"no installer")
        for words, said in (((arm,), "--url must name the folder"), (("--url", "ftp://example.org", arm), "--url must name the folder"),
                            (("--url", URL, arm, newer), "of different versions"), (("--url", URL, x64, x64), "for the same processor"),
                            (("--url", URL, "--identifier", "wperf", arm), "no identifier of winget"),
                            (("--url", URL, nothing), "nothing.msi is not an installer of Windows"),
                            (("--url", URL, self.folder / "absent.msi"), "No such file")):
            done = self.run_tool(*words)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
