# SPDX-License-Identifier: BSD-3-Clause
"""The Windows installer that tools/make_msi.py makes: msitools reads back every table, every file of the archive is in the cabinet,
and two runs give the same bytes. tests/windows installs one in Wine."""
import hashlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(os.environ.get("WPERF_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(ROOT / "tools"))
import make_msi  # noqa: E402

if not (shutil.which("msibuild") and shutil.which("gcab")):
    print("skipped: msitools and gcab are not installed")
    sys.exit(77)

GUID = r"\{[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}\}"
VERSIONED = b"MZ" + bytes(62) + struct.pack("<4I", 0xFEEF04BD, 0x10000, 0x3_0008, 0x0)  # states version 3.8.0.0
FILES = {"wperf.exe": VERSIONED, "README.txt": b"read me\r\n", "docs/user/README.md": b"", "docs/user/waits.md": b"waits\r\n" * 500,
         "libwperf/bin/wperf.dll": b"MZ without a version", "wperf-driver.sys": b"MZ" + bytes(range(256))}


def make_archive(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(f"{path.stem}/{name}"), content)  # without the time of day


class InstallerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make(self, version="3.8.0", architecture="arm64", files=FILES, seconds=1700000000, zone="UTC"):
        archive = self.folder / f"wperf-{version}-windows-{architecture}.zip"
        make_archive(archive, files)
        result = self.run_tool(archive, archive.with_suffix(".msi"), SOURCE_DATE_EPOCH=str(seconds), TZ=zone)
        self.assertEqual(result.returncode, 0, result.stderr)
        return archive.with_suffix(".msi")

    def run_tool(self, archive, output, **variables):
        return subprocess.run([sys.executable, "-B", ROOT / "tools/make_msi.py", "--archive", archive, "--output", output],
                              env=os.environ | variables, capture_output=True, text=True, check=False)

    def ask(self, *words):
        return subprocess.run(["msiinfo", *words], check=True, capture_output=True, text=True).stdout

    def table(self, installer, name):
        """{key: {column: text}}; the key is the first column, or a tuple if several columns are the key."""
        lines = self.ask("export", installer, name).replace("\r\n", "\n").split("\n")
        columns, keys = lines[0].split("\t"), len(lines[2].split("\t")) - 1
        rows = [dict(zip(columns, line.split("\t"))) for line in lines[3:] if line]
        return {row[columns[0]] if keys == 1 else tuple(row[column] for column in columns[:keys]): row for row in rows}

    def places(self, installer):
        """{path below the folder of the installation: row of File}, found through components and folders."""
        folders, components = self.table(installer, "Directory"), self.table(installer, "Component")

        def path_of(key):
            if key == "INSTALLDIR":
                return ""
            return path_of(folders[key]["Directory_Parent"]) + folders[key]["DefaultDir"].partition("|")[2] + "/"

        return {path_of(components[row["Component_"]]["Directory_"]) + row["FileName"].partition("|")[2]: row
                for row in self.table(installer, "File").values()}

    def test_every_file_of_the_archive_is_in_it(self):
        installer = self.make()
        (self.folder / "wperf.cab").write_bytes(subprocess.run(["msiinfo", "extract", installer, "wperf.cab"], check=True,
                                                               capture_output=True).stdout)
        subprocess.run(["gcab", "-x", "-C", self.folder / "out", self.folder / "wperf.cab"], check=True, capture_output=True)
        places = self.places(installer)
        self.assertEqual(set(places), set(FILES))
        hashes = self.table(installer, "MsiFileHash")
        for path, content in FILES.items():
            row = places[path]
            self.assertEqual((self.folder / "out" / row["File"]).read_bytes(), content, path)
            self.assertEqual(int(row["FileSize"]), len(content))
            if path == "wperf.exe":
                self.assertEqual((row["Version"], row["Language"]), ("3.8.0.0", "1033"))
                self.assertNotIn(row["File"], hashes)
            else:
                self.assertEqual(row["Version"], "")
                parts = [int(hashes[row["File"]][f"HashPart{number}"]) for number in range(1, 5)]
                self.assertEqual(struct.pack("<4i", *parts), hashlib.md5(content).digest(), path)

    def test_cabinet_has_the_order_of_the_table(self):
        installer = self.make()
        cabinet = self.folder / "wperf.cab"
        cabinet.write_bytes(subprocess.run(["msiinfo", "extract", installer, "wperf.cab"], check=True, capture_output=True).stdout)
        listed = subprocess.run(["gcab", "-t", cabinet], check=True, capture_output=True, text=True).stdout.split()
        rows = sorted(self.table(installer, "File").values(), key=lambda row: int(row["Sequence"]))
        self.assertEqual([row["File"] for row in rows], listed)
        self.assertEqual([int(row["Sequence"]) for row in rows], list(range(1, len(FILES) + 1)))
        self.assertEqual(self.table(installer, "Media")["1"]["LastSequence"], str(len(FILES)))
        self.assertEqual(self.table(installer, "Media")["1"]["Cabinet"], "#wperf.cab")

    def test_references_and_sequences(self):
        installer = self.make()
        names = set(self.ask("tables", installer).split())
        self.assertLessEqual({"Property", "Directory", "Component", "File", "Media", "Feature", "FeatureComponents", "Environment",
                              "Upgrade", "LaunchCondition", "InstallExecuteSequence", "InstallUISequence", "MsiFileHash"}, names)
        components, files = self.table(installer, "Component"), self.table(installer, "File")
        self.assertEqual({key for _, key in self.table(installer, "FeatureComponents")}, set(components))
        for row in components.values():
            self.assertRegex(row["ComponentId"], f"^{GUID}$")
            self.assertEqual(row["Attributes"], "256")  # for 64 bits
            self.assertEqual(files[row["KeyPath"]]["Component_"], row["Component"])
        self.assertEqual(len({row["ComponentId"] for row in components.values()}), len(components))
        for row in [*files.values(), *self.table(installer, "Directory").values()]:
            short = row.get("FileName", row.get("DefaultDir", "")).partition("|")[0]
            self.assertRegex(short, r"^(?:[\w-]{1,8}(?:\.\w{1,3})?|SourceDir|\.)$")
        order = [row["Action"] for row in sorted(self.table(installer, "InstallExecuteSequence").values(),
                                                 key=lambda row: int(row["Sequence"]))]
        wanted = ["FindRelatedProducts", "AppSearch", "LaunchConditions", "CostInitialize", "CostFinalize", "InstallValidate",
                  "InstallInitialize", "RemoveExistingProducts", "RemoveEnvironmentStrings", "RemoveFiles", "InstallFiles",
                  "WriteEnvironmentStrings", "PublishProduct", "InstallFinalize"]
        self.assertEqual([action for action in order if action in wanted], wanted)

    def test_path(self):
        installer = self.make()
        (row,) = self.table(installer, "Environment").values()
        self.assertEqual((row["Name"], row["Value"]), ("=-*PATH", "[~];[INSTALLDIR]"))
        self.assertEqual(row["Component_"], self.places(installer)["wperf.exe"]["Component_"])
        folders = self.table(installer, "Directory")
        self.assertEqual(folders["INSTALLDIR"]["Directory_Parent"], "ProgramFiles64Folder")
        self.assertEqual(self.table(installer, "Property")["ALLUSERS"]["Value"], "1")

    def test_platforms(self):
        for architecture, template, version in (("arm64", "Arm64;1033", 500), ("x64", "x64;1033", 200)):
            summary = self.ask("suminfo", self.make(architecture=architecture))
            self.assertIn(f"Template: {template}\n", summary)
            self.assertIn(f"Version: {version} (", summary)
            self.assertIn("Source: 2 (2)\n", summary)  # compressed, and an administrator is needed
            self.assertRegex(summary, f"Revision number \\(UUID\\): {GUID}\n")

    def test_identities(self):
        """A product for each version, one code for upgrades of an architecture, one component for each place, one package for each
        content."""
        def codes(installer):
            rows = self.table(installer, "Property")
            package = re.search(GUID, self.ask("suminfo", installer))[0]
            component = self.table(installer, "Component")[make_msi.row_key("wperf.exe")]["ComponentId"]
            return rows["ProductCode"]["Value"], rows["UpgradeCode"]["Value"], component, package

        one = codes(self.make())
        changed = codes(self.make(files=FILES | {"README.txt": b"more"}))
        newer = codes(self.make(version="3.9.0"))
        other = codes(self.make(architecture="x64"))
        self.assertEqual([a == b for a, b in zip(one, changed)], [True, True, True, False])
        self.assertEqual([a == b for a, b in zip(one, newer)], [False, True, True, False])
        self.assertEqual([a == b for a, b in zip(one, other)], [False] * 4)

    def test_upgrades(self):
        installer = self.make(version="3.9.0")
        ours, theirs = (self.table(self.make(version="3.9.0", architecture=one), "Property")["UpgradeCode"]["Value"]
                        for one in ("arm64", "x64"))
        rows = {row["ActionProperty"]: row for row in self.table(installer, "Upgrade").values()}
        self.assertEqual([rows[name]["UpgradeCode"] for name in ("OLDER_VERSION", "NEWER_VERSION", "OTHER_ARCHITECTURE")],
                         [ours, ours, theirs])
        self.assertEqual((rows["OLDER_VERSION"]["VersionMax"], rows["OLDER_VERSION"]["Attributes"]), ("3.9.0", "0"))
        self.assertEqual((rows["NEWER_VERSION"]["VersionMin"], rows["NEWER_VERSION"]["Attributes"]), ("3.9.0", "2"))
        secure = self.table(installer, "Property")["SecureCustomProperties"]["Value"].split(";")
        searched = {name for name, _ in self.table(installer, "AppSearch")}
        self.assertEqual(set(secure), {"INSTALLDIR", *rows, *searched})
        conditions = " ".join(self.table(installer, "LaunchCondition"))
        self.assertLessEqual(set(re.findall(r"[A-Z_]{2,}", conditions)) - {"OR", "NOT"}, set(secure))

    def test_same_bytes_twice(self):
        first = self.make().read_bytes()
        self.assertEqual(self.make(zone="Asia/Tokyo").read_bytes(), first)
        self.assertNotEqual(self.make(seconds=1800000000).read_bytes(), first)

    def test_refusals(self):
        archive = self.folder / "wperf-3.8.0-windows-arm64.zip"
        for name, content, said in (("wperf.zip", b"", "is not named wperf-X.Y.Z-windows-ARCHITECTURE.zip"),
                                    (archive.name, b"no archive", "not a zip file"), (archive.name, None, "No such file")):
            path = self.folder / name
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content)
            result = self.run_tool(path, self.folder / "refused.msi")
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn(said, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1)
            self.assertFalse((self.folder / "refused.msi").exists())


if __name__ == "__main__":
    unittest.main()
