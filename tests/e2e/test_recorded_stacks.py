#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Recordings that no machine of ours makes, written here byte by byte: stacks that the hardware kept (--call-graph lbr),
modules of a kernel that does not run here. Where they come from does not matter either: files, pipes, folders."""
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import threading
import unittest

from support import BINARY, WperfTest

IP, TID, TIME, CALLCHAIN, BRANCHES = 1, 2, 4, 32, 2048
BRANCH_USER, BRANCH_CALL_STACK = 1, 2048
SAMPLE_ID_ALL = 1 << 18
MMAP, COMM, SAMPLE = 1, 3, 9
KERNEL, USER = 1, 2
IN_KERNEL, IN_USER = 2**64 - 128, 2**64 - 512
PID = 4242424  # beyond the greatest that there can be
CODE = 0x10000
NAMES = ("main", "outer", "inner", "leaf")  # 0x100 bytes each


def record(kind, body, misc=USER):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(name):
    name = name.encode() + b"\0"
    return name + bytes(-len(name) % 8)


def trailer(time):
    return struct.pack("<IIQ", PID, PID, time)


def mapping(pid, begin, size, offset, name, misc=USER):
    return record(MMAP, struct.pack("<IIQQQ", pid, pid, begin, size, offset) + text(name) + trailer(0), misc)


def sample(time, address, chain, branches, misc=USER):
    body = struct.pack("<QIIQ", address, PID, PID, time) + struct.pack(f"<Q{len(chain)}Q", len(chain), *chain)
    body += struct.pack("<Q", len(branches))
    for source, target in branches:
        body += struct.pack("<QQQ", source, target, 0)
    return record(SAMPLE, body, misc)


def perf_data(records):
    attributes = struct.pack("<IIQQQQQ", 0, 112, 0, 1000, IP | TID | TIME | CALLCHAIN | BRANCHES, 0, SAMPLE_ID_ALL)
    attributes += struct.pack("<IIQQQ", 0, 0, 0, 0, BRANCH_USER | BRANCH_CALL_STACK) + bytes(32)
    assert len(attributes) == 112
    table = attributes + struct.pack("<QQ", 0, 0)
    begin = 104 + len(table)
    header = b"PERFILE2" + struct.pack("<QQQQQQ", 104, len(table), 104, len(table), begin, len(records))
    return header + bytes(104 - len(header)) + table + records


def inside(name, offset=0x10):
    return CODE + NAMES.index(name) * 0x100 + offset


class RecordedStacksTest(WperfTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "perf.data"
        names = pathlib.Path(f"/tmp/perf-{PID}.map")
        names.write_text("".join(f"{inside(name, 0):x} 100 {name}\n" for name in NAMES))
        self.addCleanup(names.unlink, missing_ok=True)

    def write(self, *samples):
        begin = record(COMM, struct.pack("<II", PID, PID) + text("prog") + trailer(0))
        self.path.write_bytes(perf_data(begin + mapping(PID, CODE, 0x1000, 0, "//anon") + b"".join(samples)))

    def folded(self):
        return dict(line.rsplit(" ", 1) for line in self.ok("report", self.path, "--folded").splitlines())

    @unittest.skipUnless(os.geteuid() == 0, "who owns a file is the superuser's to change")
    def test_names_by_somebody_else_are_not_believed(self):
        names = f"/tmp/perf-{PID}.map"
        self.write(sample(1, inside("leaf"), [IN_USER, inside("leaf")], []))
        self.assertIn("leaf", self.ok("report", self.path))
        os.chown(names, 4242, 4242)
        text = self.ok("report", self.path)
        self.assertNotIn("leaf", text)
        self.assertIn(f"{names} belongs to another user, and is not opened (--symbol-path", text)
        self.assertIn("leaf", self.ok("report", self.path, "--symbol-path", "/tmp"))
        self.environment["SUDO_UID"] = "4242"
        self.assertIn("leaf", self.ok("report", self.path))

    def test_stacks_that_the_hardware_kept(self):
        # The newest call first: who called, and what. Frame pointers saw less.
        calls = [(inside("inner"), inside("leaf", 0)), (inside("outer", 0), inside("inner", 0)),
                 (inside("main"), inside("outer", 0))]
        address = inside("leaf")
        self.write(sample(1, address, [IN_USER, address, inside("main")], calls),
                   sample(2, address, [IN_USER, address, inside("main")], calls),
                   sample(3, address, [IN_USER, address, inside("main")], calls[1:]),
                   sample(4, address, [IN_USER, address, inside("main")], []))
        self.assertEqual(self.folded(), {"prog;main;outer;inner;leaf": "2", "prog;main;outer;leaf": "1",
                                         "prog;main;leaf": "1"})
        if shutil.which("perf") is not None:
            script = subprocess.run(["perf", "script", "-i", self.path, "-F", "ip,sym"], capture_output=True, text=True,
                                    check=True).stdout.split("\n\n")
            names = [[line.split()[1] for line in one.splitlines() if line] for one in script]
            self.assertEqual(names[0], ["leaf", "inner", "outer", "main"])
        frames = self.ok("report", self.path, "--records", "-").splitlines()[1:5]
        self.assertEqual([int(line.split()[0], 16) for line in frames], [address, *(source for source, _ in calls)])

    def test_the_kernel_stands_below_them(self):
        calls = [(inside("outer"), inside("leaf", 0)), (inside("main"), inside("outer", 0))]
        kernel = 0xffffffff81000010
        self.write(mapping(2**32 - 1, 0xffffffff81000000, 0x100000, 0xffffffff81000000, "[kernel.kallsyms]_text", KERNEL),
                   mapping(2**32 - 1, 0xffffffffa0001000, 0x1000, 0, "/lib/modules/6.1/kernel/ath/ath9k-hw.ko.xz", KERNEL),
                   sample(1, 0xffffffffa0001010, [IN_KERNEL, 0xffffffffa0001010, kernel, IN_USER, inside("leaf")], calls,
                          KERNEL))
        rows = self.json("report", self.path, "--json", "--sort", "module", "--children")["recording"]["events"][0]["rows"]
        self.assertEqual({row["module"]: row["samples"] for row in rows if row["samples"]}, {"[ath9k_hw]": 1})
        self.assertIn("[kernel]", {row["module"] for row in rows})
        (stack,) = self.folded()
        self.assertEqual(stack.split(";")[:4], ["prog", "main", "outer", "leaf"])
        self.assertEqual(len(stack.split(";")), 6)

    def test_files_pipes_and_folders_are_read_alike(self):
        self.write(sample(1, inside("leaf"), [IN_USER, inside("leaf"), inside("main")], []))
        expected = self.ok("report", self.path)
        self.assertIn("leaf", expected)
        with self.path.open("rb") as file:
            done = subprocess.run([BINARY, "report", "-"], stdin=file, env=self.environment, capture_output=True, text=True,
                                  check=False)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", expected))
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=lambda: pipe.write_bytes(self.path.read_bytes()))
        writer.start()
        self.assertEqual(self.ok("report", pipe), expected)
        writer.join()
        # As perf record --threads leaves it: a whole file, and records of each thread.
        threads = self.folder / "threads"
        threads.mkdir()
        shutil.copy(self.path, threads / "data")
        for number in (0, 1):
            (threads / f"data.{number}").write_bytes(sample(2 + number, inside("inner"), [IN_USER, inside("inner")], []))
        self.assertEqual(dict(line.rsplit(" ", 1) for line in self.ok("report", threads, "--folded").splitlines()),
                         {"prog;main;leaf": "1", "prog;inner": "2"})
        self.assertIn("holds no file named data", self.fails("report", self.folder, status=1))


if __name__ == "__main__":
    unittest.main()
