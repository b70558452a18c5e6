#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf report` compared with `perf report` on the same recording: equal counts for each function.

  report_with_perf.py --wperf WPERF [--records 20000] [--seed 1]

The recording is made here: SPE records with addresses in real functions of wperf's own file. They belong to two
processes that have mapped this file at different addresses. One of the processes has also mapped a file that is not on
this machine. Exit status 77: no perf here, or one without Arm SPE.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

import perf_data as spe

FIRST, SECOND = 4000, 5000
BASES = {FIRST: 0x5555_0000_0000, SECOND: 0x7777_0000_0000}
MISSING = ("/no/such/library.so", 0x7fff_1000_0000, 0x4000)


def text_segment(path):
    """(file offset, address, size) of the executable segment of a 64-bit ELF file."""
    data = path.read_bytes()
    at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    for index in range(count):
        kind, flags, offset, address, _, file_size, _, _ = struct.unpack_from("<IIQQQQQQ", data, at + index * size)
        if kind == 1 and flags & 1:
            return offset, address, file_size
    sys.exit(f"error: {path} has no code")


def functions(path):
    """Addresses and sizes of functions that do not share their address with another function."""
    listed = subprocess.run(["nm", "--defined-only", "-S", path], capture_output=True, text=True, check=True).stdout
    found = collections.defaultdict(list)
    for line in listed.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT" and int(words[1], 16) >= 16:
            found[int(words[0], 16)].append(int(words[1], 16))
    return [(address, sizes[0]) for address, sizes in sorted(found.items()) if len(sizes) == 1]


def make(path, wperf, records, seed):
    chance = random.Random(seed)
    offset, linked, size = text_segment(wperf)
    inside = [one for one in functions(wperf) if linked <= one[0] < linked + size]
    chosen = chance.sample(inside, 200)
    data = bytearray()
    for number in range(records):
        pid = chance.choice((FIRST, FIRST, SECOND))
        if chance.random() < 0.05:
            pc = MISSING[1] + chance.randrange(MISSING[2]) // 4 * 4
            pid = FIRST
        else:
            start, length = chosen[min(int(chance.expovariate(0.03)), len(chosen) - 1)]
            pc = BASES[pid] + start - linked + chance.randrange(length)
        data += spe.code_address(0, pc, 0) + spe.context(2, pid) + spe.operation(1, chance.getrandbits(1))
        data += spe.events(0x16) + spe.counter(0, chance.randrange(4, 300))
        data += spe.data_address(0x1000 + 8 * chance.randrange(99)) + spe.timestamp(number + 1)
    page = offset & ~0xfff
    length = (size + offset - page + 0xfff) & ~0xfff
    mmaps = [(pid, base - (offset - page), length, page, wperf) for pid, base in BASES.items()]
    mmaps.append((FIRST, MISSING[1], MISSING[2], 0, MISSING[0]))
    spe.write(path, [spe.Buffer(cpu=0, data=data)], cpuid="0x00000000413fd0c1",
              comms=[(FIRST, "first"), (SECOND, "second")], mmaps=mmaps)


def by_perf(path):
    done = subprocess.run(["perf", "report", "-i", path, "--itrace=i1i", "--sort", "symbol", "--stdio", "-F", "sample,sym",
                           "--percent-limit", "0", "--no-demangle"], capture_output=True, text=True, check=False)
    counts = collections.Counter()
    for line in done.stdout.splitlines():
        match = re.match(r"^ +(\d+) +\[(.)\] (.*?)(?:\s+-)*\s*$", line)
        if match:
            nameless = re.fullmatch(r"(0x)?[0-9a-f]{8,}", match.group(3))
            counts["unknown" if nameless else match.group(3)] += int(match.group(1))
    return counts, done.stderr


def by_wperf(wperf, path):
    command = [wperf, "report", path, "--json", "--sample-display-row", "100000", "--sample-display-long"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"error: wperf ended with {done.returncode}: {done.stderr}")
    counts = collections.Counter()
    for event in json.loads(done.stdout)["sampling"]["sampling"]["events"]:
        for sample in event["samples"]:
            counts[sample["symbol"].rsplit(":wperf", 1)[0]] += sample["count"]
    return counts


def rows(wperf, path, *options):
    """Samples of each row of `--sort comm,symbol`, or of another list of keys, summed over the kinds of operations."""
    command = [wperf, "report", path, "--json", "--sample-display-row", "100000", "--sample-display-long", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"error: wperf ended with {done.returncode}: {done.stderr}")
    counts = collections.Counter()
    for event in json.loads(done.stdout)["recording"]["events"]:
        for row in event["rows"]:
            symbol = "unknown" if row["symbol"] == "[unknown]" else row["symbol"]
            counts[row["comm"], symbol] += row["samples"]
    return counts


def check_views(wperf, path, ours):
    """The views of samples have the counts of SPE's own tables. Returns the number of differences."""
    by_both = rows(wperf, path, "--sort", "comm,symbol")
    by_symbol = collections.Counter()
    for (_, symbol), count in by_both.items():
        by_symbol[symbol] += count
    differences = sum(by_symbol[name] != ours[name] for name in by_symbol.keys() | ours.keys())
    if {comm for comm, _ in by_both} != {"first", "second"}:
        differences += 1
    second = {key: count for key, count in by_both.items() if key[0] == "second"}
    if rows(wperf, path, "--sort", "comm,symbol", "--comm", "second") != second:
        differences += 1
    folded = subprocess.run([wperf, "report", path, "--folded"], capture_output=True, text=True, check=True).stdout
    if not folded or not all(re.fullmatch(r"(first|second);\S.* \d+", line) for line in folded.splitlines()):
        differences += 1
    print(f"views: {len(by_both)} rows, {differences} differences")
    return differences


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wperf", type=pathlib.Path, required=True)
    parser.add_argument("--records", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "perf.data"
        make(path, options.wperf.resolve(), options.records, options.seed)
        try:
            theirs, said = by_perf(path)
        except FileNotFoundError:
            print("skipped: no perf here")
            return 77
        if sum(theirs.values()) != options.records:
            print(f"skipped: this perf shows {sum(theirs.values())} of {options.records} records\n{said[-300:]}")
            return 77
        ours = by_wperf(options.wperf, path)
        differences = check_views(options.wperf, path, ours)
    for name in sorted(ours.keys() | theirs.keys()):
        if ours[name] != theirs[name]:
            differences += 1
            print(f"{name}: {ours[name]} here, {theirs[name]} by perf")
    print(f"{options.records} records, {len(theirs)} functions, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
