#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CPython for ARM64 Windows, built by scripts/cpython, on the DLLs of Windows. Its results are right, and its profile
matches the profile in Arm's learning path."""
import collections
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from python_truth import Truth, python_frames  # noqa: E402
from support import BINARY, SOURCE, TIMEOUT, WperfTest, counts, shown_on_terminal  # noqa: E402

TOOLS = SOURCE / "build" / "tools"
PYTHON = TOOLS / "cpython" / "python_d.exe"
OPTIMISED = TOOLS / "cpython-optimised" / "python.exe"
DEVICE = "sim:pace=free,mhz=1000,console=shown"
COUNT = ("stat", "-q", "-e", "inst_retired", "-c", "0", "--")
PLAIN = ("-S", "-E", "-I")  # no site, no environment: a short start


def share_of(told):
    """The percentage of samples with Python names among those inside the interpreter."""
    joined, whole = (int((number or told.group(2)).replace(",", "")) for number in told.groups())
    return 100 * joined / whole


class CPythonTest(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not PYTHON.exists():
            raise unittest.SkipTest("build/tools/cpython is missing (scripts/cpython builds it)")


class CPython(CPythonTest):
    def python(self, *arguments, text=None, options=""):
        done = self.run_wperf(*COUNT, PYTHON, *arguments, device=DEVICE + options, text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_big_numbers(self):
        self.assertEqual(self.python(*PLAIN, "-c", "print(10**10**5 % 97)").stdout, "35\n")

    def test_a_session_in_its_prompt(self):
        lines = "fib = lambda n: n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(12))\nimport sys\nprint(sys.platform, sys.version_info[:2])\n"
        self.assertEqual(self.python(*PLAIN, "-q", "-", text=lines).stdout, "144\nwin32 (3, 13)\n")

    def test_the_prompt_on_a_terminal(self):
        ours, its = pty.openpty()
        environment = {**self.environment, "WPERF_DEVICE": DEVICE}
        with subprocess.Popen([BINARY, *COUNT, PYTHON, *PLAIN], stdin=its, stdout=its, stderr=its, env=environment) as running:
            os.write(ours, "print(6 * 7, len('é€'), '€')\nraise SystemExit\n".encode())
            shown = shown_on_terminal(ours, its, running)
            self.assertEqual(running.wait(timeout=TIMEOUT), 0, shown)
        self.assertIn(">>> 42 2 €\r".encode(), shown)

    def test_files_and_threads(self):
        script = ("import json, threading\n"
                  "data = {}\n"
                  "def work(n): data[n] = sum(range(n))\n"
                  "threads = [threading.Thread(target=work, args=(n,)) for n in (10, 20, 30)]\n"
                  "[t.start() for t in threads]; [t.join() for t in threads]\n"
                  "with open('out.json', 'w') as f: json.dump(data, f)\n"
                  "print(open('out.json').read())\n")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "work.py").write_text(script)
            done = self.python(*PLAIN, "work.py", options=f",folder={folder},writes=on")
            self.assertEqual(done.stdout, '{"10": 45, "20": 190, "30": 435}\n')
            self.assertTrue((pathlib.Path(folder) / "out.json").exists())

    def test_a_server_and_its_clients(self):
        script = ("import asyncio\n"
                  "async def echo(reader, writer):\n"
                  "    while line := await reader.readline(): writer.write(line.upper())\n"
                  "    writer.close()\n"
                  "async def ask(port, text):\n"
                  "    reader, writer = await asyncio.open_connection('localhost', port)\n"
                  "    writer.write(text + b'\\n')\n"
                  "    answer = await reader.readline()\n"
                  "    writer.close()\n"
                  "    return answer\n"
                  "async def main():\n"
                  "    server = await asyncio.start_server(echo, '127.0.0.1', 0)\n"
                  "    port = server.sockets[0].getsockname()[1]\n"
                  "    print(await asyncio.gather(*[ask(port, bytes([97 + n]) * 3) for n in range(3)]))\n"
                  "asyncio.run(main())\n")
        done = self.python(*PLAIN, "-c", script)
        self.assertEqual(done.stdout, "[b'AAA\\n', b'BBB\\n', b'CCC\\n']\n")

    def test_processes_that_work_together(self):
        script = ("import multiprocessing\n"
                  "def square(n): return n * n\n"
                  "if __name__ == '__main__':\n"
                  "    with multiprocessing.Pool(2) as pool: print(pool.map(square, range(6)))\n")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "pool.py").write_text(script)
            done = self.python(*PLAIN, "pool.py", options=f",folder={folder}")
        self.assertEqual(done.stdout, "[0, 1, 4, 9, 16, 25]\n")

    def test_the_profile_of_the_learning_path(self):
        """WindowsPerf's own expectation: at least 65 % of the samples in x_mul."""
        found = self.json("record", "-q", "-e", "ld_spec:100000", "-c", "0", "--sort", "module,symbol", "--timeout", "0.6", "--json", "--",
                          PYTHON, *PLAIN, "-c", "10**10**100", device="sim:pace=free,mhz=1000")
        rows = found["recording"]["events"][0]["rows"]
        self.assertEqual((rows[0]["symbol"], rows[0]["module"]), ("x_mul", "python313_d.dll"))
        self.assertGreaterEqual(rows[0]["percent"], 65)


