# SPDX-License-Identifier: BSD-3-Clause
"""`wperf stat` on the simulated machine: values, schedules, text, JSON, files, timeline."""
import json
import pathlib
import re
import tempfile
import unittest

from schemas import validate
from support import WperfTest, counts, workload


def rows_of(document, core=0):
    return next(c["Performance_counter"] for c in document["core"]["cores"] if c["core_number"] == core)


class StatTest(WperfTest):
    def stat(self, *arguments, **keywords):
        document = self.json("stat", "--json", *arguments, **keywords)
        validate(self, document, "wperf.stat.schema")
        return document

    def test_two_runs_with_one_seed_are_identical(self):
        arguments = ("stat", "-e", "inst_retired,{ld_spec,st_spec},l1d_cache_refill,br_mis_pred", "-m", "imix,ddr_bw,l3_cache",
                     "-c", "2", "--timeout", "0.5", "-k", "--json", "--", workload("googolplex.exe"))
        first = self.ok(*arguments)
        self.assertEqual(first, self.ok(*arguments))
        self.assertGreater(counts(json.loads(first), 2)["inst_retired"], 0)

    def test_kernel_mode_counts_more(self):
        arguments = ("-e", "inst_retired,exc_taken", "-c", "0", "--timeout", "0.5", "--", workload("googolplex.exe"))
        user, kernel = self.stat(*arguments), self.stat("-k", *arguments)
        self.assertFalse(user["core"]["Kernel_mode"])
        self.assertTrue(kernel["core"]["Kernel_mode"])
        self.assertEqual(counts(user)["exc_taken"], 0)
        self.assertGreater(counts(kernel)["exc_taken"], 0)
        self.assertGreater(counts(kernel)["inst_retired"], 0)

    def test_text(self):
        text = self.ok("stat", "-e", "inst_spec,vfp_spec,{ase_spec,ld_spec}", "-c", "1", "--timeout", "0.3")
        self.assertIn("counting ...", text)
        self.assertIn("Performance counter stats for core 1, no multiplexing, kernel mode excluded, on Arm Limited core "
                      "implementation:\nnote: 'e' - normal event, 'gN' - grouped event with group number N, metric name "
                      "will be appended if 'e' or 'g' comes from it\n", text)
        self.assertRegex(text, r"counter value +event name +event idx +event note *\n +=+ +=+ +=+ +=+")
        self.assertRegex(text, r"[\d,]+  cycle +fixed +e")
        self.assertRegex(text, r"[\d,]+\s+ase_spec\s+0x74\s+g0")
        self.assertRegex(text, r"[\d,]+\s+inst_spec\s+0x1b\s+e")
        self.assertRegex(text, r"\d+\.\d+ seconds time elapsed")
        self.assertNotIn("System-wide Overall:", text)
        text = self.ok("stat", "-e", "inst_spec", "-c", "0,1", "--timeout", "0.1")
        self.assertIn("System-wide Overall:", text)

    def test_names_print_in_lower_case_and_raw_events_find_their_names(self):
        document = self.stat("-e", "INST_Retired,r1b,r82,r82,0x70,rbeef", "-c", "0", "--timeout", "0.1")
        names = [row["event_name"] for row in rows_of(document)]
        self.assertEqual(names, ["cycle", "inst_retired", "inst_spec", "exc_svc", "exc_svc", "ld_spec", "rbeef"])

    def test_padding_is_counted_but_not_shown(self):
        document = self.stat("-e", "crypto_spec,{vfp_spec,ase_spec},dp_spec", "-c", "0", "--timeout", "0.1")
        self.assertEqual([(r["event_name"], r["event_note"]) for r in rows_of(document)],
                         [("cycle", "e"), ("vfp_spec", "g0"), ("ase_spec", "g0"), ("crypto_spec", "e"), ("dp_spec", "e")])

    def test_groups_count_together(self):
        document = self.stat("-e", "{inst_spec,ld_spec,st_spec,vfp_spec},{inst_spec,ld_spec,dp_spec,ase_spec}", "-c", "0",
                             "--timeout", "2", "--", workload("googolplex.exe"))
        for note in ("g0", "g1"):
            group = {r["event_name"]: r["counter_value"] for r in rows_of(document) if r["event_note"] == note}
            self.assertGreater(group["inst_spec"], 0)
            for name, value in group.items():
                self.assertLessEqual(value, group["inst_spec"], name)

    def test_multiplexing_scales_to_the_truth(self):
        program = ("--", workload("steady.exe"))
        events = "inst_retired,ld_spec,st_spec,dp_spec,br_retired,l1d_cache,inst_spec,br_immed_spec,mem_access,l1d_cache_rd"
        hundred_rounds = ("--config", "count.period=20", "-c", "0", "--timeout", "2")
        many = self.stat("-e", events, *hundred_rounds, *program)
        self.assertTrue(many["core"]["Multiplexing"])
        estimates = {e["event_name"]: e for e in many["Multiplexing_estimates"]}
        names = events.split(",")
        truth = {}
        for chunk in (names[:5], names[5:]):
            truth |= counts(self.stat("-e", ",".join(chunk), *hundred_rounds, *program))
        for row in rows_of(many)[1:]:
            name, exact = row["event_name"], truth[row["event_name"]]
            scheduled, rounds = map(int, row["multiplexed"].split("/"))
            self.assertEqual(rounds, 100, row)
            self.assertEqual(row["scaled_value"], row["counter_value"] * rounds // scheduled)
            self.assertLess(abs(row["scaled_value"] - exact), 0.02 * exact, row)
            self.assertLessEqual(estimates[name]["low"], exact, name)
            self.assertGreaterEqual(estimates[name]["high"], exact, name)
            self.assertAlmostEqual(estimates[name]["fraction"], scheduled / rounds, places=4)
        text = self.ok("stat", "-v", "-e", events, "-c", "0", "--timeout", "1", *program)
        self.assertRegex(text, r"ld_spec\s+0x70\s+e\s+\d+/\d+\s+[\d,]+")
        self.assertIn("95 % interval", text)

    def test_metrics(self):
        document = self.stat("-m", "ipc,Operation_Mix,l1d_cache_mpki", "-c", "3", "--timeout", "2", "--",
                             workload("googolplex.exe"))
        rows = document["core"]["ts_metric"]["Telemetry_Solution_Metrics"]
        by_name = {row["metric_name"]: row for row in rows}
        for row in rows:
            self.assertEqual((row["core"], row["product_name"]), ("3", "neoverse-n1"))
            self.assertRegex(row["value"], r"^\d+\.\d{3}$")
        self.assertIn("load_percentage", by_name)
        values = {r["event_name"]: r["counter_value"] for r in rows_of(document, 3) if r["event_note"].endswith(",ipc")}
        self.assertAlmostEqual(float(by_name["ipc"]["value"]), values["inst_retired"] / values["cpu_cycles"], places=2)
        text = self.ok("stat", "-m", "ipc", "-c", "3", "--timeout", "0.2", "--", workload("fib.exe"))
        self.assertIn("Telemetry Solution Metrics:", text)

    def test_imix(self):
        document = self.stat("-m", "imix", "-c", "0", "--timeout", "0.2", "--", workload("simd.exe"))
        self.assertEqual([r["event_note"] for r in rows_of(document)], ["e"] + ["g0,imix"] * 6)

    def test_dsu_and_l3(self):
        document = self.stat("-m", "l3_cache", "-e", "/dsu/l3d_cache_wb,/DSU/bus_access", "-c", "2,3,4", "--timeout", "0.3")
        self.assertEqual(sorted(k for k in document["dsu"] if k.isdigit()), ["1", "2"])
        rows = document["dsu"]["l3metric"]["L3_Cache_Metrics"]
        self.assertEqual([(r["cluster"], r["cores"]) for r in rows], [("1", "2, 3"), ("2", "4, 5"), ("all", "all")])
        self.assertEqual(document["core"]["cores"], [])
        text = self.ok("stat", "-m", "l3_cache", "-c", "0", "--timeout", "0.3")
        self.assertIn("L3 cache metrics:", text)
        self.assertIn("Performance counter stats for DSU cluster 0,", text)

    def test_dmc_and_bandwidth(self):
        document = self.stat("-m", "ddr_bw", "-c", "0", "--timeout", "1", "--", workload("stream.exe"))
        rows = document["dmc"]["ddr"]["DDR_Metrics"]
        self.assertEqual([r["channel"] for r in rows], ["0", "1", "all"])
        self.assertGreater(float(re.match(r"[\d.]+", rows[-1]["rw_bandwidth"]).group()), 0)
        one = self.stat("-e", "/dmc_clk/cycle_count,/dmc_clkdiv2/cycle_count", "--dmc", "1", "-c", "0", "--timeout", "0.2")
        ids = {r["pmu_id"] for r in one["dmc"]["pmu"]["PMU_Performance_Counters"]}
        self.assertEqual(ids, {"dmc 1", "overall"})
        idle = self.stat("-m", "ddr_bw", "-c", "0", "--timeout", "1")  # an idle machine still ticks
        self.assertGreater(sum(r["counter_value"] for r in idle["dmc"]["pmu"]["PMU_Performance_Counters"]), 0)

    def test_json_file_without_json_option(self):
        with tempfile.TemporaryDirectory(prefix="wperf out ") as folder:
            text = self.ok("stat", "-e", "ld_spec", "-c", "0", "--timeout", "0.1", "-o", "a b.json", "--cwd", folder)
            self.assertIn("seconds time elapsed", text)
            document = json.loads((pathlib.Path(folder) / "a b.json").read_text())
            validate(self, document, "wperf.stat.schema")

    def test_several_cores_in_any_order(self):
        document = self.stat("-e", "inst_spec", "-c", "5,3-1,3", "--timeout", "0.1")
        self.assertEqual([c["core_number"] for c in document["core"]["cores"]], [1, 2, 3, 5])
        overall = document["core"]["overall"]["Systemwide_Overall_Performance_Counters"]
        self.assertEqual(overall[1]["event_idx"], "0x001b")

    def test_program_end_ends_the_count(self):
        document = self.stat("-e", "inst_retired", "-c", "0", "--timeout", "1000", "--", workload("exact.exe"))
        self.assertLess(document["Time_elapsed"], 900)

    def test_program_path_with_blanks(self):
        with tempfile.TemporaryDirectory(prefix="wperf blank ") as folder:
            path = pathlib.Path(folder) / "my program.exe"
            path.write_bytes(pathlib.Path(workload("exact.exe")).read_bytes())
            document = self.stat("-e", "inst_retired", "-c", "0", "--", path)
            self.assertGreater(counts(document)["inst_retired"], 0)

    def test_already_running_program(self):
        device = f"sim:pace=free,run=3:{workload('googolplex.exe')}"
        document = self.stat("-e", "inst_retired", "-c", "2,3", "--timeout", "0.3", device=device)
        self.assertEqual(counts(document, 2)["inst_retired"], 0)
        self.assertGreater(counts(document, 3)["inst_retired"], 0)


class TimelineTest(WperfTest):
    def test_text_json_and_csv(self):
        with tempfile.TemporaryDirectory() as folder:
            arguments = ("stat", "-m", "imix", "-t", "-i", "0.5", "-n", "3", "--timeout", "0.3", "-c", "1")
            text = self.ok(*arguments, "--output-csv", "t_{class}_{core}.csv", "--cwd", folder)
            self.assertEqual((text.count("counting ..."), text.count("sleeping ...")), (3, 3))
            self.assertNotIn("seconds time elapsed", text)
            lines = (pathlib.Path(folder) / "t_core_1.csv").read_text().split("\n")
            self.assertEqual(lines[:5], ["Multiplexing,FALSE", "Kernel mode,FALSE", "Count interval,0.50",
                                         "Vendor,Arm Limited", "Event class,core"])
            self.assertEqual(lines[6], "core 1," * 7)
            self.assertTrue(lines[7].startswith("cycle,inst_spec,dp_spec,"))
            for line in lines[8:11]:
                self.assertRegex(line, r"^([0-9]+,){7}$")

            document = self.json(*arguments, "--json", "--output-csv", "x.csv", "--cwd", folder)
            validate(self, document, "wperf.timeline.schema")
            self.assertEqual((document["count_duration"], document["count_interval"], document["count_timeline"]), (0.3, 0.5, 3))
            self.assertEqual(len(document["timeline"]), 3)
            self.assertTrue(all(item["core"]["overall"] == {} for item in document["timeline"]))

    def test_default_names_and_both_files(self):
        with tempfile.TemporaryDirectory() as folder:
            text = self.ok("stat", "-v", "-e", "ld_spec,/dsu/l3d_cache", "-t", "-i", "0", "-n", "1", "--timeout", "0.1",
                           cwd=folder)
            names = sorted(p.name for p in pathlib.Path(folder).iterdir())
            self.assertEqual(len(names), 2)
            self.assertRegex(names[0], r"^wperf_system_side_\d{4}(_\d\d){5}\.core\.csv$")
            for name in names:
                self.assertIn(f"timeline file: '{name}'", text)
            self.ok("stat", "-e", "ld_spec", "-t", "-i", "0", "-n", "1", "--timeout", "0.1", "--json", "-o", "f.json",
                    "--output-csv", "g.csv", "--cwd", folder, "-c", "0")
            self.assertIn("timeline", json.loads((pathlib.Path(folder) / "f.json").read_text()))
            self.assertIn("core 0,core 0,", (pathlib.Path(folder) / "g.csv").read_text())

    def test_timeline_ends_with_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            text = self.ok("stat", "-e", "inst_retired", "-t", "-i", "0", "--timeout", "0.1", "-c", "0", "--",
                           workload("exact.exe"), cwd=folder)
            self.assertIn("counting ...", text)


if __name__ == "__main__":
    unittest.main()
