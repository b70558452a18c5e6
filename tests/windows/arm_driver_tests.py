# SPDX-License-Identifier: BSD-3-Clause
"""--device windowsperf of wperf.exe, in Wine. The bridge driver has the interface of Arm's driver. The fake of that
driver, on top of the simulated machine, checks every request (arm_driver/)."""
import programs
from emulated_machine import ARMS
from support import INSTALLER, SOURCE, WindowsTest, rows

SERVICE = "WPERFDRIVER"
NAME = "Arm's driver (WindowsPerf 3.8.0)"


class ArmDriver(WindowsTest):
    installed = False
    machine = ARMS
    essential = ("test_counts", "test_samples", "test_it_is_chosen")

    def setUp(self):
        done = self.world.run(INSTALLER, "install")
        self.assertEqual(done.returncode, 0, done)
        self.addCleanup(self.world.run, INSTALLER, "uninstall")
        self.driver_file("3.8.0")

    def driver_file(self, version):
        file = programs.build_file_of_version(SOURCE / "build/tests-windows", self.world.architecture, version)
        self.world.put(file)
        done = self.world.run("sc.exe", "create", SERVICE, "binPath=", self.world.windows_path(file.name), "type=", "kernel",
                              "start=", "demand")
        self.assertEqual(done.returncode, 0, done)
        self.addCleanup(self.world.run, "sc.exe", "delete", SERVICE)

    def test_counts(self):
        document = self.json("stat", "--device", "windowsperf", "-e", "inst_spec,ld_spec", "-c", "1", "--timeout", "0.4",
                             schema="stat")
        self.assertIn(f"counted by {NAME}", document["Notes"][0])
        counted = rows(document, 1)
        # googolplex.exe runs there. In every part of it, a tenth to a third of the instructions are loads.
        self.assertGreater(counted["inst_spec"], counted["cycle"])
        self.assertGreater(counted["ld_spec"], counted["inst_spec"] / 10)
        self.assertLess(counted["ld_spec"], counted["inst_spec"] / 3)

    def test_it_is_chosen(self):
        text = self.ok("stat", "-v", "-e", "inst_spec", "-c", "1", "--timeout", "0.2")
        self.assertTrue(text.startswith("device windowsperf: wperf's driver is not installed, and Arm's driver counts whole cores"), text)
        self.assertIn(f"counted by {NAME}", text)

    def test_samples(self):
        text = self.ok("record", "--device", "windowsperf", "-e", "ld_spec:10000", "-c", "1", "--timeout", "10", "--",
                       "remote.exe", 100)
        # a program on the simulated machine is not a process of Wine.
        self.assertRegex(text, r"100\.00% +[1-9]\d* +top 1 in total")
        self.assertIn(f"sampled by {NAME} on core 1", text)

    def test_an_unknown_version_is_not_spoken_to(self):
        self.world.run("sc.exe", "delete", SERVICE)
        self.driver_file("3.9.0")
        told = self.fails("stat", "--device", "windowsperf", "-e", "inst_spec", "-c", "1", "--timeout", "0.1", status=3)
        self.assertIn("is version 3.9.0; wperf supports 3.7.1 to 3.8.0 only", told)
