#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of the linux device compared with the installed perf: perf and wperf read the same from wperf's files, and
a program's shares are the same as in a recording that perf makes of the same kind of run."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from support import BINARY, SOURCE, TIMEOUT, WperfTest

sys.path.insert(0, str(SOURCE / "tests" / "perf_data"))
import report_with_perf  # noqa: E402 pylint: disable=wrong-import-position

# Each part of the work takes a fixed CPU time of its thread, so its share is the same in every run.
PROGRAM = r"""
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
volatile unsigned long sink;
static long now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}
__attribute__((noinline)) void spin_once(long n) { for (long i = 0; i < n; ++i) sink += i; }
__attribute__((noinline)) void trees_once(int n) {
  std::map<std::string, int> map;
  for (int i = 0; i < n; ++i) map[std::to_string(i * 7919 % n)] = i;
  sink += map.size();
}
__attribute__((noinline)) void spin(long ms) {
  for (long begin = now(); now() - begin < ms * 1000000;) spin_once(100000);
}
__attribute__((noinline)) void trees(long ms, int n) {
  for (long begin = now(); now() - begin < ms * 1000000;) trees_once(n);
}
__attribute__((noinline)) void child() { spin(5); trees(5, 1000); }
int main(int, char** words) {
  switch (atoi(words[1])) {
    case 0:
      for (int i = 0; i < 5; ++i) { trees(120, 5000); spin(80); }
      break;
    case 1: {
      std::vector<std::thread> threads;
      for (int i = 1; i <= 4; ++i) threads.emplace_back([i] { spin(100 * i); trees(60, 10000); });
      for (std::thread& one : threads) one.join();
      break;
    }
    default:
      for (int i = 0; i < 100; ++i) if (fork() == 0) { child(); _exit(0); }
      while (wait(nullptr) > 0) {}
  }
}
"""
# The runs to record. {0} is the folder of the programs.
RUNS = {
    "a C++ program with stacks": (["-g"], ["{0}/program", "0"]),
    "a C++ program with copies of its stack": (["--call-graph", "dwarf,4096"], ["{0}/program", "0"]),
    "threads": ([], ["{0}/program", "1"]),
    "a hundred children": ([], ["{0}/program", "2"]),
    "a shell pipeline": ([], ["sh", "-c", "seq 1 1000000 | sort -r | md5sum"]),
    "an interpreter": ([], ["timeout", "2", "python3", "-c", "10**10**100"]),
}
SHARE = 0.10  # share of the samples: a top function
NOISE = 0.12  # difference between two runs, on a machine that also does other work
ENOUGH = 150  # samples; two standard deviations of a share of 50 % are then 8 %
ROUNDS = 5  # if one round is not enough, both tools record again, and the samples are added up


