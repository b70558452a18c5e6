# SPDX-License-Identifier: BSD-3-Clause
"""`stat --export prometheus`: the values of --json, in a text that Prometheus' own checker accepts without
complaint."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import WperfTest

LINE = re.compile(r'^(\w+)\{(.*)\} (\S+)$')


class PrometheusTest(WperfTest):
    counting = ("stat", "-e", "inst_spec,ld_spec", "-m", "l1d_cache_miss_ratio", "-c", "0,1", "--timeout", "1")

    def values(self, text):
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        matches = [LINE.match(line) for line in lines]
        self.assertTrue(lines and all(matches), text)
        values = {(name, labels): float(value) for name, labels, value in (match.groups() for match in matches)}
        self.assertEqual(len(values), len(lines), "two lines say the same")
        return values

    def test_the_same_as_json(self):
        document = json.loads(self.ok(*self.counting, "--json"))
        text = self.ok(*self.counting, "--export", "prometheus")
        values = self.values(text)
        for core in document["core"]["cores"]:
            for row in core["Performance_counter"]:
                labels = f'class="core",unit="{core["core_number"]}",event="{row["event_name"]}"'
                self.assertIn(("wperf_event_value", labels), values)
        self.assertTrue(any(name == "wperf_metric_value" for name, _ in values))
        self.assertIn(("wperf_elapsed_seconds", ""), values)
        self.check(text)

    def check(self, text):
        if shutil.which("promtool") is None:
            self.skipTest("no promtool here (prometheus)")
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))

    def test_into_a_file_and_what_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "wperf.prom"
            self.assertEqual(self.ok(*self.counting, "--export", "prometheus", "-o", file), "")
            self.assertIn("# TYPE wperf_event_value gauge", file.read_text(encoding="utf-8"))
            self.assertEqual([one.name for one in pathlib.Path(folder).iterdir()], [file.name])
        self.assertIn("writes a single count", self.fails(*self.counting, "-t", "--export", "prometheus", status=2))
        self.assertIn("'pprof' is not an export format for counts", self.fails(*self.counting, "--export", "pprof", status=2))
        self.fails("report", "--export", "prometheus", status=2)
        self.assertTrue(self.fails(*self.counting, "--export", "foo", status=2).endswith("hint: formats: prometheus\n"))
        self.assertNotIn("prometheus", self.fails("report", "--export", "foo", status=2))

    def test_who_lets_others_read_the_counts_is_told_once(self):
        for address, notes in (("0.0.0.0:0", 1), ("[::]:0", 1), ("127.0.0.1:0", 0), ("0", 0)):
            with self.subTest(address):
                done = self.run_wperf("stat", "-e", "task-clock", "--listen", address, "--timeout", "0.1", "--",
                                      "sleep", "2", device="linux")
                if "perf_event_paranoid" in done.stderr or "IPv6" in done.stderr or "family" in done.stderr:
                    self.skipTest(done.stderr)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count("anyone who can reach that address over the network"), notes, done.stderr)


if __name__ == "__main__":
    unittest.main()
