#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf record` and `wperf stat` compared with the installed perf at the same settings: the slowdown of the program,
the lost samples, the delay until a sample is in the file, and the time for start and end.

usage: bench/recording/run.py [--check] [--rounds N] [--wperf FILE]
Both sides run in turns, the medians count. --check fails if a limit is exceeded. The spread of the pairs is allowed on
top of the limit for the slowdown, because runs differ by up to a percent.
"""
import argparse
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HZ = 10_000
COPIES_HZ = 4000
PROGRAM = r"""
#include <stdio.h>
#include <time.h>
volatile unsigned long sink;
__attribute__((noinline)) void leaf(long n) { for (long i = 0; i < n; ++i) sink += i; }
__attribute__((noinline)) void deeper(int depth, long n) {
  if (depth == 0) leaf(n); else deeper(depth - 1, n);
  __asm__ volatile("");
}
int main() {
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < 4000; ++i) deeper(i % 20, 200000);
  clock_gettime(CLOCK_MONOTONIC, &end);
  fprintf(stderr, "took %.6f\n", (end.tv_sec - begin.tv_sec) + (end.tv_nsec - begin.tv_nsec) / 1e9);
}
"""


class Bench:
    def __init__(self, wperf, rounds, folder):
        self.wperf, self.rounds, self.folder = str(wperf), rounds, folder
        self.broken = []

    def promise(self, kept, text):
        print(("    " if kept else "  ! ") + text)
        if not kept:
            self.broken.append(text)

    def took(self, command):
        """The seconds of work that the program reports."""
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return float(re.search(r"took ([0-9.]+)", done.stderr).group(1))

    def wall(self, command):
        begin = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begin

    def in_turns(self, commands, measure):
        """{name: values}; the order changes from round to round."""
        values = {name: [] for name in commands}
        for number in range(self.rounds + 1):
            for name in list(commands) if number % 2 else reversed(list(commands)):
                value = measure(commands[name])
                if number > 0:  # the first round is a warm-up
                    values[name].append(value)
        return values

    def samples_in(self, path):
        """Samples, losses, and bytes of the sample records, as perf reads the file."""
        text = subprocess.run(["perf", "report", "-D", "-i", path], capture_output=True, text=True, check=True,
                              errors="replace").stdout
        samples = lost = size = 0
        for match in re.finditer(r"^\S+ \S+ (?:\S+ )?\[0x([0-9a-f]+)\]: PERF_RECORD_(\w+)(.*)", text, re.MULTILINE):
            if match.group(2) == "SAMPLE" or match.group(2).startswith("SAMPLE("):
                samples += 1
                size += int(match.group(1), 16)
            elif match.group(2) in ("LOST", "LOST_SAMPLES"):
                lost += int(re.search(r"lost\s*:?\s*(\d+)", match.group(3) + " 0").group(1))
        return samples, lost, size

    def recording(self, stacks):
        program = str(self.folder / "work")
        ours, theirs = str(self.folder / "ours.data"), str(self.folder / "theirs.data")
        ours_more, more = (["--call-graph", "fp"], ["-g"]) if stacks else ([], [])
        commands = {"alone": [program],
                    "wperf": [self.wperf, "record", "--device", "linux", "-q", "-e", "cpu-clock", "--freq", str(HZ), *ours_more,
                              "--output-perf-data", ours, "--", program],
                    "perf": ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", str(HZ), *more, "-o", theirs, "--",
                             program]}
        values = self.in_turns(commands, self.took)
        alone = statistics.median(values["alone"])
        slower = {name: statistics.median(values[name]) / alone for name in ("wperf", "perf")}
        pairs = [mine / other for mine, other in zip(values["wperf"], values["perf"])]
        spread = statistics.pstdev(pairs)
        print(f"record {' '.join(more) or '(no stacks)'} at {HZ} Hz, {self.rounds} rounds: the program takes {alone:.3f} s "
              f"alone, {slower['wperf']:.4f} times as long with wperf, {slower['perf']:.4f} with perf")
        self.promise(statistics.median(pairs) <= 1 + spread,
                     f"slowdown relative to perf's: {statistics.median(pairs):.4f} (spread of pairs {spread:.4f})")
        mine, other = self.samples_in(ours), self.samples_in(theirs)
        if mine[0] == 0 or other[0] == 0:
            sys.exit("error: one recording has no samples")
        self.promise(mine[1] == 0, f"{mine[0]} samples, {mine[1]} lost; perf {other[0]}, {other[1]} lost")
        each = mine[2] / mine[0], other[2] / other[0]
        self.promise(each[0] <= each[1] * 1.005, f"{each[0]:.1f} bytes per sample, perf {each[1]:.1f}")

    def automatic_stacks(self):
        """`-g` compared with perf's only way to get the callers of programs without frame pointers."""
        program = str(self.folder / "work")
        ours, theirs = str(self.folder / "ours.data"), str(self.folder / "theirs.data")
        commands = {"alone": [program],
                    "wperf": [self.wperf, "record", "--device", "linux", "-q", "-e", "cpu-clock", "--freq", str(COPIES_HZ), "-g",
                              "--output-perf-data", ours, "--", program],
                    "perf": ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", str(COPIES_HZ), "--call-graph", "dwarf", "-o", theirs,
                             "--", program]}
        values = self.in_turns(commands, self.took)
        alone = statistics.median(values["alone"])
        slower = {name: statistics.median(values[name]) / alone for name in ("wperf", "perf")}
        pairs = [mine / other for mine, other in zip(values["wperf"], values["perf"])]
        print(f"record -g compared with perf --call-graph dwarf at {COPIES_HZ} Hz: the program takes {alone:.3f} s alone, "
              f"{slower['wperf']:.4f} times as long with wperf, {slower['perf']:.4f} with perf")
        self.promise(statistics.median(pairs) <= 1.1, f"slowdown relative to perf's: {statistics.median(pairs):.4f} (promised 1.1)")
        mine, other = self.samples_in(ours), self.samples_in(theirs)
        self.promise(mine[1] == 0, f"{mine[0]} samples, {mine[1]} lost; perf {other[0]}, {other[1]} lost")
        each = mine[2] / mine[0], other[2] / other[0]
        self.promise(each[0] <= each[1] / 2, f"{each[0]:.1f} bytes per sample, perf {each[1]:.1f} (promised a half)")

    def begin_and_end(self, name, ours, theirs, factor):
        values = self.in_turns({"wperf": ours, "perf": theirs}, self.wall)
        mine, other = statistics.median(values["wperf"]), statistics.median(values["perf"])
        print(f"{name}: {mine * 1000:.1f} ms, perf {other * 1000:.1f} ms")
        self.promise(mine * factor <= other, f"perf takes {other / mine:.2f} times as long; {factor} is promised")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--wperf", type=pathlib.Path, default=ROOT / "build/release/bin/wperf")
    options = parser.parse_args()
    if shutil.which("perf") is None or shutil.which("cc") is None:
        print("skipped: needs perf and a C compiler")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "work.c").write_text(PROGRAM)
        subprocess.run(["cc", "-O1", "-fno-omit-frame-pointer", folder / "work.c", "-o", folder / "work"], check=True)
        bench = Bench(options.wperf, options.rounds, folder)
        for stacks in (False, True):
            bench.recording(stacks)
        bench.automatic_stacks()
        wperf = [str(options.wperf)]
        bench.begin_and_end("stat -- true", [*wperf, "stat", "--device", "linux", "-e", "task-clock,page-faults", "--", "true"],
                            ["perf", "stat", "-e", "task-clock,page-faults", "true"], 1)
        bench.begin_and_end("record -- true", [*wperf, "record", "--device", "linux", "-e", "cpu-clock", "--", "true"],
                            ["perf", "record", "-q", "-e", "cpu-clock", "-o", str(folder / "true.data"), "true"], 10)
    if options.check and bench.broken:
        print("broken promises:", *bench.broken, sep="\n  ")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