class LinuxRecordingsTest(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if sys.platform != "linux" or shutil.which("perf") is None or shutil.which("g++") is None:
            raise unittest.SkipTest("needs perf and a C++ compiler")
        cls.folder = tempfile.TemporaryDirectory()
        source = pathlib.Path(cls.folder.name, "program.cpp")
        source.write_text(PROGRAM)
        subprocess.run(["g++", "-O1", "-g", "-fno-omit-frame-pointer", "-Wl,--build-id", source, "-o", source.with_suffix(""), "-pthread"],
                       check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def setUp(self):
        super().setUp()
        probe = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-o", "/dev/null", "--", "true"], check=False,
                               capture_output=True)
        if probe.returncode != 0:
            self.skipTest("perf is not allowed to record here")

    @staticmethod
    def total(runs):
        return sum(samples for rows in runs for samples, _ in rows.values())

    def shares(self, runs):
        """{(comm, symbol): share of the samples} of one event in several runs."""
        total = self.total(runs)
        shares = {}
        for rows in runs:
            for (comm, _, symbol), (samples, _) in rows.items():
                shares[comm, symbol] = shares.get((comm, symbol), 0) + samples / total
        return shares

    def test_functions_over_time(self):
        with tempfile.TemporaryDirectory() as folder:
            data = str(pathlib.Path(folder) / "x.data")
            done = self.run_wperf("record", "--timeline", "10", "--json", "-o", str(pathlib.Path(folder) / "x.json"),
                                  "--output-perf-data", data, "--", "sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done",
                                  device="linux")
            self.assertEqual(done.returncode, 0, done.stderr)
            kept = json.loads(self.run_wperf("report", data, "--timeline", "10", "--json").stdout)["recording"]
            over_time = kept["over_time"]
            self.assertEqual(over_time["slice_ms"], 10)
            rows = {row["symbol"]: row["samples"] for row in kept["events"][0]["rows"]}
            for function in over_time["events"][0]["functions"]:
                self.assertEqual(len(function["counts"]), over_time["slices"])
                self.assertGreaterEqual(sum(function["counts"]), rows[function["symbol"]])
            recorded = json.loads((pathlib.Path(folder) / "x.json").read_text())["recording"]
            self.assertEqual(recorded["over_time"], over_time)

    def test_others_record_while_the_whole_machine_is_recorded(self):
        """wperf reads build ids from the files at the end. Requesting them from the kernel would spoil the recordings
        of other programs."""
        if os.geteuid() != 0:
            self.skipTest("only root can record the whole machine")
        folder = pathlib.Path(self.folder.name)
        path, program = folder / "whole.data", folder / "fresh"
        shutil.copy(folder / "program", program)
        whole = self.start_wperf("record", "-e", "cpu-clock", "--output-perf-data", path, device="linux")
        try:
            while whole.poll() is None and (not path.exists() or path.stat().st_size < 50000):
                time.sleep(0.05)
            perf = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-o", folder / "other.data", "--", program, "2"],
                                  capture_output=True, text=True, check=False)
        finally:
            whole.send_signal(signal.SIGINT)
            _, error = whole.communicate(timeout=TIMEOUT)
        self.assertEqual((whole.returncode, error), (0, ""))
        self.assertEqual((perf.returncode, perf.stderr), (0, ""))
        self.assertNotIn("build_id: 1", self.perf("evlist", "-v", "-i", path))
        own = re.search(r"Build ID: ([0-9a-f]+)", subprocess.run(["readelf", "-n", program], capture_output=True, text=True,
                                                                 check=True).stdout)[1]
        self.assertRegex(self.perf("buildid-list", "-i", path), f"(?m)^{own} {re.escape(str(program))}$")
        comms = self.perf("report", "-i", path, "--stdio", "--sort", "comm,dso,sym")
        self.assertRegex(comms, r"fresh +fresh +\[\.\] spin")

    def test_beside_perf(self):
        for name, (options, words) in RUNS.items():
            with self.subTest(name):
                mine, other = [], []
                for _ in range(ROUNDS):
                    one, another = self.both_record(options, [word.replace("{0}", self.folder.name) for word in words])
                    mine.append(one)
                    other.append(another)
                    fewest = min(self.total(mine), self.total(other))
                    apart = self.apart(self.shares(mine), self.shares(other)) if fewest > 0 else {}
                    if fewest >= ENOUGH and not apart:
                        break
                self.assertGreaterEqual(fewest, ENOUGH, "too few samples to judge")
                self.assertEqual(apart, {})

    def both_record(self, options, command):
        """The rows of the only event, from wperf's recording and from perf's."""
        folder = pathlib.Path(self.folder.name)
        ours, theirs = folder / "ours.data", folder / "theirs.data"
        done = subprocess.run([BINARY, "record", "--device", "linux", "-q", "-e", "cpu-clock", "--freq", "2000", *options,
                               "--output-perf-data", ours, "--", *command], capture_output=True, text=True, check=False,
                              timeout=120)
        self.assertEqual(done.stderr.replace("Terminated\n", ""), "")
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "2000", *options, "-o", theirs, "--", *command],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=120)
        self.compare_on_one_file(ours)
        if "dwarf,4096" in options:
            self.perf_finds_callers(ours)
        mine, = report_with_perf.by_wperf(BINARY, ours)[0].values()
        other, = report_with_perf.by_perf(theirs)[0].values()
        return mine, other

    def record(self, name, *words):
        path = pathlib.Path(self.folder.name, name)
        done = subprocess.run([BINARY, "record", "--device", "linux", "-q", "--output-perf-data", path, *words],
                              capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(done.stderr, "")
        return path

    def report(self, path, *words):
        done = subprocess.run([BINARY, "report", path, "--json", *words], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["recording"]

    def header(self, path):
        return subprocess.run(["perf", "report", "-i", path, "--header", "-I", "--stdio"], capture_output=True, text=True,
                              check=True).stdout

    def test_kinds_of_cores_are_those_of_perf(self):
        path = self.record("kinds.data", "-e", "cpu-clock", "--sort", "cputype", "--",
                           pathlib.Path(self.folder.name, "program"), "1")
        event, = self.report(path, "--sort", "cputype")["events"]
        self.assertEqual(sum(row["samples"] for row in event["rows"]), event["samples"])
        self.assertGreater(event["samples"], 0)
        header = self.header(path)
        listed = re.findall(r"^# (\S+) cpu list : ", header, re.MULTILINE)
        if not listed:
            listed = re.findall(r"^# cpudesc : (.*)$", header, re.MULTILINE) or re.findall(r"^# cpuid : (.*)$", header,
                                                                                            re.MULTILINE) or ["?"]
            self.assertEqual(len(event["rows"]), 1)
        for row in event["rows"]:
            self.assertIn(row["cputype"], listed)

    def test_losses_are_those_that_perf_adds_up(self):
        path = self.record("losses.data", "-e", "page-faults:1", "--call-graph", "dwarf,65528", "--",
                           "sh", "-c", "i=0; while [ $i -lt 40 ]; do (:); i=$((i+1)); done")
        sums = re.search(r"^# Total Lost Samples: (\d+)", self.header(path), re.MULTILINE)
        if sums is None or int(sums[1]) == 0:
            self.skipTest("no samples were lost, or this kernel or perf does not count them")
        losses = self.report(path)["losses"]
        self.assertEqual(losses["lost_records"] + losses["lost_samples"], int(sums[1]))

    def perf_finds_callers(self, path):
        """perf can unwind the copies, too: nearly all samples come from main."""
        stacks = subprocess.run(["perf", "script", "-i", path, "-F", "ip,sym"], capture_output=True, text=True,
                                check=True).stdout.strip().split("\n\n")
        from_main = sum(" main" in stack for stack in stacks)
        self.assertGreater(from_main, 0.8 * len(stacks))

    def compare_on_one_file(self, path):
        """perf and wperf show the same number of samples for each function."""
        theirs, _ = report_with_perf.by_perf(path)
        comparison = report_with_perf.Comparison()
        mine, comparison.paths = report_with_perf.by_wperf(BINARY, path)
        self.assertGreater(comparison.compare(path.name, mine, theirs), 0)
        self.assertEqual(comparison.differences, 0)

    @staticmethod
    def apart(mine, other):
        """{function: both shares} of the top functions whose shares differ."""
        pairs = {key: (mine.get(key, 0), other.get(key, 0)) for key in mine.keys() | other.keys()}
        return {key: pair for key, pair in pairs.items() if max(pair) >= SHARE and abs(pair[0] - pair[1]) > NOISE}


if __name__ == "__main__":
    unittest.main()
