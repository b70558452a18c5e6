#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""perf reads the output of formats/perf_data: events, features, programs and every sample.

  written_for_perf.py --writer WRITE_PERF_DATA

Exit status 77: no perf here.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

SAMPLES = 30
HEADER = ["hostname : a-host", "os release : 6.1.0-test", "perf version : wperf 0", "arch : x86_64", "nrcpus online : 3",
          "nrcpus avail : 4", "cpudesc : a core", "cpuid : 0x00000000413fd0c1", "total memory : 2048 kB",
          "cmdline : wperf record two words", "pmu mappings: cpu = 4, dsu = 9", "hybrid cpu system:",
          "cpu_core cpu list : 0-1", "cpu_atom cpu list : 2-3", "time of first sample : 0.002000",
          "time of last sample : 0.031000"]


def perf(*arguments):
    done = subprocess.run(["perf", *map(str, arguments)], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        sys.exit(f"error: perf {arguments[0]} ended with {done.returncode}: {done.stderr}")
    return done.stdout, done.stderr


def expected(index):
    """The sample as `perf script` must print it. The addresses in a stack are file addresses."""
    comm, tid = ("written", 4000) if index % 2 == 0 else ("second thread", 4001)
    event = "second_event" if index % 3 == 0 else "first_event"
    return comm, 4000, tid, index % 4, (index + 2) / 1000, 1000 + index, event, 0x1000 + index


def samples_of(path):
    text, said = perf("script", "-i", path, "-F", "comm,pid,tid,cpu,time,period,event,ip", "--ns")
    line = re.compile(r"^\s*(\S.*?)\s+(\d+)/(\d+)\s+\[(\d+)\]\s+([\d.]+):\s+(\d+)\s+(\S+?):\s*$")
    samples, stacks = [], []
    for row in text.splitlines():
        found = line.match(row)
        if found:
            comm, pid, tid, cpu, time, period, event = found.groups()
            samples.append((comm, int(pid), int(tid), int(cpu), float(time), int(period), event))
            stacks.append([])
        elif row.strip():
            stacks[-1].append(int(row.split()[0], 16))
    return [(*one, stack[0]) for one, stack in zip(samples, stacks)], stacks, said


def check(what, found, wanted):
    if found == wanted:
        return 0
    print(f"{what}: {found!r}\n  expected {wanted!r}")
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writer", type=pathlib.Path, required=True)
    options = parser.parse_args()
    try:
        perf("--version")
    except FileNotFoundError:
        print("skipped: no perf here")
        return 77
    mistakes = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "written.data")
        subprocess.run([options.writer, path, options.writer], check=True)
        samples, stacks, said = samples_of(path)
        mistakes += check("samples", samples, [expected(index) for index in range(SAMPLES)])
        mistakes += check("second frames", {stack[1] for stack in stacks}, {0x2000})
        mistakes += check("what perf complains of", said, "")
        header, _ = perf("report", "-i", path, "--header-only", "-I")
        for line in HEADER:
            if f"# {line}" not in header:
                mistakes += 1
                print(f"the header lacks '{line}':\n{header}")
        for name in ("first_event", "second_event"):
            mistakes += check(f"{name} in the header", f"name = {name}," in header, True)
        dump, _ = perf("report", "-i", path, "-D")
        for record, count in (("MMAP2", 1), ("COMM", 2), ("FORK", 1), ("SAMPLE", SAMPLES)):
            mistakes += check(record, len(re.findall(rf": PERF_RECORD_{record}\b", dump)), count)
        ids, _ = perf("buildid-list", "-i", path)
        mistakes += check("build ids", "ab" * 20 + " /a/file" in ids, True)
    print(f"{SAMPLES} samples, {len(HEADER)} lines of the header, {mistakes} mistakes")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
