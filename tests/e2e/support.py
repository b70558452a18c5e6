# SPDX-License-Identifier: BSD-3-Clause
"""The parts that every end-to-end test needs: the built tool, the workloads, and a separate machine.

Tests run `wperf` as a user would. WPERF_BINARY, WPERF_WORKLOADS and WPERF_SOURCE_DIR come from ctest.
"""
import json
import os
import pathlib
import subprocess
import threading
import unittest
import uuid

import documents

BINARY = os.environ.get("WPERF_BINARY", "")
WORKLOADS = pathlib.Path(os.environ.get("WPERF_WORKLOADS", "."))
SOURCE = pathlib.Path(os.environ.get("WPERF_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
SHARED = SOURCE.parent / "shared"
TIMEOUT = 240


def workload(name):
    return str(WORKLOADS / name)


def paranoid():
    """kernel.perf_event_paranoid; None if this kernel has no perf events, or hides them."""
    try:
        return int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    except (OSError, ValueError):
        return None


def shown_on_terminal(ours, its, process, heard=lambda text: None):
    """Returns all bytes that `process` writes to a pseudo terminal until it ends. Calls `heard` with the bytes so far.

    `its` is the process's end. It stays open, because closing it may lose bytes that have not been read."""
    end = b"\0the process has ended\0"

    def mark_end():
        try:
            process.wait(timeout=TIMEOUT)
        finally:
            os.write(its, end)

    marking = threading.Thread(target=mark_end)
    marking.start()
    text = b""
    while not text.endswith(end):
        text += os.read(ours, 65536)
        heard(text.removesuffix(end))
    marking.join()
    os.close(its)
    os.close(ours)
    return text.removesuffix(end)


class WperfTest(unittest.TestCase):
    """Each test class has its own simulated machine, so that tests may run side by side."""

    options = "pace=free,seed=1"

    @classmethod
    def setUpClass(cls):
        cls.environment = dict(os.environ)
        cls.environment["WPERF_SIM_INSTANCE"] = "test-" + uuid.uuid4().hex[:16]
        cls.environment["WPERF_DEVICE"] = "sim:" + cls.options

    def run_wperf(self, *arguments, device=None, cwd=None, text=None):
        """`text`: its standard input."""
        environment = dict(self.environment)
        if device is not None:
            environment["WPERF_DEVICE"] = device
        stdin = {"stdin": subprocess.DEVNULL} if text is None else {"input": text}
        done = subprocess.run([BINARY, *map(str, arguments)], env=environment, cwd=cwd, text=True, encoding="utf-8",
                              capture_output=True, timeout=TIMEOUT, **stdin)
        documents.check([str(word) for word in arguments], done, cwd)
        return done

    def start_wperf(self, *arguments, device=None, cwd=None):
        environment = dict(self.environment)
        if device is not None:
            environment["WPERF_DEVICE"] = device
        return subprocess.Popen([BINARY, *map(str, arguments)], env=environment, cwd=cwd, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def ok(self, *arguments, **keywords):
        """Runs wperf, expects success and an empty stderr; returns stdout."""
        done = self.run_wperf(*arguments, **keywords)
        self.assertEqual(done.stderr, "", arguments)
        self.assertEqual(done.returncode, 0, arguments)
        return done.stdout

    def json(self, *arguments, **keywords):
        """Runs wperf with --json, expects exactly one ASCII document."""
        text = self.ok(*arguments, **keywords)
        self.assertTrue(text.isascii())
        return json.loads(text)

    def fails(self, *arguments, status=1, **keywords):
        """Runs wperf, expects the status and no output on stdout except progress; returns stderr."""
        done = self.run_wperf(*arguments, **keywords)
        self.assertEqual(done.returncode, status, (arguments, done.stderr))
        self.assertNotEqual(done.stderr, "", arguments)
        return done.stderr

    def perf(self, *arguments):
        done = subprocess.run(["perf", *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


def counts(document, core=0):
    """{event name: counter value} of one core of a stat document; a repeated name keeps its first value."""
    result = {}
    for entry in document["core"]["cores"]:
        if entry["core_number"] == core:
            for row in entry["Performance_counter"]:
                result.setdefault(row["event_name"], row["counter_value"])
    return result
