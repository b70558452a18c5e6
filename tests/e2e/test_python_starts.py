#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`record --python` and `waits --python` of threads and processes that have just started, and of programs whose files are
deleted or in another root folder."""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import BINARY, TIMEOUT
from test_python import PythonTest, stops_threads

BURN = """
import os, sys, threading, time
def burn(t):
    end = time.thread_time() + t
    while time.thread_time() < end:
        for i in range(100): pass
"""
THREADS = BURN + """
def short(): burn(0.003)
for _ in range(200):
    one = threading.Thread(target=short)
    one.start()
    one.join()
"""
PROCESSES = BURN + """
for _ in range(30):
    pid = os.fork()
    if pid == 0:
        burn(0.01)
        os._exit(0)
    os.waitpid(pid, 0)
"""
# All of them wait for the same event, each only once.
WAITERS = """
import threading, time
ready = threading.Event()
def waiter(): ready.wait()
threads = [threading.Thread(target=waiter) for _ in range(60)]
for one in threads: one.start()
time.sleep(0.5)
ready.set()
for one in threads: one.join()
"""
# Names a file that is a different file inside the program's root folder.
SERVER = BURN + """
os.chroot(sys.argv[1])
code = "def serve():\\n    while True:\\n        burn(0.01)  # of the program\\nserve()\\n"
exec(compile(code, sys.argv[2], "exec"))
"""


class Starts(PythonTest):
    def record(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program.py"
            program.write_text(text)
            return self.answer("record", "--python", "--freq", "1000", "--json", *options, "--", self.interpreter, program)

    def answer(self, command, *arguments):
        done = subprocess.run([BINARY, command, "--device", "linux", *arguments], text=True, capture_output=True, timeout=TIMEOUT)
        if "not permitted" in done.stderr or "perf_event_paranoid" in done.stderr or "cannot read the scheduler's tracepoints" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check_whole(self, recording):
        python = dict(recording["headline"]["python"])
        python.pop("versions"), python.pop("cut")
        samples = sum(event["samples"] for event in recording["events"])
        self.assertEqual(sum(python.values()), samples, python)
        return python, samples

    def test_short_threads(self):
        python, samples = self.check_whole(self.record(THREADS)["recording"])
        self.assertLess(python["new_thread"], 0.05 * samples, python)
        if stops_threads():
            self.assertGreater(python["joined"], 0.8 * samples, python)

    def test_forked_processes(self):
        python, samples = self.check_whole(self.record(PROCESSES)["recording"])
        self.assertLess(python["early"], 0.05 * samples, python)

    def test_waits_of_threads_that_start_together(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "waiters.py"
            program.write_text(WAITERS)
            report = self.answer("waits", "--python", "--json", "--", self.interpreter, program)["waits"]
        if report["lost_records"] != 0:
            self.skipTest("the machine is so busy that the recording lost something")
        self.assertIn("new_thread", report["headline"]["python"])
        total = collections.Counter()
        for row in report["functions"]:
            total[row["caller_module"]] += row["total_ns"]
        # 60 waits of at least 0.5 s.
        self.assertGreater(total["threading.py"] + total["waiters.py"], 0.9 * 60 * 0.5e9, total)

    def test_deleted_interpreter(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / self.interpreter.name
            shutil.copy(self.interpreter, copy)
            with subprocess.Popen([copy, "-c", BURN + "print('ready', flush=True)\nburn(60)\n"], stdout=subprocess.PIPE, text=True) as program:
                try:
                    program.stdout.readline()
                    copy.unlink()
                    recording = self.answer("record", "--python", "--json", "--timeout", "0.5", "-o", f"{folder}/perf.data",
                                            "-p", str(program.pid))["recording"]
                finally:
                    program.kill()
        self.assertIn("burn", [row["symbol"] for row in recording["events"][0]["rows"]])

    def test_hints_name_the_option(self):
        done = subprocess.run([BINARY, "record", "--device", "linux", "--python", "--pgo", "--", "true"], text=True, capture_output=True,
                              timeout=TIMEOUT)
        self.assertIn("--python cannot be used with it", done.stderr)
        done = subprocess.run([BINARY, "record", "--device", "linux", "--python", "--branches", "--", "true"], text=True, capture_output=True,
                              timeout=TIMEOUT)
        self.assertIn("leave out --python", done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "another root folder needs root")
    def test_another_root(self):
        """The source is never taken from a file that has the same path outside the root folder."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            here, root, program = folder / "serve.py", folder / "root", folder / "program.py"
            here.write_text("one\ntwo\nof the host\nfour\n")
            there = pathlib.Path(f"{root}{here}")
            there.parent.mkdir(parents=True)
            there.write_text("one\ntwo\nof the program\nfour\n")
            program.write_text(SERVER)
            recording = folder / "perf.data"
            self.answer("record", "--python", "--json", "--timeout", "0.5", "-o", recording, "--", self.interpreter, program, root, here)
            shown = [subprocess.run([BINARY, "report", recording, "--annotate", "-s", "serve", *more], text=True, capture_output=True,
                                    timeout=TIMEOUT).stdout for more in ((), ("--symbol-path", root))]
        self.assertIn("serve.py:3", shown[0])
        self.assertNotIn("of the host", shown[0])
        self.assertIn("another root folder", shown[0])
        self.assertIn("of the program", shown[1])
        # Its root folder lacks the interpreter, but the mapped interpreter is still the same file.
        self.assertNotIn("is missing: it was replaced", shown[0])


if __name__ == "__main__":
    unittest.main()
