#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much faster the second flat report of a recording is than the first, because the first one cached functions.

usage: bench/symbols/cache_run.py [--check] [--rounds N] [--build FOLDER] [RECORDING]
Without RECORDING, perf records clang++ while it compiles a file. First and second reports are run in turns, in a
separate cache folder that always has the list of the kernel's functions. --check fails if a limit is exceeded.
"""
import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from run import ROOT, Report, run, tool

TIMES_FASTER = 1.5
SOURCE = """
#include <functional>
#include <iostream>
#include <map>
#include <regex>
int main() {
  std::map<std::string, int> counts;
  std::smatch found;
  const std::string text = "aab";
  std::regex_search(text, found, std::regex("a+b"));
  std::cout << ++counts[found.str()];
}
"""


def record(folder):
    compiler, perf = tool("clang++"), shutil.which("perf")
    if perf is None:
        print("skipped: perf is not installed")
        sys.exit(77)
    (folder / "compiled.cpp").write_text(SOURCE, encoding="ascii")
    recording = folder / "clang.data"
    run([perf, "record", "-q", "-e", "cpu-clock", "-F", "5000", "-g", "-o", str(recording), "--", compiler, "-O2", "-c",
         str(folder / "compiled.cpp"), "-o", str(folder / "compiled.o")])
    return recording


def spent_by(command, environment):
    """(processor seconds, seconds, output)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, seconds, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if a limit is exceeded")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("recording", nargs="?")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wperf-cache-") as name:
        folder = pathlib.Path(name)
        recording = options.recording or record(folder)
        command = [str(pathlib.Path(options.build) / "bin/wperf"), "report", str(recording)]
        kept = folder / "wperf/symbols/functions"
        environment = {**os.environ, "XDG_CACHE_HOME": str(folder)}
        environment.pop("WPERF_SYMBOL_CACHE", None)
        ways = {"off": {**environment, "WPERF_SYMBOL_CACHE": "off"}, "first": environment, "second": environment}
        spent = {way: [] for way in ways}
        spent_by(command, ways["off"])  # caches the kernel's list, and brings the files into memory
        for _ in range(options.rounds):
            shutil.rmtree(kept, ignore_errors=True)
            outputs = set()
            for way, surroundings in ways.items():
                processor, seconds, output = spent_by(command, surroundings)
                spent[way].append((processor, seconds))
                outputs.add(output)
            if len(outputs) != 1:
                sys.exit("error: the reports differ")
        size = sum(one.stat().st_size for one in kept.iterdir()) if kept.exists() else 0
    report = Report()
    median = {way: [statistics.median(one[i] for one in spent[way]) for i in range(2)] for way in ways}
    for i, what in enumerate(("processor time", "time")):
        off, first, second = (median[way][i] for way in ("off", "first", "second"))
        print(f"  {what} without the cache: {off * 1e3:.1f} ms")
        report.line(f"{what}: first / second report", f"{first * 1e3:.1f} ms / {second * 1e3:.1f} ms = {first / second:.2f}",
                    f"at least {TIMES_FASTER}", first >= TIMES_FASTER * second)
    print(f"  kept: {size / 1e6:.1f} MB")
    return 1 if options.check and report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
