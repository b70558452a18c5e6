#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Copies of real recordings, damaged in the middle: records after the damage are shown, and the loss is reported
first."""
import json
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

import recording_bytes
from support import BINARY, WperfTest

PROGRAM = r"""
#include <time.h>
volatile unsigned long sink;
__attribute__((noinline)) void spin(long n) { for (long i = 0; i < n; ++i) sink += i; }
__attribute__((noinline)) void outer(long n) { spin(n); sink += 1; }
int main(void) {  // works for 600 ms of CPU time
  struct timespec time;
  do {
    outer(100000);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  } while (time.tv_sec == 0 && time.tv_nsec < 600000000);
  return 0;
}
"""
RECORDINGS = {
    "stacks": ["-g", "-e", "cpu-clock"],
    "two events": ["-g", "-e", "cpu-clock,task-clock"],
    "copies of stacks": ["--call-graph", "dwarf,1024", "-e", "cpu-clock"],
    "no stacks": ["-e", "cpu-clock"],
}
MMAP, MMAP2 = 1, 10
PAGE = 4096
FINISHED_ROUND, PACKED = 68, (81, 83)


class DamagedRecordingsTest(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if shutil.which("cc") is None:
            raise unittest.SkipTest("there is no C compiler")
        cls.folder = tempfile.TemporaryDirectory(prefix="wperf-damaged-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)
        program = cls.root / "spin"
        program.with_suffix(".c").write_text(PROGRAM)
        subprocess.run(["cc", "-O1", "-fno-omit-frame-pointer", "-o", program, program.with_suffix(".c")], check=True)
        cls.sound = {}
        for name, options in RECORDINGS.items():
            path = cls.root / "sound.data"
            done = subprocess.run([BINARY, "record", *options, "--freq", "4000", "--output-perf-data", path, "--", program],
                                  env=cls.environment | {"WPERF_DEVICE": "linux"}, capture_output=True, text=True,
                                  check=False)
            if done.returncode != 0:
                raise unittest.SkipTest("recording is not possible here: " + done.stderr)
            cls.sound[name] = path.read_bytes()
        if shutil.which("perf") is not None:
            done = subprocess.run(["perf", "record", "-q", "-F", "4000", "-g", "-e", "cpu-clock:u", "-o", "-", "--", program],
                                  capture_output=True, check=False)
            if done.returncode == 0 and done.stdout:
                cls.sound["pipe"] = done.stdout

    def report(self, data, *arguments):
        path = self.root / "damaged.data"
        path.write_bytes(data)
        done = self.run_wperf("report", path, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def recording(self, data, named=True):
        """(samples of all events, losses)"""
        document = json.loads(self.report(data, "--json", "--children").stdout)["recording"]
        names = {row["symbol"] for event in document["events"] for row in event["rows"]
                 if row["samples"] * 20 > event["samples"]}
        if named:
            self.assertIn("spin", names)
        return sum(event["samples"] for event in document["events"]), document["losses"]

    def keeps_mapping(self, damaged):
        """perf writes the records core by core, so the program's mappings may lie in the damaged part."""
        sound = self.sound["pipe"]
        return any(kind in (MMAP, MMAP2) and b"/spin\0" in sound[at:at + size]
                   and damaged[at:at + size] == sound[at:at + size]
                   for at, kind, size in recording_bytes.records(sound))

    def check(self, name, damaged, *, kept, places=1, what=""):
        whole = len(recording_bytes.samples(self.sound[name]))
        seen, losses = self.recording(bytes(damaged), name != "pipe" or self.keeps_mapping(damaged))
        self.assertLessEqual(seen, whole, (name, what))
        self.assertGreaterEqual(seen, kept, (name, what, whole))
        self.assertEqual(losses["damaged_places"], places, (name, what))
        self.assertGreater(losses["damaged_bytes"], 0)
        self.assertGreater(losses["damaged_records_about"], 0)
        return losses

    def test_sound_recordings_have_no_damage(self):
        for name, data in self.sound.items():
            seen, losses = self.recording(data)
            self.assertEqual(seen, len(recording_bytes.samples(data)), name)
            self.assertEqual((losses["damaged_places"], losses["damaged_bytes"]), (0, 0), name)

    def test_a_bad_page_costs_what_is_on_it(self):
        for name, data in self.sound.items():
            samples = recording_bytes.samples(data)
            page = samples[len(samples) // 3][0] // PAGE
            touched = sum(at < (page + 1) * PAGE and at + size > page * PAGE for at, size in samples)
            for fill in (b"\0", b"\xff", b"\x09"):
                damaged = bytearray(data)
                damaged[page * PAGE:(page + 1) * PAGE] = fill * PAGE
                losses = self.check(name, damaged, kept=len(samples) - touched - 1, what=fill)
                self.assertLess(losses["damaged_bytes"], 3 * PAGE)

    def test_a_wrong_size_costs_a_record_or_two(self):
        for name, data in self.sound.items():
            samples = recording_bytes.samples(data)
            for size in (0, 4, 65528, 65535):
                damaged = bytearray(data)
                struct.pack_into("<H", damaged, samples[len(samples) // 4][0] + 6, size)
                self.check(name, damaged, kept=len(samples) - 2, what=size)

    def test_a_cut_pipe_is_read_to_its_end_and_told(self):
        if "pipe" not in self.sound:
            self.skipTest("perf cannot record here")
        data = self.sound["pipe"]
        samples = recording_bytes.samples(data)
        at, size = samples[len(samples) // 2]
        losses = self.check("pipe", data[:at + size // 2], kept=len(samples) // 2)
        self.assertEqual(losses["damaged_bytes"], size // 2)

    def test_damage_beside_packed_records_costs_none_of_them(self):
        data, packed, samples = self.packed_recording()
        damaged = bytearray(data)
        at, _ = packed[-1]
        rounds = [at for at, kind, _ in recording_bytes.records(data) if kind == FINISHED_ROUND]
        struct.pack_into("<H", damaged, (rounds or [at])[0] + 6, 0)
        if not rounds:
            self.skipTest("perf wrote packed records only")
        seen, losses = self.recording(bytes(damaged))
        self.assertEqual((seen, losses["damaged_places"]), (samples, 1))
        self.assertLessEqual(losses["damaged_bytes"], 64)

    def test_packed_records_behind_damage_are_counted(self):
        data, packed, samples = self.packed_recording()
        # The largest packed record is damaged, because the last records may hold only the end of the program.
        at, size = max(packed, key=lambda one: one[1])
        damaged = bytearray(data)
        damaged[at + 8 + size // 2:at + size] = bytes(size - 8 - size // 2)
        done = self.report(bytes(damaged), "--json")
        document = json.loads(done.stdout)["recording"]
        losses = document["losses"]
        self.assertLess(sum(event["samples"] for event in document["events"]), samples)
        self.assertEqual(losses["damaged_places"], 1)
        self.assertEqual(losses["damaged_bytes"], sum(length for place, length in packed if place >= at))
        self.assertGreaterEqual(losses["damaged_bytes"], size)
        self.assertIn("records cannot be unpacked", done.stderr)

    def packed_recording(self):
        """(bytes, (offset, size) of each packed record, samples)"""
        path = self.root / "packed.data"
        perf = ["perf", "record", "-q", "-z", "-m", "4", "-F", "4000", "-g", "-e", "cpu-clock:u", "-o", path, "--"]
        try:
            done = subprocess.run([*perf, self.root / "spin"], capture_output=True, check=False)
        except FileNotFoundError:
            self.skipTest("perf is not installed")
        data = path.read_bytes() if done.returncode == 0 else b""
        packed = [(at, size) for at, kind, size in recording_bytes.records(data) if kind in PACKED] if data else []
        if not packed:
            self.skipTest("this perf does not pack records")
        return data, packed, self.recording(data)[0]

    def test_it_is_said_before_all_else(self):
        data = bytearray(self.sound["stacks"])
        samples = recording_bytes.samples(data)
        struct.pack_into("<H", data, samples[len(samples) // 2][0] + 6, 0)
        told = r"the file is damaged: \d+ bytes in 1 place contain no readable records, about \d+ are missing\n"
        self.assertRegex(self.report(data).stdout, "^" + told)
        for option in ("--folded", "--json"):
            self.assertRegex(self.report(data, option).stderr, "^warning: " + told)
        self.assertRegex(self.report(data, "--records", "-").stderr, "^warning: " + told)


if __name__ == "__main__":
    unittest.main()
