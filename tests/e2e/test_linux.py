#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The linux device end to end: real programs on the machine the test runs on. It uses only software events, so that it runs in
virtual machines. A test that needs a right or a counter that is missing is skipped with a message."""
import base64
import json
import collections
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
import zlib

from measured_programs import ENOUGH, Busy, until_enough
from support import BINARY, WperfTest, paranoid


# A loop that spends its time in calls.
CALLER = r"""
static volatile unsigned long sum;
__attribute__((noinline)) void called(unsigned long n) { sum += n; }
__attribute__((noinline)) void calling(void) { for (unsigned long i = 0; i < 100000000; ++i) called(i), sum ^= i; }
int main(void) { calling(); return 0; }
"""

# Runs generated code, which is not in a file, and names it in the map that perf reads.
CODE_MAKER = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static __attribute__((noinline, aligned(64))) unsigned long count_up(unsigned long n) {
  volatile unsigned long sum = 0;
  for (unsigned long i = 0; i < n; ++i) sum += i;
  return sum;
}
int main(void) {
  char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, (void *)count_up, 256);
  if (mprotect(code, 4096, PROT_READ | PROT_EXEC) != 0) return 1;
  __builtin___clear_cache(code, code + 256);
  char name[64];
  snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
  FILE *map = fopen(name, "w");
  fprintf(map, "%lx 100 made_up\n", (unsigned long)code);
  fclose(map);
  ((unsigned long (*)(unsigned long))code)(100000000);
  return 0;
}
"""


