#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Recordings that the test machines cannot make, written byte by byte: stacks from the hardware (--call-graph lbr),
modules of a kernel that does not run on this machine. They are read from files, pipes and folders."""
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
PID = 0x400000 + 2 * os.getpid()  # no process has this number, and no other test program
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


def perf_data(records, fields=IP | TID | TIME | CALLCHAIN | BRANCHES, branches=BRANCH_USER | BRANCH_CALL_STACK,
              registers=0):
    attributes = struct.pack("<IIQQQQQ", 0, 112, 0, 1000, fields, 0, SAMPLE_ID_ALL)
    attributes += struct.pack("<IIQQQQ", 0, 0, 0, 0, branches, registers) + bytes(24)
    assert len(attributes) == 112
    table = attributes + struct.pack("<QQ", 0, 0)
    begin = 104 + len(table)
    header = b"PERFILE2" + struct.pack("<QQQQQQ", 104, len(table), 104, len(table), begin, len(records))
    return header + bytes(104 - len(header)) + table + records


def inside(name, offset=0x10):
    return CODE + NAMES.index(name) * 0x100 + offset


REGISTERS_USER, LINK_REGISTER = 1 << 12, 1 << 30
ARM_CODE = 0x210000
ARM_NAMES = ("main", "outer", "middle", "leaf")  # each calls the next function; each has 0x100 bytes
PUSHED, FRAMED, CALLED, POPPED = 4, 8, 12, 16  # offset of the instruction after each of these steps


def arm_source():
    """Describes frames as GCC does: always relative to the stack pointer, so that no rule shows when x29 is set."""
    lines = [".text"]
    for name, callee in zip(ARM_NAMES, ARM_NAMES[1:] + (None,)):
        lines += [".balign 256", f".globl {name}", f".type {name},%function", f"{name}:", ".cfi_startproc"]
        if callee:
            lines += ["stp x29, x30, [sp, #-16]!", ".cfi_def_cfa_offset 16", ".cfi_offset 29, -16", ".cfi_offset 30, -8",
                      "mov x29, sp", f"bl {callee}", "ldp x29, x30, [sp], #16", ".cfi_restore 30", ".cfi_restore 29",
                      ".cfi_def_cfa_offset 0"]
        lines += ["ret", ".cfi_endproc", f".size {name},.-{name}"]
    return "\n".join(lines) + "\n"


def arm(name, offset=0):
    return ARM_CODE + ARM_NAMES.index(name) * 0x100 + offset


def arm_sample(time, chain, link, misc=USER):
    addresses = [address for address in chain if address < IN_USER]
    body = struct.pack("<QIIQ", addresses[0], PID, PID, time) + struct.pack(f"<Q{len(chain)}Q", len(chain), *chain)
    return record(SAMPLE, body + struct.pack("<QQ", 2, link), misc)  # 2: of 64 bits


def code_segment(path):
    """(address, offset in the file, size) of the executable segments."""
    data = path.read_bytes()
    begin, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    for at in range(begin, begin + 56 * count, 56):
        kind, flags, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, at)
        if kind == 1 and flags & 1:
            return address, offset, size
    raise ValueError(path)


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

    @unittest.skipUnless(shutil.which("clang-19") and shutil.which("ld.lld-19"), "no compiler for Arm64")
    def test_callers_of_leaves_that_perf_recorded_on_arm(self):
        """If a function has no frame, the chain of frames skips its caller. The caller is in the link register, which
        perf records in addition to the chain."""
        program = self.folder / "prog"
        (self.folder / "prog.s").write_text(arm_source())
        subprocess.run(["clang-19", "--target=aarch64-linux-gnu", "-nostdlib", "-static", "--ld-path=ld.lld-19", "-Wl,-emain",
                        f"-Wl,-Ttext={ARM_CODE:#x}", "-o", program, self.folder / "prog.s"], check=True)
        address, offset, size = code_segment(program)
        kernel = 0xffff800080001000
        behind_calls = [arm("outer", CALLED), arm("main", CALLED)]
        begun = [IN_USER, arm("middle", PUSHED), arm("main", CALLED)]
        framed = [IN_USER, arm("middle", FRAMED), *behind_calls]
        called = [IN_USER, arm("middle", CALLED), *behind_calls]
        popped = [IN_USER, arm("middle", POPPED), arm("main", CALLED)]
        leaf = [IN_USER, arm("leaf"), *behind_calls]
        signed = 0x00a5 << 48 | arm("middle", CALLED)
        records = record(COMM, struct.pack("<II", PID, PID) + text("prog") + trailer(0))
        records += mapping(PID, address, (size + 0xfff) & ~0xfff, offset, str(program))
        for when, (chain, link) in enumerate([(leaf, arm("middle", CALLED)), (leaf, signed), (begun, arm("outer", CALLED)),
                                              (framed, arm("outer", CALLED)), (called, arm("middle", CALLED)),
                                              (popped, arm("outer", CALLED))]):
            records += arm_sample(when + 1, chain, link)
        records += arm_sample(9, [IN_KERNEL, kernel, *leaf], arm("middle", CALLED), KERNEL)
        self.path.write_bytes(perf_data(records, IP | TID | TIME | CALLCHAIN | REGISTERS_USER, 0, LINK_REGISTER))
        stacks = self.folded()
        self.assertEqual(stacks.pop("prog;main;outer;middle;leaf"), "2")
        self.assertEqual(stacks.pop("prog;main;outer;middle"), "4", "once each, wherever in the function")
        (in_kernel, count), = stacks.items()
        self.assertTrue(in_kernel.startswith("prog;main;outer;middle;leaf;"), in_kernel)
        self.assertEqual(count, "1")

    def folded(self):
        return dict(line.rsplit(" ", 1) for line in self.ok("report", self.path, "--folded").splitlines())

    @unittest.skipUnless(os.geteuid() == 0, "only root can change the owner of a file")
    def test_names_by_somebody_else_are_not_believed(self):
        names = f"/tmp/perf-{PID}.map"
        self.write(sample(1, inside("leaf"), [IN_USER, inside("leaf")], []))
        self.assertIn("leaf", self.ok("report", self.path))
        os.chown(names, 4242, 4242)
        text = self.ok("report", self.path)
        self.assertNotIn("leaf", text)
        self.assertIn(f"{names} belongs to another user, and is not opened (", text)
        self.assertIn("leaf", self.ok("report", self.path, "--symbol-path", "/tmp"))
        self.environment["SUDO_UID"] = "4242"
        self.assertIn("leaf", self.ok("report", self.path))

    def test_stacks_that_the_hardware_kept(self):
        # Calls as (caller, callee), the newest first. The chain of frame pointers is shorter.
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
        # A recording of `perf record --threads`: a whole file, and records of each thread.
        threads = self.folder / "threads"
        threads.mkdir()
        shutil.copy(self.path, threads / "data")
        for number in (0, 1):
            (threads / f"data.{number}").write_bytes(sample(2 + number, inside("inner"), [IN_USER, inside("inner")], []))
        self.assertEqual(dict(line.rsplit(" ", 1) for line in self.ok("report", threads, "--folded").splitlines()),
                         {"prog;main;leaf": "1", "prog;inner": "2"})
        self.assertIn("no file named data", self.fails("report", self.folder, status=1))


if __name__ == "__main__":
    unittest.main()
