#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf diff` of real programs: Windows programs for Arm on the simulated machine, ELF files on Linux. Growth has the
right sign; renamed, inlined, copied and folded functions are matched."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import WperfTest

CLANG = shutil.which("clang-19") or shutil.which("clang")
WINDOWS_LINKER = shutil.which("lld-link-19") or shutil.which("lld-link")

# Similar functions that the compiler cannot merge. HOT and its code differ from build to build.
SOURCE = """
#define APART __attribute__((noinline))
volatile unsigned seen;
unsigned table[64];
APART void note(unsigned n) { seen = n; }
#ifdef MOVED
int further[3000] = {1};
APART unsigned spare(unsigned n) { return n * 3 + (unsigned)further[n & 1023]; }
#endif
#ifndef HOT
#define HOT checksum
#endif
#ifndef SYMBOL
#define SYMBOL
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef PLACED
#define PLACED APART
#endif
PLACED unsigned HOT(unsigned rounds) SYMBOL;
PLACED unsigned HOT(unsigned rounds) {
  unsigned sum = 1;
  for (unsigned i = 0; i < rounds; ++i) {
    sum = sum * 31 + table[(sum >> 3) & 63];
    if ((sum & 0xfff) == 7) note(sum);
  }
  return sum;
}
APART unsigned steady(unsigned rounds) {
  unsigned sum = 1;
  for (unsigned i = 0; i < rounds; ++i) sum = (sum ^ (sum << 5)) + table[i & 63];
  return sum;
}
#ifdef TWINS
APART unsigned TWIN_A(unsigned n) { unsigned sum = 9; while (n--) sum = sum * 7 + (table[sum & 31] ^ n); return sum; }
APART unsigned TWIN_B(unsigned n) { unsigned sum = 9; while (n--) sum = sum * 7 + (table[sum & 31] ^ n); return sum; }
#endif
APART unsigned render(unsigned rounds) { return HOT(rounds) + 1; }
int ENTRY(void) {
#ifdef MOVED
  note(spare(4));
#endif
  // In turn: what comes in one burst is less sure.
  for (int turn = 0; turn < 60; ++turn) {
    note(render(WORK * ROUNDS));
    note(steady(WORK));
#ifdef TWINS
    note(TWIN_A(WORK));
    note(TWIN_B(WORK));
#endif
  }
  return 0;
}
"""
TWINS = ("-DTWINS", "-DTWIN_A=alpha", "-DTWIN_B=beta")
# The order is reversed, because a linker keeps the first of two equal functions.
TWINS_TURNED = ("-DTWINS", "-DTWIN_A=beta", "-DTWIN_B=alpha")


