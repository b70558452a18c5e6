#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of stable_image.py: two DLLs that were linked at different times become identical."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("stable_image.py")


def find(tool):
    return shutil.which(tool + "-19") or shutil.which(tool)


@unittest.skipUnless(find("clang") and find("lld-link") and find("llvm-readobj") and find("llvm-pdbutil"), "needs clang, lld and llvm to build the DLL")
class StableImage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def link(self, seconds, value=1, more=()):
        (self.folder / "a.c").write_text(f"__declspec(dllexport) int f(void) {{ return {value}; }}\n", encoding="utf-8")
        subprocess.run([find("clang"), "--target=aarch64-pc-windows-msvc", "-c", "a.c", "-o", "a.obj"], cwd=self.folder,
                       check=True)
        subprocess.run([find("lld-link"), "/dll", "/noentry", "/nodefaultlib", f"/timestamp:{seconds}", *more, "/out:a.dll",
                        "a.obj"], cwd=self.folder, check=True)
        return (self.folder / "a.dll").read_bytes()

    def stable(self):
        done = subprocess.run([sys.executable, "-B", SCRIPT, self.folder / "a.dll"], text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (self.folder / "a.dll").read_bytes()

    def test_the_time_of_day_leaves_no_trace(self):
        for more in ([], ["/build-id"], ["/release"]):
            first, made_first = self.link(1_700_000_000, more=more), self.stable()
            second, made_second = self.link(1_800_000_000, more=more), self.stable()
            self.assertNotEqual(first, second)
            self.assertEqual(made_first, made_second)

    def test_other_content_has_another_stamp(self):
        self.link(1_700_000_000)
        first = self.stable()
        self.link(1_700_000_000, value=2)
        second = self.stable()
        header = int.from_bytes(first[0x3C:0x40], "little")
        self.assertNotEqual(first[header + 8:header + 12], second[header + 8:header + 12])

    def test_doing_it_again_changes_nothing(self):
        self.link(1_700_000_000, more=["/release"])
        once = self.stable()
        self.assertEqual(self.stable(), once)

    def test_the_folder_of_the_build_leaves_no_trace(self):
        made = []
        for name in ("one", "another"):
            self.link(1_700_000_000, more=["/debug", "/pdbaltpath:a.pdb", f"/pdbsourcepath:c:\\{name}"])
            made.append(self.stable())
            # The .pdb still belongs to the image.
            told = [subprocess.run([find(tool), *words], cwd=self.folder, text=True, capture_output=True, check=True).stdout
                    for tool, *words in (("llvm-readobj", "--coff-debug-directory", "a.dll"),
                                         ("llvm-pdbutil", "dump", "--summary", "a.pdb"))]
            image, symbols = (re.search(pattern, text)[1] for pattern, text in
                              zip((r"PDBGUID: (\{.*\})", r"GUID: (\{.*\})"), told))
            self.assertEqual(image, symbols)
        self.assertEqual(*made)

    def test_a_checksum_fits_again(self):
        """Microsoft's checksum, computed in another way: 32-bit words are added with carries, then folded."""
        self.link(1_700_000_000, more=["/release"])
        image = bytearray(self.stable())
        header = int.from_bytes(image[0x3C:0x40], "little")
        told = int.from_bytes(image[header + 88:header + 92], "little")
        image[header + 88:header + 92] = bytes(4)
        total = sum(int.from_bytes(image[at:at + 4], "little") for at in range(0, len(image), 4))
        while total > 0xFFFF:
            total = (total & 0xFFFF) + (total >> 16)
        self.assertEqual(told, total + len(image))

    def test_what_is_no_program_is_an_error(self):
        text = self.folder / "a.txt"
        text.write_text("no program " * 20, encoding="utf-8")
        done = subprocess.run([sys.executable, "-B", SCRIPT, text], text=True, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("it is no 64-bit PE image", done.stderr)


if __name__ == "__main__":
    unittest.main()
