# SPDX-License-Identifier: BSD-3-Clause
"""Arm's driver (WindowsPerf) as a device: a fake of it on top of the simulated machine is compared with wperf's own
driver on the same machine, whose counts are right. The fake has the driver's faults. It fails the command if a request
would crash the real driver."""
import pathlib
import tempfile
import unittest

from support import WperfTest, counts, workload

NAME = "Arm's driver (WindowsPerf 3.8.0)"


def scaled(document, core=0):
    for entry in document["core"]["cores"]:
        if entry["core_number"] == core:
            return {row["event_name"]: row["scaled_value"] for row in entry["Performance_counter"]}
    return {}


class WindowsPerfTest(WperfTest):
    keys = "pace=free,seed=1"

    def fake(self, more=""):
        return f"windowsperf:fake,{self.keys}{more}"

    def both(self, *arguments):
        """Runs the same command with Arm's driver and with wperf's driver."""
        return (self.json(*arguments, device=self.fake()), self.json(*arguments, device="sim:" + self.keys))


class CountTest(WindowsPerfTest):
    def same_time(self, *arguments, seconds="0.52"):
        """The counts of wperf's driver in the ticks that Arm's driver covers."""
        return self.json("stat", "--json", "--timeout", seconds, *arguments, device="sim:" + self.keys)

    def theirs(self, *arguments):
        return self.json("stat", "--json", "--timeout", "0.5", *arguments, device=self.fake())

    def test_a_whole_program_is_counted_to_the_last_event(self):
        theirs, ours = self.both("stat", "--json", "-e", "inst_spec,ld_spec,st_spec,br_retired", "-c", "1", "--",
                                 workload("exact.exe"))
        self.assertEqual(counts(theirs, core=1), counts(ours, core=1))
        self.assertGreater(counts(theirs, core=1)["inst_spec"], 1000000)

    def test_the_report_names_the_driver_and_what_it_covers(self):
        document = self.json("stat", "--json", "-e", "inst_spec", "-c", "0", "--timeout", "1", device=self.fake())
        self.assertIn(NAME, document["Notes"][0])
        self.assertAlmostEqual(document["Time_elapsed"], 1.02, delta=0.002)  # whole ticks of 20 ms
        text = self.ok("stat", "-e", "inst_spec", "-c", "0", "--timeout", "1", device=self.fake())
        self.assertIn(f"note: counted by {NAME} in whole ticks of 20 ms", text)

    def test_groups_take_turns(self):
        theirs, ours = self.both("stat", "--json", "-m", "imix", "-e", "{ld_spec,st_spec},inst_retired", "-c", "1",
                                 "--timeout", "1", "--", workload("googolplex.exe"))
        truth = counts(self.same_time("-e", "inst_retired,ld_spec,st_spec", "-c", "1", "--", workload("googolplex.exe"),
                                      seconds="1.01"), core=1)
        rows = theirs["core"]["cores"][0]["Performance_counter"]
        self.assertEqual([row["event_note"] for row in rows],
                         [row["event_note"] for row in ours["core"]["cores"][0]["Performance_counter"]])
        for name in ("inst_retired", "ld_spec", "st_spec"):
            self.assertAlmostEqual(scaled(theirs, core=1)[name], truth[name], delta=truth[name] / 20)

    def test_kernel_and_its_cycles(self):
        arguments = ("-k", "-e", "inst_spec,ld_spec", "-c", "1", "--", workload("googolplex.exe"))
        self.assertEqual(counts(self.theirs(*arguments), core=1), counts(self.same_time(*arguments), core=1))

    def test_the_kernel_s_cycles_need_a_counter(self):
        events = "inst_spec,ld_spec,st_spec,br_retired,inst_retired,vfp_spec"
        text = self.ok("stat", "-k", "-e", events, "-c", "1", "--timeout", "1", device=self.fake())
        self.assertIn("its cycle counter excludes the kernel", text)
        self.assertIn("note: cycle is not counted", text)

    def test_all_cores(self):
        theirs, ours = self.both("stat", "--json", "-e", "inst_spec", "--timeout", "0.1")
        self.assertEqual(len(theirs["core"]["cores"]), len(ours["core"]["cores"]))

    def test_dsu_counts_its_own_events(self):
        arguments = ("-m", "l3_cache", "-e", "inst_spec", "-c", "2", "--", workload("stream.exe"))
        theirs, ours = self.theirs(*arguments), self.same_time(*arguments)
        self.assertEqual(theirs["dsu"], ours["dsu"])
        self.assertEqual(counts(theirs, core=2), counts(ours, core=2))

    def test_some_cores_of_a_cluster_are_refused_with_its_dsu(self):
        error = self.fails("stat", "-e", "inst_spec,/dsu/l3d_cache", "-c", "0,1", "--timeout", "1", device=self.fake())
        self.assertIn("counts a DSU wrongly", error)
        self.ok("stat", "-e", "/dsu/l3d_cache", "-c", "0,1", "--timeout", "0.1", device=self.fake())
        self.ok("stat", "-e", "inst_spec,/dsu/l3d_cache", "--timeout", "0.1", device=self.fake())

    def test_memory_channels(self):
        for more in ((), ("--dmc", "1")):
            arguments = ("-m", "ddr_bw", *more, "-e", "inst_spec,ld_spec,st_spec", "-c", "0", "--", workload("stream.exe"))
            self.assertEqual(self.theirs(*arguments)["dmc"], self.same_time(*arguments)["dmc"])

    def test_the_clock_events_of_memory_are_no_counts(self):
        error = self.fails("stat", "-e", "/dmc_clk/0x01", "--timeout", "1", device=self.fake())
        self.assertIn("from wrong addresses", error)

    def test_a_timeline(self):
        with tempfile.TemporaryDirectory() as folder:
            document = self.json("stat", "--json", "-t", "-i", "0", "-n", "3", "-e", "inst_spec", "-c", "1", "--timeout",
                                 "0.1", "--output-prefix", folder, "--", workload("googolplex.exe"), device=self.fake())
        values = [counts(one, core=1)["inst_spec"] for one in document["timeline"]]
        self.assertEqual(len(values), 3)
        self.assertTrue(all(value > 100000 for value in values), values)


