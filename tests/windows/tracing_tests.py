# SPDX-License-Identifier: BSD-3-Clause
"""Windows' own tracing, as wperf.exe uses it: a DLL of the tests replaces Windows' functions and checks each request
(tracing/)."""
from support import SOURCE, WindowsTest

TOOL, STAND_IN, SELFTEST = FILES = ("wperf-traced.exe", "wperf-etw-stand-in.dll", "wperf-selftest.exe")


class Tracing(WindowsTest):
    essential = ("test_recording_is_chosen_without_a_driver_and_read_back", "test_list_and_doctor",
                 "test_a_program_runs_wherever_it_gets_time", "test_what_windows_refuses",
                 "test_counts_are_those_of_the_switches", "test_waits_add_up")
    installed = False
    tool = TOOL

    def setUp(self):
        built = SOURCE / f"build/windows-{self.world.architecture}/bin"
        self.world.put(*(built / name for name in FILES))
        self.addCleanup((self.world.folder / STAND_IN).unlink)

    def test_recording_is_chosen_without_a_driver_and_read_back(self):
        text = self.ok("record", "-v", "--timeout", "0.5", "-e", "timer,branchmispredictions:65536", "-o", "t.etl")
        self.assertTrue(text.startswith("device etw: wperf's driver is not installed"), text)
        self.assertIn('ended the trace session "wperf recording 4194300"', text)
        self.assertRegex(text, r"event Timer: [1-9]\d+ samples")
        self.assertRegex(text, r"event BranchMispredictions: [1-9]\d+ samples")
        again = self.ok("report", "t.etl", "--callers")
        self.assertIn("played.exe+0x10 → played.exe+0xff", again)

    def test_a_program_runs_wherever_it_gets_time(self):
        self.assertIn("samples", self.ok("record", "--device", "etw", "--timeout", "0.5", "--", SELFTEST))

    def test_list_and_doctor(self):
        self.assertRegex(self.ok("list", "--device", "etw"), r"branchmispredictions +.*profile source 11, interval 4096 to")
        self.assertRegex(self.ok("doctor"), r"ok +sources: the timer and 6 of counters")
        self.assertIn('fix: ended the trace session "wperf recording 4194300"', self.ok("doctor", "--fix"))

    def test_what_windows_refuses(self):
        self.assertIn("FILE.etl", self.fails("record", "--device", "etw", "--timeout", "0.1", "-o", "x.data", status=2))
        self.assertIn("every 4096 to", self.fails("record", "--device", "etw", "-e", "totalissues:10", "--timeout", "0.1", status=2))

    def test_counts_are_those_of_the_switches(self):
        document = self.json("stat", "--device", "etw", "-e", "branchmispredictions,dcachemisses", "--timeout", "0.3")
        [thread] = document["Threads"]
        self.assertEqual((thread["process"], thread["pid"], thread["tid"]), ("played.exe", 8, 12))
        # Each time the thread runs, for 0.6 ms, both events count 1000.
        switches = thread["switches"]
        self.assertGreaterEqual(switches, 10)
        self.assertEqual(thread["counters"], {"branchmispredictions": 1000 * switches, "dcachemisses": 1000 * switches})
        self.assertAlmostEqual(thread["running_seconds"], 0.0006 * switches)

    def test_waits_add_up(self):
        [thread] = self.json("waits", "--device", "etw", "--timeout", "0.3")["waits"]["threads"]
        switches = thread["switches"]
        self.assertGreaterEqual(switches, 10)
        self.assertEqual(thread["running_ns"], 600_000 * switches)
        self.assertEqual(thread["waiting_ns"], 400_000 * (switches - 1))
        self.assertEqual(thread["wall_ns"], thread["running_ns"] + thread["waiting_ns"])
        self.assertRegex(self.ok("waits", "--device", "etw", "--timeout", "0.3"), r"\d+ ms +\d+ .* played\.exe\+0x20 +- +played")
