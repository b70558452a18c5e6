#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks docs/user/sim-programs.md by building and profiling its program with its commands."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import support

PAGE = support.SOURCE / "docs" / "user" / "sim-programs.md"
TOOLS = ("clang", "lld-link", "llvm-dlltool")
VERSIONS = ("", *(f"-{version}" for version in range(30, 13, -1)))  # suffixes of their names


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def tool(name):
    """The path of the program with this name, or with a version suffix as in distributions."""
    return next(filter(None, (shutil.which(name + version) for version in VERSIONS)), None)


class BuiltByThePage(support.WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        missing = [name for name in TOOLS if tool(name) is None]
        if missing:
            raise unittest.SkipTest(f"not on this machine: {', '.join(missing)}")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        names = cls.folder / "names"
        names.mkdir()
        for name in TOOLS:
            (names / name).symlink_to(tool(name))
        (names / "wperf").symlink_to(support.BINARY)
        cls.environment["PATH"] = f"{names}:{os.environ['PATH']}"
        cls.build, cls.build_with_zig, cls.profile = blocks("sh")
        (cls.folder / "primes.c").write_text(blocks("c")[0])
        cls.shell(cls.build)

    @classmethod
    def shell(cls, commands):
        """The outputs of all commands, in one text."""
        done = subprocess.run(["sh", "-e", "-c", commands], cwd=cls.folder, env=cls.environment, capture_output=True, text=True,
                              timeout=support.TIMEOUT, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{commands}\nended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def test_its_commands_profile_it(self):
        printed = self.shell(self.profile)
        self.assertRegex(printed, r"inst_spec +0x1b +g0,imix")
        self.assertRegex(printed, r"\d+ +cross_out\b")
        self.assertIn("primes.c", printed)

    def test_its_hottest_function_is_the_one_that_works(self):
        document = self.json("record", "-q", "-e", "inst_spec:10000", "-c", "1", "--json", "--", self.folder / "primes.exe")
        self.assertEqual(document["sampling"]["events"][0]["samples"][0]["symbol"], "cross_out")

    def test_zig_builds_it_too(self):
        packed = support.SOURCE / "build" / "tools" / "zig-0.11.0" / "package" / "zig"  # from scripts/build
        zig = tool("zig") or (str(packed) if packed.exists() else None)
        if zig is None:
            self.skipTest("zig is not installed")
        other = self.folder / "zig"
        other.mkdir()
        shutil.copy(self.folder / "primes.c", other)
        (self.folder / "names" / "zig").symlink_to(zig)
        self.shell(f"cd zig\n{self.build_with_zig}")
        self.assertRegex(self.shell(f"cd zig\n{self.profile}"), r"\d+ +cross_out\b")

    def test_dwarf_in_the_program_serves_without_a_pdb(self):
        other = self.folder / "dwarf"
        other.mkdir()
        shutil.copy(self.folder / "primes.c", other)
        build = self.build.replace("pc-windows-msvc", "w64-windows-gnu").replace("-gcodeview", "-gdwarf-4")
        self.shell(f"cd dwarf\n{build.replace('/debug ', '/debug:dwarf /lldmingw ')}")
        self.assertEqual(list(other.glob("*.pdb")), [])
        printed = self.shell(f"cd dwarf\n{self.profile}")
        self.assertRegex(printed, r"\d+ +cross_out\b")
        self.assertRegex(printed, r"\n +6 +[\d,]+ +\S*primes\.c")
        self.assertNotIn("PDB", printed)

    def test_what_is_missing_is_named(self):
        source = (self.folder / "primes.c").read_text()
        other = self.folder / "other"
        other.mkdir()
        (other / "primes.c").write_text(source.replace("puts", "no_such_function"))
        self.shell(f"cd other\n{self.build.replace('puts', 'no_such_function')}")
        self.assertIn("no_such_function", self.fails("stat", "-e", "inst_spec", "-c", "1", "--", other / "primes.exe"))


if __name__ == "__main__":
    unittest.main()