class SampleTest(WindowsPerfTest):
    def record(self, *arguments, more=""):
        return self.json("record", "--json", *arguments, device=self.fake(more))["sampling"]

    def test_shares_are_those_of_the_truth(self):
        arguments = ("-e", "ld_spec:5000", "-c", "1", "--timeout", "1", "--", workload("googolplex.exe"))
        theirs = self.record(*arguments)["events"][0]["samples"]
        ours = self.json("record", "--json", *arguments)["sampling"]["events"][0]["samples"]
        truth = {row["symbol"]: row["overhead"] for row in ours}
        for row in theirs:
            self.assertAlmostEqual(row["overhead"], truth.get(row["symbol"], 0), delta=3)

    def test_the_report_says_what_is_not_known(self):
        sampling = self.record("-e", "ld_spec:100000", "-c", "1", "--timeout", "1", "--", workload("googolplex.exe"))
        self.assertIn(f"sampled by {NAME} on core 1", sampling["note"])
        self.assertIn("other cores are not sampled", sampling["note"])
        self.assertEqual(sampling["samples_dropped"], 0)

    def test_a_full_buffer_is_told(self):
        sampling = self.record("-e", "inst_retired:50", "-c", "1", "--timeout", "0.2", "--", workload("googolplex.exe"))
        self.assertGreater(sampling["samples_dropped"], 0)
        self.assertIn("its buffer was full", sampling["note"])
        self.assertIn("is unknown", sampling["note"])

    def test_several_events(self):
        sampling = self.record("-e", "ld_spec:50000,inst_retired:100000", "-c", "1", "--timeout", "2", "--",
                               workload("googolplex.exe"))
        self.assertEqual([event["type"] for event in sampling["events"]], ["inst_retired", "ld_spec"])
        self.assertTrue(all(len(event["samples"]) > 3 for event in sampling["events"]))

    def test_an_event_that_slices_cut_off_is_named(self):
        text = self.ok("record", "-e", "ld_spec:1000,br_retired:100000", "-c", "1", "--timeout", "1", "--", workload("googolplex.exe"),
                       device=self.fake())
        self.assertRegex(text, r"br_retired has \d+ samples, fewer than 8 per slice")
        self.assertNotIn("ld_spec has", text)

    def test_a_kept_recording_is_reported_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "kept.data"
            self.ok("record", "-e", "ld_spec:100000", "-c", "1", "--timeout", "1", "-o", kept, "--",
                    workload("googolplex.exe"), device=self.fake())
            text = self.ok("report", kept)
        self.assertIn("big_school_multiply", text)
        self.assertIn(NAME, text)

    def test_a_program_that_runs_already(self):
        path = workload("googolplex.exe")
        text = self.ok("sample", "-e", "ld_spec:100000", "--image_name", "googolplex.exe", "--pe_file", path, "-c", "2", "--timeout", "1",
                       device=self.fake(f",run=2:{path}"))
        self.assertIn("big_school_multiply", text)

    def test_what_it_cannot_do_is_refused_with_the_reason(self):
        for arguments, reason in (
                (("-g",), "cannot record call stacks"),
                (("--cores", "0-1"), "one core at a time"),
                (("--all-cores",), "one core at a time"),
                (("--jitter",), "cannot vary intervals"),
                (("--by", "thread"), "the thread of a sample"),
                (("--timeline", "100"), "the time of a sample"),
                (("--config", "sample.limit=100"), "has no limit of samples"),
        ):
            error = self.fails("record", *arguments, "-e", "ld_spec:100000", "--timeout", "1", "--",
                               workload("googolplex.exe"), device=self.fake(), status=2)
            self.assertIn(reason, error)
            self.assertIn(NAME, error)

    def test_spe_of_the_signed_build_is_no_spe(self):
        for build, reason in (("", "was built without SPE"), (",build=spe", "was built with SPE, but wperf does not")):
            error = self.fails("record", "-e", "arm_spe_0//", "-c", "1", "--timeout", "1", "--",
                               workload("googolplex.exe"), device=self.fake(build))
            self.assertIn(reason, error)


