# SPDX-License-Identifier: BSD-3-Clause
"""`wperf top --once`: one interval, as text and as JSON."""
import json
import re
import subprocess
import unittest

import support
from support import workload


class TopOnce(support.WperfTest):
    def test_a_look_at_a_program(self):
        seen = self.json("top", "--once", "--json", "-e", "ld_spec:100000", "--", workload("googolplex.exe"))
        top, recording = seen["top"], seen["recording"]
        self.assertEqual((list(seen), seen["version"]), (["version", "top", "recording"], 1))
        self.assertTrue(top["of"].startswith("googolplex.exe ("), top)
        self.assertAlmostEqual(top["seconds"], 1, delta=0.2)
        self.assertFalse(top["has_ended"])
        (event,) = recording["events"]
        self.assertEqual(event["event"], "ld_spec")
        self.assertAlmostEqual(top["rates"][0]["per_second"], event["period"] / top["seconds"], delta=1)
        self.assertEqual(sum(row["samples"] for row in event["rows"]), event["samples"])
        self.assertIn("big_school_multiply",
                      [row["symbol"] for row in event["rows"][:3]])
        threads, cores = event["tables"]
        self.assertEqual(sum(row["samples"] for row in threads), event["samples"])
        self.assertEqual([row["core"] for row in cores], [0])

    def test_text_says_the_same(self):
        text = self.ok("top", "--once", "-e", "ld_spec:100000", "--every", "200ms", "--", workload("googolplex.exe"))
        self.assertRegex(text.splitlines()[0], r"^2\d\d ms of googolplex.exe \(\d+\): ld_spec [0-9.]+ [KMG]/s$")
        self.assertIn("big_school_multiply", text)

    def test_rate_where_nobody_names_events(self):
        seen = self.json("top", "--once", "--json", "--", workload("googolplex.exe"))
        (event,) = seen["recording"]["events"]
        self.assertGreater(event["samples"], 100)

    def test_rates_say_that_samples_were_held_back(self):
        look = ("top", "--once", "-e", "op_retired:100", "--", workload("bottlenecks.exe"), "divisions", "100000")
        device = "sim:pace=free,cpu=neoverse-v3"
        self.assertRegex(self.ok(*look, device=device).splitlines()[0], r": at least op_retired [\d.]+ [KMG]/s$")
        self.assertTrue(self.json(*look[:2], "--json", *look[2:], device=device)["top"]["rates_incomplete"])
        seen = self.json("top", "--once", "--json", "-e", "ld_spec:100000", "--", workload("googolplex.exe"))
        self.assertFalse(seen["top"]["rates_incomplete"])

    def test_an_end_is_told(self):
        seen = self.json("top", "--once", "--json", "-e", "ld_spec:1000", "--", workload("threads.exe"))
        self.assertTrue(seen["top"]["has_ended"])
        self.assertLess(seen["top"]["seconds"], 1)

    def test_a_driver_sees_no_waits(self):
        self.assertIn("--waits needs the linux or etw device", self.fails("top", "--once", "--waits", status=2))

    def test_a_driver_samples_or_counts(self):
        self.assertIn("--counters needs the linux device", self.fails("top", "--once", "--counters", "usual", status=2))
        self.assertIn("unknown", self.fails("top", "--once", "--counters", "nonsense", device="linux"))

    def test_spe_is_refused(self):
        self.assertIn("top samples events", self.fails("top", "--once", "-e", "arm_spe_0//", status=2))


