#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--brief, `wperf guide`, `wperf mcp`: the answers that a program or an assistant gets with few calls and few bytes."""
import contextlib
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from measured_programs import until_enough
from support import BINARY, SHARED, WperfTest, workload

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
MOST_CALLS, MOST_BYTES = 5, 8192

# Spends three quarters of its time in `hot`, which `caller` calls.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
volatile unsigned long sink;
__attribute__((noinline)) void hot(long n) { for (long i = 0; i < n * 300000; ++i) sink += i; }
__attribute__((noinline)) void cool(long n) { for (long i = 0; i < n * 100000; ++i) sink += i; }
__attribute__((noinline)) void caller(long n) { hot(n); __asm__ volatile(""); }
int main(int count, char** words) {
  clock_t until = clock() + (count > 1 ? atol(words[1]) : 300) * (CLOCKS_PER_SEC / 1000);
  while (clock() < until) caller(1), cool(1);
  puts("the program's own words");
  return 0;
}
"""


class Session:
    """The assistant's side of `wperf mcp`; counts calls and bytes."""

    def __init__(self, *options, environment=None, cwd=None):
        self.process = subprocess.Popen([BINARY, "mcp", *map(str, options)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment, cwd=cwd, text=True, encoding="utf-8")
        self.number = self.calls = self.bytes = 0

    def ask(self, method, **params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": {**params, "_meta": META}}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer = json.loads(line)
        assert answer["id"] == self.number, answer
        self.calls += 1
        self.bytes = max(self.bytes, len(line))
        return answer

    def call(self, tool, **arguments):
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        if result["isError"]:
            raise AssertionError(result["content"][0]["text"])
        return result["structuredContent"]["brief"]

    def end(self):
        """The remaining output of the process, and its errors."""
        out, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, err
        return out, err


@contextlib.contextmanager
def session(*options, **keywords):
    one = Session(*options, **keywords)
    try:
        yield one
    finally:
        one.process.kill()
        one.process.communicate()


class Brief(WperfTest):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def record(self, program, name="a.data", *words, event="cpu_cycles:20000"):
        self.ok("record", "-e", event, "-c", "1", "-q", "-o", self.folder / name, "--timeout", "5", "--", workload(program), *words)
        return self.folder / name

    def test_a_report_fits_into_its_bytes(self):
        file = self.record("shares.exe")
        whole = self.ok("report", file, "--brief")
        self.assertLessEqual(len(whole), 4096)
        self.assertTrue(whole.startswith("**"), whole)
        self.assertIn("\nNext: `wperf ", whole)
        self.assertEqual(whole, self.ok("report", file, "--brief"), "the same bytes each time")
        for most in (512, 700, 1500):
            text = self.ok("report", file, f"--brief={most}")
            self.assertLessEqual(len(text.encode()), most)
            self.assertEqual(text.splitlines()[0], whole.splitlines()[0])
        self.assertIn("use a number from 512 to 1048576", self.fails("report", file, "--brief=99", status=2))

    def test_the_document_has_the_rows_of_the_report(self):
        file = self.record("shares.exe")
        brief = self.json("report", file, "--brief", "--json")["brief"]
        rows = self.json("report", file, "--sort", "symbol,module", "--json")["recording"]["events"][0]["rows"]
        self.assertEqual(brief["rows_in_all"], len(rows))
        symbol, samples = brief["columns"].index("symbol"), brief["columns"].index("samples")
        self.assertEqual([(row[symbol], int(row[samples].replace(",", ""))) for row in brief["rows"]],
                         [(row["symbol"], row["samples"]) for row in rows[:10]])
        interval = brief["columns"].index("95 % interval")
        for row in brief["rows"]:
            low, high = map(float, row[interval].split(" to "))
            self.assertTrue(low <= float(row[0]) <= high, row)

    def test_the_next_command_runs(self):
        file = self.record("shares.exe")
        command = self.json("report", file, "--brief", "--json")["brief"]["next"]
        self.assertRegex(command, "^wperf report ")
        self.assertEqual(self.run_wperf(*command.split()[1:]).returncode, 0, command)

    def test_counts_say_if_they_are_exact(self):
        text = self.ok("stat", "-e", "inst_retired,cpu_cycles", "-c", "1", "--brief", "--", workload("exact.exe"))
        self.assertIn("| exact | inst_retired |", text)
        self.assertIn("estimates: every event was counted all the time", text)

    def test_topdown_rules_nodes_out(self):
        text = self.ok("topdown", "--brief", "--", workload("bottlenecks.exe"), "memory", "20000", device="sim:cpu=neoverse-n2,pace=free")
        self.assertTrue(text.startswith("**backend_bound: "), text)
        self.assertIn("- frontend_bound: ", text.split("Ruled out:")[1])

    def test_bench_and_diff_list_sure_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            sides = []
            for seed in range(4):
                for side in ("old", "new"):
                    name = f"{side}{seed}.data"
                    self.ok("record", "-e", "cpu_cycles:10000", "--jitter", "-c", "1", "-q", "-o", f"{folder}/{name}", "--timeout", "0.3",
                            "--", workload("steady.exe"), device=f"sim:pace=free,seed={2 * seed + (side == 'new')}")
                    sides.append(f"{folder}/{name}")
            old, new = [name for name in sides if "/old" in name], [name for name in sides if "/new" in name]
            text = self.ok("diff", "--brief", *old, "--", *new)
            self.assertLessEqual(len(text), 4096)
            self.assertIn("(before) and ", text)
            self.assertNotIn("| grew", text.replace("\\", ""), "the same program on both sides")

    def test_two_documents_on_stdout_are_refused(self):
        file = self.record("shares.exe")
        self.assertIn("cannot be combined", self.fails("report", file, "--brief", "--folded", status=2))

    def test_a_file_gets_the_whole_document(self):
        file = self.record("shares.exe")
        self.ok("report", file, "--brief", "-o", self.folder / "whole.json")
        self.assertIn("recording", json.loads((self.folder / "whole.json").read_text()))

    def test_doctor_lists_limits_first(self):
        text = self.run_wperf("doctor", "--brief").stdout
        self.assertTrue(text.startswith("**"), text)
        self.assertIn("\nRuled out:\n- device: ", text)


class Guide(WperfTest):
    def test_its_commands_are_known(self):
        text = self.ok("guide")
        lines = re.findall(r"^- \*\*.*?\*\* `wperf ([^`]+)`", text, re.M)
        self.assertGreater(len(lines), 8)
        for line in lines:
            words = line.split()
            options = words[:words.index("--")] if "--" in words else words
            help_text = self.ok(words[0], "--help")
            for option in options[1:]:
                if option.startswith("-"):
                    self.assertIn(option.split("=")[0], help_text, line)


class Mcp(WperfTest):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_programs_write_nothing_between_the_messages(self):
        if shutil.which("cc") is None:
            self.skipTest("no C compiler")
        (self.folder / "p.c").write_text(PROGRAM)
        subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", self.folder / "p.c", "-o", self.folder / "program"], check=True)
        with session("--root", self.folder, "--device", "linux", "--allow-record", environment=self.environment) as one:
            def record(milliseconds):
                return one.call("record", program=str(self.folder / "program"), arguments=[str(milliseconds)], seconds=60)

            brief = until_enough(record, lambda made: sum(int(row[made["columns"].index("samples")].replace(",", "")) for row in made["rows"]))
            self.assertIn("hottest", " ".join(brief["verdict"]))
            self.assertIn("hot", [row[brief["columns"].index("symbol")] for row in brief["rows"]][0])
            name = sorted(self.folder.glob("recording-*.data"))[0].name
            callers = one.call("callers", recording=name, function="hot")
            self.assertEqual(callers["rows"][0][callers["columns"].index("caller")], "caller")
            lines = one.call("source", recording=name, function="hot")
            self.assertTrue(lines["rows"][0][lines["columns"].index("line")].startswith("p.c:"), lines)
            out, err = one.end()
        self.assertEqual(out, "", "nothing after the last answer")
        self.assertIn("the program's own words", err)

    def test_older_clients_are_answered_in_their_revision(self):
        lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize",
                  "params": {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}},
                 {"jsonrpc": "2.0", "method": "notifications/initialized"},
                 {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                 {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                  "params": {"name": "summary", "arguments": {"recording": "nothing.data"}}}]
        done = self.run_wperf("mcp", "--root", self.folder, text="".join(json.dumps(line) + "\n" for line in lines))
        hello, tools, answer = map(json.loads, done.stdout.splitlines())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(hello["result"]["protocolVersion"], "2025-03-26")
        self.assertNotIn("outputSchema", tools["result"]["tools"][0])
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("there is no file nothing.data", answer["result"]["content"][0]["text"])

    def test_answers_are_as_their_schema_says(self):
        import jsonschema
        with session("--root", self.folder, environment=self.environment) as one:
            tool = one.ask("tools/list")["result"]["tools"][0]
            answer = one.ask("tools/call", name="events", arguments={"match": "ld_spec"})["result"]["structuredContent"]
            jsonschema.Draft202012Validator(tool["outputSchema"]).validate(answer)
            self.assertIn("ld_spec", [row[0] for row in answer["brief"]["rows"]])
            jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])

    def test_the_events_of_linux_have_one_described_row_each(self):
        with session("--root", self.folder, environment=self.environment) as one:
            brief = one.call("events", device="linux", match="faults")
            rows = {row[brief["columns"].index("event")]: row[brief["columns"].index("description")] for row in brief["rows"]}
            self.assertNotIn("faults", rows)
            listed = {row["Alias_Name"]: row for row in
                      json.loads(self.ok("list", "-v", "--json", device="linux"))["Predefined_Events"]}
            self.assertEqual(rows["page-faults"], listed["page-faults"]["Description"])
            self.assertEqual(listed["faults"]["Description"], "Another name of page-faults")
            self.assertTrue(all(rows.values()), rows)

    def test_an_answer_does_not_depend_on_earlier_questions(self):
        for name, words in (("a.etl", ["4", "300"]), ("b.etl", ["4", "900"])):
            self.ok("waits", "-q", "-o", self.folder / name, "--", workload("threads.exe"), *words)
        for name, program in (("c.data", "shares.exe"), ("d.data", "calls.exe")):
            self.ok("record", "-e", "cpu_cycles:20000", "-c", "1", "-q", "-o", self.folder / name, "--timeout", "1", "--",
                    workload(program))
        rows = json.loads(self.ok("waits", self.folder / "a.etl", "--json"))["waits"]["threads"]
        questions = [("waits", {"recording": "a.etl"}), ("waits", {"recording": "a.etl", "tid": rows[-1]["tid"]}),
                     ("critical_path", {"recording": "a.etl"}), ("compare", {"before": ["c.data"], "after": ["d.data"]}),
                     ("compare", {"before": ["c.data"], "after": ["d.data"], "per": "share"}),
                     ("compare", {"before": ["d.data"], "after": ["c.data"]}),
                     ("functions", {"recording": "c.data", "from": 0, "to": 0.5}), ("waits", {"recording": "b.etl"})]
        alone = []
        for tool, arguments in questions:
            with session("--root", self.folder) as one:
                alone.append(one.call(tool, **arguments))
        with session("--root", self.folder) as one:
            for _ in range(2):
                self.assertEqual([one.call(tool, **arguments) for tool, arguments in questions], alone)
            shutil.copy(self.folder / "b.etl", self.folder / "a.etl")
            self.assertEqual(one.call("waits", recording="a.etl")["verdict"], alone[-1]["verdict"], "a changed file is read again")

    def test_a_root_must_exist(self):
        self.assertIn("there is no folder", self.fails("mcp", "--root", self.folder / "no", status=2))

    def test_a_request_can_be_cancelled(self):
        def send(**message):
            one.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            one.process.stdin.flush()

        endless = {"name": "record", "arguments": {"program": str(workload("shares.exe")), "seconds": 600}}
        with session("--root", self.folder, "--allow-record", environment=self.environment) as one:
            send(id=1, method="tools/call", params=endless)
            send(id=2, method="ping")
            self.assertEqual(json.loads(one.process.stdout.readline()), {"jsonrpc": "2.0", "id": 2, "result": {}})
            send(method="notifications/cancelled", params={"requestId": 1})
            send(id=3, method="ping")
            self.assertEqual(json.loads(one.process.stdout.readline())["id"], 3)
            # The second of these calls waits until the first call has ended.
            send(id=4, method="tools/call", params=endless)
            send(id=5, method="tools/call", params=endless)
            for number in (5, 4):
                send(method="notifications/cancelled", params={"requestId": number})
            send(id=6, method="tools/list")
            self.assertEqual(json.loads(one.process.stdout.readline())["id"], 6)
            self.assertEqual(list(self.folder.iterdir()), [], "cancelled recordings are not kept")
            send(id=7, method="tools/call", params=endless)
            send(id=8, method="ping")
            one.process.stdout.readline()
            one.process.terminate()
            one.process.communicate(timeout=60)
            self.assertEqual(one.process.returncode, 0, "it ends by itself, and ends its program")

    def test_nonsense_does_not_end_it(self):
        lines = ["", "{", "\x00\xff", "[" * 5000, "null", '{"jsonrpc":"2.0","id":1,"method":"ping"}', "x" * 2_000_000]
        done = self.run_wperf("mcp", "--root", self.folder, text="\n".join(lines) + "\n")
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        codes = [answer.get("error", {}).get("code") for answer in answers]
        codes.remove(None)  # a ping does not wait for earlier messages
        self.assertEqual(codes, [-32700, -32700, -32700, -32600, -32600])


