# SPDX-License-Identifier: BSD-3-Clause
"""`cmake --install` into a prefix that is then moved elsewhere: the tool works in its new place, and other projects
build against the library."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))
from support import BINARY, TIMEOUT, WperfTest, workload  # noqa: E402

BUILD = pathlib.Path(BINARY).parents[1]
CONSUMER = pathlib.Path(__file__).parent / "consumer"
VERSION = re.search(r"^project\(wperf VERSION ([\d.]+)", (CONSUMER.parents[2] / "CMakeLists.txt").read_text(encoding="utf-8"),
                    re.MULTILINE)[1]
MAJOR = VERSION.split(".")[0]


def is_sanitized():
    return re.search("^WPERF_SANITIZE:STRING=.+", (BUILD / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)


@unittest.skipIf(is_sanitized(), "programs of others are built without sanitizers")
class InstallTest(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        first = pathlib.Path(folder.name) / "first"
        cls.run_now("cmake", "--install", BUILD, "--prefix", first)
        cls.prefix = first.rename(pathlib.Path(folder.name) / "moved here")
        library = next(cls.prefix.glob("lib*/**/libwperf.so"))
        cls.libraries = library.parent
        cls.folder = pathlib.Path(folder.name)

    @classmethod
    def run_now(cls, *words, status=0, **variables):
        done = subprocess.run([str(word) for word in words], env=cls.environment | variables, text=True, encoding="utf-8",
                              capture_output=True, timeout=TIMEOUT)
        if done.returncode != status:
            raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def run_program(self, program, *arguments):
        return self.run_now(program, *arguments, LD_LIBRARY_PATH=str(self.libraries))

    def check_programs(self, folder):
        """exact.exe makes two million loads, by construction."""
        self.assertEqual(self.run_program(folder / "count", workload("exact.exe")), "2000000 ld_spec\n")
        self.assertRegex(self.run_program(folder / "cores"), r"^[1-9]\d* cores\n$")

    def build(self, name, flags):
        folder = self.folder / name
        folder.mkdir()
        self.run_now("cc", "-Wall", "-Werror", CONSUMER / "count.c", "-o", folder / "count", *flags)
        self.run_now("c++", "-Wall", "-Werror", CONSUMER / "cores.cpp", "-o", folder / "cores", *flags)
        self.check_programs(folder)

    def test_files(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir()}
        library = self.libraries.relative_to(self.prefix)
        self.assertLessEqual({"bin/wperf", "lib/wperf/wperf-selftest", "lib/wperf/libwperf-sim.so",
                              f"{library}/libwperf.so", f"{library}/libwperf.so.{MAJOR}", f"{library}/libwperf.so.{VERSION}",
                              f"{library}/pkgconfig/libwperf.pc", f"{library}/cmake/wperf/wperfConfig.cmake",
                              "include/wperf/wperf.h", "include/wperf/wperf-lib.h", "include/wperf/section.h", "share/man/man1/wperf.1",
                              "share/bash-completion/completions/wperf", "share/zsh/site-functions/_wperf",
                              "share/fish/vendor_completions.d/wperf.fish", "share/doc/wperf/user/README.md",
                              "share/doc/wperf/LICENSE"}, files)
        self.assertEqual([name for name in files if name.endswith((".a", ".o", "_test"))], [])

    def test_the_library_has_its_version_in_its_name(self):
        dynamic = self.run_now("readelf", "-d", self.libraries / "libwperf.so")
        self.assertIn(f"soname: [libwperf.so.{MAJOR}]", dynamic)
        self.assertNotIn("RUNPATH", dynamic)
        symbols = self.run_now("nm", "-D", "--defined-only", "--with-symbol-versions", self.libraries / "libwperf.so")
        self.assertIn(f" T wperf_stat@@WPERF_{MAJOR}\n", symbols)

    def test_the_tool_finds_its_parts(self):
        tool = self.prefix / "bin/wperf"
        self.assertRegex(self.run_now(tool, "--version", "--device", "linux"), rf"wperf +{re.escape(VERSION)} ")
        self.assertIn("inst_spec", self.run_now(tool, "stat", "-e", "inst_spec", "-c", "1", "--timeout", "0.1"))
        self.assertIn("opened", self.selftest("linux"))

    def test_the_simulated_machine_finds_its_parts(self):
        windows = self.prefix / "lib/wperf/windows"
        self.assertIn(f"there is no folder {windows} with them", self.selftest("sim:pace=free,seed=1"))
        fetched = CONSUMER.parents[2] / "build/tools/windows"
        if not fetched.is_dir():
            self.skipTest("the DLLs of Windows were not fetched")
        windows.symlink_to(fetched)
        self.addCleanup(windows.unlink)
        self.assertIn(" 0 failed", self.selftest("sim:pace=free,seed=1"))

    def selftest(self, device):
        done = subprocess.run([self.prefix / "bin/wperf", "doctor", "--selftest", "--device", device], env=self.environment,
                              text=True, capture_output=True, timeout=TIMEOUT)
        self.assertNotIn("is missing", done.stdout + done.stderr)
        return done.stdout

    def test_completions_are_those_of_the_tool(self):
        offered = self.run_now("bash", "-c", ". \"$0\"; complete -p wperf",
                               self.prefix / "share/bash-completion/completions/wperf")
        self.assertIn("complete -F _wperf wperf", offered)

    def test_find_package(self):
        folder = self.folder / "found"
        self.run_now("cmake", "-S", CONSUMER, "-B", folder, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                     f"-DWANTED_VERSION={MAJOR}.0", "-DCMAKE_BUILD_TYPE=Release")
        self.run_now("cmake", "--build", folder)
        self.check_programs(folder)
        self.assertIn(f"[libwperf.so.{MAJOR}]", self.run_now("readelf", "-d", folder / "count"))

    def test_find_package_of_another_version(self):
        self.run_now("cmake", "-S", CONSUMER, "-B", self.folder / "other", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                     f"-DWANTED_VERSION={int(MAJOR) + 1}", status=1)

    def test_pkg_config(self):
        search = str(self.libraries / "pkgconfig")
        self.assertEqual(self.run_now("pkg-config", "--modversion", "libwperf", PKG_CONFIG_PATH=search).strip(), VERSION)
        flags = self.run_now("pkg-config", "--cflags", "--libs", "libwperf", PKG_CONFIG_PATH=search)
        words = subprocess.run(["sh", "-c", f"printf '%s\\n' {flags}"], check=True, text=True, capture_output=True).stdout
        self.build("configured", words.splitlines())

    def test_plain_options(self):
        self.build("plain", [f"-I{self.prefix / 'include'}", f"-L{self.libraries}", "-lwperf"])


if __name__ == "__main__":
    unittest.main()
