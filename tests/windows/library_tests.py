# SPDX-License-Identifier: BSD-3-Clause
"""wperf.dll, used by unmodified programs: one for wperf.h, and one for the wperf-lib.h of WindowsPerf."""
import re

from support import WindowsTest


class Library(WindowsTest):
    essential = ("test_programs_for_wperf_lib",)

    def program(self, name):
        if not self.world.keeps_x18:
            self.skipTest("wperf.dll keeps its last error for each thread; this Wine does not support that")
        if not (self.world.folder / name).is_file():
            self.skipTest(f"{name} is not built")
        done = self.world.run(name)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout)
        return self.plain(done.stdout).splitlines()

    def every_call_passes(self, name, calls):
        lines = self.program(name)
        for line in lines:
            self.assertRegex(line, r"^Test wperf_[^\t]+\t \.\.\. PASS$")
        tested = {re.match(r"Test (wperf_\w+)", line)[1] for line in lines}
        self.assertLessEqual(set(calls), tested)

    def test_programs_for_wperf_lib(self):
        self.every_call_passes("wperf-lib-c-compat.exe", ("wperf_driver_version", "wperf_list_events", "wperf_list_metrics",
                                                          "wperf_stat", "wperf_test", "wperf_set_verbose", "wperf_close"))
        lines = self.program("wperf-lib-app.exe")
        counted = [int(re.search(r"counter_value=(\d+)", line)[1]) for line in lines if line.startswith("wperf_stat:")]
        self.assertEqual(len(counted), 9)
        told = {row["Alias_Name"] for row in self.json("list", schema="list")["Predefined_Events"]
                if row["Event_Type"] == "[core PMU event]"}
        self.assertEqual(set(re.findall(r"wperf_list_events: .* name=(\w+),", "\n".join(lines))), told)

    def test_programs_for_our_own_header(self):
        self.every_call_passes("wperf-every-call.exe", ("wperf_stat", "wperf_stat_metrics", "wperf_set_device"))
