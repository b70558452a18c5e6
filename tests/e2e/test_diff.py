# SPDX-License-Identifier: BSD-3-Clause
"""`wperf diff` and `wperf bench`: real changes and noise, signs, names in two builds, `--fail-if`."""
import json
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

from support import BINARY, TIMEOUT, WperfTest, workload


def counted(found):
    """The total of the counted event, not the elapsed time."""
    [total] = [one for one in found["totals"] if one.get("unit") != "seconds"]
    return total


class DiffTest(WperfTest):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)
        self.folder = pathlib.Path(self.holder.name)

    def folded(self, name, **counts):
        path = self.folder / name
        path.write_text("".join(f"{stack.replace('__', ';')} {count}\n" for stack, count in counts.items()), encoding="utf-8")
        return path

    def diff(self, *arguments):
        return self.json("diff", *arguments, "--json")["diff"]

    def function(self, found, name):
        [row] = [row for row in found["events"][0]["functions"] if row["function"] == name]
        return row

    def test_functions_without_names_are_matched_by_their_code(self):
        """The same address belongs to different functions in the two builds."""
        image, files = pathlib.Path(workload("fib.exe")).read_bytes(), []
        identity = image.index(b"RSDS") + 4
        for build in (1, 2):
            program = self.folder / f"build{build}" / "fib.exe"
            program.parent.mkdir()
            program.write_bytes(image[:identity] + bytes([build]) * 16 + image[identity + 16:])
            files.append(self.folder / f"{build}.data")
            self.ok("record", "--device", "sim:pace=free", "-e", "inst_retired:1000", "-c", "0", "-o", files[-1], "--", program, "16")
        found = self.diff(*files)
        rows = [row for row in found["events"][0]["functions"] if row["module"] == "fib.exe"]
        self.assertTrue(rows[0]["function"].startswith(("function at 0x", "code at 0x")), rows)
        self.assertEqual([row["change"] for row in rows if row["change"] in ("is new", "is gone")], [], rows)
        self.assertNotIn("was ", rows[0].get("note", ""))

    def test_more_is_grew_and_less_is_shrank(self):
        before = self.folded("a.folded", main__parse=4000, main__emit=6000, main__gone=500)
        after = self.folded("b.folded", main__parse=5000, main__emit=6000, main__fresh=300)
        found = self.diff(before, after, "--per", "run")
        parse = self.function(found, "parse")
        self.assertEqual((parse["change"], parse["sure"]), ("grew by 25.0 %", True))
        self.assertTrue(parse["low_percent"] < 25 < parse["high_percent"])
        self.assertGreater(parse["low_percent"], 5)  # with one run per side, wperf assumes that runs differ by 5 %
        self.assertEqual(self.function(found, "gone")["change"], "is gone")
        self.assertEqual(self.function(found, "fresh")["change"], "is new")
        self.assertFalse(self.function(found, "emit")["sure"])
        back = self.function(self.diff(after, before, "--per", "run"), "parse")
        self.assertEqual((back["change"], back["sure"]), ("shrank by 20.0 %", True))
        text = self.ok("diff", before, after)
        self.assertRegex(text.splitlines()[1], r"^\S+ grew by 7\.6 % \(10\.5 K to 11\.3 K\)$")
        self.assertIn("samples, a function with 1 % of ", text)
        self.assertIn("Only one run per side: run-to-run noise is unknown, and assumed to be 5 %. Use bench -n 8.", text)
        self.assertIn("(per run)", text)
        shares = self.ok("diff", before, after, "--per", "share")
        self.assertIn("(share of all samples)", shares)
        self.assertIn("by 7.6 %", shares)

    def test_a_program_that_became_faster_has_nothing_that_grew(self):
        """All functions became faster. One gained less than the others, so its share grew."""
        before = self.folded("a.folded", main__find=2000, main__parse=9000, main__emit=9000)
        after = self.folded("b.folded", main__find=1800, main__parse=4000, main__emit=4000)
        found = self.diff(before, after, "--fail-if", "function:*>5%", "--fail-if", "module:*>5%")
        self.assertIn("shrank by 51.0 %", found["headline"])
        self.assertEqual([row for row in found["events"][0]["functions"] if row["change"].startswith("grew")], [])
        self.assertEqual([one["verdict"] for one in found["gate"]], ["passed", "passed"])
        shares = self.diff(before, after, "--per", "share")
        self.assertIn("grew", self.function(shares, "find")["change"])

    def test_what_may_be_chance_passes_and_says_how_many_runs_would_tell(self):
        before, after = self.counts("a", [1000, 1001, 1002, 1003]), self.counts("b", [1010, 1011, 1012, 1030])
        found = self.diff("--fail-if", "page-faults>0.9%", *before, "--", *after)
        [verdict] = found["gate"]
        self.assertEqual(verdict["verdict"], "unsure")
        self.assertRegex(verdict["why"], r"about \d+ runs per side")
        junit = self.folder / "gate.xml"
        text = self.ok("diff", "--fail-if", "page-faults>0.9%", "--junit", junit, *before, "--", *after)
        self.assertIn("not sure: page-faults>0.9%", text)
        [suite] = xml.parse(junit).getroot()
        self.assertEqual((suite.get("failures"), suite.get("errors")), ("0", "0"))

    def test_stacks_of_both_sides(self):
        before = self.folded("a.folded", **{"main;parse.isra.0": 4000, "main;old": 1000, "main": 5000})
        after = self.folded("b.folded", **{"main;parse": 6000, "main;new <i>": 500, "main": 3500})
        text = self.ok("diff", before, after, "--folded")
        self.assertEqual(sorted(text.splitlines()), ["main 5000 3500", "main;new <i> 0 500", "main;old 1000 0", "main;parse 4000 6000"])
        picture = self.folder / "change.svg"
        self.ok("diff", before, after, "--svg", picture)
        root = xml.parse(picture).getroot()
        titles = {title.text for title in root.iter("{http://www.w3.org/2000/svg}title")}
        self.assertIn("parse ([unknown]): 4.00 K before, 6.00 K after (grew by 50.0 %)", {re.sub(r"\(\S+\)", "([unknown])", title, count=1)
                                                                                         for title in titles})
        told = " ".join(titles)
        self.assertIn("is gone, 1.00 K before", told)
        self.assertIn("is new, 500", told)
        colours = re.findall(r'fill="hsl\((\d+),(\d+)%,80%\)"', picture.read_text(encoding="utf-8"))
        self.assertEqual({hue for hue, full in colours if full != "0"}, {"28", "212"})

    def test_copies_and_parts_of_compilers_are_the_same_function(self):
        before = self.folded("a.folded", **{"main;parse": 3000, "main;scan::h0123456789abcdef": 2000})
        after = self.folded("b.folded", **{"main;parse.part.0": 1000, "main;parse.cold": 2000, "main;scan::hfedcba9876543210": 2000})
        found = self.diff(before, after, "--per", "run")
        self.assertEqual([row["change"] for row in found["events"][0]["functions"]], ["is the same"] * 2)

    def test_several_runs_name_what_changed_and_nothing_else(self):
        draw = random.Random(5)
        sides = [[], []]
        for side in (0, 1):
            for run in range(5):
                counts = {f"main;f{i}": max(1, round(draw.gauss(2000, 45))) for i in range(60)}
                counts["main;slow"] = round(draw.gauss(20000, 140) * (1 + 0.03 * side))
                sides[side].append(self.folded(f"{side}{run}.folded", **counts))
        found = self.diff(*sides[0], "--", *sides[1], "--per", "run")
        self.assertEqual([row["function"] for row in found["events"][0]["functions"] if row["sure"]], ["slow"])
        self.assertFalse(found["one_run_a_side"])
        half = self.diff(*sides[0][:2], *sides[1][:2], "--", *sides[0][2:4], *sides[1][2:4], "--per", "run")
        self.assertFalse([row for row in half["events"][0]["functions"] if row["sure"]])

    def test_what_can_show_nothing_is_refused(self):
        one, *others = [self.folded(f"{name}.folded", main__f=1000 + i) for i, name in enumerate("abcdef")]
        told = self.fails("diff", one, *others[:2], "--", *others[2:], status=2)
        self.assertIn("in 10 % of such pairs", told)
        self.assertIn("a.folded is given twice", self.fails("diff", one, one, "--", one, status=2))
        self.assertIn("separate the sides with --", self.fails("diff", one, *others[:3], status=2))
        self.assertIn("two recordings", self.fails("diff", one, status=2))
        self.assertIn("invalid condition 'main'", self.fails("diff", one, one, "--fail-if", "main", status=2))

    def test_counts_of_stat(self):
        def count(name, value):
            core = {"core_number": 0, "Performance_counter": [{"counter_value": value, "event_name": "inst_retired"}]}
            path = self.folder / name
            path.write_text(json.dumps({"core": {"cores": [core]}, "Time_elapsed": 1.0}), encoding="utf-8")
            return path
        before = [count(f"a{i}.json", 1_000_000) for i in range(4)]
        after = [count(f"b{i}.json", 1_002_000) for i in range(4)]
        total = counted(self.diff(*before, "--", *after))
        self.assertEqual((total["change"], total["sure"], total["counted"]), ("grew by 0.20 %", True, True))
        self.assertAlmostEqual(total["low_percent"], 0.2, places=4)
        gate = ("--fail-if", "inst_retired>0.1%")
        self.assertEqual(self.ok("diff", *before, "---", *after, "-q"), "")
        self.assertEqual(self.run_wperf("diff", *gate, *before, "--", *after).returncode, 5)
        self.assertEqual(self.run_wperf("diff", *gate, *after, "--", *before).returncode, 0)
        self.assertIn("at least 4 runs per side", self.fails("diff", *gate, before[0], after[0], status=1))

    def test_counts_are_read_in_any_encoding_and_from_a_pipe(self):
        core = {"core_number": 0, "Performance_counter": [{"counter_value": 1000, "event_name": "inst_retired"}]}
        text = json.dumps({"core": {"cores": [core]}, "Time_elapsed": 1.0})
        plain = self.folder / "plain.json"
        plain.write_text(text, encoding="utf-8")
        for name, encoded in (("mark", text.encode("utf-8-sig")), ("blanks", f"\r\n {text}".encode()), ("wide", text.encode("utf-16")),
                              ("big", b"\xfe\xff" + text.encode("utf-16-be"))):
            path = self.folder / f"{name}.json"
            path.write_bytes(encoded)
            total = counted(self.diff(plain, path))
            self.assertEqual((total["before"], total["after"]), (1000, 1000), name)
        done = subprocess.run([BINARY, "diff", plain, "/dev/stdin", "--json"], env=self.environment, input=text.encode("utf-16"), capture_output=True,
                              timeout=TIMEOUT)
        self.assertEqual(counted(json.loads(done.stdout)["diff"])["after"], 1000)
        timeline = self.folder / "timeline.json"
        timeline.write_text(json.dumps({"timeline": [json.loads(text)] * 3}), encoding="utf-8")
        found = self.diff(plain, timeline)
        self.assertEqual(counted(found)["after"], 3000)
        self.assertIn(f"{timeline}: 3 counts of a timeline are added up; the pauses between them were not counted.", found["notes"])
        wide = self.folder / "cut.json"
        wide.write_text(text[:-4], encoding="utf-8")
        self.assertIn("ends too early", self.fails("diff", plain, wide, status=4))

    def test_what_was_never_counted_is_no_zero(self):
        events = "inst_retired,l1d_cache,l1d_cache_refill,br_mis_pred,br_retired,inst_spec,l2d_cache,stall_backend,mem_access"
        few, many = self.folder / "few.json", self.folder / "many.json"
        for path, asked in ((many, events), (few, "inst_retired,l2d_cache")):
            self.ok("stat", "--device", "sim:pace=free,seed=1", "-q", "-e", asked, "--json", "-o", path, "--", workload("fib.exe"), "12")
        found = self.diff(many, few)
        self.assertNotIn("l2d_cache", [total["event"] for total in found["totals"]])
        self.assertIn(f"{many}: l2d_cache was never scheduled on a counter, so it was not counted.", found["notes"])

    def test_gate_writes_what_ci_systems_read(self):
        before = self.folded("a.folded", main__parse=4000, main__emit=6000)
        after = self.folded("b.folded", main__parse=5000, main__emit=6000)
        junit, comment = self.folder / "gate.xml", self.folder / "comment.md"
        done = self.run_wperf("diff", before, after, "--per", "run", "--fail-if", "function:parse>5%", "--fail-if",
                              "function:emit>5%", "--junit", junit, "--markdown", comment, "--github")
        self.assertEqual((done.returncode, done.stderr), (5, "failed: function:parse>5%\n"))
        self.assertIn("::error title=wperf%3A function%3Aparse>5%25::parse", done.stdout)
        self.assertNotIn("::error title=wperf%3A function%3Aemit", done.stdout)
        [suite] = xml.parse(junit).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), ("2", "1", "0"))
        self.assertIn("| parse | grew by 25.0 % |", comment.read_text(encoding="utf-8"))
        self.assertEqual(self.run_wperf("diff", before, after, "--per", "run", "--fail-if", "function:parse>30%").returncode, 0)
        self.assertIn("did you mean function:parse>1%?", self.fails("diff", before, after, "--fail-if", "functon:parse>1%", status=2))
        self.assertIn("hint: available: ", self.fails("diff", before, after, "--fail-if", "absent>1%", status=2))
        self.assertIn("no function with this name", self.fails("diff", before, after, "--fail-if", "function:absent>1%", status=1))


    def counts(self, name, values, event="page-faults"):
        paths = []
        for i, value in enumerate(values):
            core = {"core_number": 0, "Performance_counter": [{"counter_value": value, "event_name": event}]}
            paths.append(self.folder / f"{name}{i}.json")
            paths[-1].write_text(json.dumps({"core": {"cores": [core]}, "Time_elapsed": 1000.0}), encoding="utf-8")
        return paths

    def test_a_run_that_counted_nothing_hides_no_change(self):
        before, after = self.counts("a", [0, 10, 10, 10, 10]), self.counts("b", [100, 110, 120, 130, 140])
        total = counted(self.diff(*before, "--", *after))
        self.assertEqual((total["change"], total["sure"]), ("grew 12.0 times", True))
        text = self.ok("diff", *before, "--", *after, "--markdown", "-")
        self.assertIn("grew 12.0 times", text)
        self.assertNotIn("page-faults is the same", text)
        self.assertNotIn("| page-faults | is the same", text)
        small = ("--fail-if", "page-faults>50%")
        self.ok("diff", *small, *self.counts("c", [0, 100, 100, 100, 100]), "--", *self.counts("d", [101] * 5))

    def test_counts_are_written_as_they_are(self):
        before, after = self.counts("a", [188843343] * 4), self.counts("b", [288843343, 288843344, 288843345, 288843346])
        total = counted(self.diff(*before, "--", *after))
        self.assertEqual((total["before"], total["runs_after"][0]), (188843343, 288843343))
        text = self.ok("diff", *self.counts("c", [2]), *self.counts("d", [3]), "--per", "second")
        self.assertRegex(text, r"Only one run per side: .*\n\nper second:\n")
        self.assertRegex(text, r"0\.002 +0\.003")
        self.assertIn("counts have no share", self.ok("diff", before[0], after[0], "--per", "share"))

    def test_all_rows_are_shown_or_counted(self):
        sides = [self.folded(f"{side}.folded", **{f"main;f{i}": 1000 + (i * 7 + side * 3 * i) % 50 for i in range(120)}) for side in (0, 1)]
        text = self.ok("diff", *sides, "-v", "--per", "run")
        self.assertEqual(len(set(re.findall(r" f\d+ ", text))), 120)
        [event] = self.diff(*sides, "--per", "run")["events"]
        self.assertEqual((len(event["functions"]), event["functions_left_out"]), (50, 70))
        [event] = self.diff(*sides, "--per", "run", "-v")["events"]
        self.assertEqual((len(event["functions"]), event.get("functions_left_out")), (120, None))

    def test_outputs_do_not_overwrite_each_other(self):
        sides = [self.folded(f"{side}.folded", main__f=1000) for side in (0, 1)]
        told = self.fails("diff", *sides, "--html", "x", "--svg", "./x", status=2, cwd=self.folder)
        self.assertIn("--html and --svg would overwrite each other", told)
        self.fails("diff", *sides, "-o", "x", "--markdown", "x", status=2, cwd=self.folder)
        self.assertFalse((self.folder / "x").exists())
        self.ok("diff", *sides, "--html", "/dev/null", "--svg", "/dev/null")

    def test_keys_that_change_nothing_are_told(self):
        sides = [self.folded(f"{side}.folded", main__f=1000) for side in (0, 1)]
        done = self.run_wperf("diff", *sides, "--sort", "comm,symbol")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--sort keys other than line", done.stderr)
        self.ok("diff", *sides, "--sort", "symbol,line")

    def test_stdout_has_one_document(self):
        before = self.folded("a.folded", main__parse=4000, main__emit=6000)
        after = self.folded("b.folded", main__parse=5000, main__emit=6000)
        gated = ("diff", before, after, "--per", "run", "--fail-if", "function:parse>5%")
        begins = {"--json": '{"version":1,"diff"', "-o -": '{"version":1,"diff"', "--markdown -": "## What changed", "--junit -": "<?xml", "--svg -": "<?xml",
                  "--html -": "<!DOCTYPE html>", "--folded": "main;"}
        ends = {"--json": "}", "-o -": "}", "--markdown -": ".", "--junit -": "</testsuites>", "--svg -": "</svg>", "--html -": "</html>",
                "--folded": "6000"}
        annotation = "::error title=wperf%3A function%3Aparse>5%25::parse"
        for option, begin in begins.items():
            with self.subTest(option):
                done = self.run_wperf(*gated, *option.split(), "--github", cwd=self.folder)
                self.assertEqual(done.returncode, 5)
                self.assertTrue(done.stdout.startswith(begin) and done.stdout.rstrip().endswith(ends[option]), done.stdout)
                self.assertNotIn("::error", done.stdout)
                self.assertTrue(done.stderr.startswith(annotation), done.stderr)
                self.assertTrue(done.stderr.endswith("\nfailed: function:parse>5%\n"), done.stderr)
        self.assertFalse((self.folder / "-").exists())
        for first, second in (("--json", "--markdown -"), ("--json", "--junit -"), ("--json", "--folded"), ("--markdown -", "--junit -"),
                              ("--html -", "--svg -"), ("--folded", "--markdown -"), ("--json", "--html -")):
            with self.subTest((first, second)):
                told = self.fails(*gated, *first.split(), *second.split(), status=2)
                self.assertIn(f"error: {first} and {second} would both be written", told)
        self.run_wperf(*gated, "--json", "-o", "all.json", "--markdown", "-", "--junit", "gate.xml", cwd=self.folder)
        self.assertEqual(sorted(path.name for path in self.folder.glob("[ag]*.[jx]*")), ["all.json", "gate.xml"])

    def test_a_side_without_samples_or_names_passes_no_gate(self):
        one, none = self.folded("a.folded", **{"main;f": 1000}), self.folded("none.folded", **{"main;f": 0})
        for sides in ((one, none), (none, one)):
            self.assertIn("none.folded has no samples", self.fails("diff", *sides, "--fail-if", "function:f>5%"))

    def test_chooses_by_a_name_of_either_side(self):
        one, other = self.folded("a.folded", **{"main;f": 1000, "main;g": 500}), self.folded("b.folded", **{"main;f": 990})
        rows = self.diff(one, other, "--symbol", "g")["events"][0]["functions"]
        self.assertEqual([row["function"] for row in rows], ["g"])
        self.assertIn("--module or --symbol", self.ok("diff", one, other, "--module", "nowhere"))

    def test_pictures_of_copies(self):
        before, after = [[self.folded(f"{samples}-{run}.folded", **{"main;f": samples}) for run in range(5)]
                         for samples in (1000, 1500)]
        text = self.ok("diff", *before, "--", *after, "--folded")
        self.assertEqual(text, "main;f 1000 1500\n")


