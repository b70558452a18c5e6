#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long wperf's short commands take compared with `perf --version`: both are run in turns and the median ratio counts.

usage: bench/startup/run.py [--check] [--rounds N] [--binary PATH] [--perf PATH]
--check fails if a ratio is above 1.5. Without perf there is no comparison: the run reports that and is skipped (exit
status 77; 0 with --check).
"""
import argparse
import glob
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT = 1.5
COMMANDS = (["--version"], ["list", "--json"], ["test", "--json"])
RUN_LIMIT_SECONDS = 20


def find_perf():
    """The path of the real program, because /usr/bin/perf may be a script that looks for the perf of the running
    kernel."""
    versioned = sorted(glob.glob("/usr/bin/perf_*") + glob.glob("/usr/lib/linux-tools*/*/perf"))
    candidates = [shutil.which("perf"), *reversed(versioned)]
    for candidate in candidates:
        if candidate and pathlib.Path(candidate).is_file():
            with open(candidate, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    return candidate
    return None


def seconds_of(command, environment):
    started = time.perf_counter()
    run = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, timeout=RUN_LIMIT_SECONDS, check=False)
    spent = time.perf_counter() - started
    if run.returncode != 0:
        sys.exit(f"error: {' '.join(command)} ended with status {run.returncode}: {run.stderr.decode()}")
    return spent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help=f"fail above a ratio of {LIMIT}")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/wperf"))
    parser.add_argument("--perf")
    arguments = parser.parse_args()

    perf = arguments.perf or find_perf()
    if perf is None:
        print("skipped: perf, which is needed for the comparison, is not installed (Debian package linux-perf)")
        return 0 if arguments.check else 77
    # A separate machine, so that no other wperf holds the simulated driver.
    environment = dict(os.environ, WPERF_DEVICE="sim", WPERF_SIM_INSTANCE=f"startup-bench-{os.getpid()}")
    version = subprocess.run([perf, "--version"], capture_output=True, text=True, check=True).stdout
    print(f"{re.sub(r'[^ -~]', '', version)}, {arguments.rounds} rounds, medians")

    too_slow = False
    print(f"{'command':28} {'wperf ms':>9} {'perf ms':>9} {'ratio':>6}")
    for words in COMMANDS:
        ours, theirs, ratios = [], [], []
        for _ in range(arguments.rounds):
            theirs.append(seconds_of([perf, "--version"], environment))
            ours.append(seconds_of([arguments.binary, *words], environment))
            ratios.append(ours[-1] / theirs[-1])
        ratio = statistics.median(ratios)
        too_slow |= ratio > LIMIT
        print(f"{'wperf ' + ' '.join(words):28} {statistics.median(ours) * 1000:9.2f} "
              f"{statistics.median(theirs) * 1000:9.2f} {ratio:6.2f}{'  too slow' if ratio > LIMIT else ''}")
    return 1 if arguments.check and too_slow else 0


if __name__ == "__main__":
    sys.exit(main())
