# SPDX-License-Identifier: BSD-3-Clause
"""Rights of users. The driver asks the emulated machine for the caller's identity, which the bridge's settings
determine."""
from support import WindowsTest

STRANGER, LOG_USER, ADMINISTRATOR = range(3)


class Rights(WindowsTest):
    essential = ()

    def become(self, who):
        self.addCleanup(self.world.set_number, "Rights", ADMINISTRATOR)
        self.world.set_number("Rights", who)

    def test_a_stranger_may_not_open_the_driver(self):
        self.become(STRANGER)
        # On Windows opening fails. Wine still opens the device, and the first request is refused.
        done = self.run_wperf("--version")
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(self.plain(done.stderr), "missing rights")

    def test_a_performance_log_user_counts_programs_but_not_the_kernel(self):
        self.become(LOG_USER)
        self.ok("stat", "-e", "cpu_cycles", "-c", "1", "--timeout", "0.2")
        done = self.run_wperf("stat", "-e", "cpu_cycles", "-c", "1", "-k", "--timeout", "0.2")
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(self.plain(done.stderr), "(?i)administrator")
        self.ok("--version")
