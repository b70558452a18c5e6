# SPDX-License-Identifier: BSD-3-Clause
"""Used by every test in this folder: runs wperf.exe in a world (worlds.py) and checks its output. run_windows.py fills
`Scene`."""
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/contract"))
import validate_schema  # noqa: E402

SERVICE = "WPERFDRV"
TOOL = "wperf.exe"
INSTALLER = "wperf-devgen.exe"
DRIVER = "wperf-driver.sys"
LIMIT = 300  # seconds; a run that takes longer is stuck
ROUND = 4000 * 8 + 15  # instructions of a round of remote.exe: remote_work.h, and those between the loops


class Scene:
    """The world and the programs that the tests use; run_windows.py fills it in."""

    world = None
    functions = {}  # functions of remote.exe: name → address
    native = None  # the tool of this machine, or None
    same_machine = ""  # its --device
    folder = pathlib.Path("build")


class WindowsTest(unittest.TestCase):
    maxDiff = 4000
    machine = "fast"  # or "exact": see emulated_machine.py
    installed = True  # the driver, as a plain service
    tool = TOOL

    @property
    def world(self):
        return Scene.world

    def run_wperf(self, *arguments, timeout=LIMIT):
        return self.world.run(self.tool, *arguments, timeout=timeout)

    def ok(self, *arguments, **keywords):
        """Runs wperf.exe, expects success, an empty stderr and Windows' line ends. Returns stdout with plain line
        ends."""
        done = self.run_wperf(*arguments, **keywords)
        self.assertEqual((done.returncode, done.stderr), (0, b""), (arguments, done.stdout))
        return self.plain(done.stdout)

    def plain(self, data):
        self.assertEqual(re.findall(rb"[^\r]\n|\r[^\n]", data), [])
        return data.decode("utf-8").replace("\r\n", "\n")

    def json(self, *arguments, schema="", **keywords):
        """Runs wperf.exe with --json and expects exactly one ASCII document, which is checked against the schema if
        that is available."""
        split = arguments.index("--") if "--" in arguments else len(arguments)
        text = self.ok(*arguments[:split], "--json", *arguments[split:], **keywords)
        self.assertTrue(text.isascii())
        document = json.loads(text)
        if schema:
            self.check_schema(document, schema)
        return document

    def check_schema(self, document, name):
        path = validate_schema.find_schema(name)
        if path is None:
            return
        import jsonschema
        faults = jsonschema.Draft7Validator(validate_schema.load_schema(path)).iter_errors(document)
        self.assertEqual([fault.message for fault in faults], [])

    def fails(self, *arguments, status=1, **keywords):
        done = self.run_wperf(*arguments, **keywords)
        self.assertEqual(done.returncode, status, done)
        return self.plain(done.stderr)

    def native(self, *arguments):
        """The native tool's output for the simulated twin of the emulated machine."""
        if Scene.native is None:
            self.skipTest("there is no native build of wperf to compare with (build/release)")
        # A separate instance keeps this machine apart from other users' machines.
        environment = dict(os.environ, WPERF_SIM_INSTANCE=f"windows-tests-{os.getpid()}")
        done = subprocess.run([Scene.native, *arguments, "--device", Scene.same_machine], capture_output=True, timeout=LIMIT,
                              stdin=subprocess.DEVNULL, env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode("utf-8")

    def holder(self, *more):
        """Starts a process that counts for a long time. It is killed at the end of the test."""
        process = self.world.start(TOOL, "stat", "-e", "cpu_cycles", "-c", "1", "--timeout", "3000", *more)
        self.addCleanup(process.communicate)
        self.addCleanup(self.world.kill, process)
        self.assertEqual(process.stdout.read(len("counting")), b"counting")  # now it holds the lock
        return process

    def record(self, *arguments, rounds=12000):
        """The `sampling` of a run of remote.exe on core 1."""
        return self.json("record", "-v", "-e", "cpu_cycles:100000", "-c", "1", "--timeout", "30", *arguments, "--",
                         "remote.exe", rounds)["sampling"]

    def shares(self, event):
        """{function: percent of the samples}."""
        if self.world.reads_other_processes:
            return {row["symbol"]: row["overhead"] for row in event["samples"]}
        counts = dict.fromkeys(Scene.functions, 0)
        for row in event["pcs"]:  # the tool does not know the address of the program, but the program does
            below = [name for name, start in Scene.functions.items() if start <= row["address"]]
            counts[max(below, key=Scene.functions.get)] += row["count"]
        return {name: 100 * count / sum(counts.values()) for name, count in counts.items()}

    def driver_is_free_in(self, seconds):
        """Waits until the lock is free. Returns the seconds that it took."""
        begun = time.monotonic()
        while time.monotonic() - begun < seconds:
            if self.run_wperf("--version").returncode == 0:
                return
            time.sleep(0.1)
        self.fail(f"the driver is held for {seconds} s more")


def rows(document, core):
    """{event name: counter value} of one core of a stat document."""
    for entry in document["core"]["cores"]:
        if entry["core_number"] == core:
            return {row["event_name"]: row["counter_value"] for row in entry["Performance_counter"]}
    raise AssertionError(f"no core {core} in {document}")
