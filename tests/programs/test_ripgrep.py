#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program that the project did not build: ripgrep for Windows on Arm, as its authors publish it. It is written in
Rust, has several threads, and is statically linked with Microsoft's C runtime. It finds the same in a folder as
grep."""
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import SOURCE, TIMEOUT, WperfTest  # noqa: E402

RIPGREP = SOURCE / "build" / "tools" / "ripgrep" / "package" / "bin" / "rg.exe"
FOLDER = SOURCE / "sim" / "nt"


class Ripgrep(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not RIPGREP.exists():
            raise unittest.SkipTest("build/tools/ripgrep is missing (scripts/build fetches it)")

    def searched(self, *arguments, command=("stat", "-q", "-e", "inst_retired"), folder=FOLDER, options=""):
        device = f"sim:pace=free,mhz=1000,console=shown,folder={folder}{options}"
        done = self.run_wperf(*command, "--", RIPGREP, *arguments, device=device)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def lines(self, text):
        return sorted(line.replace("\\", "/").removeprefix("./") for line in text.splitlines())

    def grep(self, *arguments):
        done = subprocess.run(["grep", "-r", *arguments, "."], cwd=FOLDER, text=True, capture_output=True, timeout=TIMEOUT, check=False)
        return self.lines(done.stdout)

    def test_finds_what_grep_finds(self):
        for pattern, flags in (("kInvalidHandle", ("-n",)), (r"u64 [a-z_]+\(Call& call\) \{", ("-c",)), ("^}$", ("-l",)),
                               ("no such words anywhere", ("-n",)), ("ntcreatefile", ("-n", "-i")), ("handle", ("-n", "-w"))):
            with self.subTest(pattern=pattern, flags=flags):
                found = self.lines(self.searched("--no-heading", "--no-ignore", *flags, pattern, "."))
                expected = self.grep("-P", *flags, pattern)
                if flags == ("-c",):  # grep also lists files without a match
                    expected = [line for line in expected if not line.endswith(":0")]
                self.assertEqual(found, expected)

    def test_threads_share_the_work(self):
        """As many threads as requested, on as many cores; the results stay the same."""
        alone, together = (self.searched("--no-heading", "--sort", "none", "-j", str(threads), "-n", "kInvalidHandle", ".")
                           for threads in (1, 4))
        self.assertEqual(self.lines(alone), self.lines(together))
        cores = self.json("record", "-q", "-e", "inst_retired:20000", "--all-cores", "--sort", "core", "--json", "--", RIPGREP, "-j", "4",
                          "-c", "[a-z]+_[a-z]+ = [a-z]+", ".", device=f"sim:pace=free,mhz=1000,folder={FOLDER}")
        self.assertGreater(len(cores["recording"]["events"][0]["rows"]), 1)

    def test_one_large_file_and_what_is_piped(self):
        """ripgrep maps a named file into memory; without a file name it reads its standard input."""
        found = self.searched("-n", "-o", "Guest[A-Za-z]+", "guest_files.cpp")
        native = subprocess.run(["grep", "-n", "-o", "Guest[A-Za-z]*", "guest_files.cpp"], cwd=FOLDER, text=True, capture_output=True, check=True)
        self.assertEqual(found.splitlines(), native.stdout.splitlines())
        done = self.run_wperf("stat", "-q", "-e", "inst_retired", "--", RIPGREP, "b", device="sim:pace=free,console=shown", text="abc\nxyz\nb\n")
        self.assertEqual(done.stdout, "abc\nb\n", done.stderr)

    def test_what_it_says_of_a_wrong_pattern(self):
        device = f"sim:pace=free,console=shown,folder={FOLDER}"
        done = self.run_wperf("stat", "-q", "-e", "inst_retired", "--", RIPGREP, "(", ".", device=device)
        self.assertIn("regex parse error", done.stderr)
        self.assertIn("unclosed group", done.stderr)


if __name__ == "__main__":
    unittest.main()
