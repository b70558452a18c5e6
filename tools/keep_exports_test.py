#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of keep_exports.py: a DLL with four exports, of which two are kept."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("keep_exports.py")
SOURCE = "".join(f"__declspec(dllexport) int {name}(void) {{ return {value}; }}\n"
                 for value, name in enumerate(("_first", "kept", "left", "zkept")))


def find(tool):
    return shutil.which(tool + "-19") or shutil.which(tool)


@unittest.skipUnless(find("clang") and find("lld-link") and find("llvm-readobj"), "needs clang, lld and llvm to build the DLL")
class KeepExports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.dll = self.folder / "a.dll"
        (self.folder / "a.c").write_text(SOURCE, encoding="utf-8")
        subprocess.run([find("clang"), "--target=x86_64-pc-windows-msvc", "-c", "a.c", "-o", "a.obj"],
                       cwd=self.folder, check=True)
        subprocess.run([find("lld-link"), "/dll", "/noentry", "/nodefaultlib", "/out:a.dll", "a.obj"], cwd=self.folder,
                       check=True)

    def keep(self, *names, dll=None):
        wanted = self.folder / "names.txt"
        wanted.write_text("".join(name + "\n" for name in names), encoding="utf-8")
        return subprocess.run([sys.executable, "-B", SCRIPT, dll or self.dll, wanted], text=True, capture_output=True)

    def exports(self):
        """{name: address} as another tool reads them."""
        text = subprocess.run([find("llvm-readobj"), "--coff-exports", self.dll], check=True, text=True,
                              capture_output=True).stdout
        return {name: int(rva, 16)
                for name, rva in re.findall(r"Name: ?(\w*)\n\s*RVA: (0x[0-9A-F]+)", text) if name}

    def test_only_the_wanted_ones_stay_and_lead_where_they_led(self):
        before = self.exports()
        self.assertEqual(set(before), {"_first", "kept", "left", "zkept"})
        done = self.keep("zkept", "kept")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.exports(), {name: before[name] for name in ("kept", "zkept")})

    def test_doing_it_again_changes_nothing(self):
        self.keep("kept")
        once = self.dll.read_bytes()
        self.assertEqual(self.keep("kept").returncode, 0)
        self.assertEqual(self.dll.read_bytes(), once)

    def test_a_name_that_is_not_there_is_an_error(self):
        before = self.dll.read_bytes()
        done = self.keep("kept", "nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not export nowhere", done.stderr)
        self.assertEqual(self.dll.read_bytes(), before)

    def test_other_files_are_refused(self):
        done = self.keep("kept", dll=self.folder / "a.c")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no 64-bit PE image", done.stderr)


if __name__ == "__main__":
    unittest.main()
