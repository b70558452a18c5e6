# SPDX-License-Identifier: BSD-3-Clause
"""`wperf record -e arm_spe_0/…/` on the simulated machine, and `wperf report` of recordings from other machines."""
import csv
import json
import pathlib
import sys
import tempfile
import unittest

import schemas
from support import SHARED, SOURCE, WperfTest, workload

sys.path.insert(0, str(SOURCE / "tests" / "spe"))
import perf_data  # pylint: disable=wrong-import-position

NEOVERSE_N1 = "0x00000000413fd0c1"


class SpeTest(WperfTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def record(self, filters, program, *options, seconds="0.5", core="1"):
        """The JSON of a run in a separate folder."""
        return self.json("record", "--json", "-e", f"arm_spe_0/{filters}/", "-c", core, "--timeout", seconds, *options, "--",
                         workload(program), cwd=self.path)

    def records(self, filters, program, **keywords):
        """Every record of a run."""
        self.record(filters, program, "--records", self.path / "records.csv", **keywords)
        with open(self.path / "records.csv", newline="", encoding="ascii") as file:
            return list(csv.DictReader(file))

    @staticmethod
    def total(events):
        return sum(sample["count"] for event in events for sample in event["samples"])

    @staticmethod
    def counted(document, name):
        cores = document["counting"]["core"]["cores"]
        return sum(row["counter_value"] for core in cores for row in core["Performance_counter"] if row["event_name"] == name)

    def test_every_record_is_accounted_for(self):
        for program in ("chase.exe", "stream.exe", "branchy.exe"):
            document = self.record("", program)
            sampling = document["sampling"]["sampling"]
            filtrate = self.counted(document, "sample_filtrate")
            self.assertGreater(filtrate, 500, program)
            self.assertEqual(self.total(sampling["events"]), filtrate, program)
            self.assertEqual(sampling["samples_generated"], filtrate, program)
            self.assertEqual(sampling["samples_dropped"], 0, program)
            self.assertEqual({event["interval"] for event in sampling["events"]}, {0})
            # On this machine a record has 64 bytes; the bytes are stored unchanged.
            self.assertEqual((self.path / "spe.data").stat().st_size, 64 * filtrate, program)

    def test_a_recording_called_spe_data_stays(self):
        record = ("record", "-q", "-e", "arm_spe_0//", "-c", "1", "--timeout", "0.1")
        program = ("--", workload("chase.exe"))
        for _ in range(2):
            self.ok(*record, "-o", "spe.data", *program, cwd=self.path)
        recorded = (self.path / "spe.data").read_bytes()
        self.assertEqual(recorded[:8], b"PERFILE2")
        later = self.run_wperf(*record, "-o", "later.data", *program, cwd=self.path)
        self.assertEqual((later.returncode, later.stderr),
                         (0, "warning: spe.data is a recording, so the raw bytes of SPE were not written there\n"))
        self.assertEqual((self.path / "spe.data").read_bytes(), recorded)
        self.assertEqual((self.path / "later.data").read_bytes()[:8], b"PERFILE2")

    def test_json_for_every_client(self):
        document = self.record("load_filter=1", "chase.exe")
        self.assertEqual(set(document), {"sampling", "counting"})
        self.assertEqual(document["sampling"]["events"], document["sampling"]["sampling"]["events"])
        schemas.validate(self, document, "wperf.spe.schema")

    def test_text(self):
        text = self.ok("record", "-e", "arm_spe_0//", "-c", "1", "--timeout", "0.2", "--", workload("chase.exe"), cwd=self.path)
        self.assertIn("Performance counter stats for core 1", text)
        for event in ("sample_pop", "sample_feed", "sample_filtrate", "sample_collision"):
            self.assertRegex(text, rf"[\d,]+  {event} +0x400\d")
        self.assertRegex(text, r"=+ sample source: LOAD_STORE_ATOMIC-STORE-GP/retired\+\S+, top 50 hot functions =+")
        self.assertLess(text.index("sample_pop"), text.index("sample source"))

    def test_filters_keep_what_they_should(self):
        kinds = lambda rows: {row["operation"].split("-")[0] for row in rows}  # pylint: disable=unnecessary-lambda-assignment
        everything = self.records("", "chase.exe")
        self.assertEqual(kinds(everything), {"OTHER", "LOAD_STORE_ATOMIC", "BRANCH_OR_EXCEPTION"})
        loads = self.records("ld=1", "chase.exe")
        self.assertTrue(loads and all("-LOAD-" in row["operation"] for row in loads))
        stores = self.records("st=1", "chase.exe")
        self.assertTrue(stores and all("-STORE-" in row["operation"] for row in stores))
        branches = self.records("b=1", "branchy.exe")
        self.assertTrue(branches and kinds(branches) == {"BRANCH_OR_EXCEPTION"})
        slow = self.records("min=100", "chase.exe")
        self.assertTrue(slow and all(int(row["latency"]) >= 100 for row in slow))
        missed = self.records("event_filter=0x8", "chase.exe")
        self.assertTrue(missed and all("l1d-refill" in row["events"] for row in missed))
        timed = self.records("ts=1", "chase.exe")
        times = [int(row["time"]) for row in timed]
        self.assertEqual(times, sorted(times))
        physical = self.records("ld=1,pa=1", "chase.exe")
        self.assertTrue(all(row["physical_address"] for row in physical))
        rare = self.records("interval=8192", "chase.exe")
        self.assertLess(len(rare) * 6, len(everything))

    def test_refusals(self):
        def error(filters, **keywords):
            return self.fails("record", "-e", f"arm_spe_0/{filters}/", "--", workload("chase.exe"), **keywords)
        self.assertIn("incorrect SPE filter: 'ld' in ld", error("ld"))
        self.assertIn("incorrect SPE filter name: '=1'", error("=1"))
        self.assertIn("incorrect SPE filter value: ld='x'.", error("ld=x"))
        self.assertIn("SPE filter 'nonsense' unknown, use: load_filter,", error("nonsense=1"))
        self.assertIn("value out of range, use: 0-1", error("ld=2"))
        self.assertIn("SPE is not supported by your hardware", error("ld=1", device="sim:pace=free,spe=off"))

    def test_what_would_be_dropped_is_refused(self):
        program = ("--", workload("chase.exe"))
        self.assertIn("--mem needs", self.fails("record", "-e", "ld_spec", "--mem", *program, status=2))
        self.assertIn("--freq", self.fails("record", "-e", "arm_spe_0//", "--freq", "99", *program, status=2))

    def test_lines_and_instructions(self):
        sampling = self.record("ld=1", "chase.exe", "--disassemble")["sampling"]["sampling"]
        row = sampling["events"][0]["annotate"][0]["source_code"][0]
        self.assertTrue(row["filename"].endswith("chase.c"))
        self.assertTrue(any("ldr" in line["instruction"] for line in row["disassembled_line"]["disassemble"]))

    def test_where_loads_wait(self):
        memory = self.record("ld=1", "chase.exe", "--mem", seconds="2")["sampling"]["memory"]
        sources = {row["source"]: row for row in memory["sources"]}
        self.assertIn("dram", sources)
        self.assertGreater(sources["dram"]["mean"], 100)
        self.assertGreater(sources["dram"]["p50"], sources["cluster"]["longest"])
        self.assertEqual(sum(row["hits"] for row in memory["sources"]), memory["hits"])
        self.assertIn(memory["functions"][0]["symbol"], ("make_cycle", "chase"))

    def test_cores_whose_sources_have_no_names_are_named(self):
        for cpu, named in (("neoverse-v3", "not published for Neoverse V3"), ("neoverse-v2", None)):
            text = self.ok("record", "--mem", "-e", "arm_spe_0/load_filter=1/", "-c", "0", "--timeout", "1", "--", workload("chase.exe"),
                           device=f"sim:cpu={cpu},pace=free")
            self.assertEqual("source-0x" in text, named is not None)
            self.assertEqual("not published" in text, named is not None)
            self.assertIn(named or "l1", text)

    def test_false_sharing_is_found_and_named(self):
        document = self.json("record", "--json", "-e", "arm_spe_0//", "--all-cores", "--timeout", "2", "--mem", "--",
                             workload("false_sharing.exe"), cwd=self.path)
        shared = document["sampling"]["memory"]["false_sharing"]
        self.assertEqual(len(shared), 1, "the padded counters share no line")
        places = shared[0]["places"]
        self.assertEqual({place["symbol"] for place in places}, {"bump_shared_left", "bump_shared_right"})
        self.assertEqual(len({place["thread"] for place in places}), 2)
        self.assertEqual(len({place["offset"] for place in places}), 2)
        self.assertGreater(shared[0]["peer"], 50)
        for core in range(8):
            self.assertEqual((self.path / f"spe.{core}.data").exists(), core < 2)

    def test_two_runs_are_identical(self):
        first, second = (self.record("", "branchy.exe", "--mem") for _ in range(2))
        self.assertEqual(first, second)

    def test_linux_without_spe_says_what_is_missing(self):
        if sys.platform == "win32" or any(pathlib.Path("/sys/bus/event_source/devices").glob("arm_spe_*")):
            self.skipTest("no Linux, or one with SPE")
        error = self.fails("record", "-e", "arm_spe_0/ld=1/", "--", "true", device="linux", status=3)
        self.assertIn("/sys/bus/event_source/devices has no arm_spe_0", error)
        self.assertIn("arm_spe_pmu", error)

    def test_a_recording_of_linux(self):
        corpus = SHARED / "data" / "spe" / "real_spe_corpus.raw"
        if not corpus.exists():
            self.skipTest("the recorded bytes are missing")
        path = self.path / "perf data with spaces.data"
        perf_data.write(path, [perf_data.Buffer(cpu=0, data=corpus.read_bytes())], cpuid=NEOVERSE_N1, comms=[(1, "program")])
        document = self.json("report", path, "--mem", "--json", "--records", self.path / "r.json")
        records = json.loads((self.path / "r.json").read_text())["records"]
        self.assertEqual(self.total(document["sampling"]["events"]), len(records))
        self.assertGreater(len(records), 10)

    def test_records_have_the_time_of_the_run(self):
        lines = self.ok("record", "-e", "arm_spe_0/ts=1/", "-c", "1", "--timeout", "0.2", "--records", "-", "--",
                        workload("chase.exe"), cwd=self.path).splitlines()[1:]
        times = [int(line.split(",")[0]) for line in lines]
        self.assertEqual(times, sorted(times))
        # Times are in nanoseconds and cover nearly all of the 0.2 seconds.
        self.assertLessEqual(times[-1] - times[0], 200_000_000)
        self.assertGreater(times[-1] - times[0], 190_000_000)

    def test_a_timeline_has_every_record_once(self):
        document = self.json("record", "--json", "-e", "arm_spe_0//", "--all-cores", "--timeout", "0.2", "--timeline", "20",
                             "--sample-display-row", "100000", "--", workload("false_sharing.exe"), cwd=self.path)
        document = document["sampling"]["sampling"]
        over_time = document["over_time"]
        self.assertEqual((over_time["slice_ms"], over_time["slices"]), (20, 10))
        counted = {(event["type"], row["symbol"]): row["count"] for event in document["events"] for row in event["samples"]}
        slices = {(event["type"], row["symbol"]): row["counts"] for event in over_time["events"] for row in event["functions"]}
        self.assertEqual({key: sum(counts) for key, counts in slices.items()}, counted)
        self.assertGreater(min(sum(counts[i] for counts in slices.values()) for i in range(10)), 0)

    def test_a_stretch_of_time(self):
        path = self.path / "times.data"
        self.ok("record", "-e", "arm_spe_0/ts=1/", "-c", "1", "--timeout", "0.2", "-o", path, "--", workload("chase.exe"))
        samples = lambda *options: sum(event["samples"] for event in self.json(  # noqa: E731
            "report", path, "--json", "--sort", "symbol", *options)["recording"]["events"])
        everything = samples()
        first, rest = samples("--time", "0-0.1"), samples("--time", "0.1000001-1")
        self.assertGreater(min(first, rest), everything / 4)
        self.assertEqual(first + rest, everything)

    def test_a_second_list_of_filters_is_refused(self):
        refused = self.run_wperf("record", "-e", "arm_spe_0/ld=1/", "-e", "arm_spe_0/st=1/", "--", workload("chase.exe"))
        self.assertEqual(refused.returncode, 2)
        self.assertIn("SPE is named twice: -e arm_spe_0/ld=1/ and -e arm_spe_0/st=1/", refused.stderr)

    def test_an_event_that_no_core_can_filter_by(self):
        command = ("record", "-c", "1", "--timeout", "0.1", "-q")
        self.ok(*command, "-e", "arm_spe_0/event_filter=8/", "--", workload("chase.exe"), cwd=self.path)
        refused = self.run_wperf(*command, "-e", "arm_spe_0/event_filter=0x100/", "--", workload("chase.exe"), cwd=self.path)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("cannot filter by all events of event_filter=0x100", refused.stderr)

    def test_views_of_one_event_show_the_largest(self):
        path = self.path / "kinds.data"
        self.ok("record", "-e", "arm_spe_0//", "-c", "1", "--timeout", "0.2", "-q", "-o", path, "--", workload("googolplex.exe"), cwd=self.path)
        events = self.json("report", path, "--json", "--sort", "symbol")["recording"]["events"]
        events = [event for event in events if event["samples"]]  # without the unit's own
        sizes = [event["samples"] for event in events]
        self.assertGreater(len(sizes), 1)
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertIn(f"by {events[0]['event']}: ", self.ok("report", path, "--brief"))
        drawn = self.run_wperf("report", path, "--svg", self.path / "kinds.svg")
        self.assertIn(f"warning: only the stacks of {events[0]['event']} are drawn", drawn.stderr)
        self.assertIn(f"{events[0]['event']}: {sizes[0]:,} samples", (self.path / "kinds.svg").read_text(encoding="utf-8"))
        folded = self.run_wperf("report", path, "--export", "folded", "-o", self.path / "kinds.folded")
        self.assertIn(f"only the stacks of {events[0]['event']} are printed", folded.stderr)

    def test_records_without_times_are_in_no_stretch_of_time(self):
        path = self.path / "no times.data"
        self.ok("record", "-e", "arm_spe_0//", "-c", "1", "--timeout", "0.1", "-o", path, "--", workload("chase.exe"))
        for options in ((), ("--branches",)):
            self.assertIn("--time drops all SPE records: they have no times",
                          self.run_wperf("report", path, "--time", "0-1", *options).stderr)
        self.assertIn("records have no times", self.run_wperf("report", path, "--timeline", "10").stderr)

    def test_debuginfod_needs_no_servers(self):
        path = self.path / "no servers.data"
        self.ok("record", "-e", "arm_spe_0//", "-c", "1", "--timeout", "0.1", "-o", path, "--", workload("chase.exe"))
        self.environment.pop("DEBUGINFOD_URLS", None)
        self.assertEqual(self.ok("report", path, "--debuginfod"), self.ok("report", path))

    def test_records_alone_on_stdout(self):
        command = ("record", "-e", "arm_spe_0//", "-c", "1", "--timeout", "0.2", "--records")
        written = self.path / "r.csv"
        self.ok(*command, written, "--", workload("chase.exe"), cwd=self.path)
        printed = self.ok(*command, "-", "--", workload("chase.exe"), cwd=self.path)
        self.assertEqual(printed, written.read_text(encoding="ascii"))
        self.assertFalse((self.path / "-").exists())
        document = json.loads(self.ok(*command, "-", "--json", "-o", "all.json", "--", workload("chase.exe"), cwd=self.path))
        self.assertEqual(len(document["records"]), printed.count("\n") - 1)
        self.assertIn("sampling", json.loads((self.path / "all.json").read_text()))

    def test_records_of_a_file_on_stdout(self):
        corpus = SHARED / "data" / "spe" / "real_spe_corpus.raw"
        if not corpus.exists():
            self.skipTest("the recorded bytes are missing")
        path = self.path / "perf.data"
        perf_data.write(path, [perf_data.Buffer(cpu=0, data=corpus.read_bytes())], cpuid=NEOVERSE_N1, comms=[(1, "program")])
        self.ok("report", path, "--records", self.path / "r.csv")
        self.assertEqual(self.ok("report", path, "--records", "-", cwd=self.path), (self.path / "r.csv").read_text())
        self.assertFalse((self.path / "-").exists())

    def test_files_that_cannot_be_shown(self):
        self.assertIn("no such file.data", self.fails("report", self.path / "no such file.data"))
        empty = self.path / "empty.data"
        empty.write_bytes(b"")
        self.assertIn("neither a recording", self.fails("report", empty, status=4))
        with tempfile.TemporaryDirectory() as empty:
            self.assertIn("report needs a recording", self.fails("report", status=2, cwd=empty))
        path = self.path / "cut.data"
        perf_data.write(path, [perf_data.Buffer(cpu=0, data=bytes(4096))])
        path.write_bytes(path.read_bytes()[:-5000])
        done = self.run_wperf("report", path)
        self.assertIn(done.returncode, (0, 1, 4))
        self.assertNotEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
