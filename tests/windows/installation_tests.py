# SPDX-License-Identifier: BSD-3-Clause
"""wperf-devgen and wperf.exe around it: nothing there, a device with its interface, a plain service, nothing again."""
from support import INSTALLER, WindowsTest

NO_DRIVER = "error: No active device interfaces found."


class Installation(WindowsTest):
    installed = False
    essential = ("test_device", "test_service")

    def tearDown(self):
        self.world.run(INSTALLER, "uninstall")

    def devgen(self, *arguments, status=0):
        done = self.world.run(INSTALLER, *arguments)
        self.assertEqual(done.returncode & 0xFF, status, done)
        return self.plain(done.stdout)

    def no_driver(self):
        self.assertEqual(self.fails("--version").splitlines()[0], NO_DRIVER)

    def works(self):
        self.assertEqual(len(self.json("--version", schema="version")["Version"]), 2)
        self.ok("stat", "-e", "cpu_cycles", "-c", "1", "--timeout", "0.2")

    def test_device(self):
        self.no_driver()
        self.assertIn("Device installed successfully", self.devgen("install"))
        self.works()
        device = self.json("detect", schema="detect")["Devices"][0]
        self.assertIn(r"ROOT\WPERFDRIVER", device["Device_Instance_ID"].upper())
        self.assertEqual(device["Hardware_IDs"].upper(), r"ROOT\WPERFDRIVER")
        self.assertGreater(self.shares(self.record(rounds=3000)["events"][0])["hot_loop"], 60)
        self.assertIn("WPERFDRIVER", self.devgen("status"))
        self.assertIn("Device uninstalled sucessfully", self.devgen("uninstall"))
        self.no_driver()

    def test_service(self):
        self.assertIn("Device installed successfully", self.devgen("install", "--service"))
        self.works()
        self.devgen("status")
        self.assertIn("Device uninstalled sucessfully", self.devgen("uninstall"))
        self.no_driver()

    def test_installed_twice(self):
        self.devgen("install")
        self.devgen("install")
        self.assertEqual(len(self.json("detect", schema="detect")["Devices"]), 1)
        self.works()

    def test_uninstall_of_nothing(self):
        self.assertIn("Nothing of the driver was installed here.", self.devgen("uninstall"))

    def test_words(self):
        self.assertIn("WindowsPerf-DevGen ver. ", self.devgen("--version"))
        self.assertIn("WindowsPerf-DevGen ver. ", self.devgen("--help"))
        self.devgen("nonsense", status=255)
        self.devgen(status=255)
