# SPDX-License-Identifier: BSD-3-Clause
"""The driver's own object files inside ARM64 Wine, without an emulated machine. shim/ replaces the registers and the
functions that Wine lacks. Wine's plug and play, I/O manager and threads call the driver."""
from support import INSTALLER, WindowsTest, rows

MODEL = "cortex-a78"  # shim/model_registers.cpp


class DriverInWine(WindowsTest):
    machine = ""
    installed = False
    essential = ("test_device_requests_and_removal",)

    def tearDown(self):
        self.world.run(INSTALLER, "uninstall")

    def test_device_requests_and_removal(self):
        done = self.world.run(INSTALLER, "install")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("ROOT\\WPERFDRV", self.json("detect", schema="detect")["Devices"][0]["Device_Instance_ID"].upper())
        self.assertEqual(len(self.json("--version", schema="version")["Version"]), 2)
        facts = {row["Test_Name"]: row["Result"] for row in self.json("test", schema="test")["Test_Results"]}
        self.assertEqual(facts["pmu_device.product_name"], MODEL)
        self.assertEqual(facts["PMU_CTL_QUERY_HW_CFG [core_num]"], "0x0002")
        self.assertEqual(facts["PMU_CTL_QUERY_HW_CFG [gpc_num]"], "0x0006")

        document = self.json("stat", "-e", "r1,r2,r3,r4,r5,r8,r10,r11", "--timeout", "1", schema="stat")
        self.assertTrue(document["core"]["Multiplexing"])  # the driver's timer thread changes the events
        for core in (0, 1):
            counted = rows(document, core)
            self.assertTrue(all(value > 0 for value in counted.values()), counted)

        holder = self.holder()
        self.assertIn("acquired the wperf-driver", self.fails("--version"))
        self.world.kill(holder)
        holder.communicate()
        self.driver_is_free_in(5)

        done = self.world.run(INSTALLER, "uninstall")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("No active device interfaces found.", self.fails("--version"))
