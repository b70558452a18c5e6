# SPDX-License-Identifier: BSD-3-Clause
"""`wperf report` of profiles that other programs wrote: Go's own runtime, and files made by hand."""
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import WperfTest, workload

GO_PROGRAM = """package main

import (
\t"os"
\t"runtime/pprof"
\t"time"
)

//go:noinline
func spin(n int) int {
\ts := 0
\tfor i := 0; i < n; i++ {
\t\ts += i * i % 7
\t}
\treturn s
}

func put_in(n int) int {
\ts := 1
\tfor i := 0; i < n; i++ {
\t\ts = s*31 + i
\t}
\treturn s
}

//go:noinline
func outer(n int) int { return spin(n) + put_in(n) }

func main() {
\tfile, _ := os.Create(os.Args[1])
\tpprof.StartCPUProfile(file)
\tbegin := time.Now()
\tfor sum := 0; time.Since(begin) < 500*time.Millisecond; {
\t\tsum += outer(100000)
\t}
\tpprof.StopCPUProfile()
\tfile.Close()
}
"""


def firefox_profile():
    return {"meta": {"preprocessedProfileVersion": 57, "interval": 1}, "libs": [{"name": "x.so", "path": "/lib/x.so"}],
            "threads": [{"name": "worker", "pid": "12", "tid": 13, "stringArray": ["main", "work", "x.so"],
                         "stackTable": {"frame": [0, 1], "prefix": [None, 0], "length": 2},
                         "frameTable": {"func": [0, 1], "address": [16, 32], "length": 2},
                         "funcTable": {"name": [0, 1], "resource": [0, 0], "length": 2},
                         "resourceTable": {"lib": [0], "name": [2], "length": 1},
                         "samples": {"stack": [0, 1, 1], "time": [1, 2, 3], "weight": None, "length": 3}}]}


