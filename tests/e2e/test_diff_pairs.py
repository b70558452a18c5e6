#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ten known changes, each of a program built before and after it: faster, slower, inlined, outlined, renamed, split,
merged, vectorised, a cost that moved, no change. `wperf bench --record`, `diff` and `--fail-if` must report each change
with the right sign and the right function. WPERF_PAIRS_TIMES=N repeats all pairs N times, on the simulated machine with
a different seed each time. It then prints how often each pair was right, and makes no allowance for the noise of the
machine."""
import dataclasses
import json
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
GCC = shutil.which("g++")
TIMES = int(os.environ.get("WPERF_PAIRS_TIMES", "1"))
ATTEMPTS = 5
RUNS = 5

# Functions of about the same cost, called in turns. A build changes one or two of them.
SOURCE = """
#define APART __attribute__((noinline))
#ifndef HOT
#define HOT checksum
#endif
#ifndef STEP
#define STEP APART
#endif
volatile unsigned seen;
unsigned table[1024];
#ifdef FURTHER
APART unsigned further(unsigned n) { return n * 3 + table[n & 511]; }
#endif
APART unsigned steady(unsigned sum, unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) sum = (sum ^ (sum << 5)) + table[i & 63];
  return sum;
}
APART unsigned HOT(unsigned sum, unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) sum = sum * 31 + table[(sum >> 3) & 63];
  return sum;
}
struct Place { unsigned low, high, further; };
STEP void step(struct Place* place) {
  place->low = (place->low ^ place->high) + 5;
  place->high += place->further >> 3;
  place->further ^= place->high;
}
APART unsigned walk(unsigned sum, unsigned rounds) {
  struct Place place = {sum, 7, 9};
  for (unsigned i = 0; i < rounds; ++i) step(&place);
  return place.low;
}
#ifdef SPLIT
APART unsigned assemble_rest(unsigned sum, unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) sum = sum * 7 + (sum >> 9);
  return sum;
}
#endif
APART unsigned assemble(unsigned sum, unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) sum = (sum ^ (sum << 7)) + i;
#ifdef SPLIT
  return assemble_rest(sum, rounds);
#else
  for (unsigned i = 0; i < rounds; ++i) sum = sum * 7 + (sum >> 9);
  return sum;
