# SPDX-License-Identifier: BSD-3-Clause
"""--export_perf_data and --output-perf-data on the simulated machine: the file has the samples that the report counts, for
`wperf report` and for perf."""
import collections
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from measured_programs import Busy
from support import BINARY, WperfTest, workload

RECORD = ("record", "-e", "ld_spec:20000,inst_retired:100000", "-c", "1", "--timeout", "0.5")
PROGRAM = ("--", workload("googolplex.exe"))


class PerfDataTest(WperfTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def record(self, *options, file="mine.data"):
        """{event: {function:module: samples}} of the report."""
        sampling = self.json(*RECORD, "--json", *options, *PROGRAM)["sampling"]
        self.assertTrue((self.folder / file).exists())
        functions = {event["type"]: {row["symbol"]: row["count"] for row in event["samples"]}
                     for event in sampling["events"]}
        self.assertEqual(set(functions), {"ld_spec", "inst_retired"})
        self.assertGreater(min(sum(rows.values()) for rows in functions.values()), 20)
        return functions

    def test_wperf_report_shows_the_same(self):
        """`report` prints the same from the recording as `record` did: text, JSON and code."""
        for options in ((), ("--json",), ("--by", "caller,module,thread"), ("--disassemble", "--json"), ("-v", "--json"),
                        ("--timeline", "200", "--json"), ("--tree",), ("--sort", "module,symbol,line")):
            with self.subTest(options=options):
                path = self.folder / "mine.data"
                shown = self.ok(*RECORD, *options, "--output-perf-data", path, *PROGRAM)
                reported = self.ok("report", path, *options)
                self.assertGreater(len(reported), 100)
                self.assertEqual(shown[-len(reported):], reported)
                before = re.sub(r"recorded to .*\n", "", shown[:-len(reported)])
                self.assertRegex(before, r"\A((base address of|sampling \.).*\n)*\Z")

    def test_the_views_of_recordings_count_the_same(self):
        functions = self.record("--output-perf-data", self.folder / "mine.data")
        recording = self.json("report", self.folder / "mine.data", "--json", "--sort", "comm,module,symbol",
                              "--sample-display-row", "100000")["recording"]
        events = recording["events"]
        self.assertEqual({event["event"] for event in events}, set(functions))
        for event in events:
            seen = {f"{row['symbol']}:{row['module']}": row["samples"] for row in event["rows"]}
            self.assertEqual(seen, functions[event["event"]])
            self.assertEqual({row["comm"] for row in event["rows"]}, {"googolplex.exe"})
            self.assertRegex(" ".join(seen), r"multiply\S*:bignum\.dll")

    def test_its_usual_name_and_place(self):
        self.record("--export_perf_data", "--output-prefix", self.folder, file="perf.data")
        done = self.run_wperf(*RECORD, "--export_perf_data", *PROGRAM, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("ld_spec", self.ok("report", self.folder / "perf.data"))

    def test_a_folder_is_no_file(self):
        self.assertEqual(self.fails(*RECORD, "--output-perf-data", self.folder, *PROGRAM),
                         f"error: cannot write {self.folder}: Is a directory\n")

    def test_a_report_of_spe_shows_the_same(self):
        several = (("--all-cores",), workload("false_sharing.exe"))
        one = (("-c", "1"), workload("chase.exe"))
        for options, (cores, program) in (
                ((), one), (("--json",), one), (("--mem",), several), (("--mem", "--json"), several),
                (("--annotate",), one), (("--disassemble", "--json"), one), (("--symbol", "make_cycle"), one),
                (("-k",), one), (("--by", "module,thread,core", "--json"), several), (("--records", "-"), one),
                (("--records", "-", "--json"), several), (("--tree",), one), (("--sort", "comm,module,symbol"), several),
                (("--sort", "symbol,line", "--symbol", "bump"), several), (("--timeline", "20", "--json"), several),
                (("--time", "0.05-0.1", "--sort", "symbol"), one)):
            with self.subTest(options=options):
                path = self.folder / "spe.data"
                shown = self.ok("record", "-e", "arm_spe_0/ts=1/", *cores, "--timeout", "0.2", *options, "--output-perf-data",
                                path, "--", program, cwd=self.folder)
                asked = [option for option in options if option != "-k"]
                reported = self.ok("report", path, *asked, cwd=self.folder)
                self.assertGreater(len(reported), 100)
                self.assertEqual(shown[-len(reported):], reported)
                self.assertRegex(shown[:-len(reported)], r"\A((base address of|sampling \.).*\n)*\Z")

    def test_spe_in_the_file_that_o_names(self):
        command = ("record", "-e", "arm_spe_0//", "-c", "1", "--timeout", "0.2", "-o", "named.data", "--", workload("chase.exe"))
        shown = self.ok(*command, cwd=self.folder)
        self.assertTrue(shown.endswith(self.ok("report", self.folder / "named.data")))

    def test_another_build_at_the_same_place_names_nothing(self):
        program = self.folder / "program.exe"
        shutil.copy(workload("chase.exe"), program)
        shutil.copy(workload("chase.pdb"), self.folder)
        for event in ("arm_spe_0//", "inst_retired:10000"):
            with self.subTest(event=event):
                path = self.folder / "named.data"
                self.ok("record", "-e", event, "-c", "1", "--timeout", "0.2", "-o", path, "--", program, cwd=self.folder)
                self.assertIn("make_cycle", self.ok("report", path))
                self.assertIn("make_cycle", self.ok("report", path, "--sort", "symbol"))
                shutil.copy(workload("branchy.exe"), program)
                shutil.copy(workload("branchy.pdb"), self.folder)
                self.assertNotRegex(self.ok("report", path), "make_cycle|mispredict|branch[^_]")
                text = self.ok("report", path, "--sort", "module,symbol")
                self.assertIn("a different build than the recorded one", text)
                self.assertRegex(text, r"program\.exe +\[unknown\]")
                shutil.copy(workload("chase.exe"), program)

    def test_perf_reads_spe(self):
        if shutil.which("perf") is None:
            self.skipTest("no perf here")
        path, records = self.folder / "spe.data", self.folder / "records.csv"
        self.ok("record", "-e", "arm_spe_0//", "-c", "1", "--timeout", "0.2", "--records", records, "-o", path, "--",
                workload("chase.exe"), cwd=self.folder)
        self.assertIn("arm_spe_0", self.perf("report", "-i", path, "--header-only"))
        addresses = [int(line, 16) for line in self.perf("script", "-i", path, "--itrace=i1i", "-F", "ip").split()]
        if not addresses:
            self.skipTest("this perf cannot read Arm SPE")
        ours = [int(line.split(",")[4], 16) for line in records.read_text().splitlines()[1:]]
        self.assertEqual(sorted(addresses), sorted(ours))

    def test_counters_that_are_read_along_have_a_line_each(self):
        if shutil.which("perf") is None:
            self.skipTest("no perf here")
        path = self.folder / "along.data"
        done = subprocess.run(["perf", "record", "-q", "-e", "{cpu-clock,task-clock}:S", "-o", path, "--", "sh", "-c",
                               "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest("perf is not allowed to record that here: " + done.stderr)
        theirs, ours = collections.Counter(), collections.Counter()
        for line in self.perf("script", "-i", path, "-F", "event,period").splitlines():
            period, event = line.split()
            theirs[event.rstrip(":"), int(period)] += 1
        for line in self.ok("report", path, "--records", "-").splitlines():
            found = re.search(r": (\d+) (cpu-clock|task-clock):$", line)
            if found:
                ours[found.group(2), int(found.group(1))] += 1
        self.assertEqual(ours, theirs)
        self.assertEqual({event for event, _ in ours}, {"cpu-clock", "task-clock"})

    def test_perf_shows_the_same(self):
        if shutil.which("perf") is None:
            self.skipTest("no perf here")
        path = self.folder / "mine.data"
        functions = self.record("--output-perf-data", path)
        lines = self.perf("script", "-i", path, "-F", "event,comm,ip").splitlines()
        seen = collections.Counter(re.search(r"(\w+):\s+[0-9a-f]+$", line).group(1) for line in lines)
        self.assertEqual(seen, {name: sum(rows.values()) for name, rows in functions.items()})
        event, by_module = None, collections.defaultdict(collections.Counter)
        for line in self.perf("report", "-i", path, "--stdio", "--sort", "dso", "-F", "sample,dso", "-t", ";").splitlines():
            found = re.match(r"# Samples: .* of event '(\w+)'", line)
            event = found.group(1) if found else event
            if line and not line.startswith("#"):
                samples, module = line.split(";")[:2]
                by_module[event][module.strip()] += int(samples)
        for name, rows in functions.items():
            modules = collections.Counter()
            for symbol, count in rows.items():
                modules[symbol.rsplit(":", 1)[-1]] += count
            self.assertEqual(by_module[name], modules)
        header = self.perf("report", "-i", path, "--header-only")
        self.assertRegex(header, r"# cmdline : wperf record -e ld_spec:20000")
        self.assertIn("# arch : aarch64", header)


class LinuxPerfDataTest(WperfTest):
    """The same on the linux device, where `record` writes a recording and reports it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if shutil.which("cc") is None:
            raise unittest.SkipTest("there is no C compiler")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.busy = Busy(folder.name)
        cls.environment["WPERF_DEVICE"] = "linux"
        done = subprocess.run([BINARY, "record", "-q", "-e", "cpu-clock", "-o", cls.folder / "try.data", "--", "true"],
                              env=cls.environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise unittest.SkipTest("recording is not possible here: " + done.stderr)

    def test_wperf_report_shows_the_same(self):
        for options in ((), ("-g", "--tree"), ("-g", "--folded"), ("--json",), ("-g", "--json", "--children", "--callers"),
                        ("--sort", "comm,pid,tid,symbol"), ("--by", "process,module,core"), ("--annotate", "--disassemble"),
                        ("--call-graph", "fp", "--callees"), ("--records", "-"), ("--time", "0-0.1", "--percentage", "relative")):
            with self.subTest(options=options):
                path = self.folder / "mine.data"
                events = "cpu-clock" if "--folded" in options else "cpu-clock,task-clock"
                shown = self.ok("record", "-e", events, "--freq", "2000", *options, "-o", path, "--",
                                *self.busy.words(150))
                reported = self.ok("report", path, *options)
                self.assertIn("three_quarters", reported)
                shown = re.sub(r"recorded to .*\n", "", shown)
                self.assertEqual(shown[-len(reported):], reported)
                self.assertRegex(shown[:-len(reported)], r"\A((sampling|note:).*\n)*\Z")


if __name__ == "__main__":
    unittest.main()
