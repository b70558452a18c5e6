#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares wperf's SPE decoder with the installed perf, which decodes Arm SPE traces on any host: the same packets and
records.

  compare_with_perf.py --dump SPE_DUMP [--records 3000] [--seed 1] [--keep FOLDER]

Makes perf.data files with random packets and with records in several orders, and compares `perf report -D` and `perf
script --itrace` with spe_dump's output. Exit status 77: no perf here, or one without Arm SPE.

Some packets are left out because older perf does not name them: events other than bits 0 to 11, 17 and 18, the target
of the previous branch, operations of MTE, MOPS, GCS, SME and SIMD, and how a branch links. Alignment packets are left
out because perf aligns to its own copy of the buffer. Records of SVE operations that are neither loads nor stores are
left out because perf lists them as loads or stores. perf prints a run of padding as one line.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import perf_data as spe

PACKET = re.compile(r"^\.  ([0-9a-f]{8}): ((?: [0-9a-f]{2})+) +(\S.*?) *$")
KNOWN_EVENTS = (*range(12), 17, 18)
MEMORY_PAYLOADS = (0x00, 0x01, 0x04, 0x05, 0x10, 0x11, 0x30, 0x31)


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


class Maker:
    """Random packets."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def address(self):
        return self.chance.choice((0x7ff600000000, 0xffff800000000000, 0x0000aaaa00000000)) + self.chance.getrandbits(28)

    def events(self):
        value = sum(1 << bit for bit in KNOWN_EVENTS if self.chance.random() < 0.4)
        size = self.chance.randint(0, 3)
        return spe.events(value & ((1 << (8 << size)) - 1), size)

    def operation(self, index=None, with_sve=True):
        index = self.chance.randint(0, 2) if index is None else index
        if index == 0:
            sve = 0x08 | self.chance.getrandbits(3) << 4 | self.chance.getrandbits(2) << 1
            return spe.operation(0, self.chance.choice((0, 1, sve) if with_sve else (0, 1)))
        if index == 2:
            return spe.operation(2, self.chance.choice((0, 1, 2)))
        store = self.chance.getrandbits(1)
        ordered = 0x02 | self.chance.getrandbits(3) << 2
        sve = 0x08 | self.chance.getrandbits(3) << 4 | self.chance.getrandbits(1) << 2 | self.chance.getrandbits(1) << 7
        return spe.operation(1, self.chance.choice((*MEMORY_PAYLOADS, ordered | store, sve | store)))

    def code(self, index):
        level = self.chance.randint(0, 2)
        return spe.code_address(index, self.address(), level)

    def packet(self):
        chance = self.chance
        return chance.choice((
            lambda: bytes(chance.randint(1, 9)),
            lambda: b"\x01",
            lambda: spe.timestamp(chance.getrandbits(63)),
            self.events,
            lambda: spe.source(chance.getrandbits(8), chance.randint(0, 1)),
            lambda: spe.context(chance.randint(1, 2), chance.getrandbits(31)),
            self.operation,
            lambda: self.code(0),
            lambda: self.code(1),
            lambda: spe.data_address(chance.getrandbits(64)),
            lambda: spe.physical_address(chance.getrandbits(64)),
            lambda: spe.counter(chance.randint(0, 2), chance.getrandbits(16)),
            lambda: b"\x20" + self.code(0),
            lambda: b"\x20" + spe.counter(chance.randint(0, 2), chance.getrandbits(12)),
        ))()

    def record(self, ticks):
        """A whole record in one of several orders; returns its bytes."""
        chance = self.chance
        kind = chance.randint(0, 2)
        parts = [self.code(0), spe.context(chance.randint(1, 2), 1000 + chance.randint(0, 3)),
                 self.operation(kind, with_sve=False), self.events(),
                 spe.counter(1, chance.getrandbits(10)), spe.counter(0, 1 + chance.getrandbits(12))]
        if kind == 1:
            parts += [spe.data_address(self.address() | chance.choice((0, 0x3a << 56))),
                      spe.counter(2, chance.getrandbits(4))]
            if chance.random() < 0.5:
                parts.append(spe.physical_address(chance.getrandbits(40) | 1 << 63))
            parts.append(spe.source(chance.choice((0, 8, 9, 10, 11, 12, 13, 14))))
        elif kind == 2:
            parts.append(self.code(1))
        order = chance.randint(0, 2)
        if order == 1:
            parts.reverse()
        elif order == 2:
            parts = [part + bytes(-len(part) % 4) for part in parts]
        data = b"".join(parts)
        if order != 2:
            data += bytes(max(0, 64 - 9 - len(data)))
        return data + spe.timestamp(ticks)


class Comparison:
    def __init__(self, dump, folder):
        self.dump, self.folder, self.failures, self.checked = dump, pathlib.Path(folder), 0, 0

    def same(self, what, theirs, ours):
        self.checked += 1
        for i, (their, our) in enumerate(zip(theirs, ours)):
            if their != our:
                print(f"{what}, number {i}:\n  perf {their}\n  ours {our}")
                self.failures += 1
                return
        if len(theirs) != len(ours):
            print(f"{what}: perf has {len(theirs)}, we have {len(ours)}")
            self.failures += 1
        elif not theirs:
            print(f"{what}: nothing was compared")
            self.failures += 1

    def files(self, name, buffers, clock=spe.Clock()):
        data = self.folder / f"{name}.data"
        raw = self.folder / f"{name}.raw"
        spe.write(data, buffers, clock, cpuid="0x00000000413fd0c1")
        raw.write_bytes(b"".join(buffer.data for buffer in buffers))
        return data, raw

    def packets(self, name, content):
        data, raw = self.files(name, [spe.Buffer(0, content)])
        theirs = []
        for line in run("perf", "report", "-D", "-i", data).stdout.splitlines():
            match = PACKET.match(line)
            if match:
                theirs.append(f"{int(match[1], 16):x} {match[3].rstrip()}")
        ours = [line.strip() for line in run(self.dump, raw, "packets").stdout.splitlines()]
        print(f"{name}: {len(ours)} packets, {sum('Bad' in line for line in ours)} bad bytes")
        no_padding = ([line for line in lines if not line.endswith(" PAD")] for lines in (theirs, ours))
        self.same(f"packets of {name}", *no_padding)

    def our_records(self, raw):
        rows = []
        for line in run(self.dump, raw, "records").stdout.splitlines():
            ticks, pc, target, data, physical, tid, latency, level, events, name = line.split()[:10]
            rows.append({"ticks": int(ticks), "pc": int(pc, 16), "target": int(target, 16), "data": int(data, 16),
                         "physical": int(physical, 16), "tid": int(tid), "latency": int(latency),
                         "level": int(level), "events": int(events, 16), "name": name})
        return rows

    def records(self, name, buffers, clock):
        data, raw = self.files(name, buffers, clock)
        ours = sorted(self.our_records(raw), key=lambda row: row["ticks"])
        print(f"{name}: {len(ours)} records")
        fields = "tid,time,addr,weight,ip,phys_addr"

        def script(itrace):
            lines = run("perf", "script", "-i", data, "--ns", f"--itrace={itrace}", "-F", fields).stdout.splitlines()
            rows = []
            for line in lines:
                tid, time, address, weight, pc, physical = line.split()
                seconds, fraction = time.rstrip(":").split(".")
                rows.append((int(tid), int(seconds) * 10**9 + int(fraction), int(address, 16), int(weight), int(pc, 16),
                             int(physical, 16)))
            return rows

        def row_of(row, address, physical=None):
            return (row["tid"], clock.nanoseconds(row["ticks"]), row[address], row["latency"], row["pc"],
                    row["physical"] if physical is None else physical)

        self.same(f"{name}: every record", script("i1i"), [row_of(row, "data") for row in ours])
        memory = [row_of(row, "data") for row in ours if row["name"].startswith("LOAD_STORE")]
        self.same(f"{name}: loads and stores", script("M"), memory)
        missed = [row_of(row, "target", physical=0) for row in ours if row["events"] & 0x80]
        self.same(f"{name}: mispredicted", script("b"), missed)
        lookups = [row_of(row, "data") for row in ours for bit in (0x20, 0x10) if row["events"] & bit]
        self.same(f"{name}: TLB accesses and walks", script("t"), lookups)


def has_perf():
    try:
        version = run("perf", "--version")
    except FileNotFoundError:
        return False
    return version.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dump", required=True)
    parser.add_argument("--records", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the files")
    options = parser.parse_args()
    if not has_perf():
        print("skipped: perf is not installed")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        comparison = Comparison(options.dump, options.keep or temporary)
        maker = Maker(options.seed)
        comparison.packets("chance", b"".join(maker.packet() for _ in range(4 * options.records)))
        comparison.packets("damaged", b"".join(
            maker.chance.choice((maker.packet(), maker.packet(), bytes([maker.chance.choice(b"\xf0\x05\x4f\xc3\x33")])))
            for _ in range(options.records)))
        clock = spe.Clock(shift=3, mult=80, zero=12345)
        content = b"".join(maker.record(10**9 + 100 * i) for i in range(options.records))
        comparison.records("one_core", [spe.Buffer(0, content)], clock)
        pieces = [spe.Buffer(cpu, b"".join(maker.record(10**9 + 1000 * (part * 500 + i) + cpu) for i in range(500)))
                  for part in range(3) for cpu in range(3)]
        comparison.records("three_cores", pieces, clock)
    print(f"{comparison.checked} comparisons, {comparison.failures} differ")
    return 1 if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main())
