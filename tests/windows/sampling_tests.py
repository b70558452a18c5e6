# SPDX-License-Identifier: BSD-3-Clause
"""`wperf record` and `sample`: PMU interrupts of the emulated machine, named by the PDB of a program in Wine."""
import time

from support import WindowsTest

ENOUGH = 800  # samples: three standard deviations of a share of 75 % are less than 5 points


class Sampling(WindowsTest):
    essential = ("test_hot_and_cold_loop_have_their_true_shares",)

    def test_hot_and_cold_loop_have_their_true_shares(self):
        # How many interrupts a loop gets is up to the machine that emulates: a busy one merges most of them. So the
        # loops run longer until there are samples enough to tell 75 % from 70 %.
        for rounds in (12_000, 40_000, 120_000):
            sampling = self.record(rounds=rounds)
            if sampling["samples_generated"] >= ENOUGH:
                break
        self.check_schema({"sampling": sampling}, "sample")
        self.assertGreaterEqual(sampling["samples_generated"], ENOUGH)
        shares = self.shares(sampling["events"][0])
        self.assertAlmostEqual(shares["hot_loop"], 75, delta=5)
        self.assertAlmostEqual(shares["cold_loop"], 25, delta=5)
        self.assertLess(sampling["samples_dropped"], sampling["samples_generated"] / 20)  # those that skid into the kernel
        self.assertTrue(sampling["pe_file"].endswith("remote.exe"))
        self.assertTrue(sampling["pdb_file"].endswith("remote.pdb"))

    def test_text(self):
        text = self.ok("record", "-e", "cpu_cycles:1000000", "-c", "1", "--timeout", "2", "--", "remote.exe")
        self.assertRegex(text, r"sampling \.*")
        self.assertRegex(text, r"(?m)^=+ sample source: cycle, top \d+ hot functions =+$")
        self.assertRegex(text, r"\d+\.\d\d +\d+ +hot_loop")  # of few samples: the shares themselves are tested above
        self.assertRegex(text, r"\d+\.\d+ seconds time elapsed")

    def test_annotate(self):
        if not self.world.reads_other_processes:
            self.skipTest("nothing has a name here")
        event = self.record("--annotate")["events"][0]
        self.assertIn("hot_loop", [row["function_name"] for row in event["annotate"]])

    def test_sample_a_running_program(self):
        running = self.world.start("remote.exe", "0", "1")
        self.addCleanup(running.communicate)
        self.addCleanup(self.world.kill, running)
        time.sleep(0.5)
        event = self.json("sample", "-v", "-e", "cpu_cycles:1000000", "-c", "1", "--timeout", "2", "--pe_file", "remote.exe"
                          )["sampling"]["events"][0]
        self.assertGreater(self.shares(event)["hot_loop"], 60)