@unittest.skipIf(support.os.name == "nt", "needs a kernel of Linux")
class TopOnceOfLinux(support.WperfTest):
    def test_the_machine_and_a_program(self):
        program = ["sh", "-c", "while :; do :; done"]
        seen = self.json("top", "--once", "--json", "-e", "cpu-clock", "--freq", "500", "--every", "300ms", "--", *program,
                         device="linux")
        (event,) = seen["recording"]["events"]
        self.assertTrue(all(row["comm"] == "sh" for row in event["rows"]))
        # The program uses at most one core.
        self.assertLess(seen["top"]["rates"][0]["per_second"], 1.2e9)
        self.assertGreater(event["samples"], 0)

    def test_the_vdso_is_named_as_record_names_it(self):
        program = ["python3", "-c", "import ctypes\n"
                   "clock_gettime, time = ctypes.CDLL(None).clock_gettime, ctypes.create_string_buffer(16)\n"
                   "while True: clock_gettime(1, time)\n"]
        measured = ("-e", "cpu-clock", "--json")
        recorded = self.json("record", *measured, "--timeout", "0.5", "--", *program, device="linux")["recording"]
        seen = self.json("top", "--once", *measured, "--", *program, device="linux")["recording"]

        def names(recording):
            return {row["symbol"] for row in recording["events"][0]["rows"] if row["module"] == "[vdso]" and row["samples"] > 5}
        if not names(recorded):
            self.skipTest("the clock is not read in the vdso here")
        self.assertTrue(names(recorded) & names(seen), (names(recorded), names(seen)))
        self.assertFalse([name for name in names(seen) if not name.startswith("__vdso_") and name not in names(recorded)])

    def test_counters_beside_samples(self):
        # The program writes to a new page in each round, which causes a page fault. It spends most of its time in user
        # mode.
        program = ["python3", "-c", "import mmap\n"
                   "while True:\n"
                   "    with mmap.mmap(-1, 4096) as page: page[0] = sum(range(30000)) % 2\n"]
        line = ("top", "--once", "-e", "cpu-clock", "--freq", "500", "--every", "500ms", "--counters", "usual",
                "--counters", "page-faults,task-clock")
        seen = self.json(*line[:-4], "--counters", "page-faults,task-clock", "--json", "--", *program, device="linux")
        faults, clock = seen["top"]["counters"]
        self.assertEqual((faults["event"], clock["event"]), ("page-faults", "task-clock"))
        self.assertGreater(faults["count"], 50)
        self.assertEqual(faults["counted_share"], 1)
        self.assertAlmostEqual(clock["derived"]["value"], clock["count"] / 1e9 / seen["top"]["seconds"], places=3)
        # The derived value is per second of the program's CPU time.
        self.assertAlmostEqual(faults["derived"]["value"], faults["count"] / clock["count"] * 1e9, delta=faults["count"] / 1e3)
        # Samples and counts belong to the same program; only user mode is sampled.
        sampled = seen["top"]["rates"][0]["per_second"] * seen["top"]["seconds"]
        self.assertLess(sampled, 1.1 * clock["count"])
        self.assertGreater(sampled, 0.2 * clock["count"])
        text = self.ok(*line[:-2], "--", *program, device="linux")
        self.assertRegex(text, r"\ncounted together with the samples:\n +count +event +derived\n")
        self.assertRegex(text, r"\n +[\d,]+ +task-clock +[\d.]+ m?s, [\d.]+ CPUs used\n")

    def once_with_waits(self, *arguments):
        done = self.run_wperf("top", "--once", "--waits", "-e", "cpu-clock", "--freq", "500", *arguments, device="linux")
        if done.returncode != 0 and "perf_event_paranoid" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_where_a_program_waits(self):
        # Two threads of the program sleep, and the first thread waits for them.
        program = ["python3", "-c", "import threading, time\n"
                   "def sleeper():\n"
                   "    while True: time.sleep(0.02)\n"
                   "for i in range(2): threading.Thread(target=sleeper).start()\n"]
        seen = json.loads(self.once_with_waits("--json", "--every", "1500ms", "--", *program))
        top = seen["top"]
        self.assertEqual([event["event"] for event in seen["recording"]["events"]], ["cpu-clock"])
        self.assertEqual([rate["event"] for rate in top["rates"]], ["cpu-clock"])
        waits = top["waits"]
        self.assertTrue(waits)
        self.assertEqual([row["waited_ns"] for row in waits], sorted((row["waited_ns"] for row in waits), reverse=True))
        slept = [row for row in waits if row["class"] == "timer"]
        self.assertTrue(slept, waits)
        self.assertGreater(sum(row["begun"] for row in slept), 2)
        # Three threads cannot wait longer than that.
        self.assertLess(sum(row["waited_ns"] for row in waits), 3.2e9 * top["seconds"])

    def test_locks_are_named_as_the_program_knows_them(self):
        # Frame pointers do not reach the caller of the waiting function; wperf names that function, not a kernel
        # function.
        program = ["python3", "-c", "import ctypes, threading\n"
                   "libc = ctypes.CDLL(None)\n"
                   "mutex = ctypes.create_string_buffer(64)\n"
                   "def locker():\n"
                   "    while True:\n"
                   "        libc.pthread_mutex_lock(mutex); libc.usleep(2000); libc.pthread_mutex_unlock(mutex)\n"
                   "for i in range(2): threading.Thread(target=locker).start()\n"]
        waits = json.loads(self.once_with_waits("--json", "--every", "1500ms", "--", *program))["top"]["waits"]
        locks = [row for row in waits if row["class"] == "lock"]
        self.assertTrue(locks, waits)
        self.assertFalse([row for row in locks if row["module"] == "[kernel]"], locks)

    def test_text_of_waits(self):
        text = self.once_with_waits("--every", "500ms", "--", "sh", "-c", "while :; do sleep 0.02; done")
        self.assertRegex(text, r"\nwhere threads waited: .* by [\d.]+ threads, [\d,]+ started\n"
                               r" +% +waited +begun +for +in\n")
        # Only the shell and the sleeping process wait. Processes that have ended do not count.
        self.assertLess(float(re.search(r" by ([\d.]+) threads", text)[1]), 2.3)

    def test_who_waited_before_is_not_said_to_run(self):
        sleeper = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        text = self.once_with_waits("--every", "200ms", "-p", str(sleeper.pid))
        if " by " not in text:  # the sleeper may not have gone to sleep yet
            self.assertIn("waits that began earlier are not known", text)

    def test_switches_are_recorded_once(self):
        self.assertIn("leave context-switches out of -e",
                      self.fails("top", "--once", "--waits", "-e", "context-switches:1", device="linux", status=2))


if __name__ == "__main__":
    unittest.main()