class BenchTest(WperfTest):
    def bench(self, old, new, *options):
        return self.run_wperf("bench", "-n", "4", "-e", "inst_retired", *options, "--", *old, "---", *new)

    def test_instructions_repeat_exactly(self):
        same = [workload("fib.exe"), "12"]
        done = self.bench(same, same, "--json", "--fail-if", "inst_retired>0%")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        [total] = [one for one in json.loads(done.stdout)["diff"]["totals"] if one["event"] == "inst_retired"]
        self.assertEqual(len(set(total["runs_before"] + total["runs_after"])), 1)
        self.assertEqual(total["change"], "is the same in every run")

    def test_what_is_counted_where_nothing_is_named(self):
        program = [workload("fib.exe"), "12"]
        done = self.run_wperf("bench", "-n", "4", "--json", "--", *program, "---", *program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        totals = json.loads(done.stdout)["diff"]["totals"]
        self.assertEqual([one["event"] for one in totals], ["elapsed", "cpu-time", "cycle", "inst_retired", "br_retired", "br_mis_pred_retired",
                                                            "l1d_cache_refill", "l2d_cache_refill"])
        self.assertGreater(min(totals[3]["runs_before"]), 1000)
        for before, elapsed in zip(totals[1]["runs_before"], totals[0]["runs_before"]):
            self.assertTrue(elapsed / 2 < before <= elapsed, (before, elapsed))  # it never waited

    def test_a_program_does_not_differ_from_itself(self):
        program = [workload("fib.exe"), "15"]
        for seed in range(1, 4):
            done = self.run_wperf("bench", "--json", "--", *program, "---", *program, device=f"sim:pace=free,seed={seed}")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for total in json.loads(done.stdout)["diff"]["totals"]:
                self.assertEqual(total["change"], "is the same in every run", total)

    def test_more_instructions_fail_the_gate(self):
        done = self.bench([workload("fib.exe"), "12"], [workload("fib.exe"), "13"], "--fail-if", "inst_retired>0.1%")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stdout, r"FAILED: inst_retired>0\.1%: inst_retired: \+")

    def test_times_are_measured_without_any_event(self):
        shell = ["sh", "-c", "sleep $1; echo told", "sh"]
        done = self.run_wperf("bench", "-n", "8", "-e", "page-faults", "--warmup", "1", "--fail-if", "elapsed>50%", "--", *shell, "0", "---", *shell,
                              "0.5", device="linux")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stdout.splitlines()[1], r"^elapsed grew .* m?s, interval .*\), cpu-time ")
        self.assertNotIn("told", done.stdout.splitlines())
        shown = self.run_wperf("bench", "-n", "4", "-e", "page-faults", "--show-output", "--warmup", "2", "--", *shell, "0", "---", *shell, "0",
                               device="linux")
        self.assertEqual(shown.stdout.splitlines().count("told"), 2 * (4 + 2))

    def test_cpu_time_is_a_condition_on_the_simulated_machine(self):
        done = self.bench([workload("fib.exe"), "12"], [workload("fib.exe"), "16"], "--fail-if", "cpu-time>10%")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stdout, r"FAILED: cpu-time>10%: cpu-time: \+")

    def test_programs_that_fail_alike_are_compared_and_that_is_said(self):
        failing = ["sh", "-c", "echo told >&2; exit 3"]
        bench = ("bench", "-n", "4", "-e", "task-clock")
        done = self.run_wperf(*bench, "--", *failing, "---", *failing, device="linux")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Awarning: sh ended with status 3[^\n]*--show-output[^\n]*\n\Z")
        shown = self.run_wperf(*bench, "--show-output", "--", *failing, "---", *failing, device="linux")
        self.assertEqual(sorted(set(shown.stderr.splitlines())), ["told", "warning: sh ended with status 3"])
        self.assertIn("--show-output", self.fails(*bench, "--", "true", "---", *failing, device="linux"))

    def test_recordings_tell_how_long_a_program_ran_that_waits_at_its_end(self):
        with tempfile.TemporaryDirectory() as folder:
            program = ["sh", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; sleep 0.5"]
            for side in ("a", "b"):
                done = self.run_wperf("record", "-q", "-e", "cpu-clock", "--freq", "4000", "-o", f"{side}.data", "--", *program, device="linux", cwd=folder)
                self.assertEqual(done.returncode, 0, done.stderr)
            totals = {one["event"]: one for one in json.loads(self.ok("diff", "a.data", "b.data", "--json", cwd=folder))["diff"]["totals"]}
            self.assertGreater(totals["elapsed"]["before"], 0.5)
            self.assertTrue(0 < totals["cpu-time"]["before"] < totals["elapsed"]["before"] - 0.4, totals["cpu-time"])

    def test_runs_that_the_timeout_ends_have_no_times_of_their_own(self):
        bench = ("bench", "-n", "4", "-e", "page-faults", "--timeout", "0.1", "--fail-if", "elapsed>5%")
        done = self.run_wperf(*bench, "--json", "--", "sleep", "1", "---", "sleep", "3", device="linux")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("--timeout ended 4 of 4 runs before and 4 of 4 after", done.stderr)
        found = json.loads(done.stdout)["diff"]
        self.assertEqual([one["event"] for one in found["totals"]], ["page-faults"])
        self.assertIn("elapsed and cpu-time are not compared", found["notes"][0])
        with tempfile.TemporaryDirectory() as folder:
            base = ("bench", "-n", "4", "-e", "page-faults", "--timeout", "0.1")
            self.assertIn("--timeout ended 4", self.ok(*base, "--save-baseline", "base.json", "--", "sleep", "1", device="linux", cwd=folder))
            told = self.fails(*base, "--baseline", "base.json", "--fail-if", "elapsed>5%", "--", "true", status=2, device="linux", cwd=folder)
            self.assertIn("baseline", told)

    def test_events_of_two_classes_with_the_same_name_are_two(self):
        program = [workload("fib.exe"), "10"]
        done = self.run_wperf("bench", "-n", "4", "-e", "l3d_cache,/dsu/l3d_cache", "--json", "--fail-if", "/dsu/l3d_cache>1%", "--", *program, "---", *program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([one["event"] for one in json.loads(done.stdout)["diff"]["totals"]][-2:], ["l3d_cache", "/dsu/l3d_cache"])

    def test_pictures_without_recordings_are_refused_before_anything_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            program = ["touch", str(pathlib.Path(folder) / "ran")]
            told = self.fails("bench", "-e", "page-faults", "--html", "page.html", "--", *program, "---", *program, status=2, device="linux", cwd=folder)
            self.assertIn("--record NAME", told)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def test_a_program_may_have_a_quote_in_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / 'a "b'
            program.write_text('#!/bin/sh\necho "$1" > "$2"\n', encoding="ascii")
            program.chmod(0o755)
            told = pathlib.Path(folder) / "told"
            self.ok("stat", "-e", "page-faults", "--", program, 'x "y', told, device="linux")
            self.assertEqual(told.read_text(encoding="ascii"), 'x "y\n')

    def test_conditions_are_checked_before_anything_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            program = ["touch", str(pathlib.Path(folder) / "ran")]
            for condition, told in (("task-clok>5%", "elapsed, cpu-time"), ("function:f>5%", "--record NAME"),
                                    ("functon:f>5%", "did you mean function:f>5%?")):
                told_now = self.fails("bench", "-n", "4", "-e", "task-clock", "--fail-if", condition, "--", *program, "---", *program, status=2,
                                      device="linux")
                self.assertIn(told, told_now)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def test_a_baseline_that_can_show_nothing_is_refused_before_anything_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            base, ran = pathlib.Path(folder) / "base.json", pathlib.Path(folder) / "ran"
            bench = ("bench", "-n", "4", "-e", "task-clock", "--baseline", base)
            run = {"elapsed": 1.0, "page-faults": 7}
            base.write_text(json.dumps({"bench_baseline": {"program": "old", "runs": [run]}}), encoding="ascii")
            told = self.fails(*bench, "--", "touch", ran, status=2, device="linux")
            self.assertIn("base.json: 1 run before and 4 after cannot show", told)
            self.assertIn("--save-baseline", told)
            base.write_text(json.dumps({"bench_baseline": {"program": "old", "runs": [run] * 4}}), encoding="ascii")
            for name in ("cpu-time", "task-clock"):
                told = self.fails(*bench, "--fail-if", f"{name}>5%", "--", "touch", ran, status=2, device="linux")
                self.assertIn(f"{name}>5%", told)
                self.assertIn("baseline", told)
                self.assertIn("measured: elapsed;", told)
            self.assertFalse(ran.exists())

    def test_a_baseline_is_a_side(self):
        with tempfile.TemporaryDirectory() as folder:
            program = workload("fib.exe")
            base = ("bench", "-n", "4", "-e", "inst_retired")
            alone = self.ok(*base, "--save-baseline", "base.json", "--", program, "12", cwd=folder)
            self.assertIn("4 runs of", alone)
            self.assertIn("written to base.json", alone)
            gated = (*base, "--baseline", "base.json", "--fail-if", "inst_retired>0.1%", "--")
            self.ok(*gated, program, "12", cwd=folder)
            self.assertEqual(self.run_wperf(*gated, program, "13", cwd=folder).returncode, 5)
            self.assertIn("would overwrite", self.fails(*base, "--baseline", "base.json", "--save-baseline", "base.json", "--", program, status=2,
                                                        cwd=folder))
            (pathlib.Path(folder) / "base.json").write_text('{"bench_baseline": {"runs": [', encoding="ascii")
            self.assertIn("complete file of `bench --save-baseline`", self.fails(*gated, program, "12", status=4, cwd=folder))

    def test_programs_that_end_otherwise_are_not_compared(self):
        for program, other in ((["sh", "-c", "exit 0"], ["sh", "-c", "kill -SEGV $$"]), (["true"], ["false"])):
            done = self.run_wperf("bench", "-n", "4", "-e", "task-clock", "--fail-if", "task-clock>5%", "--", *program, "---",
                                  *other, device="linux")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stderr, "ended with status .* with status .*not compared")

    def test_recordings_of_one_start_are_no_copies(self):
        with tempfile.TemporaryDirectory() as folder:
            def places(seed):
                self.ok("record", "-q", "-e", "inst_retired:997", "--jitter", "-o", "run.data", "--", workload("fib.exe"), "18",
                        cwd=folder, device=f"sim:pace=free,seed={seed}")
                return re.findall(r"^ +[0-9a-f]+ .*$", self.ok("report", "run.data", "--records", "-", cwd=folder), re.MULTILINE)
            self.assertEqual(places(3), places(3))
            self.assertNotEqual(places(3), places(4))

    def test_runs_that_are_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            program = workload("fib.exe")
            done = self.run_wperf("bench", "-n", "4", "-e", "inst_retired:997", "--record", "run", "--json", "--svg", "change.svg", "--", program, "18",
                                  "---", program, "18", cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            [event] = json.loads(done.stdout)["diff"]["events"]
            self.assertGreater(event["functions_compared"], 0)
            self.assertEqual((event["per"], [row for row in event["functions"] if row["sure"]]), ("per run", []))
            made = sorted(path.name for path in pathlib.Path(folder).iterdir())
            self.assertEqual(made, ["change.svg", *(f"run-{side}-{i}.data" for side in ("after", "before") for i in range(1, 5))])
            sides = [[f"run-{side}-{i}.data" for i in range(1, 5)] for side in ("before", "after")]
            again = json.loads(self.ok("diff", "--per", "run", "--json", *sides[0], "--", *sides[1], cwd=folder))
            self.assertEqual(again["diff"]["events"], [event])
        self.assertIn("--record NAME", self.fails("bench", "--freq", "99", "--", program, "---", program, status=2))

    def test_ctrl_c_shows_whole_rounds(self):
        with tempfile.TemporaryDirectory() as folder:
            program = workload("fib.exe")
            bench = self.start_wperf("bench", "-n", "1000", "-e", "inst_retired:997", "--record", "run", "--json", "--", program, "15", "---",
                                     program, "15", cwd=folder)
            while bench.poll() is None and not (pathlib.Path(folder) / "run-after-5.data").exists():
                time.sleep(0.02)
            bench.send_signal(signal.SIGINT)
            text, error = bench.communicate(timeout=TIMEOUT)
            self.assertEqual(bench.returncode, 0, error)
            rounds = int(re.fullmatch(r"warning: interrupted[^\n\d]* (\d+) of 1000 rounds[^\n]*\n", error)[1])
            self.assertGreaterEqual(rounds, 4)
            total = counted(json.loads(text)["diff"])
            self.assertEqual([len(total[side]) for side in ("runs_before", "runs_after")], [rounds, rounds])

    def test_what_cannot_be_run_is_refused(self):
        program = workload("fib.exe")
        self.assertIn("two programs", self.fails("bench", "-e", "inst_retired", "--", program, status=2))
        self.assertIn("missing after", self.fails("bench", "-e", "inst_retired", "--", program, "---", status=2))
        self.assertIn("4 to 1000 runs", self.fails("bench", "-n", "3", "-e", "inst_retired", "--", program, "---", program, status=2))


if __name__ == "__main__":
    unittest.main()
