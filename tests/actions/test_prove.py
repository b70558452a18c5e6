#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/prove_wperf.py, which workflows run on Windows. These tests run it on the fake of Windows' tracing, and on a
fake wperf that reports wrong results."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import uuid
import zipfile

SOURCE = pathlib.Path(os.environ["WPERF_SOURCE_DIR"])
PROVE = SOURCE / "tools/prove_wperf.py"


class Prove(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.environment = dict(os.environ, WPERF_SIM_INSTANCE="test-" + uuid.uuid4().hex[:16])

    def prove(self, *words):
        return subprocess.run([sys.executable, "-B", PROVE, *map(str, words)], env=self.environment, cwd=self.folder, capture_output=True,
                              text=True, timeout=400)

    def results(self, name):
        document = json.loads((self.folder / name / "results.json").read_text())
        return {row["step"]: (row["result"], row["detail"]) for row in document["rows"]}

    def test_the_fake_of_windows_holds(self):
        done = self.prove("try", "--wperf", os.environ["WPERF_BINARY"], "--device", "etw:fake,pace=free", "--output", "a", "--name", "fake")
        found = self.results("a")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual({step for step, (result, _) in found.items() if result == "ok"},
                         {"version", "doctor", "selftest", "record", "page", "waits", "stat"})
        self.assertRegex(found["record"][1], r"leaf_b \d+\.\d % of 60 %")
        self.assertTrue((self.folder / "a/recorded.etl").exists())
        self.assertEqual(self.prove("join", "--output", "b", "a").returncode, 0)
        self.assertIn("| fake | record | ok |", (self.folder / "b/table.md").read_text())
        self.assertEqual(json.loads((self.folder / "b/badge.json").read_text())["message"], "7 ok, 0 failed")

    def test_what_does_not_hold_fails(self):
        liar = self.folder / "wperf"
        liar.write_text("#!/bin/sh\ncase \"$*\" in\n  *--version*) echo 'wperf 3' ;;\n  *waits*) echo 'error: no rights' >&2; exit 3 ;;\n"
                        "  *) echo '{}' ;;\nesac\n")
        liar.chmod(0o755)
        done = self.prove("try", "--wperf", liar, "--output", "a")
        found = self.results("a")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(found["version"][0], "ok")
        self.assertEqual({found[step][0] for step in ("doctor", "selftest", "record", "page", "stat")}, {"failed"})
        self.assertEqual(found["waits"], ("not possible", "error: no rights"))
        self.assertEqual(self.prove("join", "--output", "b", "a").returncode, 1)
        self.assertEqual(json.loads((self.folder / "b/badge.json").read_text())["color"], "red")

    def test_an_archive_is_unpacked(self):
        with zipfile.ZipFile(self.folder / "a.zip", "w") as archive:
            archive.writestr("wperf-3/README.txt", "no program")
        self.assertIn("there is no wperf.exe", self.prove("try", "--wperf", "a.zip", "--output", "a").stderr)

    def test_workflows_only_call_what_exists(self):
        for path in sorted((SOURCE / ".github/workflows").glob("*.yml")):
            text = path.read_text()
            called = re.findall(r"(?:\./|python3? )((?:scripts|tools)/[\w./-]+)", text)
            self.assertTrue(called, path)
            for name in called:
                self.assertTrue((SOURCE / name).is_file(), f"{path}: {name}")


if __name__ == "__main__":
    unittest.main()
