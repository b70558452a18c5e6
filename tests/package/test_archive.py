# SPDX-License-Identifier: BSD-3-Clause
"""The archive of scripts/package: its contents; two runs give the same archive; no file is left out silently."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(os.environ.get("WPERF_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(ROOT / "tools"))
import make_package  # noqa: E402

TOP = "wperf-3.8.0-windows-arm64/"


def fake_image(certificates=0, machine=0xAA64):
    """The smallest PE header that has a machine and a certificate table."""
    image = bytearray(0x200)
    image[:2] = b"MZ"
    image[0x3C] = 0x80
    image[0x80:0x84] = b"PE\0\0"
    image[0x98:0x9A] = (0x20B).to_bytes(2, "little")
    image[0x84:0x86] = machine.to_bytes(2, "little")
    at = 0x80 + 24 + 112 + 4 * 8 + 4
    image[at:at + 4] = certificates.to_bytes(4, "little")
    return bytes(make_package.stable_image.stable(image))


class ArchiveTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("tool", "library", "driver", "zig", "capstone", "zlib"):
            (self.folder / name).mkdir()
        for name in ("tool/wperf.exe", "tool/wperf-devgen.exe", "tool/wperf-selftest.exe", "driver/wperf-driver.sys", "library/wperf.dll"):
            (self.folder / name).write_bytes(fake_image())
        for name in ("driver/wperf-driver.pdb", "tool/wperf-selftest.pdb"):
            (self.folder / name).write_bytes(b"pdb\n")
        for name in ("wperf.lib", "wperf-lib.lib"):
            (self.folder / "library" / name).write_bytes(b"!<arch>\n")
        for place in make_package.ZIG_LICENSES.values():
            (self.folder / "zig" / place).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / "zig" / place).write_text("a licence\n")
        for place in make_package.CAPSTONE_LICENSES.values():
            (self.folder / "capstone" / place).write_text("a licence\n")
        (self.folder / "zlib" / "LICENSE").write_text("a licence\n")
        if not pathlib.Path(make_package.FMT_LICENSE).is_file():
            self.skipTest(f"{make_package.FMT_LICENSE} is not installed")

    def pack(self, name="wperf-3.8.0-windows-arm64.zip", architecture="arm64", without=()):
        words = [f"--{key}={self.folder / key}" for key in ("tool", "library", "driver", "zig", "capstone", "zlib")
                 if key not in without]
        return subprocess.run([sys.executable, "-B", ROOT / "tools/make_package.py", "--version=3.8.0",
                               f"--architecture={architecture}", *words, f"--output={self.folder / 'out' / name}"],
                              capture_output=True, text=True, check=False, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})

    def read(self, name):
        with zipfile.ZipFile(self.folder / "out/wperf-3.8.0-windows-arm64.zip") as archive:
            return archive.read(TOP + name)

    def names(self):
        with zipfile.ZipFile(self.folder / "out/wperf-3.8.0-windows-arm64.zip") as archive:
            return {name.removeprefix(TOP) for name in archive.namelist()}

    def test_content(self):
        result = self.pack()
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ("wperf.exe", "wperf-devgen.exe", "wperf-selftest.exe", "wperf-selftest.pdb", "wperf-driver.sys", "wperf-driver.pdb", "wperf-driver.inf",
                     "wperf-driver.man", "wperf-app.man", "wperf.wprp", "README.txt", "LICENSE.txt", "licenses/fmt.txt",
                     "licenses/capstone.txt", "licenses/mingw-w64.txt", "docs/man/wperf.1", "docs/user/devgen.md",
                     "docs/user/installing-on-windows.md", "completions/wperf.ps1", "libwperf/bin/wperf.dll",
                     "libwperf/lib/wperf.lib", "libwperf/lib/wperf-lib.lib", "libwperf/include/wperf/wperf.h",
                     "libwperf/include/wperf/wperf-lib.h"):
            self.assertIn(name, self.names())
        self.assertEqual(self.read("wperf.exe"), fake_image())
        self.assertEqual(self.read("wperf-driver.pdb"), b"pdb\n")
        self.assertIn(b"wperf 3.8.0 for Windows on Arm\r\n", self.read("README.txt"))
        self.assertIn(b"(not signed yet)", self.read("README.txt"))
        self.assertIn(b"wperf-devgen install", self.read("README.txt"))
        self.assertNotIn(b"@", self.read("README.txt"))
        self.assertIn(b"DriverVer   = 11/14/2023,3.8.0.0\r\n", self.read("wperf-driver.inf"))

    def test_same_archive_twice(self):
        self.assertEqual(self.pack().returncode, 0)
        first = (self.folder / "out/wperf-3.8.0-windows-arm64.zip").read_bytes()
        os.utime(self.folder / "tool/wperf.exe", (1, 1))
        self.assertEqual(self.pack().returncode, 0)
        self.assertEqual(first, (self.folder / "out/wperf-3.8.0-windows-arm64.zip").read_bytes())

    def test_signed_driver(self):
        (self.folder / "driver/wperf-driver.sys").write_bytes(fake_image(512))
        (self.folder / "driver/wperf-driver.cat").write_bytes(b"0")
        self.assertEqual(self.pack().returncode, 0)
        self.assertNotIn(b"not signed", self.read("README.txt"))
        self.assertIn("wperf-driver.cat", self.names())

    def test_programs_with_the_time_of_day_are_refused(self):
        for name in ("tool/wperf.exe", "tool/wperf-devgen.exe", "library/wperf.dll"):
            image = bytearray(fake_image())
            image[0x88:0x8C] = (1_700_000_000).to_bytes(4, "little")
            (self.folder / name).write_bytes(image)
            result = self.pack()
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"{name} carries the time when it was linked", result.stderr)
            (self.folder / name).write_bytes(fake_image())

    def test_programs_of_another_machine_are_refused(self):
        (self.folder / "tool/wperf.exe").write_bytes(fake_image(machine=0x8664))
        result = self.pack()
        self.assertEqual(result.returncode, 1)
        self.assertIn("wperf.exe is for another machine (0x8664): one for arm64 is missing", result.stderr)

    def test_without_a_driver(self):
        for name in ("tool/wperf.exe", "tool/wperf-selftest.exe", "library/wperf.dll"):
            (self.folder / name).write_bytes(fake_image(machine=0x8664))
        result = self.pack("wperf-3.8.0-windows-x64.zip", "x64", without=("driver",))
        self.assertEqual(result.returncode, 0, result.stderr)
        with zipfile.ZipFile(self.folder / "out/wperf-3.8.0-windows-x64.zip") as archive:
            names = {name.partition("/")[2] for name in archive.namelist()}
            text = archive.read("wperf-3.8.0-windows-x64/README.txt")
        self.assertLess({"wperf.exe", "wperf-selftest.exe", "libwperf/bin/wperf.dll", "wperf-app.man", "docs/user/README.md"}, names)
        self.assertEqual([name for name in names if name.startswith(("wperf-driver", "wperf-devgen"))], [])
        self.assertIn(b"wperf 3.8.0 for Windows on x64\r\n", text)
        for word in (b"@", b"wperf-devgen", b"driver's", b"signed"):
            self.assertNotIn(word, text)

    def test_what_is_missing_is_named(self):
        for name in ("tool/wperf-devgen.exe", "library/wperf.lib", "driver/wperf-driver.pdb", "zig/LICENSE"):
            kept = (self.folder / name).read_bytes()
            (self.folder / name).unlink()
            result = self.pack("other.zip")
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"{name} is missing", result.stderr)
            self.assertFalse((self.folder / "out/other.zip").exists())
            (self.folder / name).write_bytes(kept)


if __name__ == "__main__":
    unittest.main()
