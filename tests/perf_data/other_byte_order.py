#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files of machines with the other byte order. The test byte-swaps a recording of the installed perf field by field, so
that it looks like a file from such a machine. wperf must report the same for both.

  other_byte_order.py --wperf WPERF

The byte-swapping is implemented here a second time, from the description of the format and in the opposite direction of
wperf's. Exit status 77: no perf here, or it may not record.
"""
import argparse
import ctypes
import pathlib
import subprocess
import sys
import tempfile

RECORDINGS = {
    "flat": ["-F", "3000"],
    "stacks": ["-g", "-F", "3000"],
    "two_events": ["-e", "cpu-clock,page-faults", "-F", "3000"],
    "grouped": ["-e", "{cpu-clock,page-faults}:S", "-F", "2000"],
    "copies": ["--call-graph", "dwarf,1024", "-F", "500"],
    "unlike": ["-e", "cpu-clock/call-graph=fp/,page-faults/call-graph=no/", "-F", "2000"],
    "tracepoint": ["-e", "sched:sched_switch", "-g"],
    "addresses": ["-d", "-s", "-F", "2000"],
    "pipe": ["-g", "-F", "2000"],
    "packed": ["-g", "-e", "cpu-clock,page-faults", "-F", "2000"],
}
WORK = ["sh", "-c", "seq 1 40000 | sort -R | md5sum; find /usr/include | wc"]

IP, TID, TIME, ADDR, READ, CHAIN, ID, CPU, PERIOD, STREAM, RAW, BRANCH, REGS, STACK, WEIGHT, SOURCE, IDENTIFIER = (
    1 << bit for bit in range(17))


class Turner:
    """Numbers of the file, swapped in place."""

    def __init__(self, data, begin, end):
        self.data, self.at, self.end = data, begin, min(end, len(data))

    def number(self, size):
        old = self.data[self.at:self.at + size]
        self.data[self.at:self.at + size] = old[::-1]
        self.at += size
        return int.from_bytes(old, "little")

    def numbers(self, sizes):
        return [self.number(int(size)) for size in sizes]

    def words(self, count):
        return [self.number(8) for _ in range(count)]

    def rest(self):
        return self.end - self.at


def mirrored(flags, widths):
    """Bit fields, allocated from the most significant bit on. `widths`: {position: bits} of the fields that are wider
    than one bit."""
    out, at = 0, 0
    while at < 64:
        width = widths.get(at, 1)
        out |= (flags >> at & (1 << width) - 1) << (64 - at - width)
        at += width
    return out


def turn_attributes(data, at, room):
    t = Turner(data, at, at + room)
    size = t.numbers("44")[1]
    _, _, sample_type, read_format = t.words(4)
    flags = int.from_bytes(data[t.at:t.at + 8], "little")
    data[t.at:t.at + 8] = mirrored(flags, {15: 2}).to_bytes(8, "big")
    t.at += 8
    rest = iter("448888448422448888888")
    registers = [0, 0]
    values = []
    while t.at < at + min(size, room):
        values.append(t.number(int(next(rest))))
    if len(values) > 5:
        registers[0] = values[5]
    return {"type": sample_type, "read": read_format, "all": flags >> 18 & 1, "registers": registers[0], "size": size}


def turn_trailer(t, event):
    if not event["all"]:
        return
    for field, sizes in ((TID, "44"), (TIME, "8"), (ID, "8"), (STREAM, "8"), (CPU, "44"), (IDENTIFIER, "8")):
        if event["type"] & field:
            t.numbers(sizes)


def trailer_size(event):
    return 8 * sum(1 for field in (TID, TIME, ID, STREAM, CPU, IDENTIFIER) if event["type"] & field) if event["all"] else 0


def turn_sample(t, event):
    kind = event["type"]
    for field, sizes in ((IDENTIFIER, "8"), (IP, "8"), (TID, "44"), (TIME, "8"), (ADDR, "8"), (ID, "8"), (STREAM, "8"),
                         (CPU, "44"), (PERIOD, "8")):
        if kind & field:
            t.numbers(sizes)
    if kind & READ:
        count = t.number(8)
        times = bin(event["read"] & 3).count("1")
        each = bin(event["read"] & 0x14).count("1")
        t.words(times)
        t.words(count * (1 + each) if event["read"] & 8 else each)
    if kind & CHAIN:
        t.words(t.number(8))
    if kind & RAW:
        t.at += t.number(4)
    if kind & REGS and t.number(8):
        t.words(bin(event["registers"]).count("1"))
    if kind & STACK:
        size = t.number(8)
        t.at += size
        if size:
            t.number(8)
    if kind & SOURCE:
        t.number(8)
    if kind & ~(2 * IDENTIFIER - 1) or kind & (BRANCH | WEIGHT):
        sys.exit(f"error: samples of type {kind:#x} are not known here")


HEADS = {0: "4", 1: "44888", 2: "88", 3: "44", 4: "44448", 5: "888", 6: "888", 7: "44448", 8: "44", 10: "44888", 11: "888", 12: "44", 13: "8", 14: "", 15: "44", 17: "8422",
         18: "224", 19: "8", 66: "4", 67: "4", 68: "", 82: "", 70: "44", 71: "8884444", 79: "88888", 78: "88", 81: ""}


class Records:
    def __init__(self, data, events):
        self.data, self.events = data, events  # events: (description, ids)

    def event_of(self, at):
        """The event with the id at this position of the original file."""
        wanted = int.from_bytes(self.data[at:at + 8], "little")
        return next((event for event, ids in self.events if wanted in ids), self.events[0][0])

    def turn(self, begin, end):
        at = begin
        while at < end:
            t = Turner(self.data, at, end)
            kind, misc, size = t.numbers("422")
            t.end = at + size
            if kind == 9:
                turn_sample(t, self.event_of(t.at) if len(self.events) > 1 else self.events[0][0])
            elif kind == 64:
                event = turn_attributes(self.data, t.at, size - 8)
                t.at += event["size"]
                self.events.append((event, t.words(t.rest() // 8)))
            elif kind == 80:
                turn_feature(self.data, t.number(8), t.at, t.rest())
            elif kind in (69, 75):
                t.words(t.rest() // 8)
            elif kind == 73:
                for _ in range(t.number(8)):
                    t.number(8)
                    t.at += 16
            elif kind == 74:
                t.number(2)  # the rest is not needed here
            elif kind < 64:
                event = self.event_of(at + size - 8) if self.events else None
                if event:
                    turn_trailer(Turner(self.data, at + size - trailer_size(event), at + size), event)
                t.numbers(HEADS[kind])
                if kind == 8:
                    t.words((size - 16 - trailer_size(event)) // 8)
                if kind == 10:
                    if misc & 1 << 14:
                        t.at += 24
                    else:
                        t.numbers("4488")
                    t.numbers("44")
            else:
                t.numbers(HEADS[kind])
            at += size
            if kind in (66, 71):  # the record's data follow it
                at += int.from_bytes(self.data[at - size + 8:at - size + (12 if kind == 66 else 16)], "big")


def turn_feature(data, number, at, size):
    t = Turner(data, at, at + size)

    def text():
        length = t.number(4)
        t.at += length

    if number == 2:
        Records(data, []).turn(at, at + size)  # the headers of these files have no type
    elif number in (3, 4, 5, 6, 8, 9):
        text()
    elif number == 7:
        t.numbers("44")
    elif number in (10, 21, 23):
        t.words(size // 8)
    elif number == 11:
        for _ in range(t.number(4)):
            text()
    elif number == 12:
        count, attribute_size = t.numbers("44")
        for _ in range(count):
            turn_attributes(data, t.at, attribute_size)
            t.at += attribute_size
            ids = t.number(4)
            text()
            t.words(ids)
    elif number == 16:
        for _ in range(t.number(4)):
            t.number(4)
            text()
    elif number == 17:
        for _ in range(t.number(4)):
            text()
            t.numbers("44")


def turned(original):
    data = bytearray(original)
    data[:8] = data[:8][::-1]
    t = Turner(data, 8, 104)
    size = t.number(8)
    if size == 16:
        Records(data, []).turn(16, len(data))
        return bytes(data)
    entry, events_at, events_size, data_at, data_size, _, _ = t.words(7)
    bits = t.words(4)
    events = []
    for at in range(events_at, events_at + events_size, entry):
        event = turn_attributes(data, at, entry - 16)
        ids_at, ids_size = Turner(data, at + entry - 16, at + entry).words(2)
        events.append((event, Turner(data, ids_at, ids_at + ids_size).words(ids_size // 8)))
    Records(data, events).turn(data_at, data_at + data_size)
    table = Turner(data, data_at + data_size, len(data))
    for number in range(256):
        if bits[number // 64] >> number % 64 & 1:
            at, feature_size = table.words(2)
            turn_feature(data, number, at, feature_size)
    return bytes(data)


def packed(data, zstd, order):
    """The same records, compressed as `perf record -z` does it and cut at any byte, in an unfinished file."""
    data_at = int.from_bytes(data[40:48], order)
    data_size = int.from_bytes(data[48:56], order)
    out = bytearray(data[:data_at])
    out[48:56] = bytes(8)
    records = data[data_at:data_at + data_size]
    for begin in range(0, len(records), 20011):
        piece = records[begin:begin + 20011]
        room = ctypes.create_string_buffer(zstd.ZSTD_compressBound(len(piece)))
        size = zstd.ZSTD_compress(room, len(room), bytes(piece), len(piece), 1)
        out += (81).to_bytes(4, order) + bytes(2) + (8 + size).to_bytes(2, order) + room.raw[:size]
    return bytes(out)


PAGE = 4096


def damages(data):
    """The file with a page that was wiped in the middle of its records, and with a record that has no size."""
    data_at, data_size = (int.from_bytes(data[at:at + 8], "little") for at in (40, 48))
    if int.from_bytes(data[8:16], "little") == 16:
        data_at, data_size = 16, len(data) - 16
    at = data_at
    places = []
    while at < data_at + data_size:
        kind, size = int.from_bytes(data[at:at + 4], "little"), int.from_bytes(data[at + 6:at + 8], "little")
        if kind == 9:
            places.append(at)
        at += size
    if places:
        middle = places[len(places) // 2]
        if middle // PAGE * PAGE >= data_at:
            yield "bad page", middle // PAGE * PAGE, PAGE
        yield "no size", middle + 6, 2


def report(wperf, path, *options):
    done = subprocess.run([wperf, "report", path.name, *options], cwd=path.parent, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"error: wperf {' '.join(options)} ended with {done.returncode} on {path}: {done.stderr.decode()}")
    return done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wperf", type=pathlib.Path, required=True)
    wperf = parser.parse_args().wperf.resolve()
    differing, compared, samples = [], 0, 0
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress.restype = ctypes.c_size_t
    zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    zstd.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    with tempfile.TemporaryDirectory() as temporary:
        here, there = pathlib.Path(temporary) / "here", pathlib.Path(temporary) / "there"
        here.mkdir()
        there.mkdir()
        for name, options in RECORDINGS.items():
            path = here / f"{name}.data"
            with open(path, "wb") as file:
                to = ["-o", "-"] if name == "pipe" else ["-o", str(path)]
                try:
                    done = subprocess.run(["perf", "record", *to, *options, "--", *WORK], stdout=file,
                                          stderr=subprocess.DEVNULL, check=False)
                except FileNotFoundError:
                    print("skipped: no perf here")
                    return 77
            if done.returncode != 0:
                print(f"{name}: cannot be recorded here")
                continue
            original = path.read_bytes()
            foreign = turned(original)
            if name == "packed":
                original, foreign = packed(original, zstd, "little"), packed(foreign, zstd, "big")
                path.write_bytes(original)
            (there / path.name).write_bytes(foreign)
            compared += 1
            if name not in ("packed", "tracepoint"):  # the data of a tracepoint follow records
                for what, at, size in damages(original):
                    both = []
                    for folder, data in ((here, original), (there, foreign)):
                        damaged = folder / f"{name}-damaged.data"
                        damaged.write_bytes(data[:at] + bytes(size) + data[at + size:])
                        both.append(report(wperf, damaged, "--json", "--sort", "comm,pid,tid,symbol"))
                    if both[0] != both[1] or b'"damaged_places":1' not in both[0]:
                        differing.append(f"{name} with damage: {what}")
            for views in (["--json", "--sort", "comm,pid,tid,symbol"], ["--tree"], ["--folded"], ["--records", "-"]):
                mine, other = report(wperf, path, *views), report(wperf, there / path.name, *views)
                samples += mine.count(b"\n") if views[0] == "--records" else 0
                if mine != other:
                    differing.append(f"{name} {' '.join(views)}")
    if compared == 0:
        print("skipped: perf is not allowed to record here")
        return 77
    print(f"{compared} recordings, {samples} lines of samples")
    for one in differing:
        print(f"not the same: {one}")
    return 1 if differing or samples == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
