# SPDX-License-Identifier: BSD-3-Clause
"""tools/make_linux_packages.py packs this build; the packages are then unpacked and used, without installing them."""
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))
from support import BINARY, SOURCE, TIMEOUT, WperfTest  # noqa: E402

BUILD = pathlib.Path(BINARY).parents[1]
VERSION = re.search(r"^project\(wperf VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
MAJOR = VERSION.split(".")[0]
ARCHITECTURE = "amd64"
PACKAGES = {"wperf": "wperf", "wperf-sim": "wperf-sim", "libwperf": f"libwperf{MAJOR}", "libwperf-dev": "libwperf-dev"}
DATE = 1_700_000_000


def cached(name):
    found = re.search(f"^{name}:[A-Z]+=(.*)$", (BUILD / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else ""


def run(*words, **variables):
    done = subprocess.run([str(word) for word in words], env=os.environ | variables, text=True, encoding="utf-8",
                          capture_output=True, timeout=TIMEOUT)
    if done.returncode != 0:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def field(package, name):
    return run("dpkg-deb", "-f", package, name).strip()


@unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "dpkg-dev is not installed")
@unittest.skipIf(cached("WPERF_SANITIZE"), "sanitized builds are not packed")
class LinuxPackagesTest(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run("cmake", "--install", BUILD, "--prefix", cls.folder / "archive", "--strip")
        for component in PACKAGES:
            run("cmake", "--install", BUILD, "--prefix", cls.folder / "components" / component / "usr", "--strip",
                "--component", component)
        cls.pack("first")

    @classmethod
    def pack(cls, output, **variables):
        return run(sys.executable, "-B", SOURCE / "tools/make_linux_packages.py", "--version", VERSION, "--architecture",
                   ARCHITECTURE, "--archive", cls.folder / "archive", "--components", cls.folder / "components", "--output",
                   cls.folder / output, "--level", "1", SOURCE_DATE_EPOCH=str(DATE), **variables)

    def package(self, component):
        return self.folder / "first" / f"{PACKAGES[component]}_{VERSION}_{ARCHITECTURE}.deb"

    def names(self, component):
        listing = run("dpkg-deb", "-c", self.package(component)).splitlines()
        return {line.split(" ./", 1)[1].split(" -> ")[0] for line in listing}

    def unpacked(self, *components):
        root = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for component in components:
            run("dpkg-deb", "-x", self.package(component), root)
        return root

    def test_two_builds_are_the_same(self):
        for path in (self.folder / "components").rglob("*"):
            os.utime(path, (1, 1), follow_symlinks=False)
        os.utime(self.folder / "archive/bin/wperf", (1, 1))
        before = os.umask(0o077)
        try:
            self.pack("second", TZ="Pacific/Auckland", LC_ALL="C")
        finally:
            os.umask(before)
        first, second = ({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (self.folder / name).iterdir()}
                         for name in ("first", "second"))
        self.assertEqual(len(first), 5)
        self.assertEqual(first, second)

    def test_each_file_is_where_debian_wants_it(self):
        doc = "usr/share/doc/"
        wanted = {"wperf": {"usr/bin/wperf", "usr/lib/wperf/wperf-selftest", "usr/share/man/man1/wperf.1.gz",
                            "usr/share/bash-completion/completions/wperf", "usr/share/fish/vendor_completions.d/wperf.fish",
                            doc + "wperf/user/installing-on-linux.md"},
                  "wperf-sim": {"usr/lib/wperf/libwperf-sim.so"},
                  "libwperf": {f"usr/lib/libwperf.so.{MAJOR}", f"usr/lib/libwperf.so.{VERSION}"},
                  "libwperf-dev": {"usr/lib/libwperf.so", "usr/include/wperf/wperf.h", "usr/include/wperf/wperf-lib.h",
                                   "usr/lib/cmake/wperf/wperfConfig.cmake", "usr/lib/pkgconfig/libwperf.pc"}}
        everything = []
        for component, package in PACKAGES.items():
            names = self.names(component)
            files = wanted[component] | {f"{doc}{package}/copyright", f"{doc}{package}/changelog.gz"}
            self.assertEqual(files - names, set(), component)
            everything += [name for name in names if name and not name.endswith("/")]
        self.assertEqual(len(everything), len(set(everything)), "no file is in two packages")

    def test_owners_rights_and_dates(self):
        for component in PACKAGES:
            for line in run("dpkg-deb", "-c", self.package(component), TZ="UTC").splitlines():
                rights, owner, _, date, _, name = line.split(maxsplit=5)
                self.assertEqual((owner, date), ("root/root", "2023-11-14"), line)
                self.assertIn(rights, ("drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x", "lrwxrwxrwx"), line)
                self.assertNotIn(os.environ.get("HOME", "/root")[1:] + "/", name)

    def test_sums_are_those_of_the_files(self):
        root = self.unpacked("wperf")
        sums = run("dpkg-deb", "-I", self.package("wperf"), "md5sums").splitlines()
        self.assertEqual({line.split("  ", 1)[1]: line.split("  ", 1)[0] for line in sums},
                         {str(path.relative_to(root)): hashlib.md5(path.read_bytes()).hexdigest()
                          for path in root.rglob("*") if path.is_file()})

    def test_what_the_packages_depend_on(self):
        for component in ("wperf", "wperf-sim", "libwperf"):
            self.assertRegex(field(self.package(component), "Depends"), r"^libc6 \(>= 2\.\d+\)", component)
        self.assertIn("libunicorn2", field(self.package("wperf-sim"), "Depends"))
        self.assertEqual(field(self.package("libwperf-dev"), "Depends"), f"libwperf{MAJOR} (= {VERSION})")
        self.assertEqual(field(self.package("wperf"), "Suggests"), f"wperf-sim (= {VERSION})")
        for component in ("wperf", "libwperf"):
            recommended = field(self.package(component), "Recommends")
            for word in ("libcapstone", "libcurl4", "libzstd1", "liblzma5", "zlib1g"):
                self.assertIn(word, recommended, component)
        self.assertEqual(run("dpkg-deb", "-I", self.package("libwperf"), "shlibs"),
                         f"libwperf {MAJOR} libwperf{MAJOR} (>= {VERSION})\n")

    def test_the_texts(self):
        root = self.unpacked(*PACKAGES)
        for package in PACKAGES.values():
            documents = root / "usr/share/doc" / package
            changes = gzip.decompress((documents / "changelog.gz").read_bytes()).decode()
            self.assertTrue(changes.startswith(f"wperf ({VERSION}) "), changes)
            self.assertIn("Tue, 14 Nov 2023 22:13:20", changes)
            self.assertEqual(run("dpkg-parsechangelog", "-l", self.written(changes), "-S", "Version").strip(), VERSION)
        self.assertIn("Parts of zlib", (root / "usr/share/doc/wperf/copyright").read_text(encoding="utf-8"))
        self.assertNotIn("Parts of", (root / "usr/share/doc/libwperf-dev/copyright").read_text(encoding="utf-8"))

    def written(self, text):
        path = self.folder / "changelog"
        path.write_text(text, encoding="utf-8")
        return path

    def test_the_unpacked_tool_works(self):
        root = self.unpacked("wperf", "wperf-sim")
        self.assertRegex(run(root / "usr/bin/wperf", "--version", "--device", "linux"), rf"wperf +{re.escape(VERSION)} ")
        text = run(root / "usr/bin/wperf", "stat", "--device", "sim:pace=free,seed=1", "-e", "inst_spec", "-c", "1", "--timeout",
                   "0.1", WPERF_SIM_INSTANCE=self.environment["WPERF_SIM_INSTANCE"])
        self.assertIn("inst_spec", text)

    def test_the_tool_alone_names_the_missing_package(self):
        root = self.unpacked("wperf")
        done = subprocess.run([root / "usr/bin/wperf", "stat", "--device", "sim", "-e", "inst_spec", "--timeout", "0.1"],
                              text=True, capture_output=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 3)
        self.assertIn("hint: install the package wperf-sim", done.stderr)

    def test_the_archive_works_where_it_is_unpacked(self):
        top = f"wperf-{VERSION}-linux-{ARCHITECTURE}"
        with tarfile.open(self.folder / "first" / f"{top}.tar.gz") as archive:
            members = archive.getmembers()
        (self.folder / "here").mkdir()
        run("tar", "-xzf", self.folder / "first" / f"{top}.tar.gz", "-C", self.folder / "here")
        self.assertEqual({(one.uid, one.gid, one.uname, one.mtime) for one in members}, {(0, 0, "root", DATE)})
        self.assertEqual({one.name.split("/")[0] for one in members}, {top})
        files = self.folder / "here" / top
        self.assertRegex(run(files / "bin/wperf", "--version", "--device", "linux"), rf"wperf +{re.escape(VERSION)} ")
        self.assertTrue((files / f"lib/libwperf.so.{MAJOR}").is_symlink())
        self.assertIn(f"wperf {VERSION} for Linux", (files / "README.txt").read_text(encoding="utf-8"))
        self.assertIn("zlib1g-dev.txt", {path.name for path in (files / "licenses").iterdir()})


if __name__ == "__main__":
    unittest.main()
