#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares how fast copies of stacks are unwound: `wperf report --folded` and `perf script` run in turns on the same
recording; the medians count.

usage: bench/perfdata/unwind.py [--check] [--rounds N] [--wperf FILE] [--keep FOLDER] [FILE...]
The recordings are made here with `perf record --call-graph dwarf`: a C++ program without frame pointers, and Python.
Both sides unwind, name and print every stack. --check fails if a limit is exceeded.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import run as bench  # noqa: E402  (in this folder)

TIMES = 4  # times faster than perf script, whose libunwind caches its previous results
COUNT = "import json; [json.loads(json.dumps([{'a': i, 'b': [str(j) for j in range(20)]} for i in range(9000)])) for _ in range(6)]"


def record(path):
    """Records each program into a separate file. Below a shell, perf 6.1 loses most callers, so it would have less
    work."""
    program = path.parent / "expressions"
    pathlib.Path(f"{program}.cpp").write_text(bench.EXPRESSIONS)
    subprocess.run(["g++", "-O2", "-g", "-fomit-frame-pointer", f"{program}.cpp", "-o", program], check=True)
    words = [program, "3000"] if path.stem == "cplusplus" else ["python3", "-c", COUNT]
    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "--call-graph", "dwarf,16384", "-o", path, "--",
                    *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--wperf", type=pathlib.Path, default=bench.ROOT / "build" / "release" / "bin" / "wperf")
    parser.add_argument("--keep", type=pathlib.Path, help="record into this folder and keep it; existing recordings are used")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if shutil.which("perf") is None:
        print("skipped: no perf here")
        return 77
    turns = bench.Bench(options.rounds)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        files = options.files or [folder / "cplusplus.data", folder / "python.data"]
        for path in files:
            if not path.exists():
                record(path)
            listed = subprocess.run(["perf", "script", "-i", path, "-F", "time", "-G"], check=True, capture_output=True, text=True)
            stacks = listed.stdout.count(":")
            print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, {stacks} stacks")
            turns.compare("unwound and folded", [options.wperf, "report", path, "--folded"],
                          ["perf", "script", "-i", path, "-F", "comm,ip,sym", "--no-inline"], TIMES)
            seconds = min(bench.run([options.wperf, "report", path, "--folded"])[0] for _ in range(options.rounds))
            print(f"{stacks / seconds:.0f} stacks per second")
    for name in turns.broken:
        print(f"not held: {name}")
    return 1 if options.check and turns.broken else 0


if __name__ == "__main__":
    sys.exit(main())
