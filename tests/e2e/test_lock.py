# SPDX-License-Identifier: BSD-3-Clause
"""Only one process at a time owns the driver. A second process gets an error, or takes the lock by force. The lock is
freed when its owner dies."""
import signal
import unittest

from support import TIMEOUT, WperfTest

BUSY = "warning: other WindowsPerf process acquired the wperf-driver."
ROBBED = "warning: other WindowsPerf process hijacked"


class LockTest(WperfTest):
    options = "pace=real,seed=1"

    def holder(self):
        process = self.start_wperf("stat", "-e", "inst_retired", "-c", "0", "--timeout", "3000")
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.read(len("counting")), "counting")  # now it holds the lock
        return process

    def test_second_process_is_refused(self):
        self.holder()
        for command in (["stat", "-e", "inst_retired", "--timeout", "1"], ["list"], ["test"], ["--version"]):
            done = self.run_wperf(*command)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr.splitlines(), [
                BUSY, "note: use --force-lock to force driver to give lock to current `wperf` process.",
                "Operation cancelled!"])

    def test_force_robs_and_the_robbed_ends_by_itself(self):
        holder = self.holder()
        self.ok("--force-lock")
        out, err = holder.communicate(timeout=TIMEOUT)
        self.assertEqual(holder.returncode, 1)
        self.assertIn(ROBBED, err)
        self.assertIn("Operation terminated, your data was lost!", err)

    def test_force_without_a_holder_succeeds(self):
        self.ok("--force-lock")
        self.ok("list", "--force-lock")

    def test_a_killed_holder_frees_the_lock(self):
        holder = self.holder()
        holder.kill()
        holder.wait(timeout=TIMEOUT)
        self.ok("--version")

    def test_instances_are_separate_machines(self):
        self.holder()
        self.ok("--version", device="sim:pace=free,instance=another-machine")

    def test_ctrl_c_reports_and_frees_the_lock(self):
        holder = self.holder()
        holder.send_signal(signal.SIGINT)
        out, err = holder.communicate(timeout=TIMEOUT)
        self.assertEqual((holder.returncode, err), (0, ""))
        self.assertIn("Ctrl-C received, quit counting...", out)
        self.assertRegex(out, r"inst_retired")
        self.assertRegex(out, r"\d+\.\d+ seconds time elapsed")
        self.ok("--version")


if __name__ == "__main__":
    unittest.main()
