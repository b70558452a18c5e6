#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the speed of the PDB reader with that of LLVM's tools, on programs with 40,000 functions for ARM64 and x64.

usage: bench/symbols/run.py [--check] [--rounds N] [--build FOLDER]
Needs the target bench_symbols of a build folder with -DWPERF_BENCH=ON. Both sides of each ratio are run in turns and
the medians count. --check fails if a limit is exceeded.
"""
import argparse
import pathlib
import random
import re
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from shared import tool  # noqa: E402

ADDRESS_COUNT = 100000
SLOW_ROUNDS = 2  # llvm-symbolizer takes a quarter of a minute
RUN_LIMIT_SECONDS = 300


def run(command, stdin=None):
    """(seconds, output)"""
    started = time.perf_counter()
    with (open(stdin, "rb") if stdin else open("/dev/null", "rb")) as source:
        done = subprocess.run(command, stdin=source, capture_output=True, timeout=RUN_LIMIT_SECONDS, check=False)
    spent = time.perf_counter() - started
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(command)} ended with status {done.returncode}: {done.stderr.decode()[-500:]}")
    return spent, done.stdout.decode(errors="replace")


def in_turns(ours, theirs, rounds, theirs_stdin=None):
    """Returns the median seconds of both, and the peak memory of ours."""
    spent = ([], [])
    peak = 0
    for _ in range(rounds):
        seconds, output = run(ours)
        spent[0].append(seconds)
        peak = max(peak, int(re.search(r"peak (\d+) KB", output)[1]) * 1024)
        if theirs:
            spent[1].append(run(theirs, theirs_stdin)[0])
    return statistics.median(spent[0]), statistics.median(spent[1]) if theirs else None, peak


def write_addresses(folder, pdb):
    """Writes random addresses in the program's code for both sides."""
    headers = run([tool("llvm-pdbutil"), "dump", "-section-headers", str(pdb)])[1]
    size, rva = (int(number, 16) for number in
                 re.search(r"\.text name\s+([0-9A-F]+) virtual size\s+([0-9A-F]+) virtual address", headers).groups())
    chance = random.Random(1)
    addresses = [rva + chance.randrange(size) for _ in range(ADDRESS_COUNT)]
    (folder / "addresses").write_text("".join(f"{one:x}\n" for one in addresses), encoding="ascii")
    (folder / "addresses.0x").write_text("".join(f"0x{one:x}\n" for one in addresses), encoding="ascii")
    return addresses[0]


class Report:
    def __init__(self):
        self.broken = False

    def line(self, what, figure, promise, holds):
        print(f"  {what:48} {figure:28} {promise:18} {'ok' if holds else 'BROKEN'}")
        self.broken = self.broken or not holds


def measure(target, folder, bench, rounds, report):
    pdb, image = folder / "big.pdb", folder / "big.exe"
    size = pdb.stat().st_size
    first = write_addresses(folder, pdb)
    print(f"{target}: {size / 1e6:.1f} MB, {run([bench, str(pdb), 'lines'])[1].splitlines()[0]}")
    peaks = []

    ours, theirs, peak = in_turns([bench, str(pdb), "functions"], [tool("llvm-pdbutil"), "dump", "-publics", str(pdb)],
                                  rounds)
    peaks.append(peak)
    report.line("all functions / llvm-pdbutil dump -publics", f"{ours * 1e3:.0f} ms / {theirs * 1e3:.0f} ms = "
                f"{ours / theirs:.2f}", "at most 0.5", ours <= 0.5 * theirs)

    ours, _, peak = in_turns([bench, str(pdb), "lines"], None, rounds)
    peaks.append(peak)
    report.line("all functions and lines, MB of PDB a second", f"{ours * 1e3:.0f} ms, {size / 1e6 / ours:.0f} MB/s",
                "at least 400", size / 1e6 / ours >= 400)

    ours, theirs, _ = in_turns([bench, str(pdb), "first", f"{first:x}"],
                               [tool("llvm-readobj"), "--file-headers", str(image)], rounds)
    report.line("first address / llvm-readobj --file-headers", f"{ours * 1e3:.1f} ms / {theirs * 1e3:.1f} ms = "
                f"{ours / theirs:.2f}", "below 1.5", ours < 1.5 * theirs)

    ours, theirs, peak = in_turns([bench, str(pdb), "addresses", str(folder / "addresses")],
                                  [tool("llvm-symbolizer"), "--obj=" + str(image), "--relative-address", "--inlines"],
                                  SLOW_ROUNDS, folder / "addresses.0x")
    peaks.append(peak)
    report.line(f"llvm-symbolizer / {ADDRESS_COUNT} addresses", f"{theirs * 1e3:.0f} ms / {ours * 1e3:.0f} ms = "
                f"{theirs / ours:.0f}", "at least 25", theirs >= 25 * ours)
    report.line("peak memory / size of the PDB", f"{max(peaks) / 1e6:.0f} MB = {max(peaks) / size:.2f}", "at most 1.5",
                max(peaks) <= 1.5 * size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if a limit is exceeded")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    options = parser.parse_args()
    build = pathlib.Path(options.build)
    bench = str(build / "bin/pdb_bench")
    report = Report()
    for target in ("aarch64", "x86_64"):
        folder = build / "bench_symbols" / target
        if not (folder / "big.pdb").exists():
            sys.exit(f"error: there is no {folder}/big.pdb: build the target bench_symbols")
        measure(target, folder, bench, options.rounds, report)
    return 1 if options.check and report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
