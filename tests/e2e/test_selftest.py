# SPDX-License-Identifier: BSD-3-Clause
"""`wperf doctor --selftest`: every available device measures a program whose results are known by construction."""
import json
import pathlib
import re
import unittest

from support import BINARY, WperfTest


def findings(text):
    """{check: (result, detail)} of the only device."""
    rows = re.findall(r"^  (ok|FAILED|not possible) +([^:]+): (.*)$", text, re.M)
    return {check: (result, detail) for result, check, detail in rows}


class SelftestTest(WperfTest):
    def selftest(self, device):
        text = self.ok("doctor", "--selftest", device=device)
        self.assertRegex(text, r"^---- wperf doctor --selftest ----\nwperf: 3\.")
        self.assertRegex(text, r"---- \d+ ok, 0 failed, \d+ not possible ----\n$")
        return findings(text)

    def expect(self, found, **results):
        for check, result in results.items():
            self.assertEqual(found[check.replace("_", " ")][0], result, found)

    def test_the_driver(self):
        found = self.selftest("sim:pace=free,seed=1")
        self.expect(found, opened="ok", rights="ok", counts="ok", samples="ok", names="ok", shares="ok", stacks="ok", losses="ok",
                    user_and_kernel_counts="ok", user_and_kernel_samples="ok")
        self.assertRegex(found["counts"][1], r"^1000\d{4} instructions in user mode, the loop has 10000000")

    def test_its_program_ends_soon_by_itself(self):
        program = pathlib.Path(BINARY).parent / "wperf-selftest.exe"
        text = self.ok("record", "-e", "inst_retired:1000000", "-c", "1", "--", program)
        self.assertRegex(text, r"\d+ +leaf_b *\n")
        self.assertLess(float(re.search(r"([\d.]+) seconds time elapsed", text)[1]), 60)

    def test_windows_own_tracing(self):
        found = self.selftest("etw:fake,pace=free,seed=1")
        self.expect(found, rights="ok", privilege="ok", samples="ok", names="ok", shares="ok", stacks="ok", losses="ok",
                    user_and_kernel_samples="not possible")

    def test_arms_driver(self):
        found = self.selftest("windowsperf:fake,pace=free,seed=1")
        self.expect(found, counts="ok", samples="ok", names="ok", shares="ok", losses="ok", stacks="not possible")
        self.assertIn("cannot record call stacks", found["stacks"][1])

    def test_what_fails_is_said(self):
        text = self.fails("doctor", "--selftest", device="etw:fake,not-elevated", status=1)
        self.assertIn("the selftest failed", text)
        text = self.fails("doctor", "--selftest", device="driver", status=1)
        self.assertIn("the selftest failed", text)

    def test_json(self):
        made = json.loads(self.ok("doctor", "--selftest", "--json", device="etw:fake,pace=free,seed=1"))
        self.assertEqual(made["System"][0]["name"], "wperf")
        self.assertEqual({row["device"] for row in made["Selftest"]}, {"etw:fake,pace=free,seed=1"})
        self.assertIn("shares", {row["check"] for row in made["Selftest"] if row["result"] == "ok"})

    def test_linux(self):
        try:
            text = self.ok("doctor", "--selftest", device="linux")
        except AssertionError:  # a busy machine samples unevenly, so try once more
            text = self.ok("doctor", "--selftest", device="linux")
        found = findings(text)
        if "rights" not in found or "perf events" in found["rights"][1]:
            self.skipTest("this kernel has no perf events")
        self.expect(found, opened="ok", samples="ok", names="ok", shares="ok", stacks="ok")


if __name__ == "__main__":
    unittest.main()
