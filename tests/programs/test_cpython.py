#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CPython for ARM64 Windows, built by scripts/cpython, on the DLLs of Windows: its answers are right, and its profile is
the one of Arm's learning path."""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import BINARY, SOURCE, TIMEOUT, WperfTest, shown_on_terminal  # noqa: E402

TOOLS = SOURCE / "build" / "tools"
PYTHON = TOOLS / "cpython" / "python_d.exe"
DEVICE = f"sim:pace=free,mhz=1000,console=shown,windows={TOOLS / 'windows'}"
COUNT = ("stat", "-q", "-e", "inst_retired", "-c", "0", "--")
PLAIN = ("-S", "-E", "-I")  # no site, no environment: a short start


class CPython(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not PYTHON.exists():
            raise unittest.SkipTest("build/tools/cpython is not there (scripts/cpython builds it)")

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
            os.close(its)
            os.write(ours, b"print(6 * 7)\nraise SystemExit\n")
            shown = shown_on_terminal(ours)
            self.assertEqual(running.wait(timeout=TIMEOUT), 0, shown)
        self.assertIn(b">>> 42\r", shown)

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

    def test_the_profile_of_the_learning_path(self):
        """WindowsPerf's own expectation: at least 65 % of the samples in x_mul."""
        found = self.json("record", "-q", "-e", "ld_spec:100000", "-c", "0", "--sort", "module,symbol", "--timeout", "0.6", "--json", "--",
                          PYTHON, *PLAIN, "-c", "10**10**100", device=f"sim:pace=free,mhz=1000,windows={TOOLS / 'windows'}")
        rows = found["recording"]["events"][0]["rows"]
        self.assertEqual((rows[0]["symbol"], rows[0]["module"]), ("x_mul", "python313_d.dll"))
        self.assertGreaterEqual(rows[0]["percent"], 65)


if __name__ == "__main__":
    unittest.main()
