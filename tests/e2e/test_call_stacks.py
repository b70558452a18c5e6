# SPDX-License-Identifier: BSD-3-Clause
"""Call stacks of the simulated machine: -g, --max-stack, and the stacks of programs whose call paths are known."""
import math
import pathlib
import tempfile
import unittest

from support import WperfTest, workload

# The call paths of calls.exe, and the share of its instructions in each.
TRUTH = {
    ("start", "outer", "leaf_a"): 0.2,
    ("start", "outer", "middle", "leaf_b"): 0.3,
    ("start", "middle", "leaf_b"): 0.3,
    ("start", *["dive"] * 200, "leaf_c"): 0.2,
}


class CallStacksTest(WperfTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "calls.data"

    def folded(self, *options, event="inst_retired:20021", program="calls.exe", seconds="0.5"):
        """{functions, outermost first: share of the samples}, without the process and the thread's start-up frames."""
        done = self.run_wperf("record", "-g", "-e", event, "-c", "1", "--timeout", seconds, "--output-perf-data",
                              self.file, *options, "--", workload(program), device="sim:pace=free,mhz=100")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.told = done.stderr
        stacks = {}
        for line in self.ok("report", self.file, "--folded").splitlines():
            stack, count = line.rsplit(" ", 1)
            functions = tuple(name for name in stack.split(";")[1:] if name != "[unknown]")
            stacks[functions] = stacks.get(functions, 0) + int(count)
        self.samples = sum(stacks.values())
        self.assertGreater(self.samples, 500)
        return {stack: count / self.samples for stack, count in stacks.items()}

    def expect(self, found, truth):
        for stack, share in truth.items():
            error = 4 * math.sqrt(share * (1 - share) / self.samples) + 0.002
            self.assertAlmostEqual(found.get(stack, 0), share, delta=error, msg=stack[-4:])

    def test_shares_of_known_call_paths(self):
        # A recursion of 200 is deeper than a recorded stack: the path to leaf_c has its 127 innermost callers.
        found = self.folded()
        truth = {stack: share for stack, share in TRUTH.items() if len(stack) < 127}
        self.expect(found, truth)
        deep = {stack: share for stack, share in found.items() if stack[-1] == "leaf_c"}
        self.assertAlmostEqual(sum(deep.values()), 0.2, delta=0.05)
        self.assertTrue(all(set(stack[:-1]) == {"dive"} for stack in deep), "only callers that there are")
        self.assertLessEqual(max(len(stack) for stack in deep), 129)
        self.assertIn("--max-stack", self.told)

    def test_report_shows_the_table_that_record_showed(self):
        for options in ((), ("--json",)):
            shown = self.run_wperf("record", "-g", *options, "-e", "inst_retired:20021", "-c", "1", "--timeout", "0.2", "-o",
                                   self.file, "--", workload("calls.exe"), device="sim:pace=free,mhz=100").stdout
            reported = self.ok("report", self.file, *options)
            self.assertIn("leaf_c", reported)
            self.assertEqual(shown[-len(reported):], reported)

    def test_json_has_what_programs_read_that_know_windowsperf(self):
        arguments = ("-e", "inst_retired:20011", "-c", "1", "--timeout", "0.2", "--json", "--", workload("googolplex.exe"))
        plain, stacks, filtered = (self.json("record", *options, *arguments, device="sim:pace=free,mhz=100")
                                   for options in ((), ("--call-graph", "fp"), ("--sort", "symbol", "--tid", "1")))
        self.assertEqual(set(plain), {"sampling"})
        self.assertEqual(list(stacks), ["version", "sampling", "recording"])
        self.assertEqual(set(filtered), {"version", "recording"})
        known, also = plain["sampling"], stacks["sampling"]
        self.assertEqual(set(known) - set(also), set())
        shares = {row["symbol"]: row["overhead"] for row in known["events"][0]["samples"]}
        for row in also["events"][0]["samples"]:
            self.assertAlmostEqual(row["overhead"], shares[row["symbol"]], delta=5)
        self.assertEqual(sum(row["count"] for row in also["events"][0]["samples"]), also["samples_generated"])
        self.assertTrue(stacks["recording"]["events"][0]["rows"])

    def test_max_stack_cuts_from_the_outside(self):
        found = self.folded("--max-stack", "1")
        self.assertLessEqual(max(len(stack) for stack in found), 3)
        self.assertAlmostEqual(sum(share for stack, share in found.items() if stack[-2:] == ("middle", "leaf_b")), 0.6,
                               delta=0.05)
        for wrong in ("0", "128", "x"):
            error = self.fails("record", "-g", "--max-stack", wrong, "--", workload("calls.exe"), status=2,
                               device="sim:pace=free")
            self.assertIn("--max-stack", error)

    def test_callers_in_a_library_and_a_program(self):
        found = self.folded(program="googolplex.exe", event="inst_retired:20011")
        in_dlls = sum(share for stack, share in found.items() if "run" not in stack)
        self.assertLess(in_dlls, 0.01, "functions of Windows keep no frame records")
        for stack in (stack[stack.index("run"):] for stack in found if "run" in stack):
            self.assertTrue(len(stack) == 1 or stack[1] in ("big_power_of_ten", "big_remainder", "trailing_zero_bits"), stack)
            for caller, callee in zip(stack[1:], stack[2:]):
                self.assertIn(caller, ("big_power_of_ten", "big_karatsuba_multiply"), stack)

    def test_without_g_nothing_changes(self):
        done = self.run_wperf("record", "-e", "inst_retired:100003", "-c", "1", "--timeout", "0.2", "--output-perf-data",
                              self.file, "--", workload("calls.exe"), device="sim:pace=free")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for line in self.ok("report", self.file, "--folded").splitlines():
            self.assertLessEqual(line.count(";"), 2, line)  # only lr has the caller of a leaf

    def test_copies_of_stacks_are_refused(self):
        error = self.fails("record", "--call-graph", "dwarf", "--", workload("calls.exe"), status=2, device="sim:pace=free")
        self.assertIn("-g", error)


if __name__ == "__main__":
    unittest.main()
