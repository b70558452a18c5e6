# SPDX-License-Identifier: BSD-3-Clause
"""`wperf record` and `wperf sample` on the simulated machine: hot functions, lines, instructions, callers, losses."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from support import TIMEOUT, WORKLOADS, WperfTest, workload


class RecordTest(WperfTest):
    def record(self, *arguments, **keywords):
        return self.json("record", "--json", *arguments, **keywords)["sampling"]

    def test_hot_function_of_a_dll(self):
        sampling = self.record("-e", "ld_spec:100000", "-c", "1", "--timeout", "3", "--", workload("googolplex.exe"))
        event = sampling["events"][0]
        self.assertEqual((event["type"], event["interval"]), ("ld_spec", 100000))
        rows = event["samples"]
        self.assertRegex(rows[0]["symbol"], r"multiply.*:bignum\.dll$")
        self.assertGreater(rows[0]["overhead"], 50)
        self.assertEqual([r["count"] for r in rows], sorted((r["count"] for r in rows), reverse=True))
        self.assertAlmostEqual(sum(r["overhead"] for r in rows), 100, delta=0.1)
        self.assertEqual(sampling["samples_generated"], sum(r["count"] for r in rows))
        self.assertEqual(sampling["samples_dropped"], 0)
        self.assertTrue(sampling["pe_file"].endswith("googolplex.exe"))
        self.assertTrue(sampling["pdb_file"].endswith(".pdb"))
        self.assertEqual(event["printed_sample_num"], len(rows))
        self.assertEqual(event["annotate"], [])

    def test_in_a_virtual_machine_only_when_forced(self):
        line = ("-e", "ld_spec:100000", "-c", "1", "--timeout", "0.2", "--", workload("googolplex.exe"))
        device = "sim:pace=free,machine=virtual"
        text = self.fails("record", *line, device=device, status=3)
        self.assertIn("runs in a virtual machine, where sampling has crashed Windows on Arm", text)
        self.assertIn("--force-lock", text)
        self.assertTrue(self.record("--force-lock", *line, device=device)["events"][0]["samples"])
        self.ok("stat", "-e", "inst_retired", "-c", "0", "--timeout", "0.1", device=device)

    def test_text(self):
        text = self.ok("record", "-e", "ld_spec:100000,inst_retired:200000", "-c", "0", "--timeout", "1", "--",
                       workload("googolplex.exe"))
        # Each second has full payloads of 128 samples, and one partial payload.
        self.assertRegex(text, r"sampling \.\.\.\.*e done!")
        self.assertRegex(text, r"(?m)^=+ sample source: ld_spec, top \d+ hot functions =+$")
        self.assertRegex(text, r"overhead +count +symbol *\n +=+ +=+ +=+")
        self.assertRegex(text, r"\d+\.\d\d +\d+ +\w+:bignum\.dll")
        self.assertRegex(text, r"\d+\.\d\d% +\d+  top \d+ in total")
        self.assertRegex(text, r"\d+\.\d+ seconds time elapsed")
        self.assertLess(text.index("sample source: inst_retired"), text.index("sample source: ld_spec"))

    def test_two_runs_are_identical(self):
        arguments = ("record", "--json", "-e", "inst_retired:50000", "-c", "0", "--timeout", "0.5", "--jitter", "--",
                     workload("googolplex.exe"))
        self.assertEqual(self.ok(*arguments), self.ok(*arguments))

    def test_annotate_and_disassemble(self):
        sampling = self.record("-e", "inst_retired:50000", "-c", "0", "--timeout", "0.5", "--disassemble", "--",
                               workload("googolplex.exe"))
        event = sampling["events"][0]
        names = [row["symbol"] for row in event["samples"]]
        hottest = event["annotate"][0]
        self.assertIn(hottest["function_name"], names)
        row = hottest["source_code"][0]
        self.assertTrue(row["filename"].endswith(".c"), row)
        self.assertGreater(row["line_number"], 0)
        addresses = [i["address"] for i in row["disassembled_line"]["disassemble"]]
        self.assertIn(row["instruction_address"], addresses)
        plain = self.record("-e", "inst_retired:50000", "-c", "0", "--timeout", "0.3", "--annotate", "--",
                            workload("googolplex.exe"))["events"][0]["annotate"][0]["source_code"][0]
        self.assertEqual((plain["instruction_address"], plain["disassembled_line"]), ("", {"disassemble": []}))

    def test_calls_name_what_they_call(self):
        # The instructions in WindowsPerf's tables; the PDB knows the sizes of these functions.
        sampling = self.record("-e", "inst_retired:997", "-c", "1", "--timeout", "0.3", "--disassemble", "--",
                               workload("googolplex.exe"))
        calls = {}
        for function in sampling["events"][0]["annotate"]:
            if not function["function_name"].endswith(":bignum.dll"):
                continue
            for line in function["source_code"]:
                for one in line["disassembled_line"]["disassemble"]:
                    call = re.fullmatch(r"bl +0x([0-9a-f]+)(?: <(.*)>)?", one["instruction"])
                    if call:
                        calls[int(call[1], 16)] = call[2]
        table = subprocess.run(["llvm-pdbutil-19", "dump", "-symbols", "-section-headers", workload("bignum.pdb")],
                               capture_output=True, text=True, check=True).stdout
        text = int(re.search(r"\.text name\n.*\n +([0-9A-F]+) virtual address", table)[1], 16)
        functions = {0x180000000 + text + int(offset): name
                     for name, offset in re.findall(r"S_[GL]PROC32 .* `(\w+)`\n.*addr = 0001:(\d+)", table)}
        self.assertTrue(calls)
        self.assertEqual(calls, {address: functions[address] for address in calls})

    def test_calls_of_functions_without_a_known_size(self):
        # For assembly, the PDB has only the start addresses of functions.
        document = self.json("record", "--json", "-e", "inst_retired:997", "-c", "1", "--timeout", "0.3", "--sort", "symbol",
                             "--disassemble", "--", workload("calls.exe"))
        code = {one["symbol"]: one.get("instructions") for one in document["recording"]["events"][0]["code"]}
        calls = {tuple(re.fullmatch(r"bl +0x([0-9a-f]+) <(.*)>", one["text"]).groups())
                 for one in code["dive"] if one["text"].startswith("bl")}
        self.assertIsNone(code["leaf_c"])  # leaf_c is the last function, so its end is not known
        table = subprocess.run(["llvm-pdbutil-19", "dump", "-publics", workload("calls.pdb")], capture_output=True, text=True,
                               check=True).stdout
        offsets = {name: int(offset) for name, offset in re.findall(r"`(\w+)`\n.*addr = 0001:(\d+)", table)}
        leaf = code["dive"][0]["address"] - offsets["dive"] + offsets["leaf_c"]
        self.assertEqual(calls, {(f"{leaf:x}", "leaf_c"), (f"{code['dive'][0]['address']:x}", "+0x0")})

    def test_cycles_are_the_default_event(self):
        # On a driver the default interval is 0x8000000. The simulated cores are slow, so their interval is shorter, and
        # even a short run has samples.
        sampling = self.record("-c", "0", "--timeout", "0.5", "--", workload("googolplex.exe"))
        self.assertEqual([(e["type"], e["interval"]) for e in sampling["events"]], [("cycle", 24000)])
        self.assertGreater(sampling["samples_generated"], 400)

    def test_sample_a_running_program(self):
        device = f"sim:pace=free,run=2:{workload('googolplex.exe')}"
        document = self.json("sample", "--json", "-e", "inst_retired:100000", "-c", "2", "--timeout", "0.5", "--pe_file",
                             workload("googolplex.exe"), device=device)
        self.assertRegex(document["sampling"]["events"][0]["samples"][0]["symbol"], r":bignum\.dll$")

    def test_progress_tells_payloads_of_samples(self):
        text = self.ok("record", "-e", "ld_spec:100000", "-c", "1", "--timeout", "3", "--", workload("googolplex.exe"))
        total = int(re.search(r"100\.00% +(\d+)  top", text)[1])
        letters = re.search(r"sampling \.\.\.([.e]+) done!", text)[1]
        self.assertEqual(letters.count("e"), 3)
        self.assertLessEqual(abs(total - 128 * letters.count(".")), 3 * 128)
        self.assertGreater(letters.count("."), 1)

    def test_a_program_that_does_not_run_is_unknown(self):
        arguments = ("sample", "-e", "inst_retired:100000", "-c", "2", "--timeout", "0.5", "--pe_file", workload("fib.exe"))
        device = f"sim:pace=free,run=2:{workload('googolplex.exe')}"
        done = self.run_wperf(*arguments, "--json", device=device)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: no program named 'fib.exe' is running", done.stderr)
        self.assertIn("hint: running: googolplex.exe", done.stderr)
        samples = json.loads(done.stdout)["sampling"]["events"][0]["samples"]
        self.assertEqual([row["symbol"] for row in samples], ["unknown"])
        self.assertGreater(samples[0]["count"], 10)
        text = self.run_wperf(*arguments, device=device).stdout
        self.assertIn("failed to query base address of 'fib.exe' with 0x", text)

    def test_paths_of_windows(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "sub").mkdir()
            for name in ("fib.exe", "fib.pdb"):
                shutil.copy(workload(name), pathlib.Path(folder) / "sub")
            sampling = self.record("-e", "inst_retired:1000", "-c", "1", "--", "sub\\fib.exe", "20", cwd=folder)
            self.assertIn("fib", [row["symbol"] for row in sampling["events"][0]["samples"]])
            self.ok("stat", "-e", "inst_spec", "-c", "1", "-pe_file", "sub\\fib.exe", cwd=folder)

    def test_program_that_ends(self):
        sampling = self.record("-e", "inst_retired:1000", "-c", "0", "--timeout", "1000", "--", workload("googolplex.exe"),
                               "3000")
        self.assertRegex(sampling["events"][0]["samples"][0]["symbol"], r":bignum\.dll$")
        self.assertLess(sampling["time_elapsed"], 100)

    def test_shares_agree_though_the_interval_is_near_half_of_the_loop(self):
        sampling = self.record("-e", "inst_retired:20011", "-c", "0", "--timeout", "4", "--jitter", "--",
                               workload("shares.exe"))
        rows = {row["symbol"]: row["count"] for row in sampling["events"][0]["samples"]}
        samples = sum(rows.values())
        self.assertGreater(samples, 1000)
        for function, share in (("seventy", 0.7), ("twenty", 0.2), ("ten", 0.1)):
            deviation = (samples * share * (1 - share)) ** 0.5
            self.assertLess(abs(rows[function] - samples * share), 4 * deviation, rows)

    def test_no_interval_takes_the_core_away_from_the_program(self):
        def record(rights, interval, *more):
            device = f"sim:pace=free,rights={rights}"
            return self.run_wperf("record", "-e", f"inst_retired:{interval}", "-c", "0", "--timeout", "1000", *more, "--",
                                  workload("exact.exe"), device=device)
        alone = json.loads(record("user", 1_000_000_000, "--json").stdout)["sampling"]["time_elapsed"]
        for rights in ("user", "administrator"):
            sampling = json.loads(record(rights, 1, "--json").stdout)["sampling"]
            self.assertLess(sampling["time_elapsed"], 3 * alone)
            self.assertLess(sampling["samples_generated"], 60_000 * sampling["time_elapsed"] + 200)
            told = sampling["samples_generated"] + sum(core["held_back"] for core in sampling["losses"])
            self.assertGreater(told, 30_900_000, "of 31,000,023 instructions")
            self.assertLessEqual(told, 31_000_023)
        self.assertRegex(record("user", 1).stdout, r"held back: 3\d,\d\d\d,\d\d\d samples were not taken")
        self.assertGreater(json.loads(record("user", 1, "-g", "--json").stdout)["recording"]["losses"]["held_back"], 0)
        self.assertIn("error: the driver refused the request because of missing rights",
                      record("user", 1, "--config", "sample.limit=60001").stderr)
        more = json.loads(record("administrator", 1000, "--json", "--config", "sample.limit=1000000").stdout)["sampling"]
        self.assertEqual((more["samples_generated"], "losses" in more), (31_000, False))

    def test_a_user_gets_his_samples_behind_a_thousand_of_others(self):
        def record(rights):
            device = f"sim:pace=free,rights={rights},run=1:{workload('steady.exe')}"
            document = self.json("record", "--json", "-e", "inst_retired:2000", "-c", "1", "--timeout", "2", "--by",
                                 "process", "--", workload("late.exe"), "95", "300000", device=device)
            by = {row["name"]: row["count"] for row in document["sampling"]["by"]["process"][0]["rows"]}
            return document["sampling"], by
        everybody, all_counts = record("administrator")
        user, own_counts = record("user")
        own, foreign = all_counts["late.exe"], all_counts["steady.exe"]
        self.assertGreater(foreign, 3000)
        self.assertGreater(own, 100)
        self.assertEqual(everybody["samples_dropped"], 0)
        self.assertEqual(own_counts, {"late.exe": own}, "all of his own and nothing else")
        self.assertEqual(user["samples_dropped"], user["samples_generated"] - own)

    def test_path_and_arguments_with_blanks_and_quotes(self):
        # The program splits its whole command line at blanks, including those in its path.
        with tempfile.TemporaryDirectory() as parent:
            folder = pathlib.Path(parent) / "with a blank"
            folder.mkdir()
            for name in ("googolplex.exe", "bignum.dll", "googolplex.pdb", "bignum.pdb"):
                (folder / name).write_bytes((WORKLOADS / name).read_bytes())
            sampling = self.record("-e", "inst_retired:10000", "-c", "0", "--timeout", "0.3", "--", folder / "googolplex.exe",
                                   "a b", '"c d"', "-C", "--json")
            self.assertRegex(sampling["events"][0]["samples"][0]["symbol"], r":bignum\.dll$")

    def test_a_program_that_fails_out_of_sight_gets_a_warning(self):
        failing = ("-c", "0", "--timeout", "5", "--", workload("chase.exe"), "1")  # it needs at least two nodes
        said = f"warning: {workload('chase.exe')} ended with status 2; its output was hidden, console=shown among the settings"
        for measure in (("record", "-q", "-e", "inst_retired:100"), ("stat", "-e", "inst_retired")):
            done = self.run_wperf(*measure, *failing)
            self.assertEqual(done.returncode, 0, "as WindowsPerf's scripts expect")
            self.assertTrue(done.stderr.startswith(said), done.stderr)
            self.ok(*measure, *failing, device=f"sim:{self.options},console=shown")

    def test_program_that_crashes_is_still_reported(self):
        if not (shutil.which("clang-19") and shutil.which("lld-link-19")):
            self.skipTest("clang-19 and lld-link-19 are needed to build the crashing program")
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "crash.c"
            source.write_text("static volatile int sum;\n"
                              "__attribute__((noinline)) void work(void) { for (int i = 0; i < 99999; i++) sum += i; }\n"
                              "int start(void) { work(); *(volatile int*)8 = 1; return 0; }\n")
            subprocess.run(["clang-19", "--target=aarch64-pc-windows-msvc", "-O1", "-g", "-gcodeview", "-ffreestanding", "-c",
                            "crash.c", "-o", "crash.obj"], cwd=folder, check=True)
            subprocess.run(["lld-link-19", "/nodefaultlib", "/debug", "/subsystem:console", "/entry:start", "crash.obj",
                            "/out:crash.exe"], cwd=folder, check=True)
            done = self.run_wperf("record", "-e", "inst_retired:1000", "-c", "0", "--", pathlib.Path(folder) / "crash.exe")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stdout, r"\d+  work")
            self.assertRegex(done.stderr, r"error: crash\.exe .*crashed.* 0x8")

    def test_without_pdb_exports_name_functions(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("googolplex.exe", "bignum.dll"):
                (pathlib.Path(folder) / name).write_bytes((WORKLOADS / name).read_bytes())
            text = self.ok("record", "-e", "inst_retired:10000", "-c", "0", "--timeout", "0.3", "--",
                           pathlib.Path(folder) / "googolplex.exe")
            self.assertRegex(text, r"big_\w+:bignum\.dll")
            self.assertIn("no PDB found", text)
            # A PDB of another build is never used.
            (pathlib.Path(folder) / "bignum.pdb").write_bytes((WORKLOADS / "fib.pdb").read_bytes())
            text = self.ok("record", "-e", "inst_retired:10000", "-c", "0", "--timeout", "0.3", "--",
                           pathlib.Path(folder) / "googolplex.exe")
            self.assertIn("another build", text)

    def test_by_tables(self):
        text = self.ok("record", "-e", "inst_retired:20000", "-c", "0", "--timeout", "0.5", "--by",
                       "process,thread,module,core,caller", "--", workload("googolplex.exe"))
        self.assertIn("googolplex.exe", text)
        self.assertIn("bignum.dll", text)

    def test_symbol_filter(self):
        for symbol in ("^big_", "MULTIPLY$", "^big_school_multiply$", "big_school_multiply"):
            rows = self.record("-e", "inst_retired:50000", "-c", "0", "--timeout", "0.3", "--symbol", symbol, "--",
                               workload("googolplex.exe"))["events"][0]["samples"]
            self.assertTrue(rows and all("big_" in r["symbol"] for r in rows), symbol)

    def test_errors(self):
        self.assertIn("no pid or process name specified, sample address are not de-ASLRed",
                      self.fails("record", "-e", "ld_spec:1000", "-c", "0", "--timeout", "1"))
        self.assertIn("you can specify only one core for sampling",
                      self.fails("record", "-e", "ld_spec:1000", "-c", "0,1", "--timeout", "1", "--", "none.exe"))
        self.assertIn("sampling: you can specify 1 core with -c option",
                      self.fails("sample", "-e", "ld_spec:1000", "--timeout", "1", "--pe_file", workload("fib.exe")))
        self.assertIn("event interval: text is invalid!", self.fails("record", "-e", "ld_spec:text", "-c", "0", "--", "x"))
        self.assertIn("event interval: 8589934591 is out of range!",
                      self.fails("record", "-e", "ld_spec:8589934591", "-c", "0", "--", "x"))
        self.assertIn("CreateProcess failed", self.fails("record", "-e", "ld_spec", "-c", "0", "--", "none.exe"))
        self.assertIn("number of events requested exceeds the number of hardware PMU counters(6)",
                      self.fails("record", "-e", "r1,r2,r3,r4,r5,r6,r7", "-c", "0", "--", workload("fib.exe")))
        self.ok("--version")

    def test_several_cores(self):
        device = f"sim:pace=free,run=1:{workload('googolplex.exe')},run=3:{workload('fib.exe')}"
        sampling = self.json("sample", "--json", "-e", "inst_retired:50000", "--cores", "1,3", "--timeout", "0.3",
                             "--pe_file", workload("googolplex.exe"), device=device)["sampling"]
        names = [row["symbol"] for row in sampling["events"][0]["samples"]]
        self.assertIn("[other process]", names)
        self.assertTrue(any(n.endswith(":bignum.dll") for n in names))

    def test_ctrl_c_reports(self):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder, "sampling.json")
            process = self.start_wperf("record", "-e", "inst_retired:100000", "-c", "0", "-o", output, "--",
                                       workload("googolplex.exe"), device="sim:pace=real")
            text = ""
            while not re.search(r"sampling \.\.\.e*\.", text) and process.poll() is None:  # a second with samples
                text += process.stdout.read(1)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=TIMEOUT)
            self.assertEqual((process.returncode, err), (0, ""))
            self.assertGreater(json.loads(output.read_text())["sampling"]["samples_generated"], 0)


if __name__ == "__main__":
    unittest.main()