@unittest.skipUnless(sys.platform == "linux", "the linux device needs Linux")
@unittest.skipIf(paranoid() is None, "this kernel has no perf events, or hides them")
class LinuxTest(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if shutil.which("cc") is None:
            raise unittest.SkipTest("there is no C compiler")
        cls.folder = tempfile.TemporaryDirectory()
        cls.busy = Busy(cls.folder.name)
        cls.program = cls.busy.path

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def setUp(self):
        super().setUp()
        if paranoid() > 2 and os.geteuid() != 0:
            self.skipTest("kernel.perf_event_paranoid does not allow this user to measure")

    def linux(self, *arguments):
        return self.json(*arguments, device="linux", cwd=self.folder.name)

    def rows(self, *arguments):
        document = self.linux("stat", "--json", *arguments)
        return document, {row["event_name"]: int(row["counter_value"].replace(",", "")) if
                          isinstance(row["counter_value"], str) else row["counter_value"]
                          for row in document["core"]["cores"][0]["Performance_counter"]}

    @staticmethod
    def hot_counts(document):
        """{symbol: samples} of the first event."""
        counts = collections.Counter()
        for row in document["recording"]["events"][0]["rows"]:
            counts[row["symbol"]] += row["samples"]
        return counts

    def hot(self, words_for, *arguments):
        """{symbol: share of the first event's samples} of a run that is long enough. words_for(milliseconds): the end
        of the command line."""
        document = until_enough(lambda milliseconds: self.linux("record", "--json", *arguments, *words_for(milliseconds)),
                                lambda document: sum(self.hot_counts(document).values()))
        counts = self.hot_counts(document)
        total = sum(counts.values())
        self.assertGreaterEqual(total, ENOUGH, "too few samples to judge")
        return document, {name: count / total for name, count in counts.items()}

    def check_shares(self, shares):
        """The shares of the program's two functions, by its own clock."""
        true = self.busy.shares()
        both = sum(shares[name] for name in true)
        self.assertGreater(both, 0.9)
        for name, share in true.items():
            self.assertAlmostEqual(shares[name] / both, share, delta=0.1, msg=f"{shares} {true}")

    def test_counts_a_program(self):
        document, rows = self.rows("-e", "task-clock,page-faults", "--", *self.busy.words(500))
        self.assertIn("Process", document)
        self.assertGreater(rows["page-faults"], 10)
        told = sum(self.busy.nanoseconds().values())
        # The task clock also covers the code before and after the program's loop.
        self.assertGreater(rows["task-clock"], 0.99 * told)
        self.assertLess(rows["task-clock"], 1.5 * told)
        text = self.ok("stat", "-e", "{task-clock,page-faults}", "--", self.program, "1", device="linux")
        name = pathlib.Path(self.program).name
        self.assertRegex(text, rf"Performance counter stats for {name} \(pid \d+\), kernel mode excluded:\n")
        self.assertIn("g0", text)

    def test_counts_what_most_want_to_know(self):
        document, rows = self.rows("--", *self.busy.words(200))
        wanted = ["task-clock", "page-faults"]
        if paranoid() <= 1 or os.geteuid() == 0:
            wanted += ["context-switches", "cpu-migrations"]
        self.assertLessEqual(set(wanted), set(rows))
        used = next(one for one in document["Derived"] if one["event_name"] == "task-clock")
        self.assertEqual(used["unit"], "CPUs used")
        self.assertAlmostEqual(used["value"], rows["task-clock"] / 1e9 / document["Time_elapsed"], delta=0.01)
        self.assertAlmostEqual(document["User_time"] + document["System_time"], rows["task-clock"] / 1e9, delta=0.05)
        self.assertEqual(document["Program"], pathlib.Path(self.program).name)
        text = self.ok("stat", "--", self.program, "100", device="linux")
        self.assertRegex(text, r" task-clock +[\d.]+ m?s, [\d.]+ CPUs used\n")
        self.assertRegex(text, r" page-faults +[\d.]+( [KM])?/s\n")
        for what in ("elapsed", "user", "system"):
            self.assertRegex(text, rf"\n +[\d.]+ m?s {what}\n")
        self.assertIn("no event specified", self.fails("stat", status=255, device="linux"))

    def test_report_finds_the_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            def place(name, age):
                path = os.path.join(folder, name)
                self.ok("record", "-q", "-o", path, "--", *self.busy.words(50), device="linux")
                os.utime(path, (1_700_000_000 - age,) * 2)

            self.assertIn("no perf.data or *.data", self.fails("report", status=2, cwd=folder))
            place("old.data", 100)
            place("young.data", 0)
            os.mkdir(os.path.join(folder, "folder.data"))
            self.assertTrue(self.ok("report", cwd=folder).startswith("recording: young.data\n\nran "))
            place("perf.data", 200)
            self.assertTrue(self.ok("report", "--children", cwd=folder).startswith("recording: perf.data\n\nran "))
            self.assertIn("recording", self.json("report", "--json", cwd=folder))

    def test_counts_several_runs(self):
        document, rows = self.rows("-r", "4", "-e", "task-clock,page-faults", "--", *self.busy.words(50))
        self.assertEqual(document["Runs"]["count"], 4)
        clock = document["Runs"]["counters"][0]
        self.assertEqual(clock["event_name"], "task-clock")
        self.assertLessEqual(abs(clock["mean"] - rows["task-clock"]), 0.5)  # the count is the rounded mean
        self.assertAlmostEqual(clock["mean"] * 4, round(clock["mean"] * 4), places=3)  # of four whole numbers
        self.assertGreater(clock["deviation"], 0)
        self.assertLess(clock["deviation"], clock["mean"])
        text = self.ok("stat", "-r", "2", "-e", "task-clock", "--", self.program, "10", device="linux")
        self.assertIn(", mean of 2 runs, kernel mode excluded:\n", text)
        self.assertRegex(text, r"[\d,]+ +± [\d.]+ %  task-clock")
        self.assertEqual(text.count("counting ..."), 1)
        self.assertEqual(self.run_wperf("stat", "-r", "2", "--", "sh", "-c", "exit 7", device="linux").returncode, 7)
        self.assertIn("-r needs a program", self.fails("stat", "-r", "2", "--timeout", "1", status=2, device="linux"))
        for bad in ("0", "1001", "x"):
            self.assertIn("for -r", self.fails("stat", "-r", bad, "--", "true", status=2, device="linux"))

    def test_counts_children(self):
        _, alone = self.rows("-e", "task-clock", "--", *self.busy.words(100, 1))
        _, four = self.rows("-e", "task-clock", "--", *self.busy.words(100, 4))
        self.assertGreater(four["task-clock"], 2 * alone["task-clock"])
        self.assertGreater(four["task-clock"], 0.99 * self.busy.nanoseconds()["in_child"])

    def test_counts_a_running_process(self):
        with subprocess.Popen([self.program, "100000"]) as busy:
            try:
                begin = time.monotonic_ns()
                _, rows = self.rows("-e", "task-clock", "-p", busy.pid, "--timeout", "0.3")
                self.assertGreater(rows["task-clock"], 0)
                self.assertLess(rows["task-clock"], time.monotonic_ns() - begin)
                self.assertIsNone(busy.poll(), "it is left alone")
            finally:
                busy.kill()
        self.assertIn("no process", self.fails("stat", "-e", "task-clock", "-p", str(busy.pid), status=2, device="linux"))

    def test_counts_cores(self):
        if paranoid() > 0 and os.geteuid() != 0:
            self.skipTest("whole cores need root or kernel.perf_event_paranoid <= 0")
        document, rows = self.rows("-e", "cpu-clock", "-c", "0", "--timeout", "0.2")
        self.assertNotIn("Process", document)
        self.assertGreater(rows["cpu-clock"], 100_000_000)

    def test_timeline(self):
        out = self.linux("stat", "--json", "-t", "-n", "3", "-i", "0", "--timeout", "0.05", "-e", "task-clock",
                         "--", self.program, "5000")
        counts = [one["core"]["cores"][0]["Performance_counter"][0]["counter_value"] for one in out["timeline"]]
        self.assertEqual(len(counts), 3)
        self.assertTrue(all(count not in (0, "0") for count in counts), counts)

    def test_samples_the_hot_functions(self):
        document, shares = self.hot(self.busy.words, "-e", "cpu-clock:500000", "--")
        self.check_shares(shares)
        self.assertEqual(document["recording"]["losses"]["lost_samples"], 0)

    def test_says_which_event_and_why(self):
        text = self.ok("record", "--", self.program, "100", device="linux")
        if "event cpu-clock: " in text:
            self.assertIn("sampling by CPU time: ", text)
        else:
            self.assertIn("event cycles: ", text)

    def test_samples_children_and_names_them(self):
        _, shares = self.hot(lambda milliseconds: self.busy.words(milliseconds // 8, 8), "-e", "cpu-clock:500000", "--")
        self.assertGreater(shares["in_child"], 0.8)
        text = self.ok("record", "-e", "cpu-clock:500000", "--by", "process,thread,module,core", "--",
                       *self.busy.words(200, 8), device="linux")
        by_process = text[text.index(" pid\n"):]
        self.assertGreaterEqual(len(re.findall(r"(?m)^ +[\d.]+ +\d+  busy +\d+$", by_process)), 8)

    def test_samples_programs_that_programs_start(self):
        _, shares = self.hot(lambda milliseconds: (f"{self.program} {milliseconds // 2}; {self.program} {milliseconds // 2}",),
                             "-e", "cpu-clock:500000", "--", "sh", "-c")
        self.assertGreater(sum(share for name, share in shares.items() if name.startswith("three_quarters")), 0.5)

    def test_annotates_and_disassembles(self):
        text = self.ok("record", "-e", "cpu-clock:500000", "--disassemble", "--", self.program, "300", device="linux")
        self.assertIn("busy.c", text)
        self.assertRegex(text, r"\n *[\d.]* +\d* +(0x)?[0-9a-f]+  busy\.c:\d+ +(add|ldr|mov) ", "an instruction of the loop")

    def test_lines_count_what_they_called(self):
        """With stacks, the user's own code comes first, and a line includes the samples in its callees."""
        source = pathlib.Path(self.folder.name, "below.c")
        source.write_text(CALLER)
        program = source.with_suffix("")
        subprocess.run(["cc", "-g", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o", program, source], check=True)
        event = self.linux("record", "--json", "-e", "cpu-clock:500000", "-g", "--annotate", "--", program)["recording"]["events"][0]
        code = event["code"]
        self.assertIn(code[0]["symbol"], ("main", "calling"))
        lines = {line["line"]: line for line in code[0]["lines"] + code[1]["lines"] if line.get("source")}
        main = lines[next(i for i, text in enumerate(CALLER.splitlines(), 1) if text.startswith("int main"))]
        self.assertGreater(main["all_period"], 0.9 * event["period"])
        self.assertLess(main["period"], 0.1 * event["period"])

    def test_the_headline_is_measured(self):
        done = self.linux("record", "--json", "-e", "cpu-clock:500000", "-g", "--", self.program, "300")["recording"]
        head = done["headline"]
        counted = sum(event["period"] for event in done["events"]) / 1e9
        self.assertGreater(1.2 * head["cpu_seconds"] + 0.02, counted)
        self.assertGreater(head["elapsed_seconds"] * os.cpu_count(), head["cpu_seconds"])
        self.assertAlmostEqual(head["cores_used"], head["cpu_seconds"] / head["elapsed_seconds"], places=3)
        self.assertEqual((head["threads_sampled"], head["hottest"]["symbol"], head["hottest"]["caller"]), (1, "three_quarters", "caller_of_most"))
        self.assertTrue(done["about"]["command"].startswith("wperf record "), done["about"])
        self.assertRegex(done["about"]["begun"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$")
        self.assertEqual(done["about"]["program"], pathlib.Path(self.program).name)

    def test_a_program_that_waited_is_said_to_have_waited(self):
        kept = pathlib.Path(self.folder.name, "waited.data")
        text = self.ok("record", "-o", kept, "--", "sleep", "0.4", device="linux")
        self.assertRegex(text, r"\nran \d+ ms, used [\d.]+ ms of CPU \([\d.]+ (% of a core|cores)\)")
        told = ("\nIt was off the CPU most of the time. `wperf waits -- sleep 0.4` shows whether it waited, and for what, or whether "
                "other programs had the cores.\n")
        self.assertIn(told, text)
        self.assertIn(told, self.ok("report", kept, device="linux"))
        self.assertIn(told.replace("sleep", "/bin/sleep"), self.ok("record", "-q", "-o", kept, "/bin/sleep", "0.4", device="linux") +
                      self.ok("report", kept, device="linux"))
        sleeper = subprocess.Popen(["sleep", "10"])
        try:
            running = self.ok("record", "-p", str(sleeper.pid), "--timeout", "0.2", device="linux")
            self.assertIn(f"`wperf waits -p {sleeper.pid} --timeout 0.2` shows whether it waited", running)
        finally:
            sleeper.kill()
            sleeper.wait()
        page = pathlib.Path(self.folder.name, "waited.html")
        self.ok("report", kept, "--html", page, device="linux")
        self.assertRegex(page.read_text(), r'<p id="headline">ran \d+ ms, used ')

    def test_the_whole_machine_is_not_recorded_without_a_word(self):
        if paranoid() is None or (os.geteuid() != 0 and paranoid() > 0):
            self.skipTest("this user is not allowed to measure the whole machine")
        text = self.ok("record", "--timeout", "0.2", device="linux")
        self.assertTrue(text.startswith("recording the whole machine for 0.20 s; "), text)
        self.assertRegex(text, r"\nrecorded the whole machine for \d+ ms; \d+ threads? sampled\n|\nno samples: ")

    def test_what_was_written_is_said(self):
        name = pathlib.Path(self.folder.name, "a_recording")
        text = self.ok("record", "-o", name, "--", "true", device="linux")
        self.assertRegex(text, rf"{name} as JSON[^\n]*`-o {name}\.data`")
        done = self.run_wperf("report", name, device="linux")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is a report that wperf wrote as JSON", done.stderr)

    def test_a_page_of_record_has_code(self):
        page = pathlib.Path(self.folder.name, "code.html")
        self.ok("record", "-e", "cpu-clock:500000", "--html", page, "--", self.program, "300", device="linux")
        packed = base64.b64decode(re.search(r'class="profile">([^<]*)<', page.read_text())[1])
        data = zlib.decompressobj(-15).decompress(packed)
        profile = json.loads(data[4:4 + int.from_bytes(data[:4], "little")])
        self.assertTrue(any(line["source"] for code in profile["code"] for line in code["lines"]))
        self.assertIn("<title>busy: cpu-clock - wperf</title>", page.read_text())

    def test_words_of_perf_get_a_hint(self):
        for words, hint in ((("record", "-F", "99", "--", "true"), "--freq"), (("annotate",), "--annotate"),
                            (("script",), "--records -"), (("lock",), "wperf waits"), (("c2c",), "false sharing")):
            done = self.run_wperf(*words, device="linux")
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(hint, done.stderr)

    def test_filters_in_vain_name_what_there_is(self):
        kept = pathlib.Path(self.folder.name, "filtered.data")
        self.ok("record", "-o", kept, "-e", "cpu-clock:500000", "--", self.program, "100", device="linux")
        self.assertIn("note: no samples of the command nosuch; available: busy\n", self.ok("report", kept, "--comm", "nosuch", device="linux"))

    def test_calls_name_what_they_call(self):
        source = pathlib.Path(self.folder.name, "caller.c")
        source.write_text(CALLER)
        program = source.with_suffix("")
        subprocess.run(["cc", "-g", "-O1", "-fno-optimize-sibling-calls", "-o", program, source], check=True)
        code = self.linux("record", "--json", "-e", "cpu-clock:100000", "--sort", "symbol", "--disassemble", "--", program)
        code = {one["symbol"]: one for one in code["recording"]["events"][0]["code"]}["calling"]
        if "capstone" in code.get("reason", ""):
            self.skipTest(code["reason"])
        calls = [re.fullmatch(r"(?:call|bl) +(?:0x)?([0-9a-f]+) <(.*)>", one["text"]) for one in code["instructions"]
                 if re.match(r"(call|bl) ", one["text"])]
        names = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
        address = int(re.search(r"(?m)^([0-9a-f]+) T called$", names)[1], 16)
        self.assertEqual([(int(call[1], 16), call[2]) for call in calls], [(address, "called")])

    def test_samples_a_running_process(self):
        with subprocess.Popen([self.program, "100000"]) as busy:
            try:
                _, shares = self.hot(lambda milliseconds: (milliseconds / 1000,), "-e", "cpu-clock:500000", "-p", busy.pid,
                                     "--timeout")
                self.assertGreater(shares["three_quarters"] + shares["one_quarter"], 0.9)
            finally:
                busy.kill()

    def test_missing_rights_name_setting_capability_and_way_out(self):
        if os.geteuid() != 0 or paranoid() < 1:
            self.skipTest("needs root to become another user, and kernel.perf_event_paranoid >= 1")

        def become_nobody():
            os.setgid(65534)
            os.setuid(65534)
        binary = shutil.copy(BINARY, self.folder.name)
        os.chmod(self.folder.name, 0o755)
        done = subprocess.run([binary, "stat", "-e", "cpu-clock", "--timeout", "0.1"], preexec_fn=become_nobody,
                              env={"WPERF_DEVICE": "linux"}, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        for word in ("perf_event_paranoid", "CAP_PERFMON", "-- PROGRAM"):
            self.assertIn(word, done.stderr)
        done = subprocess.run([binary, "stat", "--json", "-e", "task-clock", "--", "true"], preexec_fn=become_nobody,
                              env={"WPERF_DEVICE": "linux", "PATH": os.environ["PATH"]}, capture_output=True, text=True,
                              timeout=60, check=False)
        if paranoid() <= 2:
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("task-clock", json.dumps(json.loads(done.stdout)))
        done = subprocess.run([binary, "waits", "--timeout", "0.1"], preexec_fn=become_nobody,
                              env={"WPERF_DEVICE": "linux"}, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertNotIn("dummy", done.stderr)
        for word in ("context switches" if paranoid() > 2 else "whole machine", "perf_event_paranoid",
                     "CAP_PERFMON"):
            self.assertIn(word, done.stderr)

    def test_tracepoints(self):
        if not os.path.exists("/sys/kernel/tracing/events/sched/sched_switch/id") or os.geteuid() != 0:
            self.skipTest("this user is not allowed to read tracefs")
        _, rows = self.rows("-e", "sched:sched_process_exec", "--", "sh", "-c", "env true")
        self.assertGreaterEqual(rows["sched:sched_process_exec"], 2)
        text = self.ok("record", "-e", "sched:sched_process_exec:k:1", "--", "sh", "-c", "env true", device="linux")
        self.assertRegex(text, r"event sched:sched_process_exec:k: \d+ sample")
        self.assertIn("tracepoint sched:none", self.fails("stat", "-e", "sched:none", "--", "true", status=2, device="linux"))

    def test_refusals(self):
        for arguments, words in ((("stat", "-e", "nonsense", "--", "true"), "unknown event name: nonsense"),
                                 (("stat", "-e", "gpu/x/", "--", "true"), "no event source 'gpu'"),
                                 (("record", "--jitter", "--", "true"), "--jitter"),
                                 (("record", "--call-graph", "lbr", "--", "true"), "'lbr'"),
                                 (("record", "--call-graph", "dwarf,12", "--", "true"), "'12'"),
                                 (("stat", "-e", "task-clock", "--", "no-such-program"), "no-such-program"),
                                 (("stat", "-e", "task-clock", "-p", "1", "--", "true"), "-p")):
            done = self.run_wperf(*arguments, device="linux")
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn(words, done.stderr)

    def recorded(self, *arguments):
        """Returns the path of a recording, and its report as a document."""
        path = os.path.join(self.folder.name, f"{self.id()}.data")
        self.ok("record", "-q", "--output-perf-data", path, *arguments, device="linux")
        return path, json.loads(self.ok("report", path, "--json"))["recording"]

    @staticmethod
    def self_counts(recording):
        """{(comm, module, symbol): samples} of the first event."""
        counts = {}
        for row in recording["events"][0]["rows"]:
            key = (row["comm"], row["module"], row["symbol"])
            counts[key] = counts.get(key, 0) + row["samples"]
        return counts

    def test_record_names_made_code(self):
        source = os.path.join(self.folder.name, "maker.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(CODE_MAKER)
        maker = os.path.join(self.folder.name, "maker")
        subprocess.run(["cc", "-O1", "-o", maker, source], check=True)
        _, recording = self.recorded("-e", "cpu-clock:200000", "--", maker)
        made = {key[1:]: count for key, count in self.self_counts(recording).items() if key[2] == "made_up"}
        self.assertEqual(len(made), 1, recording["events"][0]["rows"])
        process = re.fullmatch(r"\[JIT\] pid (\d+)", next(iter(made))[0]).group(1)
        os.remove(f"/tmp/perf-{process}.map")
        done = self.ok("record", "-e", "cpu-clock:200000", "--", maker, device="linux")
        named = re.search(r"\[JIT\] pid (\d+) +made_up", done)
        self.assertIsNotNone(named, done)
        os.remove(f"/tmp/perf-{named.group(1)}.map")

    def test_keeps_the_recording(self):
        path, recording = until_enough(lambda milliseconds: self.recorded("-e", "cpu-clock:500000", "--",
                                                                          *self.busy.words(milliseconds)),
                                       lambda result: sum(self.self_counts(result[1]).values()))
        counts = self.self_counts(recording)
        total = sum(counts.values())
        self.assertGreaterEqual(total, ENOUGH)
        self.assertEqual(recording["events"][0]["event"], "cpu-clock")
        self.check_shares({symbol: count / total for (_, _, symbol), count in counts.items()})
        other = os.path.join(self.folder.name, "by_output.data")
        text = self.ok("record", "-e", "cpu-clock:500000", "-o", other, "--", self.program, "50", device="linux")
        self.assertIn("recorded to", text)
        self.assertIn("three_quarters", text)
        with open(other, "rb") as file:
            self.assertEqual(file.read(8), b"PERFILE2")
        self.assertEqual(os.stat(path).st_mode & 0o77, 0, "for the owner only")

    def test_perf_reads_what_was_recorded(self):
        if shutil.which("perf") is None:
            self.skipTest("perf is not installed")
        for more in ((), ("-g",), ("-e", "page-faults:1")):
            path, recording = until_enough(lambda milliseconds: self.recorded("-e", "cpu-clock:500000", *more, "--",
                                                                              *self.busy.words(milliseconds // 3, 3)),
                                           lambda result: result[1]["events"][0]["samples"], enough=100)
            done = subprocess.run(["perf", "script", "-i", path, "-F", "comm,pid,time,event,ip,sym,dso", "-G"],
                                  capture_output=True, text=True, check=True, errors="replace")
            lines = [line for line in done.stdout.splitlines() if line.strip()]
            events = sum(event["samples"] for event in recording["events"])
            self.assertEqual(len(lines), events, done.stderr)
            in_child = sum(count for (_, _, symbol), count in self.self_counts(recording).items() if symbol == "in_child")
            self.assertEqual(sum("cpu-clock" in line and " in_child " in line for line in lines), in_child)
            self.assertGreater(in_child, 50)  # in percent

    def test_call_stacks(self):
        for how in (("-g",), ("--call-graph", "fp"), ("--call-graph", "dwarf")):
            event = until_enough(
                lambda milliseconds: self.linux("record", "--json", *how, "--children", "-e", "cpu-clock:500000", "--",
                                                *self.busy.words(milliseconds))["recording"]["events"][0],
                lambda event: event["samples"])
            rows = {row["symbol"]: row for row in event["rows"]}
            total = sum(row["samples"] for row in event["rows"])
            self.assertGreaterEqual(total, ENOUGH)
            most = (self.busy.shares()["three_quarters"] - 0.1) * total
            self.assertLess(rows["outer_caller"]["samples"], 0.1 * total)
            self.assertGreater(rows["outer_caller"]["all_samples"], most, how)
            self.assertGreater(rows["main"]["all_samples"], most, how)
            if "dwarf" in how:  # leaf functions have no frame, so their callers are only in the tables
                self.assertGreater(rows["caller_of_most"]["all_samples"], most, how)
                self.assertGreater(rows["main"]["all_samples"], 0.9 * total, how)
        folded = self.ok("record", "--folded", "-e", "cpu-clock:500000", "--", self.program, "100", device="linux")
        self.assertRegex(folded, r"main;outer_caller;(caller_of_most;)?three_quarters \d+")
        text = self.ok("record", "--by", "caller", "-e", "cpu-clock:500000", "--", self.program, "100", device="linux")
        self.assertIn("outer_caller", text)

    def test_a_killed_recording_can_be_read(self):
        path = os.path.join(self.folder.name, "killed.data")
        with subprocess.Popen([BINARY, "record", "--device", "linux", "-q", "-e", "cpu-clock:500000", "--output-perf-data", path,
                               "--", self.program, "100000"]) as recorder:
            try:
                while recorder.poll() is None and not (os.path.exists(path) and os.path.getsize(path) > 20_000):
                    time.sleep(0.05)
            finally:
                children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(recorder.pid)], capture_output=True, text=True,
                                          check=False).stdout.split()
                recorder.kill()
                recorder.wait()
                for child in children:
                    os.kill(int(child), 9)
        done = self.run_wperf("report", path, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not finished", done.stderr)
        counts = self.self_counts(json.loads(done.stdout)["recording"])
        self.assertGreater(counts["busy", "busy", "three_quarters"], 0)

    def small_disk(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to mount a small disk")
        disk = tempfile.mkdtemp(dir=self.folder.name)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], check=False, capture_output=True).returncode:
            self.skipTest("mounting is not allowed here")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        return disk

    def test_a_full_disk(self):
        disk = self.small_disk()
        for milliseconds in (500, 2000, 8000, 30000):  # until the disk is full
            done = self.run_wperf("record", "-e", "cpu-clock:100000", "-o", f"{disk}/full.data", "--",
                                  *self.busy.words(milliseconds), device="linux")
            if done.returncode != 0:
                break
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("No space left", done.stderr)
        self.assertIn("three_quarters", done.stdout, "what was written is shown")
        done = self.run_wperf("report", f"{disk}/full.data")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("three_quarters", done.stdout)
        self.assertEqual(done.stderr, "", "it is whole as far as it goes")
        if shutil.which("perf") is not None:
            done = subprocess.run(["perf", "script", "-i", f"{disk}/full.data"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("three_quarters", done.stdout)

    # Nothing was written, so wperf names the full disk as the cause.
    def test_a_disk_that_is_full_from_the_beginning(self):
        disk = self.small_disk()
        for free in (0, 4096, 24576):
            pathlib.Path(disk, "fill").write_bytes(bytes(64 * 1024 - free))
            for command in ("record", "waits"):
                with self.subTest(command=command, free=free):
                    done = self.run_wperf(command, "-o", f"{disk}/full.data", "--", *self.busy.words(300), device="linux")
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertIn("No space left on device", done.stderr)
                    pathlib.Path(disk, "full.data").unlink(missing_ok=True)

    def test_a_reader_that_goes_away_ends_nothing_too_early(self):
        path = os.path.join(self.folder.name, "unread.data")
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "w") as nobody:
            done = subprocess.run([BINARY, "record", "--device", "linux", "-e", "cpu-clock:500000", "-o", path, "--",
                                   *self.busy.words(100)], stdout=nobody, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.stderr, "")
            self.assertEqual(done.returncode, 141)
            report = subprocess.run([BINARY, "report", path], stdout=nobody, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((report.returncode, report.stderr), (-signal.SIGPIPE, ""))
        self.assertEqual(set(self.busy.nanoseconds()), {"three_quarters", "one_quarter"}, "it ran to its end")
        whole = self.run_wperf("report", path)
        self.assertEqual((whole.returncode, whole.stderr), (0, ""))

    def test_a_file_that_cannot_be_made(self):
        done = self.run_wperf("record", "-o", "/no/such/folder/x.data", "--", "true", device="linux")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write /no/such/folder/x.data: No such file or directory", done.stderr)

    def test_doctor(self):
        done = self.run_wperf("doctor", "--json", device="linux")
        checks = {row["check"]: row for row in json.loads(done.stdout)["Doctor"]}
        for name in ("device", "kernel", "rights", "pmu", "units", "rate", "tracepoints", "kernel names", "cores"):
            self.assertIn(name, checks)
        failed = any(row["status"] == "fail" for row in checks.values())
        self.assertEqual(done.returncode, 3 if failed else 0)

    def test_list_has_the_kernels_words(self):
        names = [row["Alias_Name"] for row in self.linux("list", "--json")["Predefined_Events"]]
        self.assertIn("page-faults", names)


if __name__ == "__main__":
    unittest.main()
