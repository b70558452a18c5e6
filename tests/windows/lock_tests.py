# SPDX-License-Identifier: BSD-3-Clause
"""Only one process at a time owns the driver: two Windows processes compete for the driver on the emulated machine."""

from support import LIMIT, WindowsTest

REFUSED = ["warning: other WindowsPerf process acquired the wperf-driver.",
           "note: use --force-lock to force driver to give lock to current `wperf` process.", "Operation cancelled!"]
ROBBED = "warning: other WindowsPerf process hijacked (forced lock) the wperf-driver, see --force-lock."


class Lock(WindowsTest):
    essential = ("test_second_process_is_refused", "test_the_driver_is_free_after_its_holder_was_killed")

    def test_second_process_is_refused(self):
        self.holder()
        for command in (["stat", "-e", "cpu_cycles", "--timeout", "1"], ["list"], ["--version"]):
            self.assertEqual(self.fails(*command).splitlines(), REFUSED)

    def test_force_robs_and_the_robbed_ends_by_itself(self):
        holder = self.holder()
        self.ok("--force-lock")
        _, err = holder.communicate(timeout=LIMIT)
        self.assertEqual(holder.returncode, 1)
        self.assertEqual(self.plain(err).splitlines()[:2], [ROBBED, "Operation terminated, your data was lost!"])
        self.ok("--version")

    def test_the_driver_is_free_after_its_holder_was_killed(self):
        holder = self.holder()
        self.world.kill(holder)
        holder.communicate()
        self.driver_is_free_in(LIMIT)

    def test_a_killed_holders_program_is_gone_from_the_machine(self):
        holder = self.holder("--", "remote.exe")
        self.world.kill(holder)
        holder.communicate()
        self.world.run("taskkill.exe", "/f", "/im", "remote.exe")
        self.driver_is_free_in(LIMIT)
        self.ok("stat", "-e", "cpu_cycles", "-c", "1", "--timeout", "30", "--", "remote.exe", "100")

    def test_ctrl_c_ends_the_count_and_reports(self):
        holder = self.holder()
        self.world.interrupt(holder)
        out, err = holder.communicate(timeout=LIMIT)
        self.assertEqual((holder.returncode, err), (0, b""))
        self.assertIn(b"Ctrl-C received, quit counting...", out)
        self.assertRegex(out, rb"seconds time elapsed")
        self.ok("--version")
