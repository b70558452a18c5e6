# SPDX-License-Identifier: BSD-3-Clause
"""wperf-devgen, and wperf.exe in each state of the installation: no driver, a device with its interface, a plain
service, no driver again."""
import json

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
        self.assertIn(r"ROOT\WPERFDRV", device["Device_Instance_ID"].upper())
        self.assertEqual(device["Hardware_IDs"].upper(), r"ROOT\WPERFDRV")
        self.assertGreater(self.shares(self.record()["events"][0])["hot_loop"], 60)
        self.assertIn("WPERFDRV", self.devgen("status"))
        self.assertIn("Device uninstalled sucessfully", self.devgen("uninstall"))
        self.no_driver()

    def test_service(self):
        self.assertIn("Device installed successfully", self.devgen("install", "--service"))
        self.works()
        self.devgen("status")
        self.assertIn("Device uninstalled sucessfully", self.devgen("uninstall"))
        self.no_driver()

    def test_beside_windowsperf(self):
        """Arm's driver, as it appears in the registry and in the inf folder, is reported and not changed."""
        key = r"HKLM\System\CurrentControlSet\Enum\ROOT\SYSTEM\0009"
        theirs = "{4d36e97d-e325-11ce-bfc1-08002be10318}"
        for name, kind, value in (("HardwareID", "REG_MULTI_SZ", r"Root\WPERFDRIVER"), ("ClassGUID", "REG_SZ", theirs)):
            done = self.world.run("reg.exe", "add", key, "/v", name, "/t", kind, "/d", value, "/f")
            self.assertEqual(done.returncode, 0, done)
        self.addCleanup(self.world.run, "reg.exe", "delete", key, "/f")
        self.no_driver()
        self.assertIn("WindowsPerf is installed", self.fails("--version"))
        self.assertIn(r"ROOT\SYSTEM\0009", self.devgen("status", status=1))
        self.assertIn("Device installed successfully", self.devgen("install"))
        devices = self.json("detect", schema="detect")["Devices"]
        self.assertEqual([row["Hardware_IDs"] for row in devices], [r"Root\WPERFDRV", r"Root\WPERFDRIVER"])
        told = self.run_wperf("doctor", "--json").stdout  # its status is that of the emulated PMU, which is not the point here
        checks = {row["check"]: row["detail"] for row in json.loads(told)["Doctor"]}
        self.assertIn(r"ROOT\SYSTEM\0009", checks["windowsperf"])
        self.assertIn(r"other driver:     ROOT\SYSTEM\0009", self.devgen("status"))
        self.assertIn("Device uninstalled sucessfully", self.devgen("uninstall"))
        self.assertIn(r"ROOT\SYSTEM\0009", self.devgen("status", status=1))

    def test_inf_of_another_driver_is_refused(self):
        inf = self.world.folder / "wperf-driver.inf"
        ours = inf.read_bytes()
        self.addCleanup(inf.write_bytes, ours)
        inf.write_bytes(b"[Version]\r\nClass=System\r\nClassGuid={4D36E97D-E325-11CE-BFC1-08002BE10318}\r\n")
        self.assertIn("GetLastError 2", self.devgen("install", status=2))
        self.no_driver()

    def test_installed_twice(self):
        self.devgen("install")
        self.devgen("install")
        self.assertEqual(len(self.json("detect", schema="detect")["Devices"]), 1)
        self.works()

    def test_uninstall_of_nothing(self):
        self.assertIn("installed here.", self.devgen("uninstall"))

    def test_words(self):
        self.assertIn("WindowsPerf-DevGen ver. ", self.devgen("--version"))
        self.assertIn("WindowsPerf-DevGen ver. ", self.devgen("--help"))
        self.devgen("nonsense", status=255)
        self.devgen(status=255)
