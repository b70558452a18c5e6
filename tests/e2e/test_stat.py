# SPDX-License-Identifier: BSD-3-Clause
"""`wperf stat` on the simulated machine: values, schedules, text, JSON, files, timeline."""
import html
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
        fifty_rounds = ("--config", "count.period=20", "-c", "0", "--timeout", "1")
        many = self.stat("-e", events, *fifty_rounds, *program)
        self.assertTrue(many["core"]["Multiplexing"])
        estimates = {e["event_name"]: e for e in many["Multiplexing_estimates"]}
        names = events.split(",")
        truth = {}
        for chunk in (names[:5], names[5:]):
            truth |= counts(self.stat("-e", ",".join(chunk), *fifty_rounds, *program))
        for row in rows_of(many)[1:]:
            name, exact = row["event_name"], truth[row["event_name"]]
            scheduled, rounds = map(int, row["multiplexed"].split("/"))
            self.assertEqual(rounds, 50, row)
            self.assertAlmostEqual(row["scaled_value"] / (row["counter_value"] * rounds / scheduled), 1, places=3)
            self.assertLess(abs(row["scaled_value"] - exact), 0.02 * exact, row)
            self.assertLessEqual(estimates[name]["low"], exact, name)
            self.assertGreaterEqual(estimates[name]["high"], exact, name)
            self.assertAlmostEqual(estimates[name]["fraction"], scheduled / rounds, places=3)
        text = self.ok("stat", "-v", "-e", events, "-c", "0", "--timeout", "0.3", *program)
        self.assertRegex(text, r"ld_spec\s+0x70\s+e\s+\d+/\d+\s+[\d,]+")
        self.assertIn("95 % interval", text)

    def test_short_runs_scale_by_the_time_each_event_ran(self):
        # At 25 MHz the kernel's clock ticks would take 2.5 % of the program's time. No tick comes within 10 ms.
        device = "sim:" + self.options + ",mhz=100"
        program = ("-c", "0", "--", workload("steady.exe"))
        names = ("inst_retired,ld_spec,st_spec,dp_spec,br_retired,l1d_cache,"
                 "inst_spec,br_immed_spec,mem_access,l1d_cache_rd,cpu_cycles,br_pred").split(",")
        for seconds in ("0.11", "0.15"):
            many = self.stat("-e", ",".join(names), "--timeout", seconds, *program, device=device)
            truth = {}
            for chunk in (names[:5], names[5:10], names[10:]):
                truth |= counts(self.stat("-e", ",".join(chunk), "--timeout", seconds, *program, device=device))
            estimates = {e["event_name"]: e for e in many["Multiplexing_estimates"]}
            for row in rows_of(many)[1:]:
                name, exact = row["event_name"], truth[row["event_name"]]
                self.assertLess(abs(row["scaled_value"] - exact), 0.02 * exact, (seconds, row))
                if "low" in estimates[name]:
                    self.assertLessEqual(estimates[name]["low"], exact, (seconds, name))
                    self.assertGreaterEqual(estimates[name]["high"], exact, (seconds, name))

    def test_cycles_are_as_the_events_are_while_a_counter_is_free(self):
        program = ("-c", "0", "--timeout", "0.1", "--", workload("steady.exe"))
        five, six = "r8,r1b,r70,r71,r73", "r8,r1b,r70,r71,r73,r11"
        alone = self.stat("-e", five, *program)
        self.assertNotIn("Cycles", alone)
        crowded = self.stat("-e", six, *program)
        self.assertEqual(crowded["Cycles"], "with kernel")
        cycles = {row["event_name"]: row["counter_value"] for row in rows_of(crowded)}
        self.assertGreater(cycles["cycle"], cycles["cpu_cycles"])
        self.assertEqual(cycles["cpu_cycles"], counts(alone)["cycle"])
        self.assertNotIn("Cycles", self.stat("-k", "-e", six, *program))
        self.assertNotIn("Cycles", self.stat("-e", "{r8,r1b},r70", *program), "padding does not take its counter")
        self.assertIn("note: cycle includes the kernel, ", self.ok("stat", "-e", six, *program))
        self.assertNotIn("note: cycle", self.ok("stat", "-e", five, *program))

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

    def test_what_never_had_a_turn_is_not_zero(self):
        # The program is far shorter than a slot, so only the metrics of the first slot have values.
        arguments = ("-m", "load_percentage,store_percentage,l1d_cache_miss_ratio,l2_cache_miss_ratio,branch_percentage,ipc",
                     "-c", "1", "--", workload("exact_1k.exe"))
        rows = self.stat(*arguments)["core"]["ts_metric"]["Telemetry_Solution_Metrics"]
        lost = {row["metric_name"] for row in rows if row.get("not_counted")}
        self.assertIn("ipc", lost)
        self.assertNotIn("load_percentage", lost)
        text = self.ok("stat", *arguments)
        listed = re.search(r"\nNot counted, [^:\n]*: (.*)\.\n", text)
        self.assertEqual(set(listed[1].split(", ")), lost)
        shown = dict(re.findall(r"neoverse-n1 +(\w+) +(\S+) ", text))
        self.assertEqual({name for name, value in shown.items() if value == "-"}, lost)
        self.assertRegex(shown["load_percentage"], r"^\d+\.\d{3}$")

    def test_metrics_of_two_kinds_of_cores(self):
        device = "sim:pace=free,seed=1,cpu=cortex-x1c*2+neoverse-v1*2"
        rows = self.stat("-m", "ipc", "-c", "0,2", "--timeout", "0.2", device=device)["core"]["ts_metric"]
        self.assertEqual([(r["core"], r["product_name"], "not_counted" in r) for r in rows["Telemetry_Solution_Metrics"]],
                         [("0", "cortex-x1c", False), ("2", "neoverse-v1", False)])
        # The first of the two cores has no such metric.
        text = self.ok("stat", "-m", "retiring", "-c", "0,2", "--timeout", "0.2", device=device)
        self.assertRegex(text, r"0 +cortex-x1c +retiring +- ")
        self.assertRegex(text, r"2 +neoverse-v1 +retiring +[\d.]+ ")
        self.assertIn("cortex-x1c", self.ok("man", "ipc", device=device))
        self.assertIn("neoverse-v1", self.ok("man", "retiring", device=device))

    def test_events_that_the_list_of_the_core_lacks_keep_their_names(self):
        names = [row["event_name"] for row in rows_of(self.stat("-m", "icache,itlb", "-c", "0", "--timeout", "0.1"))]
        for name in ("l2i_cache", "l2i_cache_refill", "l2i_tlb", "l2i_tlb_refill"):
            self.assertIn(name, names)

    def test_verbose_tells_what_it_made_of_the_program(self):
        program = workload("exact_1k.exe")
        text = self.ok("stat", "-v", "-e", "inst_spec", "-c", "0", "--timeout", "1", "--", program, "1", "two words")
        self.assertTrue(text.startswith(f"deduced image name '{program}'\n"
                                        f"deduced image PDB file '{program[:-4]}.pdb'\n"
                                        f"pe_file '{program}', args '{program} 1 \"two words\"'\n\n"), text)
        self.assertNotIn("deduced", self.ok("stat", "-v", "-e", "inst_spec", "-c", "0", "--timeout", "0.1"))

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

    def test_counters_that_a_hypervisor_keeps(self):
        for line in (("stat", "-e", "inst_retired"), ("stat",), ("record", "-e", "ld_spec"), ("topdown",)):
            text = self.fails(*line, "--timeout", "0.1", device="sim:pace=free,machine=trapping", status=3)
            self.assertIn("their registers cannot be read: a hypervisor", text)

    def test_memory_controllers_are_for_administrators(self):
        for line in (("-e", "/dmc_clkdiv2/rdwr"), ("-m", "ddr_bw"), ("--dmc", "1", "-e", "inst_retired")):
            text = self.fails("stat", *line, "--timeout", "0.1", device="sim:pace=free,rights=user")
            self.assertIn("only administrators may count in the memory controllers (DMC)", text)
            self.assertIn("run wperf as administrator", text)
        self.ok("stat", "-e", "inst_retired", "-c", "0", "--timeout", "0.1", device="sim:pace=free,rights=user")

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

    def test_a_page_is_of_counts_over_time(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("without -t", self.fails("stat", "-e", "ld_spec", "--html", "page.html", status=2, cwd=folder))
            text = self.ok("stat", "-t", "-i", "0", "-n", "2", "--timeout", "0.1", "-e", "ld_spec", "-c", "0", "--output-csv", "x.csv",
                           "--html", "page.html", cwd=folder)
            self.assertIn("wrote page.html", text)
            self.assertEqual(sorted(one.name for one in pathlib.Path(folder).iterdir()), ["page.html", "x.csv"])

    def test_a_page_has_the_command_as_a_shell_takes_it(self):
        with tempfile.TemporaryDirectory() as folder:
            self.ok("stat", "-t", "-i", "0", "-n", "1", "--timeout", "0.1", "-e", "ld_spec", "-c", "0", "--html", "a $page.html",
                    cwd=folder)
            page = (pathlib.Path(folder) / "a $page.html").read_text()
            self.assertIn("--html 'a $page.html'", html.unescape(page))

    def test_timeline_ends_with_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            text = self.ok("stat", "-e", "inst_retired", "-t", "-i", "0", "--timeout", "0.1", "-c", "0", "--",
                           workload("exact.exe"), cwd=folder)
            self.assertIn("counting ...", text)


if __name__ == "__main__":
    unittest.main()
