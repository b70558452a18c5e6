#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares wperf's perf.data reader with perf itself.

usage: compare_with_perf.py --dump PERF_DATA_DUMP [FILE...]

Records a small program with perf in many ways, or takes the named files. Every record and every field that `perf report -D` prints
must be in perf_data_dump's output for the same place of the file. Also compares the header with `perf report --header`, and the events
of the samples with `perf script`. Exit status 77 if there is no perf or it may not record.
"""
import argparse
import collections
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# The recordings to make. If this machine or this perf cannot make one, it is left out; the first must work.
RECORDINGS = {
    "plain": "-e cpu-clock",
    "callchains": "-g -e cpu-clock",
    "user stacks": "--call-graph dwarf,1024 -e cpu-clock -d -W --phys-data",
    "several events on all CPUs": "-a -e cpu-clock,task-clock,page-faults,context-switches",
    "events of several layouts": "-e cpu-clock/call-graph=fp/,page-faults/period=1/,context-switches/call-graph=no/ -d",
    "a group with values": "-e {cpu-clock,page-faults}:S",
    "tracepoint": "-a -e sched:sched_switch",
    "switches, namespaces and cgroups": "-a -g -e cpu-clock --switch-events --namespaces --all-cgroups",
    "page sizes and another clock": "-e page-faults -c 1 -d --data-page-size --code-page-size --phys-data -k mono",
    "counts of each thread": "-s -e page-faults -c 1",
    "registers": "-e cpu-clock -I --user-regs=ip,sp",
    "build ids in mappings": "-e cpu-clock --buildid-mmap",
    "one thread alone": "--per-thread -e page-faults -c 1",
    "through a pipe": "-e cpu-clock,page-faults | pipe",
    "compressed": "-z -e cpu-clock",
}
WORKLOAD = [sys.executable, "-c", "import subprocess, threading\n"
            "t = threading.Thread(target=lambda: sum(range(300000))); t.start(); t.join()\n"
            "subprocess.run(['true'])"]

PLACE = re.compile(r"^(?:0x)?([0-9a-f]+)(?:@\S+)? \[(?:0x)?([0-9a-f]+)\]: event: (\d+)$")
DETAIL = re.compile(r"^(?:(?:(\d+) )?(-1|\d+) )?(?:0x)?([0-9a-f]+) \[(?:0x)?([0-9a-f]+)\]: PERF_RECORD_(\w+)(.*)$")
SAMPLE = re.compile(r"^\(IP, 0x([0-9a-f]+)\): (-?\d+)/(-?\d+): (?:0x)?([0-9a-f]+) period: (\d+) addr: (?:0x)?([0-9a-f]+)")
MMAP = re.compile(r"^ (-?\d+)/(-?\d+): \[(?:0x)?([0-9a-f]+)\((?:0x)?([0-9a-f]+)\) @ (?:0x)?([0-9a-f]+)(?: <([0-9a-f]+)>| "
                  r"([0-9a-f]+):([0-9a-f]+) (\d+) (\d+))?\]: \S+ ?(.*)$")
COMM = re.compile(r"^( exec)?: (.*):(-?\d+)/(-?\d+)$")
TASK = re.compile(r"^\((-?\d+):(-?\d+)\):\((-?\d+):(-?\d+)\)$")
SWITCH = re.compile(r"^ (IN|OUT)( preempt)? *(?:(?:prev|next) pid/tid: +(-?\d+)/(-?\d+))? *$")
NAMESPACES = re.compile(r"^ (-?\d+)/(-?\d+) - nr_namespaces: (\d+)")
# These fields must occur. Otherwise a change in perf's output could silently end their comparison.
MUST_SEE = ("SAMPLE.ip", "SAMPLE.callchain", "SAMPLE.user_regs", "SAMPLE.stack_written", "SAMPLE.counter",
            "SAMPLE.data_src", "SAMPLE.phys_addr", "SAMPLE.data_page", "SAMPLE.code_page", "MMAP2.file", "MMAP2.build_id",
            "NAMESPACES.links", "SWITCH_CPU_WIDE.out", "READ.value", "AUX.aux_flags", "AUXTRACE.on_cpu")
PAGE_SIZES = {"N/A": 0, "4K": 1 << 12, "2M": 1 << 21, "1G": 1 << 30}


def hexadecimal(number, bits=32):
    return f"{int(number) & ((1 << bits) - 1):x}"


def stripped(text):
    return text.lstrip("0") or "0"


def detail_fields(kind, text):
    """The fields in the first line about a record, under the names of perf_data_dump."""
    fields = {}
    match = None
    if kind == "SAMPLE":
        match = SAMPLE.match(text)
        if match:
            fields = dict(zip(("misc", "ip", "addr"), (match[1], stripped(match[4]), stripped(match[6]))))
            fields |= {"pid": hexadecimal(match[2]), "tid": hexadecimal(match[3]), "period": hexadecimal(match[5], 64)}
    elif kind in ("MMAP", "MMAP2"):
        match = MMAP.match(text)
        if match:
            fields = {"pid": hexadecimal(match[1]), "tid": hexadecimal(match[2]), "address": stripped(match[3]),
                      "length": match[4], "offset": match[5], "file": match[11]}
            if match[6]:
                fields["build_id"] = match[6]
            elif match[7]:
                fields |= {"device": f"{stripped(match[7])}:{stripped(match[8])}", "inode": hexadecimal(match[9], 64),
                           "generation": hexadecimal(match[10], 64)}
    elif kind == "COMM":
        match = COMM.match(text)
        if match:
            fields = {"exec": "1" if match[1] else "0", "name": match[2], "pid": hexadecimal(match[3]),
                      "tid": hexadecimal(match[4])}
    elif kind in ("FORK", "EXIT"):
        match = TASK.match(text)
        if match:
            fields = dict(zip(("pid", "tid", "parent_pid", "parent_tid"), map(hexadecimal, match.groups())))
    elif kind in ("SWITCH", "SWITCH_CPU_WIDE"):
        match = SWITCH.match(text)
        if match:
            fields = {"out": "1" if match[1] == "OUT" else "0", "preempted": "1" if match[2] else "0"}
            if match[3]:
                fields |= {"pid": hexadecimal(match[3]), "tid": hexadecimal(match[4])}
    elif kind == "NAMESPACES":
        match = NAMESPACES.match(text)
        if match:
            fields = {"pid": hexadecimal(match[1]), "tid": hexadecimal(match[2])}
    elif kind == "READ":
        match = re.match(r"^: (-?\d+) (-?\d+) \S+ (\d+)$", text)
        if match:
            fields = {"pid": hexadecimal(match[1]), "tid": hexadecimal(match[2]), "value": hexadecimal(match[3], 64)}
    elif kind == "AUX":
        match = re.match(r"^ offset: (?:0x)?([0-9a-f]+) size: (?:0x)?([0-9a-f]+) flags: (?:0x)?([0-9a-f]+) ", text)
        if match:
            fields = dict(zip(("aux_offset", "aux_size", "aux_flags"), match.groups()))
    elif kind == "AUXTRACE":
        match = re.match(r"^ size: (?:0x)?([0-9a-f]+) +offset: (?:0x)?([0-9a-f]+) +ref: (?:0x)?([0-9a-f]+) +idx: (\d+) +"
                         r"tid: (-?\d+) +cpu: (-?\d+)", text)
        if match:
            fields = dict(zip(("aux_size", "aux_offset", "reference"), match.groups()))
            fields |= dict(zip(("index", "tid", "on_cpu"), map(hexadecimal, match.groups()[3:])))
    elif kind == "CGROUP":
        match = re.match(r"^ cgroup: (\d+) (.*)$", text)
        if match:
            fields = {"id": hexadecimal(match[1], 64), "path": match[2]}
    else:
        return {}
    if not match:
        raise ValueError(f"cannot read what perf says of a {kind}: {text}")
    return fields


def add_following(kind, fields, line, state):
    """The fields in the further lines about a record."""
    if kind == "NAMESPACES":
        for name in re.findall(r"(\d+)/(?:0x)?([0-9a-f]+)(?=[,\]])", line):
            state.setdefault("links", []).extend((hexadecimal(name[0], 64), stripped(name[1])))
        fields["links"] = ",".join(state["links"])
    if kind != "SAMPLE":
        return
    if re.match(r"^\.\.\. (FP|LBR) chain: nr:", line):
        state["chain"], fields["callchain"] = [], ""
    elif match := re.match(r"^\.{5} +\d+: ([0-9a-f]{16})$", line):
        state["chain"].append(stripped(match[1]))
        fields["callchain"] = ",".join(state["chain"])
    elif match := re.match(r"^\.\.\. (user|intr) regs: mask 0x([0-9a-f]+)", line):
        state["registers"], state["values"] = match[1] + "_regs", []
        fields[match[1] + "_regs_mask"] = match[2]
    elif match := re.match(r"^\.\.\.\. \S+ +0x([0-9a-f]{16})$", line):
        state["values"].append(stripped(match[1]))
        fields[state["registers"]] = ",".join(state["values"])
    elif match := re.match(r"^\.{5} id ([0-9a-f]{16}), value ([0-9a-f]{16})", line):
        fields["counter_" + stripped(match[1])] = stripped(match[2])
    elif match := re.match(r"^\.\.\. ustack: size (\d+), offset", line):
        fields["stack_written"] = hexadecimal(match[1], 64)
    elif match := re.match(r"^ ?\.+ (data_src|phys_addr): (?:0x)?([0-9a-f]+)", line):
        fields[match[1]] = match[2]
    elif match := re.match(r"^ ?\.+ (data|code) page size: (\S+)", line):
        fields[match[1] + "_page"] = f"{PAGE_SIZES[match[2]]:x}"


def perf_records(text, shift):
    """{offset: (size, type)} and {offset: (kind, fields)} of `perf report -D`, which counts from byte `shift` of the file."""
    def moved(offset):
        return f"{int(offset, 16) + shift:x}"

    places, details = {}, {}
    current = None
    for line in text.splitlines():
        if match := PLACE.match(line):
            places[moved(match[1])] = (match[2], match[3])
            current = None
        elif match := DETAIL.match(line):
            kind = match[5]
            fields = detail_fields(kind, match[6])
            if fields:
                if match[2] is not None and kind != "AUXTRACE":
                    fields["time"] = hexadecimal(match[2], 64)
                if match[1] is not None and "on_cpu" not in fields:
                    fields["on_cpu"] = hexadecimal(match[1])
            details[moved(match[3])] = (kind, fields)
            current = (kind, fields, {})
        elif current is not None and line.strip():
            add_following(*current[:2], line, current[2])
        elif not line:
            current = None
    return places, details


def arm_spe_file():
    """A recording of Arm SPE on two CPUs, made here because few machines can make one. It has a loss and a buffer that
    was read in two pieces."""
    sample_type = 1 << 1 | 1 << 2 | 1 << 7 | 1 << 16  # thread, time, CPU, identifier
    attributes = struct.pack("<IIQQQQQ", 8, 64, 0x100010001, 1024, sample_type, 0, 1 << 18) + bytes(16)

    def record(kind, body):
        return struct.pack("<IHH", kind, 0, 8 + len(body)) + body

    def aux(offset, size, flags, cpu, time):
        return record(11, struct.pack("<QQQIIQIIQ", offset, size, flags, 10, 11, time, cpu, 0, 42 + cpu))

    def trace(cpu, offset, size):
        packets = (bytes.fromhex("b000104000000000a0") + bytes(54) + b"\x01") * (size // 64)
        return record(71, struct.pack("<QQQIIII", size, offset, 0x1234 + cpu, cpu, 0xffffffff, cpu, 0)) + packets

    records = record(79, struct.pack("<QQQQQBB6x", 1, 20, 1000, 0, 0, 1, 0))
    records += record(70, struct.pack("<IIQQ", 4, 0, 8, 1))
    records += record(3, struct.pack("<II8sIIQIIQ", 10, 11, b"app", 10, 11, 1500, 0, 0, 42))
    records += aux(0, 128, 0, 0, 2000) + aux(128, 64, 1, 0, 3000) + aux(0, 64, 8, 1, 2500)
    records += trace(0, 0, 64) + trace(0, 64, 128) + trace(1, 0, 64)
    ids = struct.pack("<QQ", 42, 43)
    table = 104 + len(ids)
    data = table + len(attributes) + 16
    header = struct.pack("<8sQQQQQQQQ32x", b"PERFILE2", 104, len(attributes) + 16, table, len(attributes) + 16, data,
                         len(records), 0, 0)
    return header + ids + attributes + struct.pack("<QQ", 104, len(ids)) + records


class Comparison:
    def __init__(self, dump, perf):
        self.dump, self.perf = dump, perf
        self.wrong = []
        self.fields = collections.Counter()

    def run(self, command):
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL)

    def ours(self, path):
        run = self.run([self.dump, str(path)])
        if run.returncode != 0:
            self.wrong.append(f"{path.name}: perf_data_dump: {run.stderr}")
        return [line.split("\t") for line in run.stdout.splitlines()]

    def compare(self, path):
        rows = self.ours(path)
        totals = {row[1]: row[2] for row in rows if row[0] == "T"}
        if totals.get("damaged") != "0" or totals.get("stopped") != "0":
            self.wrong.append(f"{path.name}: {totals}")
        self.compare_header(path, rows)
        if totals.get("compressed") != "0":
            # perf does not print the positions of records inside compressed ones.
            return f"{totals['compressed']} compressed records counted"
        records = {row[1]: row for row in rows if row[0] == "R"}
        with open(path, "rb") as file:
            header_size = int.from_bytes(file.read(16)[8:], "little")
        text = self.run([self.perf, "report", "-D", "-i", str(path)]).stdout
        # In a pipe's recording, perf counts offsets from the end of the header.
        places, details = perf_records(text, header_size if header_size == 16 else 0)
        mine = {offset: (row[2], row[3]) for offset, row in records.items()}
        if mine != places:
            different = sorted(set(mine.items()) ^ set(places.items()), key=lambda item: int(item[0], 16))
            self.wrong.append(f"{path.name}: other records than perf: {different[:4]}")
        count = 0
        for offset, (kind, fields) in details.items():
            row = dict(field.split("=", 1) for field in records.get(offset, [""] * 5)[5:])
            for name, value in fields.items():
                count += 1
                self.fields[f"{kind}.{re.sub('counter_.*', 'counter', name)}"] += 1
                absent = name == "time" and value in ("0", "f" * 16)  # perf makes one of these up
                if row.get(name) != value and not (absent and name not in row):
                    self.wrong.append(f"{path.name}: {kind} at 0x{offset}: {name} is {row.get(name)}, perf says {value}")
        self.compare_events(path, records)
        return f"{len(records)} records, {count} fields"

    def compare_header(self, path, rows):
        text = self.run([self.perf, "report", "--header-only", "-i", str(path)]).stdout
        theirs = dict(re.findall(r"^# ([^:#]+?) ?: (.*)$", text, re.MULTILINE))
        ours = {row[1]: row[2] for row in rows if row[0] == "F"}
        for name, value in ours.items():
            if name.startswith("time of"):
                value = f"{int(value) / 1e9:.6f}"
                same = name in theirs and abs(float(theirs[name]) - float(value)) < 2e-6
            else:
                same = theirs.get(name, "").strip() == value.strip()
            if not same:
                self.wrong.append(f"{path.name}: {name} is {value!r}, perf says {theirs.get(name)!r}")
        names = re.findall(r"^# event : name = ([^,]+(?:/[^ ]*/)?),", text, re.MULTILINE)
        mine = [row[1] for row in rows if row[0] == "E"]
        if mine != names and len(mine) == len(names) and not any("/" in name for name in mine):
            self.wrong.append(f"{path.name}: the events are {mine}, perf says {names}")
        self.fields["header"] += len(ours)

    def compare_events(self, path, records):
        text = self.run([self.perf, "script", "-i", str(path), "-F", "event"]).stdout
        theirs = collections.Counter(line.strip().rstrip(":") for line in text.splitlines() if line.strip().endswith(":"))
        mine = collections.Counter(field[6:] for row in records.values() for field in row if field.startswith("event="))
        if theirs and sum(theirs.values()) == sum(mine.values()) and theirs != mine:
            self.wrong.append(f"{path.name}: samples by event are {dict(mine)}, perf says {dict(theirs)}")


def record(perf, options, path):
    options, _, pipe = options.partition(" | ")
    command = [perf, "record", "-q", *options.split(), "-o", "-" if pipe else str(path), "--", *WORKLOAD]
    with open(path if pipe else "/dev/null", "wb") as out:
        run = subprocess.run(command, stdout=out, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
    return run.returncode == 0 and path.exists() and path.stat().st_size > 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--dump", required=True)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    perf = shutil.which("perf")
    if not perf:
        print("skipped: perf is not installed")
        return 77
    comparison = Comparison(arguments.dump, perf)
    with tempfile.TemporaryDirectory() as folder:
        files = {path.name: path for path in arguments.files}
        for name, options in RECORDINGS.items() if not files else ():
            path = pathlib.Path(folder) / (name.replace(" ", "_") + ".data")
            if record(perf, options, path):
                files[name] = path
            elif name == "plain":
                print("skipped: perf is not allowed to record here")
                return 77
            else:
                print(f"{name}: this perf cannot record it")
        if not arguments.files:
            files["Arm SPE"] = pathlib.Path(folder) / "arm_spe.data"
            files["Arm SPE"].write_bytes(arm_spe_file())
        impossible = len(RECORDINGS) + 1 - len(files)
        for name, path in files.items():
            print(f"{name}: {comparison.compare(path)}")
    if not arguments.files and impossible == 0:
        comparison.wrong += [f"perf said nothing of {name}" for name in MUST_SEE if name not in comparison.fields]
    print(f"{sum(comparison.fields.values())} fields of {len(comparison.fields)} kinds compared")
    for text in comparison.wrong[:40]:
        print("WRONG " + text)
    return 1 if comparison.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