class PythonFrames(CPythonTest):
    """`record --python` on the simulated machine, where the thread stands still at each sample."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def record(self, script, *arguments, event="inst_retired:100000"):
        """Its samples."""
        kept = pathlib.Path(self.folder.name) / "perf.data"
        done = self.run_wperf("record", "--python", "-e", event, "-c", "0", "-o", kept, "--", PYTHON, *PLAIN, script, *arguments,
                              device=f"{DEVICE},folder={self.folder.name},writes=on")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = re.search(r"Python 3\.13: (?:all|([\d,]+) of) ([\d,]+) samples inside the interpreter have Python names", done.stdout)
        self.assertGreaterEqual(share_of(told), 97, done.stdout)
        print(told.group(0), file=sys.stderr)
        shown = self.ok("report", kept, "--records", "-", "--json", "--sort", "symbol,line")
        return [json.loads(line) for line in shown.splitlines() if line.startswith('{"comm"')]

    def test_the_line_that_multiplies(self):
        (pathlib.Path(self.folder.name) / "googolplex.py").write_text("x = 10**10**5 % 97\nprint(x)\n")
        samples = self.record("googolplex.py")
        stacks = [[frame["symbol"] for frame in sample["frames"]] for sample in samples]
        hot = [i for i, stack in enumerate(stacks) if stack[:2] == ["x_mul", "k_mul"]]
        self.assertGreater(len(hot), len(samples) / 3)
        for i in hot:
            python = [frame for frame in samples[i]["frames"] if frame["module"] == "googolplex.py"]
            self.assertEqual([frame["symbol"] for frame in python], ["<module>"], stacks[i])
            self.assertRegex(python[0]["line"], r"googolplex\.py:1$")
            self.assertNotIn("_PyEval_EvalFrameDefault", stacks[i])

    def test_the_line_that_waits_for_memory(self):
        """SPE finds the line; it records no callers."""
        (pathlib.Path(self.folder.name) / "googolplex.py").write_text("x = 10**10**5 % 97\nprint(x)\n")
        kept = pathlib.Path(self.folder.name) / "loads.data"
        done = self.run_wperf("record", "--python", "-e", "arm_spe_0/load_filter=1/", "-c", "0", "-o", kept, "--", PYTHON, *PLAIN,
                              "googolplex.py", device=f"{DEVICE},folder={self.folder.name}", cwd=self.folder.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = re.search(r"Python 3\.13: (?:all|([\d,]+) of) ([\d,]+) samples inside the interpreter have Python names", done.stdout)
        self.assertGreaterEqual(share_of(told), 99, done.stdout)
        rows = self.json("report", kept, "--sort", "module,symbol,line", "--children", "--json")["recording"]["events"]
        latency = next(event for event in rows if event["event"] == "total_latency")
        line = next(row for row in latency["rows"] if row["module"] == "googolplex.py" and row["line"].endswith("googolplex.py:1"))
        self.assertGreater(line["all_percent"], 50, line)
        folded = self.run_wperf("report", kept, "--folded").stdout
        self.assertRegex(folded, r"(?m)^python_d\.exe;<module>;x_mul \d+$")
        shown = json.loads(self.run_wperf("report", kept, "--export", "firefox", "-o", "-").stdout)
        times = [time for thread in shown["threads"] for time in thread["samples"]["time"]]
        self.assertEqual(len(times), sum(event["samples"] for event in rows))
        self.assertLess(max(times), 10_000, "each record has a time for each of its events")
        # WindowsPerf's own tables, on request.
        self.assertIn("sample source", self.ok("report", kept, "--mem"))

    def test_top(self):
        (pathlib.Path(self.folder.name) / "busy.py").write_text("def burn():\n    while True:\n        pass\nburn()\n")
        found = self.json("top", "--once", "--every", "0.2", "--python=lines", "-e", "inst_retired:1000000", "-c", "0", "--json", "--",
                          PYTHON, *PLAIN, "busy.py", device=f"{DEVICE},folder={self.folder.name}")
        hottest = found["recording"]["events"][0]["rows"][0]
        self.assertEqual(hottest["module"], "busy.py", hottest)
        self.assertRegex(hottest["symbol"], "^burn:[23]$")

    def test_what_the_program_says_itself(self):
        shutil.copy(SOURCE / "tests" / "e2e" / "python_stacks.py", self.folder.name)
        samples = self.record("python_stacks.py", "notes", "0.004", event="cpu_cycles:40000")
        # The simulated Windows has already run for a minute when the machine starts.
        truth = Truth(json.loads((pathlib.Path(self.folder.name) / "notes").read_text()), ahead_ns=60_000_000_000)
        right, wrong, apart = truth.functions(samples)
        right_lines, wrong_lines = truth.lines(samples)
        print(f"right {right.total()}, apart {apart}, lines {right_lines}", file=sys.stderr)
        self.assertGreater(right.total(), 1000)
        self.assertGreaterEqual(len(right), 20)
        self.assertLess(wrong.total() / right.total(), 0.005, wrong)
        self.assertLess(apart / right.total(), 0.03)
        self.assertGreater(right_lines, 200)
        self.assertLess(wrong_lines.total() / right_lines, 0.02, wrong_lines)


# Records when its functions wait. hold() works in C and does not release the interpreter's lock.
WAITING = """
import json, threading, time
notes, lock = [], threading.Lock()
def timed(act):
    begin = time.perf_counter_ns()
    act()
    notes.append({"tid": threading.get_native_id(), "name": act.__name__, "begin": begin, "end": time.perf_counter_ns()})