class DriverTest(WindowsPerfTest):
    def test_versions(self):
        for number, known in (("3.7.0", False), ("3.7.1", True), ("3.7.2", True), ("3.8.0", True), ("3.8.1", False),
                              ("3.0.0", False), ("4.3.1", False)):
            done = self.run_wperf("stat", "-e", "inst_spec", "-c", "0", "--timeout", "0.1",
                                  device=self.fake(f",driver={number}"))
            self.assertEqual(done.returncode, 0 if known else 3, done.stderr)
            if not known:
                self.assertIn(f"is version {number}; wperf supports 3.7.1 to 3.8.0 only", done.stderr)

    def test_version_shows_the_driver(self):
        text = self.ok("--version", device=self.fake())
        self.assertRegex(text, r"wperf-driver +3\.8\.0 +6d15ddfc +\+etw-drv")

    def test_a_lock_that_was_left_behind(self):
        error = self.fails("stat", "-e", "inst_spec", "--timeout", "0.1", device=self.fake(",lock=left"))
        self.assertIn("other WindowsPerf process acquired the wperf-driver", error)
        self.assertIn("take it with --force-lock", error)
        self.ok("stat", "-e", "inst_spec", "--timeout", "0.1", "--force-lock", device=self.fake(",lock=left"))

    def test_two_at_a_time_and_robbing(self):
        device = self.fake().replace("pace=free", "pace=real")
        holder = self.start_wperf("stat", "-e", "inst_retired", "-c", "0", "--timeout", "3000", device=device)
        self.addCleanup(holder.stdout.close)
        self.addCleanup(holder.stderr.close)
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        self.assertEqual(holder.stdout.read(len("note: counted")), "note: counted")
        self.assertIn("acquired the wperf-driver", self.fails("--version", device=device))
        self.ok("--version", "--force-lock", device=device)
        _, error = holder.communicate(timeout=60)
        self.assertEqual(holder.returncode, 1)
        self.assertIn("hijacked (forced lock)", error)

    def test_list_test_and_doctor(self):
        self.assertEqual(self.ok("list", device=self.fake()).count("ld_spec"),
                         self.ok("list", device="sim:" + self.keys + ",spe=off").count("ld_spec"))
        self.assertIn("core.sample=core", self.ok("test", device=self.fake()))
        text = self.ok("doctor", device=self.fake())
        self.assertIn("Arm's driver (WindowsPerf), version 3.8.0", text)
        self.assertIn("was built without SPE", text)

    def test_a_device_with_a_wrong_name(self):
        self.assertIn("windowsperf:fake", self.fails("list", device="windowsperf:fakes", status=3))
        self.assertIn("needs Windows on Arm", self.fails("list", device="windowsperf", status=3))


if __name__ == "__main__":
    unittest.main()
