#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf report` of .etl traces: real ones beside the project, and damaged ones made of them."""
import collections
import json
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import uuid

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
    """A trace of one core: the header's record, then these."""
    facts = bytearray(0x118)
    struct.pack_into("<I", facts, 0, 0x10000)
    struct.pack_into("<I", facts, 0x0c, 1)
    struct.pack_into("<II", facts, 0x20, 1, 2)
    struct.pack_into("<Q", facts, 0x100, 10_000_000)
    struct.pack_into("<QI", facts, 0x108, 133_500_000_000_000_000, 1)
    payload = bytes(facts) + "s\0f\0".encode("utf-16-le")
    first = struct.pack("<HBBHBBIIQII", 2, 2, 0xc0, 32 + len(payload), 0, 0, 0, 0, 1000, 0, 0) + payload
    return buffer(first.ljust((len(first) + 7) // 8 * 8, b"\0"), 0, kind=4) + buffer(records, 1)


def codeview(image):
    """(GUID, age, path) of the PDB that a PE image wants."""
    at = image.index(b"RSDS")
    return image[at + 4:at + 20], struct.unpack_from("<I", image, at + 20)[0], image[at + 24:image.index(b"\0", at + 24)]


class NamesByPdb(WperfTest):
    BASE, PROCESS, THREAD = 0x7ff6_1234_0000, 40, 44

    def trace_of(self, addresses, guid, age, pdb):
        wide = "\\??\\C:\\made up\\calls.exe\0".encode("utf-16-le")
        image = struct.pack("<QQIIIIQ16x", self.BASE, 0x100000, self.PROCESS, 0, 0x5f5e, 0, self.BASE) + wide
        wanted = struct.pack("<QI", self.BASE, self.PROCESS) + guid + struct.pack("<I", age) + pdb + b"\0"
        rsds = struct.pack("<HBBBBHIIQ", 48 + len(wanted), 0x14, 0xc0, 36, 0, 2, 0, 0, 1010)
        rsds += IMAGE_ID + b"\0" * 8 + wanted
        records = rsds.ljust((len(rsds) + 7) // 8 * 8, b"\0") + kernel_record(3, 10, 3, 1010, image)
        records += kernel_record(5, 1, 3, 1011, struct.pack("<II", self.PROCESS, self.THREAD).ljust(72, b"\0"))
        for i, address in enumerate(addresses):
            sample = struct.pack("<QIHH", self.BASE + address, self.THREAD, 1, 0)
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
            # The other tool lets a function go on until the next one begins; what lies behind the last has no name here.
            for name, count in rows.items():
                if not name.startswith("calls.exe+"):
                    self.assertLessEqual(count, names[name], (name, rows))
            self.assertGreater(len(rows.keys() & names.keys()), 3)
            self.assertEqual(names.keys() - rows.keys(), set())
            # A PDB of another build names nothing.
            path.write_bytes(self.trace_of(addresses, guid[::-1], age, pdb))
            rows = {row["symbol"] for row in self.json(*command)["recording"]["events"][0]["rows"]}
            self.assertEqual(rows & set(names), set())


@unittest.skipUnless(PROFILE.exists(), "the real traces are not beside the project")
class Traces(WperfTest):
    def test_every_sample_that_is_not_idle_is_shown(self):
        oracle = json.loads(PROFILE.with_suffix(".json").read_text())["sampled_profile"]
        document = self.json("report", PROFILE, "--json", "--sort", "pid")
        event = document["recording"]["events"][0]
        self.assertEqual(event["event"], "Timer")
        self.assertEqual(event["samples"], oracle["not_idle"])
        rows = {row["pid"]: row["samples"] for row in event["rows"]}
        for one in oracle["by_pid"]:
            if one["pid"] != 0:  # there idle samples are counted, too
                self.assertEqual(rows.get(one["pid"], 0), one["samples"], one)

    def test_modules_are_those_of_the_images(self):
        oracle = json.loads(PROFILE.with_suffix(".json").read_text())["sampled_profile"]["leaf_module_not_idle"]
        document = self.json("report", PROFILE, "--json", "--sort", "pid,module", "--sample-display-row", "100000")
        rows = collections.Counter()  # programs of 32 bits have modules of one name twice
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
        failed = self.run_wperf("report", trace)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("has no samples", failed.stderr)

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