class Questions(WperfTest):
    """100 questions with known answers, always asked in the same way."""

    programs = [("shares.exe",), ("calls.exe",), ("googolplex.exe",), ("fib.exe",), ("stream.exe",), ("simd.exe",), ("branchy.exe",),
                ("bottlenecks.exe", "memory", "20000")]

    def recordings(self, folder):
        for number, (program, *words) in enumerate(self.programs):
            name = f"{number}.data"
            self.ok("record", "-e", "cpu_cycles:20000", "-c", "1", "-q", "-o", folder / name, "--timeout", "1", "--", workload(program),
                    *words)
            yield name
        for trace in sorted((SHARED / "data" / "etl").glob("*.etl")):
            if trace.stat().st_size > 20_000_000:
                continue
            done = self.run_wperf("report", trace, "--json")
            if done.returncode == 0 and json.loads(done.stdout)["recording"]["events"][0]["samples"] > 100:
                shutil.copy(trace, folder)
                yield trace.name

    def truths(self, path):
        """{question: answer} from the whole documents."""
        def rows(*options):
            return self.rows_of(self.json_of("report", path, *options, "--sample-display-row", "100000", "--json"))

        functions, modules = rows("--sort", "symbol,module"), rows("--sort", "module")
        threads, lines = rows("--sort", "comm,tid"), rows("--sort", "line,symbol", "-s", functions[0]["symbol"])
        truth = {"hottest function": functions[0]["symbol"], "its samples": functions[0]["samples"],
                 "its module": functions[0]["module"], "second function": functions[1]["symbol"] if len(functions) > 1 else None,
                 "functions": len(functions), "hottest module": modules[0]["module"], "modules": len(modules),
                 "busiest thread": threads[0]["tid"], "threads": len(threads),
                 "hottest line": lines[0]["line"] or "-"}
        return truth

    def json_of(self, *words):
        done = self.run_wperf(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    @staticmethod
    def rows_of(document):
        return document["recording"]["events"][0]["rows"]

    @staticmethod
    def asked(one, name):
        """The same answers, obtained with the tools."""
        def cell(brief, row, column):
            return brief["rows"][row][brief["columns"].index(column)] if len(brief["rows"]) > row else None

        def number(text):
            return int(text.replace(",", ""))

        functions = one.call("functions", recording=name)
        modules = one.call("functions", recording=name, by="module")
        threads = one.call("functions", recording=name, by="thread")
        lines = one.call("source", recording=name, function=cell(functions, 0, "symbol"))
        return {"hottest function": cell(functions, 0, "symbol"), "its samples": number(cell(functions, 0, "samples")),
                "its module": cell(functions, 0, "module"), "second function": cell(functions, 1, "symbol"),
                "functions": functions["rows_in_all"], "hottest module": cell(modules, 0, "module"), "modules": modules["rows_in_all"],
                "busiest thread": number(cell(threads, 0, "tid")), "threads": threads["rows_in_all"],
                "hottest line": cell(lines, 0, "line")}

    def test_few_calls_answer_them(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        questions, wrong = 0, []
        with session("--root", folder, environment=self.environment) as one:
            for name in self.recordings(folder):
                truth = self.truths(folder / name)
                one.calls = 0
                answers = self.asked(one, name)
                self.assertLessEqual(one.calls, MOST_CALLS)
                questions += len(truth)
                wrong += [(name, question, answers[question], answer) for question, answer in truth.items()
                          if answers[question] != answer]
            self.assertLessEqual(one.bytes, MOST_BYTES)
        self.assertGreaterEqual(questions, 80)
        self.assertLessEqual(len(wrong), questions * 5 // 100, wrong)


if __name__ == "__main__":
    unittest.main()
