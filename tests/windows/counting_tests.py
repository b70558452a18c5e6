# SPDX-License-Identifier: BSD-3-Clause
"""`wperf stat` with the counts of the shipped driver."""
import json
import re

from support import ROUND, WindowsTest, rows


class Counting(WindowsTest):
    essential = ("test_text",)

    def test_text(self):
        text = self.ok("stat", "-e", "cpu_cycles,sw_incr", "-c", "0,1", "--timeout", "1")
        for core in (0, 1):
            self.assertIn(f"Performance counter stats for core {core}, no multiplexing, kernel mode excluded, on Arm "
                          "Limited core implementation:", text)
        self.assertIn("System-wide Overall:", text)
        self.assertRegex(text, r"[\d,]+ +cpu_cycles +0x11 +e")
        self.assertRegex(text, r"\d+\.\d+ seconds time elapsed")

    def test_nobody_works(self):
        self.assertEqual(rows(self.json("stat", "-e", "cpu_cycles", "-c", "1", "--timeout", "0.5"), 1)["cpu_cycles"], 0)

    def test_kernel_mode_sees_the_machine_serve(self):
        document = self.json("stat", "-e", "cpu_cycles", "-c", "0", "-k", "--timeout", "0.5", schema="stat")
        self.assertGreater(rows(document, 0)["cpu_cycles"], 10_000)

    def test_more_events_than_counters(self):
        text = self.ok("stat", "-m", "imix", "-e", "r1,r2,sw_incr,cpu_cycles", "-c", "1", "--timeout", "1")
        self.assertIn("multiplexed", text)

    def test_timeline_files(self):
        self.ok("stat", "-e", "cpu_cycles", "-c", "1", "-t", "-n", "2", "-i", "0", "--timeout", "0.2", "--output-csv",
                "line.csv")
        text = self.plain((self.world.folder / "line.csv").read_bytes())
        self.assertIn("Event class,core", text)
        self.assertEqual(len(re.findall(r"(?m)^([0-9]+,){2}$", text)), 2)
        document = self.json("stat", "-e", "cpu_cycles", "-c", "1", "-t", "-n", "2", "-i", "0", "--timeout", "0.2",
                             schema="timeline")
        self.assertEqual(len(document["timeline"]), 2)

    def test_output_file(self):
        self.ok("stat", "-e", "cpu_cycles", "-c", "1", "--timeout", "0.2", "-o", "counts.json")
        document = json.loads((self.world.folder / "counts.json").read_bytes())
        self.check_schema(document, "stat")
        self.assertIn("cpu_cycles", rows(document, 1))


class Instructions(WindowsTest):
    """remote.exe retires a known number of instructions."""

    machine = "exact"
    essential = ("test_a_program_is_counted",)

    def test_a_program_is_counted(self):
        # Under -icount QEMU has one count of instructions for all cores. If a request arrives during the count, core
        # 0's work for it is also in the count of core 1. In tests/nthost no request arrives, so counts there are exact.
        true = 2000 * ROUND
        document = self.json("stat", "-e", "inst_retired,cpu_cycles", "-c", "1", "--timeout", "300", "--", "remote.exe", 2000,
                             schema="stat")
        counted = rows(document, 1)
        self.assertGreaterEqual(counted["inst_retired"], true)
        self.assertLess(counted["inst_retired"], true * 1.1)
        self.assertEqual(counted["cpu_cycles"], 2 * counted["inst_retired"])
        self.assertLess(document["Time_elapsed"], 300)  # it ends with the program

    def test_doctor_finds_nothing_wrong_with_the_machine(self):
        done = self.run_wperf("doctor", "--json")
        checks = {row["check"]: row for row in json.loads(done.stdout)["Doctor"]}
        for name in ("device", "driver", "lock", "pmu", "counters", "privileges"):
            self.assertEqual(checks[name]["status"], "ok", checks[name])
        self.assertIn(done.returncode, (0, 3))  # Wine is not Windows on Arm: the check `windows` may fail
        self.assertIn("device", self.plain(self.run_wperf("doctor").stdout))
