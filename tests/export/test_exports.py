#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The output of --export, read by the programs that use these formats. The totals of functions must equal those in
--json."""
import collections
import gzip
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import SHARED, SOURCE, BINARY, WperfTest  # noqa: E402
import hostile_recording  # noqa: E402
import read_back  # noqa: E402

PROTOS = SHARED / "data" / "protos"
TRACE = SHARED / "data" / "etl" / "synth-lost.etl"
TOOLS = SOURCE / "build" / "tools"
PROFILER = TOOLS / "profiler-cli" / "package" / "dist" / "profiler-cli.js"
PAGES = TOOLS / "pages"
HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = TOOLS / "speedscope" / "package" / "dist" / "release"


def needs(program):
    return unittest.skipUnless(shutil.which(program), f"{program} is not installed")


def needs_file(path):
    return unittest.skipUnless(path.exists(), f"{path.name} is missing")


class Exports(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.data = cls.folder / "hostile.data"
        symbols = hostile_recording.write(cls.data)
        cls.addClassCleanup(symbols.unlink, missing_ok=True)
        done = subprocess.run([BINARY, "report", cls.data, "--children", "--sort", "symbol", "--json"], check=True,
                              capture_output=True, text=True)
        rows = json.loads(done.stdout)["recording"]["events"][0]["rows"]
        cls.truth = {row["symbol"]: (row["samples"], row["all_samples"]) for row in rows}

    def export(self, form, *more, data=None):
        path = self.folder / f"out.{form}"
        done = self.run_wperf("report", data or self.data, "--export", form, "-o", path, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\A(note: .*\n)*\Z")
        return path.read_bytes()

    def decoded(self, data, message, proto):
        done = subprocess.run(["protoc", "-I", PROTOS, f"--decode={message}", PROTOS / proto], input=data,
                              capture_output=True, check=True)
        return done.stdout.decode()

    def test_the_truth_has_all_names(self):
        self.assertEqual(set(self.truth), set(hostile_recording.names()))

    @needs("protoc")
    @needs_file(PROTOS)
    def test_pprof_as_its_proto_has_it(self):
        text = self.decoded(gzip.decompress(self.export("pprof")), "perftools.profiles.Profile", "profile.proto")
        self.assertEqual(read_back.of_pprof(text), self.truth)
        periods = {name: (own * 1_000_000, total * 1_000_000) for name, (own, total) in self.truth.items()}
        self.assertEqual(read_back.of_pprof(text, column=1), periods)

    @needs("go")
    def test_go_tool_pprof(self):
        self.export("pprof")
        done = subprocess.run(["go", "tool", "pprof", "-top", "-nodecount=0", "-nodefraction=0", "-symbolize=none",
                               "-sample_index=cpu-clock.samples", self.folder / "out.pprof"], capture_output=True,
                              text=True, check=True,
                              env=dict(os.environ, HOME=str(self.folder), PPROF_TMPDIR=str(self.folder)))
        found = {}
        for line in done.stdout.splitlines():
            row = re.match(r"\s*(\d+)\s+[\d.]+%\s+[\d.]+%\s+(\d+)\s+[\d.]+%\s+(.*)$", line)
            if row:
                found[row[3]] = (int(row[1]), int(row[2]))
        # Names with white space in them are printed unchanged, and cannot be distinguished from columns.
        for name in set(self.truth) - {"tab\there"}:
            self.assertEqual(found.get(name), self.truth[name], done.stdout[:2000])

    def test_firefox_by_its_tables(self):
        document = json.loads(self.export("firefox"))
        self.assertEqual(document["meta"]["preprocessedProfileVersion"], 61)
        self.assertEqual(read_back.of_firefox(document), self.truth)
        for thread in document["threads"]:
            self.assertEqual(thread["samples"]["time"], sorted(thread["samples"]["time"]))

    @needs("node")
    @needs_file(PROFILER)
    def test_firefox_by_its_own_code(self):
        self.export("firefox")
        path = self.folder / "out.firefox.json"
        shutil.copy(self.folder / "out.firefox", path)
        environment = dict(os.environ, HOME=str(self.folder))

        def profiler(*arguments):
            done = subprocess.run(["node", PROFILER, *arguments], capture_output=True, text=True, env=environment,
                                  timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return done.stdout

        self.addCleanup(subprocess.run, ["node", PROFILER, "stop", "--all"], env=environment, capture_output=True)
        # The program gives its daemon half a second to start, which may not be enough on a busy machine.
        for _ in range(20):
            tried = subprocess.run(["node", PROFILER, "load", path], capture_output=True, text=True, env=environment,
                                   timeout=120)
            if "did not become ready" not in tried.stdout + tried.stderr:
                break
        else:
            self.skipTest("the machine is too busy for the start of profiler-cli's daemon")
        self.assertEqual(tried.returncode, 0, tried.stdout + tried.stderr)
        threads = re.findall(r"^\W*(t-\d+)", profiler("thread", "list"), re.MULTILINE)
        self.assertEqual(len(threads), 2)
        found = collections.defaultdict(lambda: (0, 0))
        for thread in threads:
            functions = json.loads(profiler("thread", "functions", "--thread", thread, "--limit", "0", "--json"))
            for row in functions["functions"]:
                own, total = found[row["name"]]
                found[row["name"]] = (own + row["selfSamples"], total + row["totalSamples"])
        self.assertEqual(dict(found), self.truth)

    def test_speedscope(self):
        document = json.loads(self.export("speedscope"))
        self.assertEqual(read_back.of_speedscope(document), self.truth)
        schemas = list(SCHEMA.glob("file-format-schema*.json")) or list(SCHEMA.parent.rglob("*schema*.json"))
        if not schemas:
            self.skipTest("speedscope's schema is missing")
        import jsonschema
        jsonschema.validate(document, json.loads(schemas[0].read_text()))

    @needs("chromium")
    @needs("node")
    @needs_file(SCHEMA / "index.html")
    @needs_file(PAGES)
    def test_speedscope_opens_it(self):
        self.export("speedscope")
        done = subprocess.run(["node", HERE / "speedscope_app.mjs", PAGES, shutil.which("chromium"), SCHEMA / "index.html",
                               self.folder / "out.speedscope", self.folder], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = collections.defaultdict(lambda: (0, 0))
        for profile in json.loads(done.stdout):
            for name, own, total in profile:
                before = found[name]
                found[name] = (before[0] + own, before[1] + total)
        self.assertEqual(dict(found), self.truth)

    def test_chrome(self):
        document = json.loads(self.export("chrome"))
        self.assertEqual(read_back.of_chrome(document), self.truth)

    @needs("protoc")
    @needs_file(PROTOS)
    def test_perfetto(self):
        for form in ("perfetto", "perfetto-perf"):
            text = self.decoded(self.export(form), "perfetto.protos.Trace", "perfetto_trace.proto")
            self.assertEqual(read_back.of_perfetto(text), self.truth, form)

    @needs("protoc")
    @needs_file(PROTOS)
    def test_otlp(self):
        text = self.decoded(self.export("otlp"), "opentelemetry.proto.profiles.v1development.ProfilesData",
                            "opentelemetry/proto/profiles/v1development/profiles.proto")
        self.assertEqual(read_back.of_otlp(text, self.fail), self.truth)

    def test_callgrind_says_that_recursion_counts_each_level(self):
        for stack, told in (("main;f;g;f", True), ("main;f;g", False)):
            folded = self.folder / "stacks.folded"
            folded.write_text(f"{stack} 3\n")
            done = self.run_wperf("report", folded, "--export", "callgrind", "-o", self.folder / "r.callgrind")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("counts each level" in done.stderr, told, done.stderr)

    @needs("callgrind_annotate")
    def test_callgrind(self):
        self.export("callgrind")
        texts = {}
        for inclusive in ("no", "yes"):
            done = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", f"--inclusive={inclusive}",
                                   self.folder / "out.callgrind"], capture_output=True, check=True)
            self.assertEqual(done.stderr, b"")
            texts[inclusive] = done.stdout.decode("utf-8", "replace")
        self.assertRegex(texts["no"], r"\s66 \(100.0%\)\s+PROGRAM TOTALS")
        for name, (own, _) in self.truth.items():
            shown = name.replace("\t", "?")
            self.assertRegex(texts["no"], rf"(?m)^\s*{own} \([ .\d]+%\)\s+\S*:{re.escape(shown)}(\s|$)", name)

    def test_csv(self):
        self.assertEqual(read_back.of_csv(self.export("csv").decode()), {n: own for n, (own, _) in self.truth.items()})

    def test_sql(self):
        totals, hot, database = read_back.of_sql(self.export("sql").decode())
        self.assertEqual(totals, self.truth)
        self.assertEqual(hot, {name: own for name, (own, _) in self.truth.items()})
        self.assertEqual(database.execute("SELECT COUNT(*), MIN(time_ns) FROM moments").fetchone(), (66, 1_001_000))

    @needs("sqlite3")
    def test_sql_by_sqlite3(self):
        script = self.export("sql")
        done = subprocess.run(["sqlite3", self.folder / "out.db"], input=script, capture_output=True, check=True)
        self.assertEqual(done.stderr, b"")

    def test_folded(self):
        own = collections.Counter()
        for line in self.export("folded").decode("utf-8", "replace").splitlines():
            stack, count = line.rsplit(" ", 1)
            own[stack.rsplit(";", 1)[-1]] += int(count)
        self.assertEqual(sum(own.values()), 66)

    def test_perf_data_is_the_recording(self):
        self.assertEqual(self.export("perf.data"), self.data.read_bytes())

    def test_a_pipe_gets_the_same(self):
        for form in ("pprof", "csv"):
            piped = subprocess.run([BINARY, "report", self.data, "--export", form, "-o", "-"], capture_output=True)
            self.assertEqual(piped.returncode, 0)
            self.assertEqual(piped.stdout, self.export(form))

    def test_wperf_reads_them_back(self):
        for form in ("pprof", "firefox", "speedscope", "perfetto", "perfetto-perf"):
            self.export(form)
            rows = self.json("report", self.folder / f"out.{form}", "--children", "--sort", "symbol", "--json")
            found = collections.defaultdict(lambda: (0, 0))
            for event in rows["recording"]["events"]:
                for row in event["rows"]:
                    own, total = found[row["symbol"]]
                    found[row["symbol"]] = (own + row["samples"], total + row["all_samples"])
            self.assertEqual(dict(found), self.truth, form)

    def test_one_profile_becomes_another(self):
        self.export("pprof")
        shutil.copy(self.folder / "out.pprof", self.folder / "first.pb.gz")
        totals, _, _ = read_back.of_sql(self.export("sql", data=self.folder / "first.pb.gz").decode())
        self.assertEqual(totals, self.truth)
        self.assertIn("is a profile", self.fails("report", self.folder / "first.pb.gz", "--export", "perf.data", "-o",
                                                 self.folder / "no.data", status=2))

    def without_samples(self, more=b""):
        """The recording up to its first sample, followed by `more`."""
        data = bytearray(self.data.read_bytes())
        begin = at = struct.unpack_from("<Q", data, 40)[0]
        while struct.unpack_from("<I", data, at)[0] != 9:
            at += struct.unpack_from("<H", data, at + 6)[0]
        struct.pack_into("<Q", data, 48, at - begin + len(more))
        path = self.folder / "none.data"
        path.write_bytes(data[:at] + more)
        return path

    def test_no_samples_is_an_error(self):
        path, out = self.without_samples(), self.folder / "none.out"
        for form in ("pprof", "csv", "speedscope", "folded", "sql"):
            self.assertIn(f"{path} has no samples\n", self.fails("report", path, "--export", form, "-o", out))
            self.assertFalse(out.exists())
        task = hostile_recording.PROCESS
        times = (10_000, 20_000, 30_000, 40_000)
        switches = [hostile_recording.record(14, 0x2000 * (number % 2), hostile_recording.trailer(time))
                    for number, time in enumerate(times)]
        path = self.without_samples(b"".join(switches))
        self.assertIn(str(task), self.ok("waits", path))
        self.assertIn(f"`wperf waits {path}`", self.fails("report", path, "--export", "pprof", "-o", out))
        self.assertFalse(out.exists())
        # A filter may leave no sample.
        done = self.run_wperf("report", self.data, "--export", "csv", "--tid", "1", "-o", out)
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]), (0, "warning: no samples"))

    def test_perf_data_is_the_whole_recording(self):
        out = self.folder / "whole.data"
        for option, value in (("--time", "0-1"), ("--tid", "1"), ("--pid", "1"), ("--comm", "x"), ("--module", "x"), ("-s", "x")):
            said = self.fails("report", self.data, "--export", "perf.data", option, value, "-o", out, status=2)
            self.assertIn(f"--export perf.data writes the whole recording; {option} ", said)
            self.assertFalse(out.exists())
        self.ok("report", self.data, "--export", "perf.data", "-o", out)
        self.assertEqual(out.read_bytes(), self.data.read_bytes())

    @unittest.skipIf(os.name == "nt", "Windows lets nobody cut a file that is read")
    def test_a_recording_that_shrinks_is_not_exported(self):
        path = self.folder / "shrinks.data"
        shutil.copy(self.data, path)
        os.truncate(path, 16 << 20)
        with subprocess.Popen([BINARY, "report", path, "--export", "perf.data", "-o", "-"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=self.environment) as running:
            running.stdout.read(1)  # the pipe holds less than the whole output
            os.truncate(path, 4096)
            _, said = running.communicate()
        self.assertEqual(running.returncode, 1, said)
        self.assertIn(f"{path} became shorter", said.decode())

    def test_what_is_left_out_is_told(self):
        told = {}
        for form in ("pprof", "firefox", "speedscope", "callgrind", "csv", "folded"):
            told[form] = self.run_wperf("report", self.data, "--export", form, "-o", self.folder / "told").stderr
        for form, (counts, threads) in {"pprof": (False, False), "firefox": (True, False), "speedscope": (True, False),
                                        "callgrind": (True, True), "csv": (False, False), "folded": (True, True)}.items():
            self.assertEqual("weights of samples" in told[form], counts, told[form])
            self.assertEqual(told[form].endswith("threads\n"), threads, told[form])

    def test_filters_choose(self):
        task = hostile_recording.PROCESS + 1
        everything = sum(own for own, _ in self.truth.values())
        _, chosen, _ = read_back.of_sql(self.export("sql", "--tid", task).decode())
        _, others, _ = read_back.of_sql(self.export("sql", "--tid", task - 1).decode())
        self.assertEqual(sum(chosen.values()) + sum(others.values()), everything)
        self.assertGreater(sum(chosen.values()), 0)

    def test_what_cannot_be(self):
        self.assertIn("unknown format 'pdf'", self.fails("report", self.data, "--export", "pdf", status=2))
        master, terminal = os.openpty()
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, terminal)
        done = subprocess.run([BINARY, "report", self.data, "--export", "pprof"], stdout=terminal,
                              stderr=subprocess.PIPE, text=True, env=dict(os.environ, TERM="xterm"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("-o FILE", done.stderr)


@needs_file(TRACE)
class ExportsOfTraces(WperfTest):
    """Samples, thread states and losses of a Windows trace."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)

    def export(self, form):
        path = self.folder / f"out.{form}"
        done = self.run_wperf("report", TRACE, "--export", form, "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path.read_bytes()

    def test_totals_and_states(self):
        rows = json.loads(self.run_wperf("report", TRACE, "--children", "--sort", "symbol", "--json").stdout)
        truth = collections.Counter()
        for row in rows["recording"]["events"][0]["rows"]:
            truth[row["symbol"]] += row["samples"]
        totals, _, database = read_back.of_sql(self.export("sql").decode())
        self.assertEqual({name: own for name, (own, _) in totals.items() if own}, {n: c for n, c in truth.items() if c})
        firefox = read_back.of_firefox(json.loads(self.export("firefox")))
        self.assertEqual({name: own for name, (own, _) in firefox.items() if own}, {n: c for n, c in truth.items() if c})
        states = dict(database.execute("SELECT state, SUM(end_ns - begin_ns) FROM states GROUP BY state"))
        waits = json.loads(self.run_wperf("waits", TRACE, "--json", "-n", "1000000").stdout)["waits"]
        for state in ("running", "ready", "waiting"):
            self.assertEqual(states.get(state, 0), sum(row[f"{state}_ns"] for row in waits["threads"]), state)
        classes = dict(database.execute("SELECT wait_class, SUM(end_ns - begin_ns) FROM states WHERE state = 'waiting' "
                                        "GROUP BY wait_class"))
        for name in waits["threads"][0]["waiting_for_ns"]:
            self.assertEqual(classes.get(name, 0), sum(row["waiting_for_ns"][name] for row in waits["threads"]), name)
        self.assertGreater(database.execute("SELECT COUNT(*) FROM losses").fetchone()[0], 0)


if __name__ == "__main__":
    unittest.main()
