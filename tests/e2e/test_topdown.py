#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf topdown`: programs with one bottleneck each, on simulated cores with deep, flat and poor trees."""
import html
import json
import os
import pathlib
import re
import tempfile
import unittest

from support import SOURCE, WperfTest, workload

# A mode of bottlenecks.exe → the node of a deep tree, the root of a flat tree, the function.
INJECTED = {
    "branches": ("bad_speculation", "bad_speculation", "unpredictable_branches"),
    "code": ("frontend_cache_l1i_bound", "frontend_bound", "long_code"),
    "memory": ("backend_cache_l2d_bound", "backend_bound", "far_loads"),
    "stores": ("backend_mem_store_bound", "backend_bound", "far_stores"),
    "pages": ("backend_mem_tlb_bound", "backend_bound", "many_pages"),
    "divisions": ("backend_busy_bound", "backend_bound", "division_chain"),
    "barriers": ("frontend_core_flow_bound", "frontend_bound", "instruction_barriers"),
}
LIKELY = {"branches": "Branch_Effectiveness", "code": "L1I_Cache_Effectiveness", "memory": "LL_Cache_Effectiveness",
          "pages": "DTLB_Effectiveness", "divisions": "", "barriers": ""}


class TopdownElsewhere(WperfTest):
    def test_of_windows_tracing(self):
        text = self.ok("topdown", "--", workload("bottlenecks.exe"), "memory", "20000", device="etw:fake,pace=free")
        self.assertRegex(text, "backend")
        self.assertNotIn("exceeds", text)

    def test_a_machine_without_counters_says_so(self):
        done = self.run_wperf("topdown", "--", "true", device="linux")
        if done.returncode == 0:
            self.skipTest("this machine has Arm's counters")
        self.assertRegex(done.stderr, "has no hardware counters|for Arm cores|no known top-down method")
        self.assertEqual(done.returncode, 2 if "no known top-down method" in done.stderr else 3)


