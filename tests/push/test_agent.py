#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`record --push`: sends one profile for each period, from beginning to end, with the profiler's own cost. Its memory
does not grow."""
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from push_support import PushTest, free_port  # noqa: E402
from support import BINARY, TIMEOUT, WORKLOADS  # noqa: E402
import read_back  # noqa: E402

# Runs for the given time, and until it has used some CPU time: this machine may be busy.
LOOP = """
import time
end = time.monotonic() + {seconds}
while time.monotonic() < end or time.process_time() < 0.4:
    sum(range(1000))
"""
MEGABYTE = 1 << 20
AGENT = "wperf (the profiler)"


def events_of(profile):
    """{sample type: sum of values} of a pprof profile."""
    root = read_back.text_format(profile.text)
    names = [root["string_table"][one["type"][0]].decode() for one in root["sample_type"]]
    sums = dict.fromkeys(names, 0)
    for sample in root["sample"]:
        for name, value in zip(names, sample["value"]):
            sums[name] += value
    return sums


class Agent(PushTest):
    def record(self, url, *arguments, seconds=None):
        """Samples on this machine, with a clock event that every kernel has."""
        done = self.run_wperf("record", "-e", "cpu-clock", "--freq", "199", "--push", url, *arguments, "--", sys.executable,
                              "-c", LOOP.format(seconds=seconds), device="linux")
        if "perf_event_paranoid" in done.stderr or "perf_event_open" in done.stderr:
            self.skipTest("this kernel does not allow sampling")
        return done

    def test_a_profile_for_each_period_with_what_wperf_costs(self):
        for seconds in (2.2, 5, 12, 30):  # a busy machine gets through fewer periods
            server = self.serve()
            done = self.record(server.url, "--every", "500ms", "--label", "host=a", seconds=seconds)
            self.assertEqual(done.returncode, 0, done.stderr)
            if len(server.profiles) >= 3:
                break
        self.assertEqual(server.refused, [])
        self.assertGreaterEqual(len(server.profiles), 3)
        begins = [profile.begin for profile in server.profiles]
        self.assertEqual(begins, sorted(begins))
        for profile in server.profiles:
            self.assertEqual(profile.labels["host"], "a")
            sums = events_of(profile)
            self.assertGreater(sums["wperf_agent_cpu"], 0)
            self.assertLess(sums["wperf_agent_memory"], 64 * MEGABYTE)
        taken = sum(events_of(profile).get("cpu-clock.samples", 0) for profile in server.profiles)
        self.assertGreater(taken, 20)
        told = re.search(r"sent (\d+) profiles .* in ([\d.]+) s\n.*?([\d.]+) % of this time; wperf itself used ([\d.]+) s",
                         done.stdout)
        self.assertTrue(told, done.stdout)
        self.assertEqual(int(told[1]), len(server.profiles))
        cpu = sum(events_of(profile)["wperf_agent_cpu"] for profile in server.profiles) / 1e9
        self.assertLessEqual(cpu, float(told[4]) + 0.01)

    def test_memory_does_not_grow(self):
        server = self.serve()
        done = self.record(server.url, "--every", "100ms", "--timeout", "6", seconds=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        memory = [events_of(profile)["wperf_agent_memory"] for profile in server.profiles]
        self.assertGreaterEqual(len(memory), 10)
        # The first periods fill caches.
        self.assertLess(max(memory), 64 * MEGABYTE)
        # A leak grows over many periods. Some data are read only once, such as the kernel's names at its first sample,
        # and this may take a few periods, so the three largest steps are allowed.
        later = memory[len(memory) // 3:]
        steps = sorted(after - before for before, after in zip(later, later[1:]))
        self.assertLess(sum(steps[:-3]), 2 * MEGABYTE, memory)

    def test_a_server_that_dies_and_comes_back(self):
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        spool = self.folder / "agent-spool"
        done = self.record(url, "--every", "200ms", "--timeout", "3", "--spool", spool, seconds=60)
        waiting = len(list(spool.glob("*.wpush")))
        self.assertGreaterEqual(waiting, 2)
        self.assertIn(f"{waiting} wait in the spool", done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)
        server = self.serve(port=port)
        done = self.record(url, "--every", "300ms", "--timeout", "0.5", "--spool", spool, seconds=60)
        self.assertGreater(len(server.profiles), waiting)
        self.assertEqual(list(spool.glob("*.wpush")), [])
        self.assertEqual(len(server.ids), len(server.profiles))
        lost = self.record(f"http://127.0.0.1:{free_port()}", "--every", "300ms", "--timeout", "0.4", seconds=60)
        self.assertIn("lost", lost.stdout)
        self.assertEqual(lost.returncode, 1)

    def test_until_ctrl_c(self):
        server = self.serve()
        environment = dict(self.environment, WPERF_DEVICE="linux")
        begun = self.folder / "begun"
        # The processor time that the program has used by then was sampled.
        program = LOOP.format(seconds=0) + f"open({str(begun)!r}, 'w')\n" + LOOP.format(seconds=60)
        running = subprocess.Popen([BINARY, "record", "-e", "cpu-clock", "--push", server.url, "--every", "60", "--",
                                    sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        while running.poll() is None and not begun.exists():
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate(timeout=TIMEOUT)
        if "perf_event" in errors:
            self.skipTest("this kernel does not allow sampling")
        self.assertIn("sent 1 profiles", out, errors)
        self.assertEqual(len(server.profiles), 1)

    def test_on_the_simulated_machine(self):
        server = self.serve()
        done = self.run_wperf("record", "-e", "inst_retired:20000", "-c", "0", "--push", server.url, "--every", "200ms",
                              "--timeout", "1", "--", WORKLOADS / "googolplex.exe")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(server.refused, [])
        self.assertGreater(sum(events_of(profile).get("inst_retired.samples", 0) for profile in server.profiles), 10)

    def test_what_does_not_go_together(self):
        for wrong in (["-o", "x.data"], ["--html", "x.html"], ["-e", "arm_spe_0//"]):
            self.fails("record", "--push", "http://127.0.0.1:1", *wrong, "--", WORKLOADS / "googolplex.exe", status=2)
        self.fails("record", "--label", "a=b", "--", WORKLOADS / "googolplex.exe", status=2)
        self.fails("record", "--push", "http://127.0.0.1:1", "--every", "1ms", "--", WORKLOADS / "googolplex.exe", status=2)


if __name__ == "__main__":
    unittest.main()
