#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast a perf.data file with SPE records is read, compared with the installed perf.

usage: bench/spe/run.py [--check] [--records N] [--rounds N] [--build FOLDER] [--keep FOLDER]
Makes two files: the records of a program (4 million by default), and a quarter as many of random kinds, so that nearly
each is a new key. Runs both sides of each ratio in turns; the medians count, whole processes. On a busy machine the
ratios mean little, because wperf decodes on all cores. --check fails if a limit is exceeded. Exit status 77: no perf
here, or one that cannot read such a file.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "spe"))
import perf_data  # pylint: disable=wrong-import-position
import report_with_perf  # pylint: disable=wrong-import-position

RUN_LIMIT_SECONDS = 900
THREADS = range(4000, 4004)  # for decode_bench
CODE, CODE_SIZE = 0x7ff6_1000_0000, 0x10_0000  # for decode_bench
MIDR = "0x00000000413fd0c1"
TRIAL_RECORDS = 1000


def make_file(binaries, path, records, *options):
    """The records' addresses lie in the code of wperf itself, so both sides have real functions to name."""
    raw = path.with_suffix(".spe")
    subprocess.run([binaries / "decode_bench", "--records", str(records), *options, "--write", str(raw)], check=True)
    program = (binaries / "wperf").resolve()
    offset = report_with_perf.text_segment(program)[0] & ~0xfff
    perf_data.write(path, [perf_data.Buffer(cpu=0, data=raw.read_bytes())], cpuid=MIDR,
                    comms=[(tid, "program") for tid in THREADS],
                    mmaps=[(tid, CODE, CODE_SIZE, offset, program) for tid in THREADS])
    raw.unlink()
    return path


def measurer(folder):
    """bench/perfdata/measure.cpp: seconds and peak of memory of a command."""
    program = folder / "measure"
    subprocess.run(["g++", "-O2", "-std=c++20", "-o", program, ROOT / "bench" / "perfdata" / "measure.cpp"], check=True)
    return program


def run(command):
    """(seconds, stdout, stderr)"""
    started = time.perf_counter()
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=RUN_LIMIT_SECONDS, check=False)
    spent = time.perf_counter() - started
    if done.returncode != 0:
        sys.exit(f"error: {command} ended with status {done.returncode}: {done.stderr.decode()[-500:]}")
    return spent, done.stdout, done.stderr.decode(errors="replace")


def in_turns(ours, theirs, rounds):
    """Returns the median seconds and the outputs of both."""
    spent, outputs = ([], []), [None, None]
    for _ in range(rounds):
        for side, command in enumerate((ours, theirs)):
            seconds, *outputs[side] = run(command)
            spent[side].append(seconds)
    return *(statistics.median(one) for one in spent), outputs


def peaks(measure, ours, theirs, rounds):
    """Returns the median seconds of both, then the greatest peak memory of both in MB."""
    spent, peak = ([], []), [0, 0]
    for _ in range(rounds):
        for side, command in enumerate((ours, theirs)):
            seconds, kilobytes = run([measure, *command])[1].split()
            spent[side].append(float(seconds))
            peak[side] = max(peak[side], int(kilobytes) / 1024)
    return *(statistics.median(one) for one in spent), *peak


class Report:
    def __init__(self):
        self.broken = False

    def line(self, what, figure, promise, holds):
        print(f"  {what:56} {figure:28} {promise:14} {'ok' if holds else 'BROKEN'}")
        self.broken = self.broken or not holds


def measure(bench, wperf, perf, path, records, rounds):
    report = Report()
    ours, theirs, outputs = in_turns(
        [bench, path, "records"],
        [perf, "script", "-i", path, "--itrace=i1i", "-F", "comm,tid,time,ip"], rounds)
    printed, found = outputs[1][0].count(b"\n"), int(outputs[0][0].split()[0])
    report.line("records of both sides", f"{found} and {printed}", "equal", found == printed == records)
    report.line("perf script --itrace=i1i / all records decoded",
                f"{theirs:.2f} s / {ours:.3f} s = {theirs / ours:.1f}", "at least 15", theirs >= 15 * ours)

    ours, theirs, outputs = in_turns(
        [wperf, "report", path],
        [perf, "report", "-i", path, "--itrace=i1i", "--sort", "symbol", "--stdio"], rounds)
    report.line("perf report --itrace=i1i --sort symbol / report",
                f"{theirs:.2f} s / {ours:.3f} s = {theirs / ours:.1f}", "at least 10", theirs >= 10 * ours)
    peak = int(re.search(r"peak (\d+) KB", run([bench, path, "symbols"])[2])[1]) * 1024
    size = path.stat().st_size
    # The file is mapped, so its pages count as memory while it is read. The limit is for the memory beyond that.
    report.line("memory beyond the file itself", f"{max(0, peak - size) / 1e6:.0f} MB of {peak / 1e6:.0f} MB",
                "below 100 MB", peak - size < 100e6)
    return report


def measure_tables(report, wperf, perf, measure, path, rounds):
    """--records compared with perf script, --mem with perf report --mem-mode."""
    lines = path.with_suffix(".csv")
    ours, theirs, _, _ = peaks(
        measure, [wperf, "report", path, "--records", lines],
        [perf, "script", "-i", path, "--itrace=i1i", "-F", "comm,tid,time,ip,sym"], rounds)
    report.line("perf script --itrace=i1i / report --records", f"{theirs:.2f} s / {ours:.3f} s = {theirs / ours:.1f}",
                "at least 3", theirs >= 3 * ours)
    ours, theirs, mine, its = peaks(
        measure, [wperf, "report", path, "--mem"], [perf, "report", "-i", path, "--mem-mode", "--stdio"], rounds)
    report.line("perf report --mem-mode / report --mem", f"{theirs:.2f} s / {ours:.3f} s = {theirs / ours:.1f}", "more than 1",
                theirs > ours)
    report.line("memory of both", f"{its:.0f} MB, {mine:.0f} MB", "not more", mine <= its)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if a limit is exceeded")
    parser.add_argument("--records", type=int, default=4_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--keep", type=pathlib.Path, help="make the file here and keep it")
    options = parser.parse_args()
    perf = shutil.which("perf")
    if perf is None:
        print("skipped: perf is not installed")
        return 77
    binaries = pathlib.Path(options.build) / "bin"
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        small = make_file(binaries, folder / "small.data", TRIAL_RECORDS)
        if run([perf, "script", "-i", small, "--itrace=i1i", "-F", "ip"])[1].count(b"\n") != TRIAL_RECORDS:
            print("skipped: this perf cannot read Arm SPE")
            return 77
        measure_with, wperf = measurer(folder), binaries / "wperf"
        path = make_file(binaries, folder / "program.data", options.records)
        print(f"{options.records} records of a program, {path.stat().st_size / 1e6:.0f} MB")
        report = measure(binaries / "report_bench", wperf, perf, path, options.records, options.rounds)
        measure_tables(report, wperf, perf, measure_with, path, options.rounds)
        path = make_file(binaries, folder / "chance.data", options.records // 4, "--kinds-by-chance")
        print(f"{options.records // 4} records of kinds by chance, {path.stat().st_size / 1e6:.0f} MB")
        measure_tables(report, wperf, perf, measure_with, path, options.rounds)
    return 1 if options.check and report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
