#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf report` of .etl traces: real traces from outside the project, and damaged copies of them."""
import collections
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import uuid
import zipfile

from support import SHARED, WperfTest, workload

DATA = SHARED / "data" / "etl"
IMAGE_ID = uuid.UUID("b3e675d7-2554-4f18-830b-2762732560de").bytes_le
PROFILE = DATA / "perfview-net452-x64-win8-compressed.etl"


def kernel_record(group, opcode, version, time, payload):
    record = struct.pack("<HBBHBBQ", version, 0x11, 0xc0, 16 + len(payload), opcode, group, time) + payload
    return record.ljust((len(record) + 7) // 8 * 8, b"\0")


def buffer(records, sequence, kind=0, size=0x10000):
    head = struct.pack("<I20xQ8xHHIIHH16x", size, sequence, 0, 0, 0, 0x48 + len(records), 0x20, kind)
    return (head + records).ljust(size, b"\xff")


def trace(records):
    """A trace of one core: the header record, then `records`."""
    facts = bytearray(0x118)
    struct.pack_into("<I", facts, 0, 0x10000)
    struct.pack_into("<I", facts, 0x0c, 1)
    struct.pack_into("<Q", facts, 0x10, 133_600_000_000_000_000)
    struct.pack_into("<II", facts, 0x20, 1, 2)
    struct.pack_into("<Q", facts, 0x100, 10_000_000)
    struct.pack_into("<QI", facts, 0x108, 133_500_000_000_000_000, 1)
    payload = bytes(facts) + "s\0f\0".encode("utf-16-le")
    first = struct.pack("<HBBHBBIIQII", 2, 2, 0xc0, 32 + len(payload), 0, 0, 0, 0, 1000, 0, 0) + payload
    return buffer(first.ljust((len(first) + 7) // 8 * 8, b"\0"), 0, kind=4) + buffer(records, 1)


def codeview(image):
    """(GUID, age, path) of the PDB that a PE image names."""
    at = image.index(b"RSDS")
    return image[at + 4:at + 20], struct.unpack_from("<I", image, at + 20)[0], image[at + 24:image.index(b"\0", at + 24)]


def item(kind, data, more):
    whole = (8 + len(data) + 7) // 8 * 8
    return (struct.pack("<HHHH", whole, kind, more, len(data)) + data).ljust(whole, b"\0")


def program_record(time, thread, stop, provider, name="", identifier=0, task=0, activity=0):
    """An event of a program with the opcode start or stop. If it has a name, it is self-describing."""
    named = b""
    if name:
        traits, schema = b"Shop\0", b"\0" + name.encode() + b"\0"
        named = item(12, struct.pack("<H", 2 + len(traits)) + traits, 1) + item(11, struct.pack("<H", 2 + len(schema)) + schema, 0)
    record = struct.pack("<HBBHHIIQ16sHBBBBHQQ16s", 80 + len(named), 0x13, 0xc0, 1 if named else 0, 0, thread, 40, time, provider.bytes_le,
                         identifier, 0, 0, 4, 2 if stop else 1, task, 0, 0, struct.pack("<QQ", activity, 0)) + named
    return record.ljust((len(record) + 7) // 8 * 8, b"\0")


class PythonFunctions(WperfTest):
    """A trace like python-etwtrace's: each Python function has a small piece of code, which calls the interpreter."""
    PROVIDER = uuid.UUID("99a10640-320d-4b37-9e26-c311d86da7ab")
    OUTER, INNER, KERNELS = 0x1f0000, 0x1f0100, 0x7ff612340000

    def function_record(self, time, begin, name, file):
        fields = [("FunctionID", 8, struct.pack("<I", 1)), ("BeginAddress", 21, struct.pack("<Q", begin)),
                  ("EndAddress", 21, struct.pack("<Q", begin + 0x40)), ("LineNumber", 8, struct.pack("<I", 12)),
                  ("SourceFile", 1, (file + "\0").encode("utf-16-le")), ("Name", 1, (name + "\0").encode("utf-16-le")),
                  ("IsPythonCode", 8, struct.pack("<I", 1))]
        traits, schema = b"Python\0", b"\0PythonFunction\0"
        for field, kind, _ in fields:
            schema += field.encode() + b"\0" + bytes([kind])
        named = item(12, struct.pack("<H", 2 + len(traits)) + traits, 1) + item(11, struct.pack("<H", 2 + len(schema)) + schema, 0)
        payload = b"".join(value for *_, value in fields)
        record = struct.pack("<HBBHHIIQ16sHBBBBHQQ16s", 80 + len(named) + len(payload), 0x13, 0xc0, 1, 0, 44, 40, time,
                             self.PROVIDER.bytes_le, 0, 0, 11, 4, 0, 0, 0x400, 0, b"") + named + payload
        return record.ljust((len(record) + 7) // 8 * 8, b"\0")

    def test_stacks_have_functions_of_python(self):
        records = kernel_record(5, 1, 3, 1011, struct.pack("<II", 40, 44).ljust(72, b"\0"))
        records += self.function_record(1020, self.OUTER, "Shop.open", "C:\\shop\\app.py")
        records += self.function_record(1021, self.INNER, "count", "C:\\shop\\stock.py")
        for time in range(1100, 1200, 10):
            records += kernel_record(15, 46, 2, time, struct.pack("<QIHH", self.KERNELS, 44, 1, 0))
            stack = struct.pack("<QIIQQQ", time, 40, 44, self.KERNELS, self.INNER + 0x10, self.OUTER + 0x10)
            records += kernel_record(0x18, 32, 2, time + 1, stack)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "python.etl"
            path.write_bytes(trace(records))
            folded = self.ok("report", path, "--folded").splitlines()
            self.assertEqual(len(folded), 1, folded)
            self.assertRegex(folded[0], r";Shop\.open;count;[^;]+ \d+$")
            rows = self.json("report", path, "--json", "--children")["recording"]["events"][0]["rows"]
            modules = {row["symbol"]: row["module"] for row in rows}
            self.assertEqual((modules["Shop.open"], modules["count"]), ("app.py", "stock.py"))

    def test_a_trace_with_the_interpreter_only_gets_a_hint(self):
        path = "\\Device\\HarddiskVolume3\\Python\\python313.dll\0".encode("utf-16-le")
        image = struct.pack("<QQIIIIQ16x", self.KERNELS, 0x100000, 40, 0, 0x5f5e, 0, self.KERNELS) + path
        records = kernel_record(5, 1, 3, 1011, struct.pack("<II", 40, 44).ljust(72, b"\0")) + kernel_record(0x14, 3, 3, 1012, image)
        function = self.function_record(1020, self.INNER, "count", "C:\\shop\\stock.py")
        samples = b""
        for time in range(1100, 1200, 10):
            samples += kernel_record(15, 46, 2, time, struct.pack("<QIHH", self.KERNELS, 44, 1, 0))
            samples += kernel_record(0x18, 32, 2, time + 1, struct.pack("<QIIQQ", time, 40, 44, self.KERNELS, self.INNER + 0x10))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "python.etl"
            path.write_bytes(trace(records + samples))
            self.assertIn("it runs Python: if the program is started with python-etwtrace, a trace names its functions\n", self.ok("report", path))
            path.write_bytes(trace(records + function + samples))
            self.assertNotIn("it runs Python", self.ok("report", path))


class Spans(WperfTest):
    SHOP, BARE = uuid.UUID("11111111-2222-3333-4444-555555555555"), uuid.UUID("66666666-2222-3333-4444-555555555555")

    def setUp(self):
        mark = lambda time, thread, stop, *more, **named: (time, program_record(time, thread, stop, *more, **named))
        marks = [mark(2000, 44, False, self.SHOP, "Work"), mark(2020, 44, False, self.SHOP, "Work"), mark(2040, 44, True, self.SHOP, "Work"),
                 mark(2100, 44, True, self.SHOP, "Work"),
                 # Two overlapping spans. They end on another thread, in the order in which they began.
                 mark(2200, 44, False, self.SHOP, "Fetch/Start", activity=7), mark(2210, 44, False, self.SHOP, "Fetch/Start", activity=8),
                 mark(2300, 45, True, self.SHOP, "Fetch/Stop", activity=7), mark(2320, 45, True, self.SHOP, "Fetch/Stop", activity=8),
                 # Spans of a provider of which only the GUID is known.
                 mark(1990, 45, True, self.BARE, identifier=11, task=5), mark(2400, 45, False, self.BARE, identifier=10, task=5),
                 mark(2450, 45, True, self.BARE, identifier=11, task=5), mark(2460, 45, False, self.BARE, identifier=10, task=5)]
        self.samples = [(time + thread - 44, thread) for time in range(1905, 2500, 10) for thread in (44, 45)]
        records = [(1011, kernel_record(5, 1, 3, 1011, struct.pack("<II", 40, thread).ljust(72, b"\0"))) for thread in (44, 45)]
        records += marks + [(time, kernel_record(15, 46, 2, time, struct.pack("<QIHH", 0x7ff612340000, thread, 1, 0)))
                            for time, thread in self.samples]
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace = pathlib.Path(self.folder.name) / "marked.etl"
        self.trace.write_bytes(trace(b"".join(record for _, record in sorted(records, key=lambda one: one[0]))))

    def sampled(self, thread, begin, end):
        return sum(1 for time, of in self.samples if of == thread and begin <= time < end)

    def test_spans_by_provider_and_name(self):
        found = {(row["provider"], row["span"]): row for row in self.json("report", self.trace, "--spans", "--json")["spans"]["spans"]}
        bare = str(self.BARE)
        lengths = {("Shop", "Work"): [2000, 10000], ("Shop", "Fetch"): [10000, 11000], (bare, "task 5"): [5000]}
        within = {("Shop", "Work"): self.sampled(44, 2000, 2100), ("Shop", "Fetch"): self.sampled(44, 2200, 2320),
                  (bare, "task 5"): self.sampled(45, 2400, 2450)}
        self.assertEqual(found.keys(), lengths.keys())
        for name, row in found.items():
            own = lengths[name]
            self.assertEqual((row["count"], row["total_ns"], row["shortest_ns"], row["median_ns"], row["longest_ns"]),
                             (len(own), sum(own), own[0], own[0], own[-1]), name)
            self.assertEqual((row["samples"], row["threads"]), (within[name], 1), name)
            self.assertEqual((row["unclosed"], row["unopened"]), (1, 1) if name[0] == bare else (0, 0), name)
        text = self.ok("report", self.trace, "--spans")
        self.assertIn("5 spans of 3 kinds\n1 start without a stop, 1 stop without a start: in no span\n", text)
        self.assertRegex(text, r"\n +2 +21\.0 us +10\.5 us +10\.0 us +11\.0 us +12 .* Shop/Fetch\n")

    def test_samples_of_a_span_are_those_of_its_thread_between_its_ends(self):
        for name, within, length in (("Work", self.sampled(44, 2000, 2100), "10.0 us"), ("Shop/Fetch", self.sampled(44, 2200, 2320), "12.0 us")):
            event = self.json("report", self.trace, "--span", name, "--json", "--sort", "tid")["recording"]["events"][0]
            self.assertEqual([(row["tid"], row["samples"]) for row in event["rows"]], [(44, within)], name)
            self.assertEqual(event["whole"], f"the samples of threads in 2 spans of Shop/{name.split('/')[-1]} ({length})")
        folded = self.ok("report", self.trace, "--span", "Work", "--folded")
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()), self.sampled(44, 2000, 2100) * event["period"] // event["samples"])
        run = self.run_wperf("report", self.trace, "--span", "task 5")
        self.assertIn(f"note: {self.BARE}/task 5 has 1 start without a stop, 1 stop without a start", run.stderr)

    def test_what_is_no_span_is_refused(self):
        told = self.fails("report", self.trace, "--span", "Wrok", status=1)
        self.assertIn("the trace has no span 'Wrok'\n", told)
        self.assertIn(f"available: {self.BARE}/task 5, Shop/Fetch, Shop/Work", told)
        none = pathlib.Path(self.folder.name) / "none.etl"
        none.write_bytes(trace(kernel_record(5, 1, 3, 1011, struct.pack("<II", 40, 44).ljust(72, b"\0"))))
        self.assertIn("0 spans of 0 kinds\nno event of the trace has the opcode start or stop\n", self.ok("report", none, "--spans"))

    def test_damage_does_no_harm(self):
        whole = self.trace.read_bytes()
        used = whole.rindex(b"Fetch/Stop") + 2000
        begin = whole.index(b"Shop") - 300
        broken = self.trace.with_name("broken.etl")
        for at in range(begin, used, max((used - begin) // 60, 1)):
            broken.write_bytes(whole[:at] + bytes([whole[at] ^ 0xff]) + whole[at + 1:])
            for options in (("--spans",), ("--span", "Work")):
                self.assertIn(self.run_wperf("report", broken, *options).returncode, (0, 1, 4), (at, options))

    def test_collections_of_a_real_program(self):
        if not PROFILE.exists():
            self.skipTest("the real traces are missing")
        found = {row["span"]: row for row in self.json("report", PROFILE, "--spans", "--json")["spans"]["spans"]
                 if row["provider"] == "Microsoft-Windows-DotNETRuntime"}
        # The runtime reports each of its 264 starts twice, in two versions.
        collections = found["GarbageCollection"]
        self.assertEqual((collections["count"], collections["unclosed"], collections["unopened"]), (264, 264, 0))
        event = json.loads(self.run_wperf("report", PROFILE, "--span", "GarbageCollection", "--json").stdout)["recording"]["events"][0]
        self.assertEqual((event["samples"], event["period"]), (collections["samples"], collections["cpu_ns"]))


class NamesByPdb(WperfTest):
    BASE, PROCESS, THREAD = 0x7ff6_1234_0000, 40, 44

    def trace_of(self, addresses, guid, age, pdb, base=BASE, process=PROCESS):
        wide = "\\??\\C:\\made up\\calls.exe\0".encode("utf-16-le")
        image = struct.pack("<QQIIIIQ16x", base, 0x100000, process, 0, 0x5f5e, 0, base) + wide
        wanted = struct.pack("<QI", base, process) + guid + struct.pack("<I", age) + pdb + b"\0"
        rsds = struct.pack("<HBBBBHIIQ", 48 + len(wanted), 0x14, 0xc0, 36, 0, 2, 0, 0, 1010)
        rsds += IMAGE_ID + b"\0" * 8 + wanted
        records = rsds.ljust((len(rsds) + 7) // 8 * 8, b"\0") + kernel_record(3, 10, 3, 1010, image)
        records += kernel_record(5, 1, 3, 1011, struct.pack("<II", self.PROCESS, self.THREAD).ljust(72, b"\0"))
        for i, address in enumerate(addresses):
            sample = struct.pack("<QIHH", base + address, self.THREAD, 1, 0)
            records += kernel_record(15, 46, 2, 1020 + i, sample)
        return trace(records)

    def test_functions_are_named_by_the_pdb_alone(self):
        program = pathlib.Path(workload("calls.exe"))
        if shutil.which("llvm-symbolizer-19") is None:
            self.skipTest("no llvm-symbolizer here")
        guid, age, pdb = codeview(program.read_bytes())
        addresses = list(range(0x1000, 0x1400, 0x20))
        base = 0x140000000
        asked = [f"{base + address:#x}" for address in addresses]
        oracle = subprocess.run(["llvm-symbolizer-19", f"--obj={program}", "--no-inlines", "-f", *asked], text=True,
                                capture_output=True, check=True).stdout.split("\n\n")
        names = collections.Counter(name.split("\n")[0] for name in oracle if name.strip() and not name.startswith("??"))
        self.assertGreater(len(names), 3)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "made.etl"
            path.write_bytes(self.trace_of(addresses, guid, age, pdb))
            command = ("report", path, "--json", "--sort", "symbol", "--symbol-path", program.parent)
            event = self.json(*command)["recording"]["events"][0]
            self.assertEqual(event["samples"], len(addresses))
            rows = {row["symbol"]: row["samples"] for row in event["rows"]}
            # The other tool extends a function up to the start of the next one. wperf does not name addresses after a
            # function's end.
            for name, count in rows.items():
                if not name.startswith("calls.exe+"):
                    self.assertLessEqual(count, names[name], (name, rows))
            self.assertGreater(len(rows.keys() & names.keys()), 3)
            self.assertEqual(names.keys() - rows.keys(), set())
            self.assertIn("by " + str(program.with_suffix(".pdb")), self.ok(*command[:2], *command[3:], "-v"))
            # A kernel image is named in the same way.
            path.write_bytes(self.trace_of(addresses, guid, age, pdb, base=0xfffff800_1234_0000, process=0))
            in_kernel = self.json(*command)["recording"]["events"][0]["rows"]
            self.assertEqual({row["symbol"]: row["samples"] for row in in_kernel}, rows)
            self.assertTrue(all(row["kernel"] for row in in_kernel))
            # A PDB of another build is not used: each address is listed separately, and the missing names are reported.
            path.write_bytes(self.trace_of(addresses, guid[::-1], age, pdb))
            rows = {row["symbol"]: row["samples"] for row in self.json(*command)["recording"]["events"][0]["rows"]}
            self.assertEqual(rows, {f"calls.exe+{address:#x}": 1 for address in addresses})
            self.assertIn("without a function name in calls.exe", self.ok("report", path))


class SeveralFiles(WperfTest):
    """One file has the samples, the other has the threads and processes."""
    def setUp(self):
        super().setUp()
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        threads = b"".join(kernel_record(5, 1, 3, 1001 + i, struct.pack("<II", 40, 44 + i).ljust(72, b"\0"))
                           for i in range(2))
        process = struct.pack("<QIIIi", 0, 40, 4, 1, 0) + bytes(8) + bytes(4) + bytes(4) + b"split.exe\0" + bytes(2)
        self.kernel = trace(kernel_record(3, 1, 4, 1000, process) + threads)
        self.user = trace(b"".join(kernel_record(15, 46, 2, 1010 + i, struct.pack("<QIHH", 0x7000, 44 + i % 2, 1, 0))
                                   for i in range(50)))

    def written(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def zipped(self, name, **kinds):
        path = self.folder / name
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("metadata.xml", "<nothing/>" * 1000, zipfile.ZIP_DEFLATED)
            file.writestr("0E1B/sc.kernel", self.kernel, kinds.get("kernel", zipfile.ZIP_DEFLATED))
            file.writestr("user data.etl", self.user, kinds.get("user", zipfile.ZIP_DEFLATED))
        return path

    def check(self, *files):
        event = self.json("report", *files, "--json", "--sort", "comm,pid,tid")["recording"]["events"][0]
        rows = {(row["comm"], row["pid"], row["tid"]): row["samples"] for row in event["rows"]}
        self.assertEqual(rows, {("split.exe", 40, 44): 25, ("split.exe", 40, 45): 25})

    def test_files_of_one_session_are_one_recording(self):
        kernel, user = self.written("a.kernel.etl", self.kernel), self.written("a.user.etl", self.user)
        self.check(kernel, user)
        self.check(user, kernel)
        alone = self.run_wperf("report", user)
        self.assertIn("50 samples are of threads that the trace does not name", alone.stderr)

    def test_zip_files_are_opened_as_they_are(self):
        self.check(self.zipped("session.diagsession"))
        self.check(self.zipped("named like anything", kernel=zipfile.ZIP_STORED, user=zipfile.ZIP_STORED))

    def test_other_files_are_refused(self):
        later = bytearray(self.user)
        struct.pack_into("<Q", later, 0x48 + 32 + 0x108, 133_500_000_000_000_000 + 10**9)
        run = self.run_wperf("report", self.written("a.etl", self.kernel), self.written("b.etl", bytes(later)))
        self.assertEqual(run.returncode, 1)
        self.assertIn("are not from one session: their clocks started at different times", run.stderr)
        run = self.run_wperf("waits", self.written("a.etl", self.kernel), self.written("notes.txt", b"hello" * 100))
        self.assertIn("notes.txt is not an .etl trace", run.stderr)
        self.assertEqual(run.returncode, 4)

    def test_damaged_zip_files_are_told(self):
        whole = self.zipped("whole.zip").read_bytes()
        cut = self.run_wperf("report", self.written("cut.zip", whole[:len(whole) // 2]))
        self.assertEqual(cut.returncode, 4)
        self.assertIn("no list of files", cut.stderr)
        with zipfile.ZipFile(self.folder / "none.zip", "w") as file:
            file.writestr("readme", "no trace")
        self.assertIn("contains no .etl trace", self.run_wperf("report", self.folder / "none.zip").stderr)
        at = whole.index(b"user data.etl") + len("user data.etl")
        size = zipfile.ZipFile(self.folder / "whole.zip").getinfo("user data.etl").compress_size
        broken = bytearray(whole)
        broken[at + size - 20:at + size - 10] = b"\xff" * 10
        run = self.run_wperf("report", self.written("broken.zip", bytes(broken)))
        self.assertIn("damage", run.stderr)
        self.assertEqual(run.returncode, 0, run.stderr)


class MadeTraces(WperfTest):
    THREAD = kernel_record(5, 1, 3, 1001, struct.pack("<II", 40, 44).ljust(72, b"\0"))

    def run_made(self, command, records, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "made.etl"
            path.write_bytes(trace(records))
            return self.json(command, path, "--json", *options)

    @staticmethod
    def sample(time, thread=44, flags=0):
        return kernel_record(15, 46, 2, time, struct.pack("<QIHH", 0x7000, thread, 1, flags))

    @staticmethod
    def interval(opcode, time, now, before=0):
        return kernel_record(15, opcode, 3, time, struct.pack("<III", 0, now, before) + bytes(2))

    def test_samples_count_for_the_interval_in_force(self):
        # The interval is 1 ms at first, which only the event about the change shows, and 0.5 ms afterwards. The end of
        # the trace repeats that value.
        records = self.THREAD + self.sample(1010) + self.sample(1020)
        records += self.interval(72, 1030, 5000, 10000) + self.sample(1040) + self.interval(74, 1050, 5000)
        event = self.run_made("report", records)["recording"]["events"][0]
        self.assertEqual((event["samples"], event["period"]), (3, 2_500_000))

    def test_idle_is_left_out_unless_it_is_asked_for(self):
        records = self.THREAD + self.sample(1010) + b"".join(self.sample(1020 + i, thread=0) for i in range(9))
        records += self.sample(1040, thread=0, flags=1)  # a DPC is work, not idle time
        recording = self.run_made("report", records)["recording"]
        self.assertEqual(recording["events"][0]["samples"], 2)
        self.assertEqual(recording["trace"]["idle_samples_left_out"], 9)
        recording = self.run_made("report", records, "--idle")["recording"]
        self.assertEqual(recording["events"][0]["samples"], 11)
        self.assertEqual(recording["trace"]["idle_samples_left_out"], 0)

    def test_idle_is_counted_in_the_chosen_time(self):
        # Ticks are 100 ns. The first sample of work is at 10,000 ticks, which is 0 s.
        idle, working = (9_000, 10_001, 20_000, 29_999, 30_001, 70_000), (10_000, 60_000)
        records = self.THREAD + b"".join(self.sample(time, thread=0 if time in idle else 44) for time in sorted(idle + working))
        for time, expected in (("0-0.002", 3), ("0.002-", 2), ("0.0001-0.0002", 0)):
            recording = self.run_made("report", records, "--time", time)["recording"]
            self.assertEqual(recording["trace"]["idle_samples_left_out"], expected, time)

    def test_samples_without_an_interval_are_no_time(self):
        event = self.run_made("report", self.THREAD + self.sample(1010) + self.sample(1020))["recording"]["events"][0]
        self.assertEqual((event["event"], event["samples"], event["period"]), ("Timer (interval not recorded)", 2, 2))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "made.etl"
            path.write_bytes(trace(self.THREAD + self.sample(1010) + self.sample(1020)))
            text = self.ok("report", path)
        self.assertIn("event Timer (interval not recorded): 2 samples, each counts 1", text)
        self.assertNotIn("of CPU", text)

    @staticmethod
    def switch(time, new, old):
        return kernel_record(5, 36, 4, time, struct.pack("<IIbbBbBBBBII", new, old, 8, 8, 0, 0, 6, 1, 5, 0, 0, 0))

    def test_wake_ups_may_be_recorded_although_there_was_none(self):
        switches = self.THREAD + self.switch(1100, 44, 0) + self.switch(2100, 0, 44)
        for mask, recorded in ((0x204, True), (0x4, False)):
            masks = kernel_record(0, 5, 2, 1000, struct.pack("<9I", 0, mask, 0, 0, 0, 0, 0, 0, 0))
            self.assertEqual(self.run_made("waits", masks + switches)["waits"]["has_wakeups"], recorded, mask)

    def test_interrupts_count_for_cores(self):
        switch = self.switch
        # An interrupt within a DPC, and one before it. Ticks are 100 ns.
        records = self.THREAD + switch(1100, 44, 0)
        records += kernel_record(15, 67, 2, 1250, struct.pack("<QQBHB", 1200, 0xf000, 0, 3, 0))
        records += kernel_record(15, 67, 2, 1430, struct.pack("<QQBHB", 1400, 0xf000, 0, 3, 0))
        records += kernel_record(15, 68, 2, 1500, struct.pack("<QQ", 1300, 0xf100))
        records += switch(2100, 0, 44)
        core = self.run_made("waits", records)["waits"]["cores"][0]
        self.assertEqual((core["isr_ns"], core["dpc_ns"], core["interrupts"]), (8000, 17000, 3))
        self.assertEqual(core["busy_ns"], 100_000)


@unittest.skipUnless(PROFILE.exists(), "the real traces are not next to the project's folder")
class Traces(WperfTest):
    def test_every_sample_that_is_not_idle_is_shown(self):
        oracle = json.loads(PROFILE.with_suffix(".json").read_text())["sampled_profile"]
        document = self.json("report", PROFILE, "--json", "--sort", "pid")
        event = document["recording"]["events"][0]
        self.assertEqual(event["event"], "Timer")
        self.assertEqual(event["samples"], oracle["not_idle"])
        rows = {row["pid"]: row["samples"] for row in event["rows"]}
        for one in oracle["by_pid"]:
            if one["pid"] != 0:  # the oracle counts idle samples for process 0, too
                self.assertEqual(rows.get(one["pid"], 0), one["samples"], one)

    def test_modules_are_those_of_the_images(self):
        oracle = json.loads(PROFILE.with_suffix(".json").read_text())["sampled_profile"]["leaf_module_not_idle"]
        document = self.json("report", PROFILE, "--json", "--sort", "pid,module", "--sample-display-row", "100000")
        rows = collections.Counter()  # programs of 32 bits have two modules of one name
        for row in document["recording"]["events"][0]["rows"]:
            rows[row["pid"], row["module"].lower()] += row["samples"]
        compared = 0
        for one in oracle:
            if one["module"] != "?":
                self.assertEqual(rows[one["pid"], one["module"].lower()], one["samples"], one)
                compared += 1
        self.assertGreater(compared, 3)

    def test_methods_of_dot_net_have_names(self):
        self.assertIn("System.DateTime.GetDatePart", self.ok("report", PROFILE))

    def test_stacks_reach_their_beginning(self):
        folded = self.ok("report", PROFILE, "--folded", "--comm", "Test.x64.exe")
        deep = [line for line in folded.splitlines() if line.count(";") > 5]
        self.assertGreater(len(deep), 10)

    def test_a_trace_without_samples_says_so(self):
        trace = DATA / "etlparser-ShutdownPerfDiagLogger-win10.etl"
        done = self.run_wperf("report", trace, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sum(event["samples"] for event in json.loads(done.stdout)["recording"]["events"]), 0)
        self.assertIn("has no samples: sampling was not enabled", done.stderr)
        self.assertIn("--providers`", done.stderr)
        self.assertEqual(self.run_wperf("report", trace, "--export", "pprof", "-o", os.devnull).returncode, 1)

    def test_idle_samples_are_counted_apart(self):
        oracle = json.loads(PROFILE.with_suffix(".json").read_text())["sampled_profile"]
        recording = self.json("report", PROFILE, "--json")["recording"]
        self.assertEqual(recording["trace"]["idle_samples_left_out"], oracle["count"] - oracle["not_idle"])
        self.assertIn("73,208 samples of idle cores are left out", self.ok("report", PROFILE))
        recording = self.json("report", PROFILE, "--json", "--idle", "--sort", "pid")["recording"]
        self.assertEqual(recording["events"][0]["samples"], oracle["count"])
        rows = {row["pid"]: row["samples"] for row in recording["events"][0]["rows"]}
        self.assertEqual(rows[0], next(one["samples"] for one in oracle["by_pid"] if one["pid"] == 0))

    def test_losses_are_told_with_their_times(self):
        for command, name in (("report", "recording"), ("waits", "waits")):
            run = self.run_wperf(command, DATA / "synth-lost.etl", "--json")
            facts = json.loads(run.stdout)[name]["trace"]
            self.assertEqual((facts["events_lost"], facts["flagged_buffers"]), (5, 1))
            self.assertEqual([gap["told_by"] for gap in facts["gaps"]], ["events lost"])
            self.assertLess(facts["gaps"][0]["from_s"], facts["gaps"][0]["to_s"])
            self.assertIn("data is missing on core 0 between 0.154997 s and 0.155800 s (events lost)", run.stderr)
        lost = self.run_wperf("report", DATA / "s4-WindowsUpdate-eventslost.etl").stderr
        self.assertIn("41 events were lost", lost)
        self.assertIn("the trace does not record when these were lost", lost)

    def test_a_buffer_that_is_taken_out_is_missed(self):
        whole, at, places = PROFILE.read_bytes(), 0, []
        while at < len(whole):
            places.append(at)
            at += struct.unpack_from("<I", whole, at)[0]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "less.etl"
            path.write_bytes(whole[:places[100]] + whole[places[101]:])
            facts = json.loads(self.run_wperf("report", path, "--json").stdout)["recording"]["trace"]
            self.assertEqual(facts["missing_buffers"], 1)
            missing = [gap for gap in facts["gaps"] if gap["told_by"] == "buffer numbers"]
            self.assertEqual([gap["buffers"] for gap in missing], [1])
            self.assertNotIn("core", missing[0], "its number does not say whose it was")

    def test_every_event_is_counted_by_its_provider(self):
        for path in sorted(DATA.glob("*.json")):
            oracle = json.loads(path.read_text())
            if "counts" not in oracle:
                continue
            expected, kernel = collections.Counter(), 0
            for name, count in oracle["counts"].items():
                form, provider, number = name.split("/")[:3]
                if form == "kernel":
                    kernel += count
                else:
                    expected[provider, int("".join(c for c in number if c.isdigit()))] += count
            found = json.loads(self.run_wperf("report", path.with_suffix(".etl"), "--providers", "--json").stdout)["providers"]
            self.assertEqual(found["events"], oracle["events_total"], path)
            by_kind, in_kernel = collections.Counter(), 0
            for provider in found["providers"]:
                if provider["guid"] == "":
                    in_kernel += provider["events"]
                for kind in provider["kinds"] if provider["guid"] else ():
                    by_kind[provider["guid"], kind["id"]] += kind["count"]
            # For these traces, the other reader adds images of classic events to the kernel's images.
            if "sawbuck" not in path.name:
                self.assertEqual(in_kernel, kernel, path)
                self.assertEqual(by_kind, expected, path)

    def test_providers_and_their_events_have_names(self):
        found = self.json("report", PROFILE, "--providers", "--json")["providers"]
        self.assertEqual((found["disk_reads"], found["disk_writes"], found["hard_faults"]), (1208, 21, 153))
        kinds = {(provider["provider"], kind["event"]): kind for provider in found["providers"]
                 for kind in provider["kinds"]}
        # One provider of each kind: known to wperf, described by the trace, described by a manifest in the trace, and
        # the kernel.
        self.assertEqual(kinds["Microsoft-Windows-DotNETRuntimeRundown", "CLRMethodRundown/MethodDCEndVerbose"]["count"], 16702)
        self.assertIn(("Microsoft-Windows-Kernel-EventTracing", "ETW_TASK_PROVIDER/ETW_OPCODE_REGISTER"), kinds)
        self.assertIn("PerfView", {provider for provider, _ in kinds})
        self.assertTrue(kinds["PerfInfo", "Sample"]["read"])
        self.assertFalse(kinds["Memory", "HardFault"]["read"])

    def test_events_that_describe_themselves_are_shown_with_fields(self):
        own = DATA / "perfview-selfdescribing-win11-compressed.etl"
        text = self.ok("report", own, "--providers", "--records", "-")
        self.assertIn(' MySource/TestEvent a.b="Hello" a.c="World!"\n', text)
        lines = [json.loads(line) for line in
                 self.ok("report", own, "--providers", "--json", "--records", "-", "--tid", "52284").splitlines()]
        self.assertEqual([line["fields"] for line in lines], [{"a.b": "Hello", "a.c": "World!"}])
        self.assertEqual((lines[0]["pid"], lines[0]["provider"]), (111592, "MySource"))

    def test_page_faults_and_transfers_are_marks(self):
        lines = [json.loads(line) for line in
                 self.ok("report", PROFILE, "--providers", "--json", "--records", "-", "--time", "1-2").splitlines()]
        self.assertTrue(all(1 <= line["time_s"] < 2 for line in lines))
        faults = [line for line in lines if line["event"] == "HardFault"]
        self.assertGreater(len(faults), 3)
        self.assertTrue(all(line["fields"]["bytes"] > 0 and line["fields"]["took_ns"] > 0 and "tid" in line
                            for line in faults))
        reads = [line["fields"] for line in lines if line["event"] == "Read"]
        self.assertTrue(all(0 < one["bytes"] <= 1 << 20 and one["took_ns"] < 10**9 for one in reads))

    def test_providers_are_of_traces(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x"
            path.write_bytes(b"PERFILE2" + bytes(200))
            self.assertNotEqual(self.run_wperf("report", path, "--providers").returncode, 0)

    def test_damage_is_told_and_the_rest_is_shown(self):
        whole = PROFILE.read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            cut = pathlib.Path(folder) / "cut trace.etl"
            cut.write_bytes(whole[: len(whole) // 2])
            run = self.run_wperf("report", cut)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("cut by the end of the file", run.stderr)
            self.assertIn("event Timer", run.stdout)
            broken = pathlib.Path(folder) / "broken.etl"
            middle = len(whole) // 3
            broken.write_bytes(whole[:middle] + b"\xa5" * 2000 + whole[middle + 2000:])
            run = self.run_wperf("report", broken)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("damaged", run.stderr)
            self.assertIn("event Timer", run.stdout)


if __name__ == "__main__":
    unittest.main()