class Topdown(WperfTest):
    def topdown(self, cpu, *arguments):
        done = self.run_wperf("topdown", "--json", *arguments, device=f"sim:cpu={cpu},pace=free")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual((list(document), document["version"]), (["version", "topdown"], 1))
        kinds = document["topdown"]
        self.assertEqual(len(kinds), 1)
        return kinds[0]

    def bottleneck(self, cpu, which, *options, rounds="100000"):
        return self.topdown(cpu, *options, "--", workload("bottlenecks.exe"), which, rounds)

    def level_1(self, answer):
        return {node["name"]: node["value"] for node in answer["nodes"] if node["level"] == 1}

    def line_of(self, function):
        """The source lines where its loop begins and where the function ends."""
        lines = (SOURCE / "sim/workloads/bottlenecks.c").read_text().splitlines()
        begin = next(i for i, line in enumerate(lines, 1) if f" {function}(" in line and line.endswith("{"))
        return begin, next(i for i, line in enumerate(lines, 1) if i > begin and line == "}")

    def check_place(self, answer, function):
        hottest = answer["sampled"]["functions"][0]
        self.assertEqual(hottest["function"], function)
        self.assertGreater(hottest["low"], 0.8)
        file, line = hottest["line"].rsplit(":", 1)
        self.assertTrue(file.endswith("bottlenecks.c"), file)
        begin, end = self.line_of(function)
        self.assertTrue(begin < int(line) < end, (line, begin, end))

    def test_a_deep_tree_names_node_function_and_line(self):
        for which, (node, root, function) in INJECTED.items():
            with self.subTest(which):
                # At first the code is in no cache, so it is fetched from farther away than later.
                answer = self.bottleneck("neoverse-v3", which, rounds="400000" if which == "code" else "100000")
                self.assertEqual(answer["worst"], node)
                self.assertAlmostEqual(sum(self.level_1(answer).values()), 100, delta=1)
                self.assertLessEqual(answer["runs"], 3)
                self.assertFalse(answer["took_turns"])
                self.check_place(answer, function)

    def test_a_flat_tree_names_root_misses_and_function(self):
        for cpu in ("neoverse-v2", "azure-cobalt-100"):
            for which, (node, root, function) in INJECTED.items():
                with self.subTest(cpu=cpu, which=which):
                    answer = self.bottleneck(cpu, which)
                    self.assertEqual(answer["worst"], root)
                    if which in LIKELY:
                        self.assertEqual(answer["likely_group"], LIKELY[which])
                    self.assertAlmostEqual(sum(self.level_1(answer).values()), 100, delta=1)
                    self.check_place(answer, function)

    def test_false_sharing(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_wperf("topdown", "--json", "--", workload("false_sharing.exe"), "30000",
                                  device="sim:cpu=neoverse-v3,pace=free", cwd=folder)
            self.assertEqual(os.listdir(folder), [], "spe.data is for who asks for SPE")
        answer = json.loads(done.stdout)["topdown"][0]
        self.assertIn(answer["worst"], ("backend_cache_l2d_bound", "backend_mem_store_bound"))
        self.assertIn(answer["sampled"]["functions"][0]["function"], ("bump_shared_left", "bump_shared_right"))
        self.assertTrue(answer["memory"])

    def test_revisions_have_formulas_of_their_own(self):
        """The formulas of N2 r0p0 subtract its surplus counts, so the answer is the same as on r0p3."""
        answers = [self.level_1(self.bottleneck(f"neoverse-n2-{revision}", "code", "--counts-only", "--level", "1"))
                   for revision in ("r0p0", "r0p3")]
        for node, share in answers[0].items():
            self.assertAlmostEqual(share, answers[1][node], delta=0.5)

    def test_a_poor_tree_says_what_it_cannot_tell(self):
        done = self.run_wperf("topdown", "--", workload("bottlenecks.exe"), "memory", "20000",
                              device="sim:cpu=neoverse-n1,pace=free")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("This core counts stalled cycles only", done.stdout)
        self.assertNotIn("adds up", done.stdout)
        self.assertIn("backend_stalled_cycles", done.stdout)

    def test_a_core_without_a_method(self):
        self.assertIn("Cortex-A78 has no known top-down method",
                      self.fails("topdown", "--", workload("bottlenecks.exe"), "memory", device="sim:cpu=cortex-a78",
                                 status=2))

    def test_where_to_go(self):
        answer = self.bottleneck("neoverse-v3", "memory", "--node", "frontend_mem_bound", "--counts-only",
                                 rounds="20000")
        self.assertTrue(answer["worst"].startswith("frontend_"))
        self.assertNotIn("sampled", answer)
        answer = self.bottleneck("neoverse-v3", "memory", "--level", "2", "--counts-only", rounds="20000")
        self.assertEqual(answer["worst"], "backend_mem_bound")
        self.assertEqual(answer["runs"], 2)
        program = ("--", workload("bottlenecks.exe"), "memory")
        self.assertIn("no node 'nothing'", self.fails("topdown", "--node", "nothing", *program,
                                                         device="sim:cpu=neoverse-v3", status=2))
        self.assertIn("no level 0", self.fails("topdown", "--level", "0", *program, status=2))
        self.assertIn("when a run ends", self.fails("topdown", device="sim:cpu=neoverse-v3", status=2))

    def test_the_machine_for_a_while(self):
        answer = self.topdown(f"neoverse-v3,run=0:{workload('steady.exe')}", "-c", "0", "--timeout", "0.2")
        self.assertEqual(answer["program"], "")
        self.assertAlmostEqual(sum(self.level_1(answer).values()), 100, delta=1)

    def busy(self, *pairs):
        return "".join(f",run={core}:{workload(program)}{arguments}" for core, program, arguments in pairs)

    def test_the_machine_names_functions_of_all_programs(self):
        programs = self.busy((1, "steady.exe", ""), (3, "bottlenecks.exe", " memory 100000000"))
        answer = self.topdown(f"neoverse-n2{programs}", "--timeout", "0.2")
        self.assertEqual(answer["sampled"]["functions"][0]["function"], "far_loads")
        self.assertEqual(answer["sampled"]["functions"][0]["module"], "bottlenecks.exe")
        by_source = {row["slowest_source"]: row["symbol"] for row in answer["memory"]["functions"]}
        self.assertEqual(by_source["dram"], "far_loads:bottlenecks.exe")
        self.assertEqual(by_source["l1"], "start:steady.exe")

    def test_several_kinds_of_cores_have_a_tree_each(self):
        programs = self.busy((1, "bottlenecks.exe", " memory 100000000"), (4, "bottlenecks.exe", " divisions 100000000"))
        device = f"sim:cpu=c1-ultra*2+cortex-a78*1+c1-nano*2,pace=free{programs}"
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_wperf("topdown", "--json", "--timeout", "0.2", "--html", "page of both.html", device=device,
                                  cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            page = (pathlib.Path(folder) / "page of both.html").read_text()
        big, little = json.loads(done.stdout)["topdown"]
        self.assertEqual([(kind["core"], kind["cores"]) for kind in (big, little)],
                         [("C1-Ultra", "0-1"), ("C1-Nano", "3-4")])
        self.assertTrue(big["worst"].startswith("backend_mem"), big["worst"])
        self.assertEqual(big["sampled"]["functions"][0]["function"], "far_loads")
        self.assertEqual(little["sampled"]["functions"][0]["function"], "division_chain")
        self.assertIn("cores 2 are left out: Cortex-A78 has no known top-down method", little["notes"])
        for said in (big["worst"], little["worst"], "C1-Ultra (cores 0-1)", "far_loads", "division_chain", "left out"):
            self.assertIn(said, page)
        self.assertIn("no node 'nothing'", self.fails("topdown", "--timeout", "0.1", "--node", "nothing", device=device, status=2))

    def test_a_program_says_which_kinds_are_not_in_it(self):
        device = "c1-ultra*2+neoverse-n1*1+c1-nano*2"
        program = ("-k", "--counts-only", "--level", "1", "--", workload("bottlenecks.exe"), "divisions", "20000")
        big, little = self.topdown(device, *program), self.topdown(device, "-c", "3", *program)
        self.assertEqual([(kind["core"], kind["cores"]) for kind in (big, little)], [("C1-Ultra", "0"), ("C1-Nano", "3")])
        for kind in (big, little):
            self.assertAlmostEqual(sum(self.level_1(kind).values()), 100, delta=1)
        self.assertRegex(" ".join(big["notes"]), r"core 0\b.* cores 2 \(Neoverse N1\), cores 3-4 \(C1-Nano\).* -c 2\b")
        self.assertRegex(" ".join(little["notes"]), r"core 3\b.* cores 0-1 \(C1-Ultra\), cores 2")

    def test_a_page_says_what_the_text_says(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_wperf("topdown", "--html", "a.html", "--", workload("bottlenecks.exe"), "branches", "20000",
                                  device="sim:cpu=neoverse-v3,pace=free", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            page = (pathlib.Path(folder) / "a.html").read_text()
        self.assertIn("wrote a.html", done.stdout)
        self.assertNotIn("<script", page)
        text = html.unescape(re.sub(r"<[^>]*>", " ", page))
        for row in re.findall(r"^ +([a-z_0-9]+)(?:  <--)? +([\d.]+) +(\S+)  (\S.*?) +(\d)$", done.stdout, re.M):
            self.assertRegex(text, r"\s+".join([re.escape(row[0]), "(← )?", r"[\d.]+ %", *map(re.escape, row[1:])]))

    def test_few_counters_take_turns_and_say_so(self):
        answer = self.topdown("neoverse-v3,free=3", "--counts-only", "--", workload("bottlenecks.exe"), "memory",
                              "100000")
        self.assertTrue(answer["took_turns"])
        self.assertEqual(answer["worst"].split("_")[0], "backend")

    def test_functions_get_their_share_of_a_short_run(self):
        """If more samples were requested than the driver takes, only slow functions would remain."""
        answer = self.bottleneck("neoverse-v3", "divisions", "--node", "retiring")
        sampled = answer["sampled"]
        row = next(row for row in sampled["functions"] if row["function"] == "innocent_work")
        self.assertLess(row["low"], 0.5455)
        self.assertGreater(row["high"], 0.5455)
        self.assertLessEqual(sampled["missing"] * 50, sampled["samples"])
        self.assertEqual(answer["likely_group"], "")
        counts = [{count["event"]: count["value"] for count in run} for run in answer["counts"]]
        self.assertEqual(len(counts), answer["runs"])
        self.assertGreater(counts[0]["op_retired"], 0)

    def test_why_names_are_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "bottlenecks.exe"
            program.write_bytes(pathlib.Path(workload("bottlenecks.exe")).read_bytes())
            answer = self.topdown("neoverse-v3", "--level", "1", "--", str(program), "divisions", "100000")
        self.assertIn("functions of bottlenecks.exe have no names: ", " ".join(answer["notes"]))

    def test_what_was_seen_too_little_is_not_exact(self):
        program = ("--", workload("bottlenecks.exe"))
        options = ("topdown", "--counts-only", "--level", "1", *program)
        for few, which in (("counters=5", ("branches",)), ("counters=1", ("divisions", "100000"))):
            text = self.ok(*options, *which, device=f"sim:pace=free,cpu=neoverse-v3,{few}")
            self.assertNotIn("<--", text)
            self.assertNotIn("Nothing was running", text)
            self.assertIn("the run was too short to schedule all events", text)
        answer = self.topdown("neoverse-v3,counters=5", *options[1:], "branches")
        self.assertEqual(answer["worst"], "")
        for node in answer["nodes"]:
            if not 0 <= node["value"] <= 100:
                self.assertNotIn("low", node)

    def test_misses_explain_only_what_was_lost_and_counted(self):
        program = ("--counts-only", "--node", "backend_mem_tlb_bound", "--", workload("bottlenecks.exe"), "divisions",
                   "100000")
        text = self.ok("topdown", *program, device="sim:cpu=neoverse-v3,pace=free")
        self.assertIn("lost less than 1 % of the cycles", text)
        self.assertRegex(" ".join(text.split()), r"^top-down of bottlenecks.exe .*: 3 runs, the first took [^;]+; no multiplexing ")
        self.assertNotIn("Most likely", text)
        text = self.ok("topdown", "--counts-only", "--", workload("false_sharing.exe"),
                       device="sim:cpu=c1-pro,pace=free")
        self.assertIn("Most likely L2D_Cache_Effectiveness", text)
        text = self.ok("topdown", "--counts-only", "--node", "retiring", "--", workload("bottlenecks.exe"), "divisions",
                       "100000", device="sim:cpu=neoverse-v2,pace=free")
        self.assertIn("integer_dp_percentage", text)
        self.assertNotIn("misses", text)

    def test_with_the_kernel_cycles_need_no_counter(self):
        answer = self.bottleneck("neoverse-v3", "memory", "-k", "--counts-only", rounds="20000")
        self.assertEqual(answer["notes"], [])
        self.assertFalse(answer["took_turns"])
        self.assertAlmostEqual(sum(self.level_1(answer).values()), 100, delta=1)


if __name__ == "__main__":
    unittest.main()