class Builds(WperfTest):
    """One system: build(name, *defines, linked=()) makes a program, record(program) a recording."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "fixture.c").write_text(SOURCE, encoding="ascii")

    def recorded(self, name, *defines, linked=()):
        return self.record(self.build(name, *defines, linked=linked), self.folder / f"{name}.data")

    def compared(self, before, after):
        diff = self.json("diff", before, after, "--per", "run", "--json")["diff"]
        [event] = diff["events"]
        return {row["function"]: row for row in event["functions"]}, diff

    def check_unchanged(self, row):
        """Checks that the function did not change, within the noise of the machine. On a real machine, the speed of
        equal code depends on its address."""
        self.assertLess(abs(row["percent"]), self.noise_percent, row)
        if self.noise_percent < 15:
            self.assertFalse(row["sure"], row)

    def check_sign(self):
        small, large = self.recorded("small"), self.recorded("large", "-DROUNDS=3")
        rows, _ = self.compared(small, large)
        self.assertTrue(rows["checksum"]["change"].startswith("grew by "), rows["checksum"])
        self.assertTrue(rows["checksum"]["sure"])
        self.assertAlmostEqual(rows["checksum"]["percent"], 200, delta=max(40, 2 * self.noise_percent))
        self.assertGreater(rows["checksum"]["after"], rows["checksum"]["before"])
        self.check_unchanged(rows["steady"])
        back, _ = self.compared(large, small)
        self.assertTrue(back["checksum"]["change"].startswith("shrank by "), back["checksum"])
        self.assertLess(back["checksum"]["after"], back["checksum"]["before"])

    def check_annotation(self):
        small, large = self.recorded("small"), self.recorded("large", "-DROUNDS=3")
        line = SOURCE.splitlines().index("PLACED unsigned HOT(unsigned rounds) {") + 1
        done = self.run_wperf("diff", small, large, "--per", "run", "--github", "--fail-if", "function:checksum>5%",
                              "--fail-if", "function:checksum>900%")
        self.assertEqual(done.returncode, 5)
        [said] = [one for one in done.stdout.splitlines() if one.startswith("::")]
        self.assertRegex(said, f"^::error file=[^,]*fixture.c,line={line},title=wperf%3A function%3Achecksum>5%25::checksum")

    def check_rename(self):
        rows, diff = self.compared(self.recorded("one"), self.recorded("two", "-DHOT=digest", "-DMOVED"))
        self.assertNotIn("checksum", rows)
        self.assertEqual((rows["digest"]["was"], rows["digest"]["note"]), ("checksum", "was checksum"))
        self.check_unchanged(rows["digest"])
        self.assertEqual([note for note in diff["notes"] if "renamed" in note], [])

    def check_stripped(self, small, large):
        """Functions without names, at other addresses in the second build, are found by their code."""
        rows, diff = self.compared(small, large)
        of_program = [row for row in rows.values() if row["module"].startswith("prog")]
        self.assertEqual([row for row in of_program if row["change"] in ("is new", "is gone")], [], diff["notes"])
        [grown] = [row for row in of_program if row["percent"] > 100]
        self.assertTrue(grown["sure"], grown)
        self.assertRegex(grown["function"], r"^(code|function) at 0x[0-9a-f]+$|^prog\+0x[0-9a-f]+$")
        self.assertRegex(grown["note"], "^was .*0x[0-9a-f]+$")

    def check_inline(self):
        apart = self.recorded("apart")
        inlined = self.recorded("inlined", "-DPLACED=static inline __attribute__((always_inline))")
        rows, _ = self.compared(apart, inlined)
        self.check_unchanged(rows["checksum"])
        self.assertEqual(rows["checksum"]["note"], "moved into render, which now has it inlined")
        rows, _ = self.compared(inlined, apart)
        self.assertEqual(rows["checksum"]["note"], "moved out of render, which had it inlined")

    def check_folded(self, before, after):
        rows, _ = self.compared(before, after)
        [row] = [row for name, row in rows.items() if name in ("alpha", "beta")]
        self.check_unchanged(row)
        self.assertRegex(row.get("note", ""), "^same code as (alpha|beta)$|^$")
        return row


@unittest.skipUnless(CLANG and WINDOWS_LINKER, "needs clang and lld-link to build the programs")
class WindowsBuilds(Builds):
    noise_percent = 12

    def build(self, name, *defines, linked=()):
        folder = self.folder / name
        folder.mkdir()
        subprocess.run([CLANG, "--target=aarch64-pc-windows-msvc", "-O2", "-g", "-gcodeview", "-ffreestanding", "-fno-builtin",
                        "-fno-vectorize", "-fno-unroll-loops", "-ffunction-sections", "-DENTRY=start", "-DWORK=1000", *defines,
                        "-c", "../fixture.c", "-o", "fixture.obj"], cwd=folder, check=True)
        subprocess.run([WINDOWS_LINKER, "/nologo", "/nodefaultlib", "/machine:arm64", "/debug", "/opt:ref", "/opt:noicf", *linked,
                        "/subsystem:console", "/entry:start", "/out:prog.exe", "/pdb:prog.pdb", "fixture.obj"], cwd=folder, check=True)
        return folder / "prog.exe"

    def record(self, program, recording):
        self.run_wperf("record", "-q", "-e", "inst_retired:499", "--jitter", "-o", recording, "--", program)
        return recording

    def test_sign(self):
        self.check_sign()

    def test_annotation(self):
        self.check_annotation()

    def test_rename(self):
        self.check_rename()

    def test_inline(self):
        self.check_inline()

    def test_folded_code(self):
        apart, folded = self.recorded("apart", *TWINS), self.recorded("folded", *TWINS, linked=["/opt:icf"])
        self.check_folded(apart, folded)
        self.check_folded(folded, apart)
        turned = self.recorded("turned", *TWINS_TURNED, linked=["/opt:icf"])
        self.assertEqual(self.check_folded(folded, turned)["note"], "same code as alpha")
        self.check_folded(turned, folded)

    def test_without_pdb(self):
        programs = [self.build("small"), self.build("large", "-DROUNDS=3", "-DMOVED")]
        for program in programs:
            program.with_suffix(".pdb").unlink()
        self.check_stripped(*(self.record(program, program.with_suffix(".data")) for program in programs))

    def test_a_build_that_is_gone_is_said(self):
        one, two = self.recorded("one"), self.recorded("two", "-DHOT=digest")
        (self.folder / "one" / "prog.exe").unlink()
        rows, diff = self.compared(one, two)
        self.assertEqual(rows["digest"]["change"], "is new")
        [note] = [note for note in diff["notes"] if "renamed" in note]
        self.assertIn("the code of its build in", note)


@unittest.skipUnless(sys.platform == "linux" and CLANG, "needs clang to build the programs")
class LinuxBuilds(Builds):
    noise_percent = 60

    def build(self, name, *defines, linked=()):
        folder = self.folder / name
        folder.mkdir()
        subprocess.run([CLANG, "-O2", "-g", "-fno-vectorize", "-fno-unroll-loops", "-ffunction-sections", "-DENTRY=main",
                        "-DWORK=200000", *defines, "../fixture.c", "-o", "prog", *linked], cwd=folder, check=True)
        return folder / "prog"

    def record(self, program, recording):
        done = self.run_wperf("record", "-q", "-e", "cpu-clock", "--freq", "9000", "-o", recording, "--", program, device="linux")
        if done.returncode != 0:
            self.skipTest("this user is not allowed to record here: " + done.stderr)
        return recording

    def test_sign(self):
        self.check_sign()

    def test_annotation(self):
        self.check_annotation()

    def test_rename(self):
        self.check_rename()

    def test_inline(self):
        self.check_inline()

    def test_stripped(self):
        stripped = {"linked": ["-Wl,-s", "-Wl,--build-id"]}
        self.check_stripped(self.recorded("small", **stripped), self.recorded("large", "-DROUNDS=3", "-DMOVED", **stripped))

    def test_copies_of_compilers(self):
        plain = self.recorded("plain")
        for suffix in (".isra.0", ".part.3", ".constprop.1", ".cold", ".llvm.8812345"):
            with self.subTest(suffix):
                made = self.recorded("made" + suffix, f'-DSYMBOL=__asm__("checksum{suffix}")')
                names = subprocess.run(["nm", self.folder / ("made" + suffix) / "prog"], check=True, capture_output=True, text=True)
                self.assertIn("checksum" + suffix, names.stdout)
                rows, _ = self.compared(plain, made)
                self.check_unchanged(rows["checksum"])
                self.assertNotIn("was", rows["checksum"])

    @unittest.skipUnless(shutil.which("ld.lld-19") or shutil.which("ld.lld"), "lld folds")
    def test_folded_code(self):
        linker = shutil.which("ld.lld-19") or shutil.which("ld.lld")
        folding = [f"--ld-path={linker}", "-Wl,--icf=all"]
        apart, folded = self.recorded("apart", *TWINS), self.recorded("folded", *TWINS, linked=folding)
        self.check_folded(apart, folded)
        self.check_folded(folded, apart)


del Builds

if __name__ == "__main__":
    unittest.main()
