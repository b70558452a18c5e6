#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`record --python`, compared with a program's own report of the functions that it ran at each time
(python_stacks.py)."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from python_truth import Truth
from support import BINARY, SOURCE, TIMEOUT, WperfTest

NEWER = SOURCE / "build" / "tools" / "pythons" / "usr" / "bin"
PROGRAM = SOURCE / "tests" / "e2e" / "python_stacks.py"
INTERPRETERS = re.compile(r"^(python3|libpython3)")


def stops_threads():
    """Whether wperf may have a higher priority than the threads that it samples."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except PermissionError:
        return False
    return True


class PythonTest(WperfTest):
    interpreter = pathlib.Path("/usr/bin/python3.11")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not os.access(cls.interpreter, os.X_OK):
            raise unittest.SkipTest(f"{cls.interpreter} is not there")


class Python(PythonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.recording, notes = pathlib.Path(cls.folder.name) / "perf.data", pathlib.Path(cls.folder.name) / "notes"
        done = subprocess.run([BINARY, "record", "--device", "linux", "--python", "--freq", "1000", "-o", cls.recording, "--",
                               cls.interpreter, PROGRAM, notes], text=True, capture_output=True, timeout=TIMEOUT)
        if "not permitted" in done.stderr or "perf_event_paranoid" in done.stderr:
            raise unittest.SkipTest(done.stderr)
        assert done.returncode == 0, done.stderr
        cls.said = done.stdout + done.stderr
        cls.truth = Truth(json.loads(notes.read_text()) + json.loads(pathlib.Path(f"{notes}.child").read_text()))
        shown = subprocess.run([BINARY, "report", cls.recording, "--records", "-", "--json", "--sort", "symbol,line"], text=True,
                               capture_output=True, timeout=TIMEOUT, check=True)
        cls.samples = [json.loads(line) for line in shown.stdout.splitlines() if line.startswith('{"comm"')]

    @classmethod
    def tearDownClass(cls):
        if hasattr(cls, "folder"):
            cls.folder.cleanup()

    def test_functions(self):
        right, wrong, apart = self.truth.functions(self.samples)
        whole = right.total() + wrong.total()
        print(f"right {right.total()} of {whole}, apart {apart}; wrong: {wrong.most_common(5)}", file=sys.stderr)
        self.assertGreater(whole, 500)
        self.assertGreaterEqual(right.total() / whole, 0.995, wrong.most_common(5))
        self.assertGreaterEqual(len(right), 20)

    def test_lines(self):
        right, wrong = self.truth.lines(self.samples)
        print(f"right lines {right}; wrong: {wrong}", file=sys.stderr)
        self.assertGreater(right, 20)
        self.assertGreaterEqual(right / (right + wrong.total()), 0.98, wrong)

    def test_each_line_as_a_frame(self):
        shown = subprocess.run([BINARY, "report", self.recording, "--python=lines", "--records", "-", "--json"], text=True,
                               capture_output=True, timeout=TIMEOUT, check=True)
        samples = [json.loads(line) for line in shown.stdout.splitlines() if line.startswith('{"comm"')]
        self.assertEqual(len(samples), len(self.samples))
        compared = 0
        for sample, plain in zip(samples, self.samples):
            for frame, known in zip(sample["frames"], plain["frames"], strict=True):
                is_line = re.search(r"\.py$|^<.*>$", known["module"]) and "line" in known
                expected = f"{known['symbol']}:{known['line'].rpartition(':')[2]}" if is_line else known.get("symbol")
                self.assertEqual(frame.get("symbol"), expected)
                self.assertEqual(frame["module"], known["module"])
                compared += bool(is_line)
        self.assertGreater(compared, 500)

    def test_lines_in_other_views(self):
        def shown(*arguments):
            return subprocess.run([BINARY, *arguments], text=True, capture_output=True, timeout=TIMEOUT, check=True).stdout
        folded = shown("report", self.recording, "--folded", "--python=lines")
        self.assertRegex(folded, r"(?m);native_work:\d+;")
        self.assertEqual(shown("report", self.recording, "--folded", "--python=lines", "--python=functions"),
                         shown("report", self.recording, "--folded"))
        self.assertRegex(shown("diff", self.recording, self.recording, "--python=lines", "--json"), r'"function": *"burn:\d+"')

    def test_interpreters_frames_are_folded(self):
        for sample, note in self.truth.noted(self.samples):
            frames = sample["frames"]
            python = [i for i, frame in enumerate(frames) if frame["module"].endswith(".py")]
            if python:
                outside = [frame for frame in frames[python[0]:] if INTERPRETERS.match(frame["module"])]
                self.assertEqual(outside, [], frames)

    def test_native_functions_are_called_by_python(self):
        found = [sample for sample, note in self.truth.noted(self.samples) if note["name"] == "native_work" and
                 INTERPRETERS.match(sample["frames"][0]["module"])]
        called = [sample for sample in found if any(frame.get("symbol") == "native_work" for frame in sample["frames"])]
        self.assertGreater(len(called), 20)
        self.assertGreaterEqual(len(called) / len(found), 0.9)

    def test_most_are_joined(self):
        told = re.search(r"Python 3\.\d+: [\d,]+ of [\d,]+ samples \((\d+\.\d) %\)", self.said)
        print(told and told.group(0), file=sys.stderr)
        self.assertLess(float(told.group(1)) if told else 0, 3 if stops_threads() else 50, self.said)


class Python314(Python):
    interpreter = NEWER / "python3.14"


class Python315(Python):
    interpreter = NEWER / "python3.15"


# Functions call each other, some through the C library: sort() is called by ctypes, and calls compare() through a thunk.
CALLS = """
import ctypes, sys, time
def work():
    end = time.thread_time() + 0.01
    while time.thread_time() < end:
        for i in range(1000): pass