class ForeignProfileTest(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def rows(self, file, *options):
        (event,) = json.loads(self.ok("report", file, "--json", *options))["recording"]["events"]
        return {row["symbol"]: row for row in event["rows"]}

    def test_times_are_kept(self):
        file = self.folder / "times.json"
        file.write_text(json.dumps(firefox_profile()), encoding="utf-8")
        over_time = json.loads(self.ok("report", file, "--timeline", "1", "--json"))["recording"]["over_time"]
        (event,) = over_time["events"]
        self.assertEqual(({one["symbol"]: one["counts"] for one in event["functions"]}, over_time["slices"]), ({"main": [1, 0], "work": [0, 2]}, 2))
        self.ok("report", file, "--export", "sql", "-o", self.folder / "times.sql")
        moments = re.findall(r"INSERT INTO moments VALUES\n?(.*?);", (self.folder / "times.sql").read_text(), re.S)
        self.assertEqual(re.findall(r"\d+,(\d+)", "".join(moments)), ["1000000", "2000000", "3000000"])
        (self.folder / "plain.folded").write_text("main;work 3\n")
        for option in (("--timeline", "1"), ("--time", "0-1")):
            self.assertIn(f"{option[0]} needs sample times", self.fails("report", self.folder / "plain.folded", *option, status=2))

    def test_go_says_the_same(self):
        if shutil.which("go") is None:
            self.skipTest("no Go here (golang-go)")
        source, profile = self.folder / "main.go", self.folder / "cpu.pprof"
        source.write_text(GO_PROGRAM, encoding="utf-8")
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "GOCACHE": str(self.folder / "cache"),
                       "GOFLAGS": "-mod=mod", "GO111MODULE": "off"}
        subprocess.run(["go", "build", "-o", self.folder / "spin", source], check=True, env=environment, cwd=self.folder)
        subprocess.run([self.folder / "spin", profile], check=True)
        top = subprocess.run(["go", "tool", "pprof", "-raw", profile], check=True, env=environment, text=True,
                             capture_output=True).stdout
        samples = re.findall(r"^ +(\d+) +(\d+): ([\d ]+)$", top, re.MULTILINE)
        self.assertTrue(samples)
        rows = self.rows(profile, "--children")
        self.assertEqual(sum(row["samples"] for row in rows.values()), sum(int(count) for count, _, _ in samples))
        self.assertEqual(sum(row["period"] for row in rows.values()), sum(int(value) for _, value, _ in samples))
        listed = subprocess.run(["go", "tool", "pprof", "-top", "-unit=ns", "-nodecount=1000", "-nodefraction=0", profile],
                                check=True, env=environment, text=True, capture_output=True).stdout
        theirs = {name: (int(flat), int(all)) for flat, all, name in re.findall(
            r"^ *(\d+)(?:ns)? +\S+ +\S+ +(\d+)(?:ns)? +\S+ +(\S+)(?: \(inline\))?$", listed, re.MULTILINE)}
        self.assertIn("main.spin", theirs)
        self.assertEqual({name: (row["period"], row["all_period"]) for name, row in rows.items()}, theirs)

    def test_formats_and_gzip(self):
        profile = json.dumps(firefox_profile()).encode()
        plain, packed = self.folder / "firefox.json", self.folder / "firefox.json.gz"
        plain.write_bytes(profile)
        packed.write_bytes(gzip.compress(profile))
        for file in (plain, packed):
            rows = self.rows(file)
            self.assertEqual({name: row["samples"] for name, row in rows.items()}, {"work": 2, "main": 1})
            self.assertEqual(rows["work"]["module"], "x.so")
        self.assertEqual(set(self.rows(plain, "--time", "0-0.0005")), {"main"})
        self.assertEqual(set(self.rows(plain, "--tid", "14")), set())
        packed.write_bytes(gzip.compress(profile)[:-30])
        self.assertIn("truncated or damaged", self.run_wperf("report", packed).stderr)

    def test_folded_there_and_back(self):
        first, folded = "main;work 2\nmain 1\n", self.folder / "stacks.folded"
        folded.write_text(first, encoding="utf-8")
        self.assertEqual(sorted(self.ok("report", folded, "--folded").splitlines()), sorted(first.splitlines()))

    def test_events_stay_apart(self):
        both = self.folder / "both.data"
        self.ok("record", "-e", "ld_spec:200000,inst_spec:100000", "-c", "1", "--timeout", "0.2", "-q", "--output-perf-data", both,
                "--", workload("googolplex.exe"))

        def events(file):
            found = json.loads(self.ok("report", file, "--json", "--sort", "comm,pid,tid,symbol"))["recording"]["events"]
            return {event["event"]: sorted((row["comm"], row["pid"], row["tid"], row["symbol"], row["samples"]) for row in event["rows"])
                    for event in found}

        truth = events(both)
        self.assertEqual(set(truth), {"ld_spec", "inst_spec"})
        for form in ("firefox", "speedscope"):
            made = self.folder / f"both.{form}"
            done = self.run_wperf("report", both, "--export", form, "-o", made)
            self.assertIn("weights of samples", done.stderr)
            # Their weights are numbers of samples, not event counts.
            self.assertEqual(events(made), {f"{name} (samples)": rows for name, rows in truth.items()}, form)

    def test_counts_are_no_recording(self):
        counts = self.folder / "counts.json"
        self.ok("stat", "-e", "inst_spec", "-c", "1", "--timeout", "0.1", "-q", "-o", counts)
        self.assertIn("counts of `wperf stat --json`", self.fails("report", counts, status=2))

    def test_what_is_wrong_with_a_file_is_said(self):
        for text, said in ((b"main;a 3\nmain;b x\n", "line 2 does not end with a count"), (b"hello\n", "known profile format"),
                           (gzip.compress(b"main;a 3\n")[:14], "gzip, and is truncated or damaged"),
                           (gzip.compress(b"PERFILE2 and more"), "a perf.data file compressed with gzip")):
            bad = self.folder / "bad"
            bad.write_bytes(text)
            self.assertIn(said, self.fails("report", bad, status=4))

    def test_what_a_profile_cannot_answer_is_said(self):
        folded, chrome = self.folder / "asked.folded", self.folder / "chrome.json"
        folded.write_text("main;work 2\n", encoding="utf-8")
        chrome.write_text('{"traceEvents":[]}', encoding="utf-8")
        for options in (["--annotate"], ["--disassemble"], ["--records", "x"], ["--mem"], ["--timeline", "10"],
                        ["--time", "0-1"], ["--providers"], ["--debuginfod"], ["--sort", "cputype"]):
            self.assertIn(f"{options[0]} ", self.fails("report", folded, *options, status=2))
        self.assertIn("wperf report", self.fails("waits", folded, status=2))
        self.assertIn("a trace in Chrome's format", self.fails("report", chrome, status=4))


if __name__ == "__main__":
    unittest.main()
