# SPDX-License-Identifier: BSD-3-Clause
"""`wperf record` and `sample`: PMU interrupts of the emulated machine, named by the PDB of a program in Wine."""
import json
import time

from support import WindowsTest

ENOUGH = 800  # samples: three standard deviations of a share of 75 % are less than 5 points
WITHOUT_STACKS = ((), ("--json",), ("--annotate",), ("--sort", "comm,module,symbol"), ("--by", "process,module,core"),
                  ("--timeline", "50", "--json"), ("--records", "-"))
WITH_STACKS = (("--tree",), ("--folded",), ("--json", "--children", "--callers"))


class Sampling(WindowsTest):
    essential = ("test_hot_and_cold_loop_have_their_true_shares", "test_report_shows_what_record_showed")

    def test_hot_and_cold_loop_have_their_true_shares(self):
        # The number of interrupts in a loop depends on the host: a busy host merges most of them. So the loops run
        # longer until there are enough samples to distinguish 75 % from 70 %.
        for rounds in (12_000, 40_000, 120_000):
            sampling = self.record(rounds=rounds)
            if sampling["samples_generated"] >= ENOUGH:
                break
        self.check_schema({"sampling": sampling}, "sample")
        self.assertGreaterEqual(sampling["samples_generated"], ENOUGH)
        shares = self.shares(sampling["events"][0])
        self.assertAlmostEqual(shares["hot_loop"], 75, delta=5)
        self.assertAlmostEqual(shares["cold_loop"], 25, delta=5)
        # Samples that skid into the kernel.
        self.assertLess(sampling["samples_dropped"], sampling["samples_generated"] / 20)
        self.assertTrue(sampling["pe_file"].endswith("remote.exe"))
        self.assertTrue(sampling["pdb_file"].endswith("remote.pdb"))

    def test_text(self):
        text = self.ok("record", "-e", "cpu_cycles:1000000", "-c", "1", "--timeout", "2", "--", "remote.exe")
        self.assertRegex(text, r"sampling \.*")
        self.assertRegex(text, r"(?m)^=+ sample source: cycle, top \d+ hot functions =+$")
        self.assertRegex(text, r"\d+\.\d\d +\d+ +hot_loop")  # few samples suffice, because the shares are tested above
        self.assertRegex(text, r"\d+\.\d+ seconds time elapsed")

    def test_annotate(self):
        if not self.world.reads_other_processes:
            self.skipTest("no function has a name here")
        event = self.record("--annotate")["events"][0]
        self.assertIn("hot_loop", [row["function_name"] for row in event["annotate"]])

    def test_report_shows_what_record_showed(self):
        self.record_and_report(WITHOUT_STACKS if self.world.reads_other_processes else WITHOUT_STACKS[:4])

    def test_report_shows_the_stacks_that_record_showed(self):
        tree, folded, document = self.record_and_report(WITH_STACKS, "-g")
        self.assertRegex(tree, r"remote_work .*\n.*hot_loop")
        self.assertRegex(folded, r"(?m)^remote\.exe;\[unknown\];remote_work;hot_loop \d+$")
        rows = json.loads(document)["recording"]["events"][0]["rows"]
        self.assertGreater(next(row["all_percent"] for row in rows if row["symbol"] == "remote_work"), 60)

    def record_and_report(self, option_sets, *recording):
        """Checks for each set of options that the report of the recording equals the report of the run. Returns these
        texts."""
        texts = []
        for options in option_sets:
            with self.subTest(options=options, recording=recording):
                shown = self.ok("record", "-e", "cpu_cycles:100000", "-c", "1", "--timeout", "30", *recording, *options, "-o",
                                "kept.data", "--", "remote.exe", 8000)
                reported = self.ok("report", "kept.data", *recording, *options)
                self.assertGreater(len(reported), 60, reported)
                if self.world.reads_other_processes:
                    self.assertIn("hot_loop", reported)
                self.assertEqual(shown[-len(reported):], reported)
                self.assertRegex(shown[:-len(reported)], r"\A((base address of|sampling \.).*\n)*\Z")
                texts.append(reported)
        return texts

    def test_sample_a_running_program(self):
        running = self.world.start("remote.exe", "0", "1")
        self.addCleanup(running.communicate)
        self.addCleanup(self.world.kill, running)
        time.sleep(0.5)
        event = self.json("sample", "-v", "-e", "cpu_cycles:1000000", "-c", "1", "--timeout", "2", "--pe_file", "remote.exe"
                          )["sampling"]["events"][0]
        self.assertGreater(self.shares(event)["hot_loop"], 60)
