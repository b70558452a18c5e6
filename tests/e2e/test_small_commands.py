# SPDX-License-Identifier: BSD-3-Clause
"""list, man, test, detect, --version, --help, doctor: text, JSON shape, and the parts that clients parse."""
import json
import pathlib
import re
import tempfile
import unittest

from schemas import validate
from support import BINARY, WperfTest, workload


class SmallCommandsTest(WperfTest):
    def checked(self, schema, *arguments, **keywords):
        document = self.json(*arguments, **keywords)
        validate(self, document, schema)
        return document

    def test_no_arguments_and_help_need_no_device(self):
        self.assertRegex(self.ok(device="linux"), r"^wperf \d+\.\d+\.\d+ \([0-9a-f]+")
        text = self.ok()
        self.assertEqual(len(re.findall(
            r"WindowsPerf ver\. \d+\.\d+\.\d+ \([0-9a-f]+(-\w+)?/(Release|Debug)[+a-z0-9-]*\)", text)), 1)
        for wanted in ("WOA profiling with performance counters", "Report bugs to: ", "Use --help for help."):
            self.assertIn(wanted, text)
        text = self.ok("--help")  # on a device of WindowsPerf, into a pipe: the texts that its scripts look for
        for section in ("NAME:", "SYNOPSIS:", "OPTIONS:", "OPTIONS aliases:", "EXAMPLES:"):
            self.assertIn(section, text)
        for command in ("stat", "record", "sample", "list", "test", "detect", "man"):
            self.assertIn(f"wperf {command} ", text)
        lines = [line.strip() for line in text.splitlines()]
        for option in ("-h, --help", "--version", "-v, --verbose", "-q", "-e", "-m", "--timeout", "-t", "-i", "-n",
                       "--annotate", "--disassemble", "--image_name", "--pe_file", "--pdb_file", "--sample-display-long",
                       "--sample-display-row", "--record_spawn_delay", "--force-lock", "-c, --cpu", "-k", "--dmc", "-C",
                       "-E", "--json", "--output, -o", "--output-csv", "--config", "--output-prefix, --cwd"):
            self.assertTrue(any(line.endswith(option) for line in lines), option)
        self.assertEqual(self.ok("-h"), text)
        of_linux = self.ok("--help", "--all", device="linux")
        self.assertNotIn("WOA profiling", of_linux)
        self.assertEqual(of_linux.split("NAME:\n", 1)[1], text.split("NAME:\n", 1)[1])

    def test_help_for_persons(self):
        for arguments in ((), ("--help",), ("help",)):
            text = self.ok(*arguments, device="linux")
            lines = text.splitlines()
            self.assertLessEqual(len(lines), 40)
            self.assertLessEqual(max(map(len, lines[2:])), 80)
            for command in ("stat", "record", "sample", "report", "list", "test", "detect", "man", "doctor", "--version"):
                self.assertRegex(text, rf"\n  {command} .*  wperf {command}")
        self.assertEqual(self.ok("help"), self.ok("help", device="driver"))
        for arguments in (("record", "--help"), ("help", "record"), ("record", "-h", "-c", "1")):
            for device in ("linux", None):
                text = self.ok(*arguments, device=device)
                self.assertLess(text.index("Examples:"), text.index("What to measure:"))
                self.assertNotIn("--dmc", text)
        self.assertIn("did you mean stat?", self.fails("help", "stta", status=2))

    def test_words_that_may_have_been_meant(self):
        done = self.run_wperf("reprot", "x")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertTrue(done.stderr.startswith(
            "warning: unexpected arg 'reprot' ignored\nwarning: unexpected arg 'x' ignored\n"
            "error: no command 'reprot'; did you mean report?\nhint: `wperf --help` "), done.stderr)
        done = self.run_wperf("frobnicate", "--", "prog")
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.startswith(
            "warning: unexpected arg 'frobnicate' ignored\nwarning: only `stat` and `record` support process spawn!\n"))
        done = self.run_wperf("list", "-q", "--josn")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "warning: unexpected arg '--josn' ignored\nhint: did you mean --json?\n")
        for command in ("stat", "record"):
            self.assertEqual(self.fails(command, "-e", "l1d_cach", "-c", "1", "--", workload("exact.exe")),
                             "unknown event name: l1d_cach\nhint: did you mean l1d_cache?\n")
            self.assertEqual(self.fails(command, "-e", "cyclez", "-c", "1", "--", workload("exact.exe")),
                             "unknown event name: cyclez\nhint: did you mean cpu_cycles?\n")
        self.assertIn("\nhint: did you mean l3_cache?\n", self.fails("stat", "-m", "l3_cahce"))
        self.assertEqual(self.fails("man", "l1d_cach").splitlines()[1:], ["hint: did you mean l1d_cache?"])
        self.assertEqual(self.ok("--force-lock"), "")

    def test_version(self):
        document = self.checked("wperf.version.schema", "--version", "--json")
        rows = document["Version"]
        self.assertEqual([row["Component"] for row in rows], ["wperf", "wperf-driver"])
        self.assertEqual([row["Version"] for row in rows], ["3.8.0", "3.8.0"])
        text = self.ok("--version")
        for column in ("Component", "Version", "GitVer", "FeatureString", "=========", "wperf-driver"):
            self.assertIn(column, text)

    def test_detect(self):
        document = self.checked("wperf.detect.schema", "detect", "--json")
        self.assertIn("WPERFDRV", document["Devices"][0]["Device_Instance_ID"])
        self.assertRegex(self.ok("detect"), r"Device Instance ID\s+Hardware IDs")

    def test_list(self):
        document = self.checked("wperf.list.schema", "list", "--json")
        events = {row["Alias_Name"]: row for row in document["Predefined_Events"]}
        self.assertEqual(events["l1d_cache"], {"Alias_Name": "l1d_cache", "Raw_Index": "0x0004",
                                               "Event_Type": "[core PMU event]"})
        self.assertEqual(events["/dsu/l3d_cache"]["Event_Type"], "[dsu PMU event]")
        self.assertEqual(events["/dmc_clkdiv2/rdwr"]["Event_Type"], "[dmc_clkdiv2 PMU event]")
        metrics = {row["Metric"]: row["Events"] for row in document["Predefined_Metrics"]}
        self.assertEqual(metrics["imix"], "{inst_spec,dp_spec,vfp_spec,ase_spec,ld_spec,st_spec}")
        self.assertEqual(metrics["l3_cache"], "/dsu/l3d_cache,/dsu/l3d_cache_refill")
        self.assertEqual(metrics["ddr_bw"], "/dmc_clkdiv2/rdwr")
        self.assertEqual(len(document["Predefined_Events"]), len({json.dumps(r) for r in document["Predefined_Events"]}))

        verbose = self.json("list", "-v", "--json")
        self.assertTrue(all(row["Description"] for row in verbose["Predefined_Events"]))
        ipc = next(row for row in verbose["Predefined_Metrics"] if row["Metric"] == "ipc")
        self.assertEqual((ipc["Formula"], ipc["Unit"]), ("inst_retired / cpu_cycles", "per cycle"))
        self.assertTrue(all(row["Description"] for row in verbose["Predefined_Groups_of_Metrics"]))
        text = self.ok("list")
        for heading in ("List of pre-defined events (to be used in -e)", "List of supported metrics (to be used in -m)",
                        "List of supported groups of metrics (to be used in -m)"):
            self.assertIn(heading, text)
        self.assertEqual(self.ok("-l"), text)

    def test_list_with_extra_events_and_metric_file(self):
        events = self.json("list", "--json", "-E", "myown:0x1234,/dsu/other:ab")["Predefined_Events"]
        rows = {row["Alias_Name"]: row for row in events}
        self.assertEqual((rows["myown"]["Raw_Index"], rows["myown"]["Event_Type"]), ("0x1234", "[core PMU event*]"))
        self.assertEqual(rows["/dsu/other"]["Event_Type"], "[dsu PMU event*]")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "my metrics.txt"
            path.write_text("# ours\n\nmymetric: {ld_spec,st_spec}\nimix:ld_spec\n")
            rows = {row["Metric"]: row["Events"] for row in self.json("list", "--json", "-C", path)["Predefined_Metrics"]}
        self.assertEqual(rows["mymetric"], "{ld_spec,st_spec}")
        self.assertEqual(rows["imix"], "ld_spec")

    def test_man(self):
        document = self.checked("wperf.man.schema", "man", "ipc", "--json")
        fields = [row["Field_Type"] for row in document["Manual_Results"]]
        self.assertEqual(fields, ["CPU", "NAME", "EVENTS", "DESCRIPTION", "FORMULA", "UNIT"])
        text = self.ok("man", "ld_spec")
        self.assertTrue(all(len(line) <= 81 for line in text.splitlines()))
        self.assertEqual(self.ok("man", "neoverse-n2-r0p0/ld_spec"), self.ok("man", "neoverse-n2/ld_spec"))
        self.assertIn("warning: no argument(s) specified", self.fails("man"))
        self.assertIn('warning: CPU name: "nosuch" not found, use armv8-a, armv9-a,', self.fails("man", "nosuch/ipc"))
        self.assertIn('warning: CPU name: "" not found', self.fails("man", "/ipc"))
        self.assertIn('warning: "nothing" not found! Ensure it is compatible with the specified CPU',
                      self.fails("man", "nothing"))
        self.assertIn('warning: "a/b" not found!', self.fails("man", "neoverse-n1/a/b"))
        for name, why in (("/dsu/l3d_cache", "is an event of the cluster of cores and has no manual page"),
                          ("/dmc_clkdiv2/rdwr", "is an event of the memory controller and has no manual page"),
                          ("arm_spe_0//", "belongs to SPE, which has no manual page"),
                          ("load_filter", "belongs to SPE, which has no manual page")):
            refused = self.run_wperf("man", name)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(f"error: {name} {why}", refused.stderr)
        self.assertIn('warning: CPU name: "" not found', self.fails("man", "/dsu/nothing"))

    def test_every_page_of_the_manual_opens(self):
        names = [row["Metric"] for row in self.json("list", "--json")["Predefined_Metrics"]]
        groups = [row["Group"] for row in self.json("list", "--json")["Predefined_Groups_of_Metrics"]]
        for name in names + groups:
            self.ok("man", name)
        self.assertIn("inst_spec, dp_spec, vfp_spec", self.ok("man", "imix"))

    def test_test(self):
        document = self.checked("wperf.test.schema", "test", "--json", "-e", "crypto_spec,{vfp_spec,ase_spec},dp_spec")
        rows = {row["Test_Name"]: row["Result"] for row in document["Test_Results"]}
        self.assertEqual(rows["ioctl_events[EVT_CORE].index"], "117,116,119,115,27,27")
        self.assertEqual(rows["ioctl_events[EVT_CORE].note"], "(g0),(g0),(e),(e),(p),(p)")
        self.assertEqual(rows["request.ioctl_events [EVT_CORE]"], "True")
        self.assertEqual(rows["pmu_device.vendor_name"], "Arm Limited")
        self.assertEqual(rows["pmu_device.product_name"], "neoverse-n1")
        self.assertEqual(rows["pmu_device.sampling.INTERVAL_DEFAULT"], "0x4000000")
        self.assertEqual(rows["PMU_CTL_QUERY_HW_CFG [core_num]"], "0x0008")
        self.assertEqual(rows["PMU_CTL_QUERY_HW_CFG [gpc_num]"], "0x0006")
        self.assertRegex(rows["PMU_CTL_QUERY_HW_CFG [midr_value]"], r"^0x0{12}414fd0c1$|^0x[0-9a-f]{20}$")
        names = [row["Test_Name"] for row in document["Test_Results"]]
        self.assertLess(names.index("pmu_device.product_name"), names.index("pmu_device.product_name(extended)"))
        rows = {row["Test_Name"]: row["Result"]
                for row in self.json("test", "--json", "--config", "count.period=13")["Test_Results"]}
        self.assertEqual(rows["config.count.period"], "13")

    def test_config_refused(self):
        done = self.run_wperf("test", "--config", "count.nonsense=1")
        self.assertEqual((done.returncode, done.stderr.count("error: can't set 'count.nonsense=1' config")), (0, 1))

    def test_output_file_and_cwd(self):
        with tempfile.TemporaryDirectory(prefix="wperf out ") as folder:
            for command in (["list"], ["test"], ["detect"], ["--version"], ["man", "ipc"]):
                text = self.ok(*command, "-o", "answer.json", "--cwd", folder)
                self.assertNotEqual(text, "")
                document = json.loads((pathlib.Path(folder) / "answer.json").read_text())
                self.assertEqual(self.ok(*command, "--json", "--output", "answer.json", "--output-prefix", folder), "")
                self.assertEqual(document, json.loads((pathlib.Path(folder) / "answer.json").read_text()))
            self.assertEqual(self.ok("list", "-q"), "")

    def test_other_machines(self):
        for cpu, product in (("neoverse-n2", "neoverse-n2"), ("azure-cobalt-100", "neoverse-n2"),
                             ("neoverse-v3", "neoverse-v3"), ("qualcomm-oryon", None), ("ampereone", "ampereone"),
                             ("cortex-x1c*4+cortex-a78c*4", "cortex-x1c")):
            with self.subTest(cpu):
                rows = {row["Test_Name"]: row["Result"]
                        for row in self.json("test", "--json", device=f"sim:pace=free,cpu={cpu}")["Test_Results"]}
                if product:
                    self.assertEqual(rows["pmu_device.product_name"], product)
                self.json("list", "--json", device=f"sim:pace=free,cpu={cpu}")
                self.json("stat", "-e", "inst_retired", "--timeout", "0.1", "--json", device=f"sim:pace=free,cpu={cpu}")

    def test_schema(self):
        listed = self.ok("schema", device="driver")  # it needs no device
        self.assertRegex(listed, r"\n +timeline +counts over time +stat -t --json\n")
        for name in re.findall(r"^ +([a-z-]+) ", listed, re.MULTILINE)[1:]:
            schema = json.loads(self.ok("schema", name, device="driver"))
            self.assertTrue(schema["$id"].startswith(f"wperf-{name}-"), name)
        self.assertEqual(self.fails("schema", "stta", status=2),
                         "error: no document 'stta'; did you mean stat?\nhint: `wperf schema` lists them\n")
        self.assertEqual(self.fails("schema", "", status=2), "error: no document ''\nhint: `wperf schema` lists them\n")
        self.assertEqual(self.ok("schema", "stat", "-q"), "")

    def test_doctor(self):
        document = self.json("doctor", "--json")
        checks = {row["check"]: row for row in document["Doctor"]}
        for name in ("device", "driver", "privileges", "pmu", "counters", "spe", "dsu", "dmc", "symbols"):
            self.assertIn(name, checks)
            self.assertIn(checks[name]["status"], ("ok", "warn", "fail"))
        self.assertEqual(checks["pmu"]["status"], "ok")
        self.assertIn("6", checks["counters"]["detail"])
        checks = {row["check"]: row for row in self.json("doctor", "--json", device="sim:pace=free,free=2")["Doctor"]}
        self.assertIn("2", checks["counters"]["detail"])
        for option, status, words in (("given", "ok", "when sampling starts"), ("not-again", "ok", "restart Windows")):
            rows = self.json("doctor", "--json", device=f"sim:pace=free,interrupt={option}")["Doctor"]
            row = next(row for row in rows if row["check"] == "interrupt")
            self.assertEqual(row["status"], status)
            self.assertIn(words, row["detail"])
        done = self.run_wperf("doctor", "--json", device="sim:pace=free,machine=trapping")
        checks = {row["check"]: row for row in json.loads(done.stdout)["Doctor"]}
        self.assertEqual((checks["pmu"]["status"], checks["counters"]["status"]), ("fail", "fail"))
        self.assertIn("a hypervisor blocks them", checks["pmu"]["detail"])
        # Without any device the report is still printed, and the status shows that measuring is not possible.
        done = self.run_wperf("doctor", device="driver")
        self.assertEqual(done.returncode, 3)
        self.assertIn("device", done.stdout)


if __name__ == "__main__":
    unittest.main()