def middle(): work()
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def callback(a, b):
    compare()
    return 0
def compare(): work()
qsort = ctypes.CDLL(None).qsort
qsort.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, type(callback)]
numbers = (ctypes.c_int * 2)(1, 2)
def sort(): qsort(numbers, 2, 4, callback)
def deep(calls):
    if calls: deep(calls - 1)
    else: bottom()
def bottom():
    for _ in range(20): work()
def main():
    for _ in range(20):
        middle()
        sort()
sys.setrecursionlimit(100000)
main()
deep(3000)
"""


class Calls(PythonTest):
    """Whole stacks of a program."""
    arguments = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with tempfile.TemporaryDirectory() as folder:
            program, recording = pathlib.Path(folder) / "calls.py", pathlib.Path(folder) / "perf.data"
            program.write_text(CALLS)
            done = subprocess.run([BINARY, "record", "--device", "linux", "--python", "--freq", "1000", "-o", recording, "--", cls.interpreter,
                                   *cls.arguments, program], text=True, capture_output=True, timeout=TIMEOUT)
            if "not permitted" in done.stderr or "perf_event_paranoid" in done.stderr:
                raise unittest.SkipTest(done.stderr)
            assert done.returncode == 0, done.stderr
            cls.said = done.stdout + done.stderr
            shown = subprocess.run([BINARY, "report", recording, "--records", "-", "--json"], text=True, capture_output=True, timeout=TIMEOUT,
                                   check=True)
        # Innermost first, from work() on.
        cls.stacks = []
        for line in shown.stdout.splitlines():
            frames = json.loads(line)["frames"] if line.startswith('{"comm"') else []
            names = [frame.get("symbol") for frame in frames]
            if "work" in names:
                begin = names.index("work")
                cls.stacks.append([(frame.get("symbol"), frame["module"]) for frame in frames[begin:]])

    def test_callers(self):
        """There are no other frames between them, such as trampolines, or outside of them."""
        stacks = [[name for name, _ in stack] for stack in self.stacks if ("middle", "calls.py") in stack]
        self.assertGreater(len(stacks), 50)
        right = sum(stack == ["work", "middle", "main", "<module>"] for stack in stacks)
        self.assertGreaterEqual(right, 0.95 * len(stacks), stacks)

    def test_callbacks(self):
        """The native callers of a callback are kept, with its thunk."""
        stacks = [stack for stack in self.stacks if ("compare", "calls.py") in stack]
        self.assertGreater(len(stacks), 20)
        right = 0
        for stack in stacks:
            names, modules = [name for name, _ in stack], [module for _, module in stack]
            if names[:3] == ["work", "compare", "callback"] and names[-3:] == ["sort", "main", "<module>"]:
                between = modules[3:-3]
                right += any(one.startswith("libc.so") for one in between) and any("ffi" in one for one in between)
        self.assertGreaterEqual(right, 0.95 * len(stacks), stacks[0])

    def test_deep_recursion(self):
        """The innermost functions are shown."""
        stacks = [[name for name, _ in stack] for stack in self.stacks if ("bottom", "calls.py") in stack]
        self.assertGreater(len(stacks), 50)
        right = sum(set(stack) == {"work", "bottom", "deep"} and len(stack) >= 1023 for stack in stacks)
        self.assertGreaterEqual(right, 0.95 * len(stacks), collections.Counter(map(len, stacks)))
        self.assertIn("more than 1,024 Python functions", self.said)


class CallsWithTrampolines(Calls):
    interpreter = NEWER / "python3.14"
    arguments = ("-X", "perf")


# The waits of its functions are known: spin() has to wait for the interpreter's lock, sleeper() for a timer, and
# taker() for a lock of the program.
WAITING = """
import threading, time
lock = threading.Lock()
def spin(n):
    while n: n -= 1