#endif
}
APART unsigned add_up(unsigned sum, unsigned rounds) {
  for (unsigned turn = 0; turn < rounds; turn += 256) {
#if defined(__clang__) && !defined(VECTORS)
#pragma clang loop vectorize(disable) interleave(disable)
#endif
    for (unsigned i = 0; i < 1024; ++i) sum += table[i] ^ turn;
  }
  return sum;
}
APART unsigned parse(unsigned sum, unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) sum = sum * 5 + table[sum & 31];
  return sum;
}
APART unsigned emit(unsigned sum, unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) sum = sum * 9 + table[sum & 31];
  return sum;
}
int ENTRY(void) {
#ifdef FURTHER
  seen = further(4);
#endif
  for (unsigned turn = 0; turn < TURNS; ++turn) {
    seen = steady(seen, WORK);
    seen = HOT(seen, WORK * CHECKED);
    seen = walk(seen, WORK * WALKED);
    seen = assemble(seen, WORK * ASSEMBLED);
    seen = add_up(seen, WORK * ADDED);
    seen = parse(seen, WORK * PARSED);
    seen = emit(seen, WORK * EMITTED);
  }
  return 0;
}
"""
USUAL = {"CHECKED": 1, "WALKED": 1, "ASSEMBLED": 1, "ADDED": 1, "PARSED": 1, "EMITTED": 1}
INLINED = {"STEP": "static inline __attribute__((always_inline))"}


@dataclasses.dataclass
class Pair:
    """A build's source and the expected report: the sign of the total, and the functions that may be reported as sure,
    with their signs."""
    before: dict
    after: dict
    whole: int
    first: tuple = ()  # the first sure row has one of these functions
    grew: tuple = ()  # may be reported as grown or new
    shrank: tuple = ()
    named: str = ""  # the note that a row has


PAIRS = {
    "faster": Pair({"CHECKED": 6}, {"CHECKED": 2}, -1, first=("checksum",), shrank=("checksum",)),
    "slower": Pair({"CHECKED": 2}, {"CHECKED": 6}, +1, first=("checksum",), grew=("checksum",)),
    "inlined": Pair({"WALKED": 20}, {"WALKED": 20, **INLINED}, -1, first=("step", "walk"), shrank=("step", "walk")),
    "outlined": Pair({"WALKED": 20, **INLINED}, {"WALKED": 20}, +1, first=("step", "walk"), grew=("step", "walk")),
    "renamed": Pair({"CHECKED": 4}, {"CHECKED": 4, "HOT": "digest"}, 0, named="was checksum"),
    "split": Pair({"ASSEMBLED": 4}, {"ASSEMBLED": 4, "SPLIT": 1}, 0, first=("assemble", "assemble_rest"), grew=("assemble_rest",),
                  shrank=("assemble",)),
    "merged": Pair({"ASSEMBLED": 4, "SPLIT": 1}, {"ASSEMBLED": 4}, 0, first=("assemble", "assemble_rest"), grew=("assemble",),
                   shrank=("assemble_rest",)),
    "vectorised": Pair({"ADDED": 3}, {"ADDED": 3, "VECTORS": 1}, -1, first=("add_up",), shrank=("add_up",)),
    "moved": Pair({"PARSED": 6, "EMITTED": 2}, {"PARSED": 2, "EMITTED": 6}, 0, first=("parse", "emit"), grew=("emit",), shrank=("parse",)),
    "nothing": Pair({"CHECKED": 2}, {"CHECKED": 2, "FURTHER": 1}, 0),
}


def name_of(row):
    return row["function"].split("(")[0]


def sign_of(row):
    """+1: reported as grown or new; -1: as shrunk or gone."""
    return 1 if row["change"].startswith(("grew", "is new")) else -1 if row["change"].startswith(("shrank", "is gone")) else 0


class Pairs(WperfTest):
    """One system: build(path, defines) makes a program; `options` and `device` record it."""

    device = "linux"
    noise_percent = 0  # how much equal code and the total may differ on this machine
    is_shared = False  # other programs may run on the measured processor

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "fixture.c").write_text(SOURCE, encoding="ascii")

    def begin(self, turn):
        """A machine that gives the same result each time gets a different seed."""

    def made(self, name, changes):
        defines = {**USUAL, **self.size, **changes}
        folder = self.folder / name
        folder.mkdir()
        return self.build(folder, [f"-D{key}={value}" for key, value in defines.items()], "VECTORS" in changes)

    def bench(self, before, after, *options):
        return self.run_wperf("bench", "-n", RUNS, *self.recording, "--record", "run", *options, "--", before, "---", after, device=self.device,
                              cwd=self.folder)

    def recorded(self, before, after):
        done = self.bench(before, after, "-q")
        if done.returncode != 0:
            self.skipTest("this user is not allowed to record here: " + done.stderr)
        return [[f"run-{side}-{i}.data" for i in range(1, RUNS + 1)] for side in ("before", "after")]

    def compared(self, sides, *options):
        done = self.run_wperf("diff", "--json", "-v", *options, *sides[0], "--", *sides[1], cwd=self.folder)
        return json.loads(done.stdout)["diff"], done.returncode

    def is_noise(self, row, part=1):
        return TIMES == 1 and abs(row.get("percent", 100)) < self.noise_percent * part

    def judge(self, pair, found):
        """Returns one sentence for each wrong statement of the report."""
        wrong = []
        for total in found["totals"]:
            if total["event"] == "elapsed" and not self.trusts_elapsed:
                continue
            said = sign_of(total) if total["sure"] and not self.is_noise(total, 0.2) else 0
            if said != pair.whole:
                wrong.append(f"{total['event']} {total['change']}, sure: {total['sure']}")
        [event] = found["events"]
        sure = [row for row in event["functions"] if row["sure"]]
        known = (*pair.grew, *pair.shrank)
        sure = [row for row in sure if name_of(row) in known or not self.is_noise(row)]
        for row in sure:
            if name_of(row) not in {1: pair.grew, -1: pair.shrank, 0: ()}[sign_of(row)]:
                wrong.append(f"{row['function']} {row['change']} {row.get('note', '')}")
        if pair.first and (not sure or name_of(sure[0]) not in pair.first):
            wrong.append(f"first is {sure[0]['function'] if sure else 'nothing'}")
        if pair.named and pair.named not in [row.get("note") for row in event["functions"]]:
            wrong.append("no row has the note: " + pair.named)
        return wrong

    def judge_gate(self, pair, sides):
        """The condition of a function fails exactly if its row is certain."""
        wrong = []
        conditions = [option for name in ("*", *pair.grew, *pair.shrank) for option in ("--fail-if", f"function:{name}>10%")]
        found, status = self.compared(sides, *conditions, "--fail-if", f"{self.event}>10%", *(["--fail-if", "cpu-time>10%"] * self.has_cpu_time))
        verdicts = {one["condition"]: one["verdict"] for one in found["gate"]}
        rows = {name_of(row): row for row in found["events"][0]["functions"] if row["sure"]}
        for name in (*pair.grew, *pair.shrank):
            if name in rows and (verdicts[f"function:{name}>10%"] == "failed") != (sign_of(rows[name]) > 0):
                wrong.append(f"gate: {name} {rows[name]['change']}, {verdicts[f'function:{name}>10%']}")
        wholes = [f"{self.event}>10%", *(["cpu-time>10%"] * self.has_cpu_time)]
        for condition, fails in (*((whole, pair.whole > 0) for whole in wholes), ("function:*>10%", bool(pair.grew))):
            if (verdicts[condition] == "failed") != fails:
                wrong.append(f"gate: {condition} {verdicts[condition]}")
        if (status == 5) != ("failed" in verdicts.values()):
            wrong.append(f"gate: status {status}")
        return wrong

    def check(self, name):
        pair = PAIRS[name]
        before, after = self.made("old", pair.before), self.made("new", pair.after)
        right = 0
        for turn in range(TIMES):
            self.begin(turn)
            # On a busy machine the answer can be "unsure". That is not wrong, so the pair is recorded again. On a
            # shared processor, another program can also slow down only one side. A real fault of wperf gives a wrong
            # answer each time.
            for _ in range(ATTEMPTS):
                sides = self.recorded(before, after)
                found, _ = self.compared(sides)
                wrong = self.judge(pair, found) + self.judge_gate(pair, sides)
                if not wrong or not (self.is_shared or all(one.endswith((" unsure", "sure: False", "first is nothing")) for one in wrong)):
                    break
            right += not wrong
            if wrong and TIMES > 1:
                print(f"{type(self).__name__} {name}, turn {turn + 1}:", "; ".join(wrong), file=sys.stderr)
                if os.environ.get("SHOW"):
                    print(self.run_wperf("diff", *sides[0], "--", *sides[1], cwd=self.folder).stdout, file=sys.stderr)
        if TIMES > 1:
            print(f"{type(self).__name__} {name}: right {right} of {TIMES}", file=sys.stderr)
        self.assertEqual((right, wrong), (TIMES, []))


def of_each_pair(case):
    for name in PAIRS:
        setattr(case, "test_" + name, lambda self, name=name: self.check(name))
    return case


@of_each_pair
@unittest.skipUnless(CLANG and WINDOWS_LINKER, "needs clang and lld-link to build the programs")
class WindowsPairs(Pairs):
    event = "inst_retired"
    recording = ("-e", "inst_retired:1999")
    size = {"ENTRY": "start", "TURNS": 60, "WORK": 1000}
    trusts_elapsed = True
    has_cpu_time = False  # recordings of the simulated machine have no CPU time

    def begin(self, turn):
        self.device = f"sim:pace=free,seed={turn + 1}"

    def build(self, folder, defines, _vectors):
        subprocess.run([CLANG, "--target=aarch64-pc-windows-msvc", "-O2", "-g", "-gcodeview", "-ffreestanding", "-fno-builtin",
                        "-ffunction-sections", *defines, "-c", "../fixture.c", "-o", "fixture.obj"], cwd=folder, check=True)
        subprocess.run([WINDOWS_LINKER, "/nologo", "/nodefaultlib", "/machine:arm64", "/debug", "/opt:ref", "/opt:noicf", "/subsystem:console",
                        "/entry:start", "/out:prog.exe", "/pdb:prog.pdb", "fixture.obj"], cwd=folder, check=True)
        return folder / "prog.exe"


@of_each_pair
@unittest.skipUnless(sys.platform == "linux" and GCC, "needs g++ to build the programs")
class LinuxPairs(Pairs):
    event = "cpu-clock"
    noise_percent = 20
    is_shared = TIMES == 1
    has_cpu_time = True
    recording = ("-e", "cpu-clock", "--freq", "4000")
    size = {"ENTRY": "main", "TURNS": 40, "WORK": 200000}
    trusts_elapsed = False  # other programs run, too

    def build(self, folder, defines, vectors):
        # Equal code takes equal time if its offset in the cache line is equal.
        subprocess.run([GCC, "-x", "c++", "-O2", "-g", "-falign-functions=64", "-falign-loops=64", "-ftree-vectorize" if vectors else "-fno-tree-vectorize",
                        *defines, "../fixture.c", "-o", "prog"], cwd=folder, check=True)
        return folder / "prog"


del Pairs

if __name__ == "__main__":
    unittest.main()
