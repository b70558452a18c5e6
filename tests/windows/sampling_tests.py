# SPDX-License-Identifier: BSD-3-Clause
"""`wperf record` and `sample`: PMU interrupts of the emulated machine, named by the PDB of a program in Wine."""
import time

from support import WindowsTest


class Sampling(WindowsTest):
    essential = ("test_hot_and_cold_loop_have_their_true_shares",)

    def test_hot_and_cold_loop_have_their_true_shares(self):
        sampling = self.record()
        self.check_schema({"sampling": sampling}, "sample")
        event = sampling["events"][0]
        shares = self.shares(event)
        self.assertAlmostEqual(shares["hot_loop"], 75, delta=5)
        self.assertAlmostEqual(shares["cold_loop"], 25, delta=5)
        self.assertGreater(sampling["samples_generated"], 300)
        self.assertLess(sampling["samples_dropped"], sampling["samples_generated"] / 20)  # those that skid into the kernel
        self.assertTrue(sampling["pe_file"].endswith("remote.exe"))
        self.assertTrue(sampling["pdb_file"].endswith("remote.pdb"))

    def test_text(self):
        text = self.ok("record", "-e", "cpu_cycles:1000000", "-c", "1", "--timeout", "2", "--", "remote.exe")
        self.assertRegex(text, r"sampling \.*")
        self.assertRegex(text, r"(?m)^=+ sample source: cycle, top \d+ hot functions =+$")
        self.assertRegex(text, r"7\d\.\d\d +\d+ +hot_loop")
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