def spinner():
    for _ in range(10): spin(200000)
def sleeper():
    for _ in range(20): time.sleep(0.01)
def taker():
    for _ in range(5):
        with lock: time.sleep(0.01)
threads = [threading.Thread(target=one) for one in (spinner, spinner, sleeper, taker, taker)]
for one in threads: one.start()
for one in threads: one.join()
"""
HOLDING = """
import threading
def spin(n):
    while n: n -= 1
def spinner():
    for _ in range(20): spin(100000)
def hold():
    sorted(range(1500000, 0, -1))
def holder():
    for _ in range(6): hold()
threads = [threading.Thread(target=one) for one in (spinner, holder)]
for one in threads: one.start()
for one in threads: one.join()
"""
# This line takes half of the time, so a second has many samples of it.
BUSY = "def burn(n=1):\n    while True:\n        n = n * 3 % 1000003\nprint('ready', flush=True)\nburn()\n"


class OtherCommands(PythonTest):
    def test_waits(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "waiting.py"
            program.write_text(WAITING)
            done = subprocess.run([BINARY, "waits", "--device", "linux", "--python", "--json", "--", self.interpreter, program], text=True,
                                  capture_output=True, timeout=TIMEOUT)
        if "cannot read the scheduler's tracepoints" in done.stderr or "not permitted" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)["waits"]
        if report["lost_records"] != 0:
            self.skipTest("the machine is so busy that the recording lost something")
        total = collections.Counter()
        for row in report["functions"]:
            total[row["class"], row["caller"], row["caller_module"]] += row["total_ns"]
        self.assertGreater(sum(thread["waiting_for_ns"]["GIL"] for thread in report["threads"]), 1e6)
        # Two spinning threads take turns of 5 ms each.
        self.assertGreater(total["GIL", "spin", "waiting.py"], 1e6, total)
        # They sleep for 200 ms, and for twice 50 ms. On a busy machine, wperf is late for some of these waits.
        self.assertGreater(total["timer", "sleeper", "waiting.py"], 50e6, total)
        self.assertGreater(total["timer", "taker", "waiting.py"], 25e6, total)
        self.assertGreater(total["lock", "taker", "waiting.py"], 1e6, total)

    def test_who_held_the_interpreter(self):
        """A call into C does not release the interpreter's lock."""
        for _ in range(3):
            row = self.longest_wait_for_the_holder()
            self.assertIn(row["holder"], ("hold", ""), row)  # unknown if the holder was interrupted elsewhere
            if row["holder"]:
                break
        self.assertEqual(row["holder"], "hold", row)
        self.assertRegex(row["holder_thread"], r"^(python|Thread-2).* \(\d+\)$")
        # On a busy machine, the waiting thread waits on for a processor after the lock is free.
        self.assertGreater(row["held_ns"], 0.2 * row["total_ns"])
        self.assertLessEqual(row["held_ns"], row["total_ns"])

    def longest_wait_for_the_holder(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "holding.py"
            program.write_text(HOLDING)
            done = subprocess.run([BINARY, "waits", "--device", "linux", "--python", "--json", "--", self.interpreter, program], text=True,
                                  capture_output=True, timeout=TIMEOUT)
        if "cannot read the scheduler's tracepoints" in done.stderr or "not permitted" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)["waits"]
        if report["lost_records"] != 0:
            self.skipTest("the machine is so busy that the recording lost something")
        rows = [row for row in report["functions"] if row["class"] == "GIL" and row["caller"] == "spin"]
        return max(rows, key=lambda one: one["total_ns"])

    def test_top(self):
        with subprocess.Popen([self.interpreter, "-c", BUSY], stdout=subprocess.PIPE, text=True) as program:
            try:
                program.stdout.readline()
                done = subprocess.run([BINARY, "top", "--device", "linux", "--once", "--python=lines", "--json", "-p", str(program.pid)],
                                      text=True, capture_output=True, timeout=TIMEOUT)
            finally:
                program.kill()
        if "not permitted" in done.stderr or "perf_event_paranoid" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r'"symbol": *"burn:3"')
        python = json.loads(done.stdout)["recording"]["headline"]["python"]
        self.assertGreater(python["joined"], 0, python)


class OtherCommands315(OtherCommands):
    interpreter = NEWER / "python3.15"


if __name__ == "__main__":
    unittest.main()
