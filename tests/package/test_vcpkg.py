# SPDX-License-Identifier: BSD-3-Clause
"""vcpkg's port of the library: its portfile runs with substitutes for vcpkg's functions (vcpkg_stand_in.cmake), on a
finished build. Then a user's project is built with the package."""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("WPERF_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("WPERF_BINARY", ROOT / "build/release/bin/wperf")).parents[1]
VERSION = re.search(r"^project\(wperf VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
if re.search("^WPERF_SANITIZE:STRING=.+", (BUILD / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE):
    print("skipped: programs of others are built without sanitizers")
    sys.exit(77)


def run(*words, status=0, **variables):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=os.environ | variables, timeout=300)
    assert done.returncode == status, (words, done.stdout, done.stderr)
    return done.stdout + done.stderr


class PortTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make(self, *words, status=0):
        return run(sys.executable, "-B", ROOT / "tools/make_vcpkg_port.py", *words, "--output", self.folder / "ports", status=status)

    def run_portfile(self, status=0):
        return run("cmake", f"-DPORT_FOLDER={self.folder / 'ports/wperf'}", f"-DWORK={self.folder}", f"-DBUILD={BUILD}", "-P",
                   ROOT / "tests/package/vcpkg_stand_in.cmake", status=status)

    def test_package(self):
        self.make("--source", ROOT)
        self.run_portfile()
        package = self.folder / "packages"
        names = {path.relative_to(package).as_posix() for path in package.rglob("*") if not path.is_dir()}
        self.assertLessEqual({"include/wperf/wperf.h", "include/wperf/wperf-lib.h", "lib/libwperf.so", "lib/pkgconfig/libwperf.pc",
                              "share/wperf/wperfConfig.cmake", "share/wperf/copyright", "share/wperf/usage"}, names)
        self.assertEqual([name for name in names if name.startswith(("bin/", "lib/wperf/", "lib/cmake/"))], [])
        used = self.folder / "used"
        run("cmake", "-S", ROOT / "tests/package/consumer", "-B", used, f"-DCMAKE_PREFIX_PATH={package}", f"-DWANTED_VERSION={VERSION}")
        run("cmake", "--build", used)
        self.assertRegex(run(used / "cores", WPERF_DEVICE="linux"), r"^[1-9]\d* cores\n$")
        self.assertIn("find_package(wperf CONFIG REQUIRED)", (package / "share/wperf/usage").read_text())

    def test_a_project_without_the_options_is_noticed(self):
        self.make("--source", ROOT)
        portfile = self.folder / "ports/wperf/portfile.cmake"
        portfile.write_text(portfile.read_text().replace("-DWPERF_SIM=OFF", "-DWPERF_SIMULATOR=OFF"))
        self.assertIn("the project has no such option", self.run_portfile(status=1))

    def test_release(self):
        archive = self.folder / "v3.8.0.tar.gz"
        archive.write_bytes(b"what GitHub packs")
        self.make("--repository", "example/wperf", "--ref", "v3.8.0", "--archive", archive)
        text = (self.folder / "ports/wperf/portfile.cmake").read_text()
        self.assertIn('REPO example/wperf\n  REF "v3.8.0"\n  SHA512 ' + hashlib.sha512(archive.read_bytes()).hexdigest() + ")", text)
        self.assertNotIn("@", text)
        manifest = json.loads((self.folder / "ports/wperf/vcpkg.json").read_text())
        self.assertEqual((manifest["name"], manifest["version"]), ("wperf", VERSION))
        self.assertEqual(manifest["homepage"], "https://github.com/example/wperf")
        self.assertEqual(manifest["supports"], "linux & (x64 | arm64)")

    def test_refusals(self):
        for words, said in ((("--repository", "example/wperf"), "name --repository, --ref and --archive"),
                            (("--source", self.folder), "holds no source of wperf"),
                            (("--repository", "wperf", "--ref", "v1", "--archive", __file__), "is no repository"),
                            (("--repository", "a/b", "--ref", "v1", "--archive", self.folder / "absent"), "No such file")):
            self.assertIn(said, self.make(*words, status=1))


if __name__ == "__main__":
    unittest.main()
