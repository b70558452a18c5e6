# SPDX-License-Identifier: BSD-3-Clause
"""Windows' own tracing as a device, on a fake that is as strict as Windows. Its recordings have the driver's
samples."""
import contextlib
import json
import pathlib
import re
import shutil
import sqlite3
import tempfile
import unittest
from xml.etree import ElementTree

from support import WperfTest, workload


def shares(text):
    """{function: percent} of the first table."""
    table = text.split("event ")[1]
    return {row[1]: float(row[0]) for row in re.findall(r"^ *([\d.]+) +[\d,]+  googolplex\.exe +\S+ +(\S+)$", table, re.M)}


class EtwTest(WperfTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wperf etw ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("googolplex.exe", "googolplex.pdb", "bignum.dll", "bignum.pdb"):
            shutil.copy(workload(name), self.folder)
        self.environment["WPERF_DEVICE"] = "etw:fake,pace=free,seed=1"

    def record(self, *arguments, **keywords):
        return self.ok("record", *arguments, "--", "googolplex.exe", cwd=self.folder, **keywords)

    def test_recording_is_kept_and_shown_again(self):
        text = self.record("-e", "timer:500000", "--timeout", "1", "-o", "kept.etl")
        self.assertRegex(text, r"event Timer: [\d,]+ samples")
        self.assertRegex(text, r"recorded to kept\.etl: [1-9][\d,]+ bytes")
        again = self.ok("report", "kept.etl", cwd=self.folder)
        self.assertEqual(shares(text), shares(again))
        tree = self.ok("report", "kept.etl", "--callers", cwd=self.folder)  # stacks are always there
        self.assertRegex(tree, r"big_karatsuba_multiply")

    def test_shares_are_those_that_the_driver_samples(self):
        ours = shares(self.record("-e", "timer:400000", "--timeout", "1"))
        driver = self.ok("record", "-e", "cpu_cycles:10000", "--sort", "comm,module,symbol", "-k", "--timeout", "1", "-c", "0",
                         "--", "googolplex.exe", device="sim:pace=free,seed=1", cwd=self.folder)
        theirs = shares(driver)
        self.assertGreater(len(theirs), 3)
        for function, share in theirs.items():
            if share > 2:
                self.assertAlmostEqual(ours[function], share, delta=1.5, msg=function)

    def test_any_event_of_the_cores(self):
        text = self.record("-e", "timer,br_retired:20000,branchmispredictions:4096", "--timeout", "1")
        self.assertRegex(text, r"event Timer: [1-9]")
        self.assertRegex(text, r"event br_retired: [1-9]")
        self.assertNotIn("DcacheMisses", text)  # was not requested

    def test_trace_names_its_code_without_the_images(self):
        self.record("--timeout", "0.5", "-o", "x.etl")
        named = shares(self.ok("report", "x.etl", cwd=self.folder))
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        for name in ("googolplex.pdb", "bignum.pdb"):
            shutil.move(self.folder / name, elsewhere)
        for name in ("googolplex.exe", "bignum.dll"):
            (self.folder / name).unlink()
        text = self.ok("report", "x.etl", "--symbol-path", elsewhere, cwd=self.folder)
        self.assertEqual(shares(text), named)
        self.assertIn("subtract_from", named)  # a static function: only the PDB names it

    def test_what_windows_refuses(self):
        line = ("record", "--timeout", "0.1", "--", "googolplex.exe")
        for fault, words in {"not-elevated": "elevated prompt", "no-privilege": "SeSystemProfilePrivilege",
                             "hypervisor": "virtual machine", "disk-full": "disk is full",
                             "no-session": "all its trace sessions are in use"}.items():
            text = self.fails(*line, device=f"etw:fake,{fault}", status=3, cwd=self.folder)
            self.assertIn(words, text)
        text = self.fails("record", "-e", "ld_spec:100000", "--", "googolplex.exe", device="etw:fake,no-new-sources",
                          status=3, cwd=self.folder)
        self.assertIn("does not accept ld_spec (event 0x70)", text)
        text = self.fails("record", "-e", "nosuch", "--", "googolplex.exe", cwd=self.folder)
        self.assertIn("`wperf list` shows the names", text)
        self.assertNotIn("tracepoint", text)
        self.ok("record", "--force-lock", "--timeout", "0.1", "--", "googolplex.exe", device="etw:fake,hypervisor,pace=free",
                cwd=self.folder)

    def threads(self, text):
        """{tid: its times}, from the JSON document."""
        return {one["tid"]: one for one in json.loads(text)["waits"]["threads"]}

    def test_waits_of_a_program(self):
        shutil.copy(workload("threads.exe"), self.folder)
        shutil.copy(workload("threads.pdb"), self.folder)
        line = ("waits", "-o", "w.etl", "--", "threads.exe", "4", "300")
        text = self.ok(*line, cwd=self.folder)
        self.assertRegex(text, r"recorded: [\d,]+ switches and [\d,]+ wake-ups in .*; lost: nothing; the recorder ran")
        self.assertRegex(text, r" +[\d,]+ .*  lock +count +NtWaitForAlertByThreadId +threads\.exe +threads\.exe \(\d+\)")
        self.assertRegex(text, r"  timer +run +NtDelayExecution +threads\.exe")
        of_program = self.threads(self.ok("waits", "w.etl", "--pid", "1000", "--json", cwd=self.folder))
        self.assertEqual(len(of_program), 5)
        for one in of_program.values():
            self.assertEqual(one["running_ns"] + one["ready_ns"] + one["waiting_ns"], one["wall_ns"])
        # The output is about the whole recording, including the recorder.
        self.assertIn(4243, self.threads(self.ok("waits", "w.etl", "--json", cwd=self.folder)))
        self.assertIn("critical path of threads.exe (1004)", self.ok("waits", "w.etl", "--critical-path", cwd=self.folder))
        none = self.run_wperf("report", "w.etl", cwd=self.folder)
        self.assertEqual(none.returncode, 0, none.stderr)
        self.assertIn("`wperf waits w.etl`", none.stderr)
        self.assertIn("has no samples", self.fails("report", "w.etl", "--export", "pprof", "-o", "w.pprof", cwd=self.folder))
        # A recording without samples can still export its waits.
        self.assertIn("no samples", self.run_wperf("report", "w.etl", "--export", "sql", "-o", "w.sql", cwd=self.folder).stderr)
        with contextlib.closing(sqlite3.connect(":memory:")) as database:
            database.executescript((self.folder / "w.sql").read_text())
            told = dict(database.execute("SELECT state, sum(end_ns - begin_ns) FROM states GROUP BY state"))
        threads = self.threads(self.ok("waits", "w.etl", "--json", cwd=self.folder)).values()
        self.assertEqual(told, {state: sum(one[f"{state}_ns"] for one in threads) for state in ("running", "ready", "waiting")})

    def test_waits_of_the_machine_and_where_threads_ran(self):
        text = self.ok("waits", "--timeout", "0.2", "--json", device="etw:fake,pace=free,run=0:" + str(workload("googolplex.exe")),
                       cwd=self.folder)
        running = [one for one in self.threads(text).values() if one["name"] == "googolplex.exe"]
        # This thread never waits, so only the start and the end of the session mention it.
        self.assertGreater(running[0]["running_ns"], 190_000_000)
        tree = self.ok("waits", "--on-off", "--timeout", "0.2", "--", "googolplex.exe", cwd=self.folder)
        self.assertRegex(tree, r"\[running\]")
        self.assertRegex(tree, r"big_karatsuba_multiply")

    def test_a_session_that_somebody_ends_keeps_what_was_recorded(self):
        for command in (("record",), ("waits",)):
            done = self.run_wperf(*command, "--timeout", "2", "--", "googolplex.exe", cwd=self.folder,
                                  device="etw:fake,pace=free,ended")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("another program ended the trace session", done.stderr)
            self.assertIn("googolplex.exe", done.stdout)
        self.assertRegex(self.run_wperf("record", "--timeout", "2", "--", "googolplex.exe", cwd=self.folder,
                                        device="etw:fake,pace=free,ended").stdout, r"\d+ +.*big_school_multiply")

    def test_what_windows_cannot_is_said_before(self):
        line = ("record", "--timeout", "0.1")
        self.assertIn("--freq works only for the timer", self.fails(*line, "--freq", "1000", "-e", "br_retired", "--", "googolplex.exe",
                                                            cwd=self.folder, status=2))
        self.assertIn("given twice", self.fails(*line, "-e", "timer:1000000,timer:500000", "--", "googolplex.exe",
                                                cwd=self.folder, status=2))
        many = "ld_spec:9999,st_spec:9999,br_retired:9999,inst_retired:9999,l1d_cache:9999"
        self.assertIn("too many events at once", self.fails(*line, "-e", many, "--", "googolplex.exe", cwd=self.folder,
                                                                      status=3))
        none = self.fails(*line, "-e", "r9999:4096", "--", "googolplex.exe", cwd=self.folder, status=1)
        self.assertIn("the recording has no samples: the session took none", none)

    def test_what_the_session_would_be(self):
        rows = dict(re.findall(r"^ +trace_session \[(.+?)\] +(.+)$", self.ok("test"), re.MULTILINE))
        self.assertEqual(rows["counters at once"], "4")
        self.assertRegex(rows["buffers"], r"^\d+ to \d+ of 1024 KB for the timer at 4000 Hz on 8 cores$")
        self.assertEqual(rows["source Timer"], "0, interval 2500")
        self.assertEqual(rows["source TotalCycles"], "19, interval 65536")
        self.assertIn("0x10000", re.search(r"INTERVAL_DEFAULT +(\S+)", self.ok("test"))[1])
        self.assertRegex(self.ok("list"), r"branchinstructions +.*profile source 6, interval 4096 to \d+, like br_retired")

    def test_derived_numbers_are_of_one_run(self):
        shutil.copy(workload("threads.exe"), self.folder)
        line = ("stat", "-e", "inst_retired,br_retired,ld_spec,st_spec,cpu_cycles", "--", "threads.exe", "4", "50")
        self.assertNotIn("per cycle", self.ok(*line, cwd=self.folder))
        self.assertIn("per cycle", self.ok("stat", "-e", "inst_retired,cpu_cycles", *line[3:], cwd=self.folder))

    def test_top_with_waits(self):
        line = ("top", "--once", "--waits", "--every", "300ms", "-e", "inst_retired:20000", "--json")
        seen = json.loads(self.ok(*line, "--", workload("threads.exe"), "4", "3000000", cwd=self.folder))
        self.assertEqual([event["event"] for event in seen["recording"]["events"]], ["inst_retired"])
        waits = seen["top"]["waits"]
        locks = next(row for row in waits if row["class"] == "lock")
        self.assertEqual((locks["function"], locks["module"]), ("NtWaitForAlertByThreadId", "ntdll.dll"))
        # Only the waits of the program's five threads are shown, not all waits of the machine.
        self.assertLess(sum(row["waited_ns"] for row in waits), 5.1e9 * seen["top"]["seconds"])
        self.assertGreater(locks["begun"], 100)
        text = self.ok(*line[:-1], "--", workload("threads.exe"), "4", "3000000", cwd=self.folder)
        self.assertRegex(text, r"\nwhere threads waited: .* by [\d.]+ threads, [\d,]+ started\n")
        self.assertRegex(self.ok("top", "--once", "--waits", "--every", "200ms", cwd=self.folder,
                                 device="etw:fake,pace=free,run=0:" + str(workload("googolplex.exe"))), "where threads waited: ")

    def counts(self, text):
        return {row["event_name"]: row["counter_value"] for row in json.loads(text)["core"]["cores"][0]["Performance_counter"]}

    def test_stat_counts_what_the_driver_counts(self):
        shutil.copy(workload("exact_1k.exe"), self.folder)
        line = ("stat", "-e", "inst_retired,cpu_cycles,br_retired", "-c", "0", "--json", "--", "exact_1k.exe")
        driver = self.counts(self.ok("stat", "-k", *line[1:], device="sim:pace=free,seed=1", cwd=self.folder))
        ours = json.loads(self.ok(*line, cwd=self.folder))
        self.assertTrue(ours["core"]["Kernel_mode"])
        for event, value in self.counts(json.dumps(ours)).items():
            self.assertEqual(value, driver[event], event)
        thread, = ours["Threads"]
        self.assertEqual((thread["pid"], thread["process"]), (1000, "exact_1k.exe"))
        self.assertEqual(thread["counters"]["inst_retired"], driver["inst_retired"])

    def test_stat_of_threads_and_in_several_runs(self):
        shutil.copy(workload("threads.exe"), self.folder)
        text = self.ok("stat", "--", "threads.exe", "4", "300", cwd=self.folder)
        self.assertRegex(text, r"[\d,]+ +branchmispredictions +[\d.]+ % of branches")
        self.assertEqual(len(re.findall(r"^ +threads\.exe +1000 +\d+ ", text, re.M)), 5)
        self.assertNotIn("not in the counts", text)
        several = json.loads(self.ok("stat", "-e", "inst_retired,br_retired,ld_spec,st_spec,task-clock,cpu_cycles", "--json", "--",
                                     "threads.exe", "2", "50", cwd=self.folder))
        names = [row["event_name"] for row in several["core"]["cores"][0]["Performance_counter"]]
        self.assertEqual(names, ["inst_retired", "br_retired", "ld_spec", "st_spec", "task-clock", "cpu_cycles"])
        self.assertEqual({one["run"] for one in several["Threads"]}, {1, 2})
        self.assertIn("the program ran 2 times", several["Notes"][-1])
        mean = self.ok("stat", "-r", "2", "-e", "inst_retired", "--", "threads.exe", "2", "50", cwd=self.folder)
        self.assertIn("mean of 2 runs", mean)

    def test_stat_of_what_runs_already_and_of_the_machine(self):
        device = f"etw:fake,pace=free,cores=2,run=1:{workload('googolplex.exe')}"
        text = self.ok("stat", "-p", "1000", "-e", "inst_retired", "--timeout", "0.1", device=device)
        self.assertRegex(text, r"googolplex\.exe +1000 +1004 +100 ms +\d+ +[1-9][\d,]+")
        machine = json.loads(self.ok("stat", "-c", "1", "-e", "inst_retired,task-clock", "--timeout", "0.1", "--json", device=device))
        counted = {row["event_name"]: row["counter_value"] for row in machine["core"]["cores"][0]["Performance_counter"]}
        self.assertAlmostEqual(counted["task-clock"], 100_000_000, delta=1_000_000)
        self.assertGreater(counted["inst_retired"], 1_000_000)
        for words, arguments in (("need 2 counts, one after the other", ("-p", "1000", "-e", "inst_retired,br_retired,ld_spec,st_spec,cpu_cycles")),
                                 ("not a counter of the cores", ("-p", "1000", "-e", "timer"))):
            self.assertIn(words, self.fails("stat", *arguments, status=2, device=device))
        self.assertIn("can be counted, but not sampled", self.fails("record", "-e", "task-clock", "--", "googolplex.exe", status=2,
                                                            cwd=self.folder))

    def test_losses_are_told_by_the_second(self):
        text = self.run_wperf("record", "--timeout", "2.5", "-o", "lossy.etl", "--", "googolplex.exe",
                              device="etw:fake,pace=free,loses", cwd=self.folder).stderr
        self.assertRegex(text, r"2,500 events were lost while recording")
        self.assertRegex(text, r"from 0\.0 s to 1\.[01] s of the recording, Windows lost 1,[01]\d\d events and 0 buffers")
        again = json.loads(self.run_wperf("report", "lossy.etl", "--json", cwd=self.folder).stdout)
        spans = again["recording"]["trace"]["lost_over_time"]
        self.assertEqual(sum(one["events"] for one in spans), 2500)
        self.assertEqual(len(spans), 3)

    def test_cores_are_a_filter_of_what_is_shown(self):
        device = f"etw:fake,pace=free,cores=4,run=0:{workload('googolplex.exe')},run=2:{workload('googolplex.exe')}"
        def samples(*arguments):
            done = self.run_wperf("record", "--timeout", "0.3", *arguments, device=device, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            return int(re.search(r"event Timer: ([\d,]+) samples", done.stdout)[1].replace(",", "")), done.stderr
        (both, quiet), (one, told) = samples(), samples("-c", "2")
        self.assertNotIn("all cores", quiet)
        self.assertAlmostEqual(one, both / 2, delta=both / 50)
        self.assertRegex(told, r"note: [^\n]*\b[1-9][\d,]* samples [^\n]*-c or --cores")

    def test_what_cannot_be(self):
        for words, status, arguments in (("FILE.etl", 2, ("-o", "x.data")),
                                         ("8190 times per second", 2, ("--freq", "20000")),
                                         ("every 4096 to", 2, ("-e", "br_retired:10")),
                                         ("does not support SPE", 3, ("-e", "arm_spe_0//"))):
            text = self.fails("record", *arguments, "--", "googolplex.exe", status=status, cwd=self.folder)
            self.assertIn(words, text)
        self.assertIn("etw:fake", self.fails("list", device="etw", status=3))

    def test_list_and_doctor(self):
        self.assertRegex(self.ok("list"), r"branchmispredictions +.*profile source 11, interval 4096 to")
        self.assertRegex(self.ok("doctor"), r"ok +sources: the timer and 6 of counters")
        self.assertRegex(self.ok("doctor", device="etw:fake,not-elevated"), r"warn rights: not elevated")

    def test_a_profile_for_microsofts_recorder(self):
        text = self.ok("record", "--print-wprp", "-e", "timer,ld_spec:100000,branchmispredictions:65536")
        root = ElementTree.fromstring(text)
        self.assertEqual(root.tag, "WindowsPerformanceRecorder")
        sampled = {one.get("Value"): one.get("Interval") for one in root.iter("SampledCounter")}
        self.assertEqual(sampled, {"ld_spec": "100000", "BranchMispredictions": "65536"})
        self.assertEqual([(one.get("Name"), one.get("Event")) for one in root.iter("ProfileSource")], [("ld_spec", "0x70")])
        ids = {one.get("Id") for one in root.iter() if one.get("Id")}
        named = [one.get("Value") for one in root.iter() if one.tag.endswith("Id")] + [one.get("Base") for one in root.iter("Profile")]
        self.assertLessEqual({name for name in named if name}, ids)  # every name that is used is defined
        self.assertIn("--device etw", self.fails("record", "--print-wprp", "--", "googolplex.exe", device="sim", status=2, cwd=self.folder))

    def test_doctor_mends_what_a_killed_wperf_left(self):
        self.assertRegex(self.ok("doctor", device="etw:fake,left-behind"), r'warn session: .*"wperf recording 4000"\n +fix: [^\n]*`wperf doctor --fix`')
        text = self.ok("doctor", "--fix", device="etw:fake,left-behind")
        self.assertRegex(text, r'ok +fix: ended the trace session "wperf recording 4000"')
        self.assertRegex(text, r'ok +fix: removed the sample source "wperf\.0x0070 ld_spec"')
        self.assertNotIn("no longer running", text)
        self.assertIn("fix: nothing was left behind", self.ok("doctor", "--fix", device="etw:fake"))
        self.assertIn("only administrators can end", self.ok("doctor", "--fix", device="etw:fake,not-elevated,left-behind"))
        text = self.record("-v", "--timeout", "0.1", device="etw:fake,left-behind,pace=free")
        self.assertIn('note: ended the trace session "wperf recording 4000"', text)


if __name__ == "__main__":
    unittest.main()
