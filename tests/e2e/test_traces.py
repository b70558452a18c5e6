#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf report` of .etl traces: real ones beside the project, and damaged ones made of them."""
import collections
import json
import pathlib
import tempfile
import unittest

from support import SHARED, WperfTest

DATA = SHARED / "data" / "etl"
PROFILE = DATA / "perfview-net452-x64-win8-compressed.etl"


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