def spin():
    n = 15000
    while n: n -= 1
def hold(): sorted(range(30000, 0, -1))
def nap(): time.sleep(0.01)
def take(): lock.acquire()
def several(*acts):
    for act in acts * 3: timed(act)
def takes():
    several(take, nap, lock.release)
threads = [threading.Thread(target=several, args=acts) for acts in ((spin,), (hold,), (nap,))]
threads += [threading.Thread(target=takes) for _ in range(2)]
for one in threads: one.start()
for one in threads: one.join()
with open("notes", "w") as file: json.dump(notes, file)
"""
NAP_LINE = 1 + WAITING.splitlines().index("def nap(): time.sleep(0.01)")


class PythonWaits(CPythonTest):
    """`waits --python` on the simulated machine: a Windows trace, and the functions that wait in it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        folder = pathlib.Path(cls.folder.name)
        (folder / "waiting.py").write_text(WAITING)
        cls.kept, cls.page = folder / "kept.etl", folder / "page.html"
        cls.done = cls().run_wperf("waits", "--python", "--html", cls.page, "-o", cls.kept, "--", PYTHON, *PLAIN, "waiting.py",
                                   device=f"{DEVICE},folder={folder},writes=on")
        cls.notes = json.loads((folder / "notes").read_text())
        for note in cls.notes:
            # The simulated Windows has already run for a minute when the machine starts.
            note["begin"] -= 60_000_000_000
            note["end"] -= 60_000_000_000

    def waits(self):
        """The waits within the program's notes, with their notes."""
        shown = self.ok("waits", self.kept, "--records", "-", "--json", "--sort", "symbol,line")
        for line in shown.splitlines():
            wait = json.loads(line) if line.startswith('{"comm"') else None
            for note in self.notes if wait else ():
                if wait["tid"] == note["tid"] and note["begin"] <= wait["time_ns"] <= note["end"]:
                    yield wait, note

    def test_each_wait_is_in_the_function_that_waits(self):
        seen = collections.Counter()
        for wait, note in self.waits():
            frames = python_frames(wait)
            names = "/".join(frame["symbol"] for frame in frames)
            # timed() itself may wait for the interpreter's lock, before and after it calls `act`.
            self.assertRegex(names, f"^({note['name']}/)?timed/several/", wait)
            self.assertNotIn("_PyEval_EvalFrameDefault", [frame.get("symbol") for frame in wait["frames"]])
            if frames[0]["symbol"] == "nap":
                self.assertRegex(frames[0]["line"], rf"waiting\.py:{NAP_LINE}$")
            seen[frames[0]["symbol"]] += 1
        self.assertTrue(all(seen[name] >= 2 for name in ("spin", "nap", "take")), seen)

    def test_how_long_they_waited(self):
        waited = collections.Counter()
        for wait, note in self.waits():
            if python_frames(wait)[0]["symbol"] == "nap":
                waited[note["tid"], note["begin"]] += wait["period"]
        naps = [note for note in self.notes if note["name"] == "nap"]
        self.assertEqual(len(naps), 9)
        for note in naps:
            length = note["end"] - note["begin"]
            self.assertLessEqual(waited[note["tid"], note["begin"]], length)
            self.assertGreater(waited[note["tid"], note["begin"]], 0.8 * length)

    def test_who_held_the_interpreter(self):
        functions = self.json("waits", self.kept, "--json")["waits"]["functions"]
        rows = {row["caller"]: row for row in functions if row["class"] == "GIL" and row["caller_module"] == "waiting.py"}
        self.assertEqual(rows["spin"]["holder"], "hold", rows)
        self.assertGreater(rows["spin"]["held_ns"], 0.5 * rows["spin"]["total_ns"])
        self.assertIn("hold in python_d.exe", self.ok("waits", self.kept))
        by_line = self.json("waits", self.kept, "--json", "--python=lines")["waits"]["functions"]
        self.assertIn(f"nap:{NAP_LINE}", {row["caller"] for row in by_line})

    def test_other_views_of_the_trace(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertRegex(self.page.read_text(), r"<td[^>]*>hold in python_d\.exe \(\d+\)</td>")
        shown = self.ok("report", self.kept, "--children")
        told = re.search(r"Python 3\.13: (?:all|([\d,]+) of) ([\d,]+) samples inside the interpreter have Python names", shown)
        self.assertGreaterEqual(share_of(told), 99, shown)
        self.assertRegex(shown, r"waiting\.py +spin\n")
        folded = self.ok("waits", self.kept, "--on-off", "--folded")
        self.assertRegex(folded, r"(?m);timed;nap;time_sleep;.*;\[waiting: timer\] \d+$")


@unittest.skipUnless(os.environ.get("WPERF_CPYTHON_TESTS"), "one to four minutes each: WPERF_CPYTHON_TESTS=1 runs them")
class OwnTests(CPythonTest):
    """CPython's tests of itself, on the build without debugging."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not OPTIMISED.exists():
            raise unittest.SkipTest("build/tools/cpython-optimised is missing (scripts/cpython --optimised builds it)")

    def check(self, module):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(TOOLS / "python3.13" / "Lib" / "test", pathlib.Path(folder) / "test")
            run = f"import sys; sys.path.insert(0, r'C:\\work'); import unittest; unittest.main('test.{module}', argv=['python'])"
            done = subprocess.run([BINARY, *COUNT, OPTIMISED, *PLAIN, "-c", run], text=True, capture_output=True, timeout=1800,
                                  stdin=subprocess.DEVNULL, env={**self.environment, "WPERF_DEVICE": f"{DEVICE},folder={folder},writes=on"})
        said = done.stdout + done.stderr
        self.assertRegex(said, r"\nRan [1-9]\d* tests in .*\n\nOK\b", module)
        print(module, said[said.index("\nRan "):].replace("\n", " "), file=sys.stderr)

    def test_int(self):
        self.check("test_int")

    def test_float(self):
        self.check("test_float")

    def test_dict(self):
        self.check("test_dict")

    def test_list(self):
        self.check("test_list")

    def test_str(self):
        self.check("test_str")

    def test_threading(self):
        self.check("test_threading")

    def test_json(self):
        self.check("test_json.test_decode")

    def test_re(self):
        self.check("test_re")


class TwoTerminals(CPythonTest):
    """The session that the guides show: the interpreter in one terminal, wperf in another."""

    def setUp(self):
        self.environment["WPERF_DEVICE"] = "sim"  # the machine that is up
        self.ok("machine", "start", device="sim:mhz=1000")
        self.addCleanup(self.run_wperf, "machine", "stop")
        self.terminal, its = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        running = subprocess.Popen([BINARY, "machine", "run", "--affinity", "2", "--", PYTHON, *PLAIN], env=self.environment,
                                   stdin=its, stdout=its, stderr=its, start_new_session=True,
                                   preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(its)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        self.shown = b""

    def wait_for_prompt(self):
        end = time.monotonic() + TIMEOUT
        while not self.shown.endswith(b">>> "):
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, self.shown)
            self.shown += os.read(self.terminal, 65536)

    def type(self, line):
        self.shown = b""
        os.write(self.terminal, line)

    def wait_until_busy(self):
        """Waits until core 1 retires more instructions than an idle core."""
        end = time.monotonic() + TIMEOUT
        while counts(self.json("stat", "-e", "inst_retired", "-c", "1", "--timeout", "0.01", "--json"), core=1)["inst_retired"] < 1e6:
            self.assertLess(time.monotonic(), end)

    def hottest(self):
        found = self.json("sample", "-e", "ld_spec:100000", "--pe_file", PYTHON, "-c", "1", "--timeout", "0.1", "--json")
        return found["sampling"]["events"][0]["samples"][0]

    def test_the_session(self):
        self.wait_for_prompt()
        self.type(b"10**10**100\n")
        self.wait_until_busy()
        mix = counts(self.json("stat", "-m", "imix", "-c", "1", "--timeout", "0.02", "--json"), core=1)
        self.assertGreater(mix["ld_spec"], 0.2 * mix["inst_spec"])
        hot = self.hottest()
        self.assertEqual(hot["symbol"], "x_mul:python313_d.dll")
        self.assertGreaterEqual(hot["overhead"], 65)
        self.type(b"\x03")  # Ctrl-C
        self.wait_for_prompt()
        self.assertIn(b"KeyboardInterrupt", self.shown)
        self.type(b"fib = lambda n: n if n < 2 else fib(n - 1) + fib(n - 2)\n")
        self.wait_for_prompt()
        self.type(b"fib(35)\n")
        self.wait_until_busy()
        self.assertEqual(self.hottest()["symbol"], "_PyEval_EvalFrameDefault:python313_d.dll")
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "perf.data"
            done = self.run_wperf("sample", "--python", "-e", "inst_retired:50000", "-c", "1", "--pe_file", PYTHON, "--timeout", "0.02",
                                  "-o", kept)
            self.assertEqual(done.returncode, 0, done.stderr)
            told = re.search(r"Python 3\.13: (?:all|([\d,]+) of) ([\d,]+) samples inside the interpreter have Python names", done.stdout)
            self.assertGreaterEqual(share_of(told), 97, done.stdout)
            self.assertGreater(int(told.group(2).replace(",", "")), 50)
            folded = self.ok("report", kept, "--folded", "--python=lines")
        self.assertTrue(re.search(r";<module>:1;<lambda>:1;<lambda>:1;", folded), folded[:2000])


if __name__ == "__main__":
    unittest.main()
