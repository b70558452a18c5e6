# SPDX-License-Identifier: BSD-3-Clause
"""The small commands: their output on the emulated machine equals the native tool's output on the simulated machine of
the same kind."""
import json

from support import TOOL, WindowsTest

# Rows in which the two machines may differ, because these rows show a machine's identity, not its abilities.
OF_THE_MACHINE = ("midr_value", "id_aa64dfr0_value", "rev_id", "variant_id", "pmu_ver", "version_name")


class Commands(WindowsTest):
    essential = ("test_version", "test_list_is_that_of_the_native_tool")

    def test_no_arguments_and_help_need_no_driver(self):
        self.assertIn("Use --help for help.", self.ok())
        self.assertIn("wperf stat ", self.ok("--help"))

    def test_version(self):
        table = self.json("--version", schema="version")["Version"]
        self.assertEqual([row["Component"] for row in table], ["wperf", "wperf-driver"])
        self.assertEqual(table[0]["Version"], table[1]["Version"])
        self.assertIn("wperf-driver", self.ok("--version"))

    def test_list_is_that_of_the_native_tool(self):
        self.assertEqual(self.ok("list"), self.native("list"))
        self.assertEqual(self.json("list", schema="list"), json.loads(self.native("list", "--json")))

    def test_list_with_descriptions(self):
        self.assertEqual(self.ok("list", "-v"), self.native("list", "-v"))

    def test_man_is_that_of_the_native_tool(self):
        for name in ("ipc", "ld_spec", "neoverse-n2/ld_spec", "Cycle_Accounting"):
            self.assertEqual(self.ok("man", name), self.native("man", name))
        self.assertEqual(self.json("man", "ipc", schema="man"), json.loads(self.native("man", "ipc", "--json")))
        self.assertIn('warning: "nothing" not found!', self.fails("man", "nothing"))

    def test_test_is_that_of_the_native_tool(self):
        arguments = ("test", "-e", "{inst_spec,ld_spec},inst_retired")
        self.maxDiff = None

        def table(document):
            return {row["Test_Name"]: row["Result"] for row in document["Test_Results"]
                    if not any(name in row["Test_Name"] for name in OF_THE_MACHINE)}

        ours = self.json(*arguments, schema="test")
        self.assertEqual(table(ours), table(json.loads(self.native(*arguments, "--json"))))
        names = [row["Test_Name"] for row in ours["Test_Results"]]
        text = self.ok(*arguments)
        self.assertEqual([name for name in names if name not in text], [])

    def test_detect(self):
        self.assertIn("WPERFDRV", self.json("detect", schema="detect")["Devices"][0]["Device_Instance_ID"])
        self.assertRegex(self.ok("detect"), r"Device Instance ID +Hardware IDs")

    def test_output_files_end_their_lines_as_windows_does(self):
        for command in (("list",), ("test",), ("--version",)):
            self.assertNotEqual(self.ok(*command, "-o", "answer.json"), "")
            data = (self.world.folder / "answer.json").read_bytes()
            self.assertEqual(json.loads(data), self.json(*command))
        self.plain(data)

    def test_a_file_in_a_folder_with_another_script(self):
        folder = self.world.folder / "Ordner mit Größe 测量"
        folder.mkdir()
        self.ok("--version", "-o", "версия.json", "--cwd", self.world.windows_path(folder.name))
        self.assertEqual(len(json.loads((folder / "версия.json").read_bytes())["Version"]), 2)
        self.assertTrue((self.world.folder / TOOL).exists())
