# SPDX-License-Identifier: BSD-3-Clause
"""The words that bash offers to complete a line, by completions/wperf.bash."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import support

# Without a person at the keys bash has no options of the completion to set.
ASK = """compopt() { :; }
. "$SCRIPT"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_wperf
printf '%s\\n' "${COMPREPLY[@]}"
"""


@unittest.skipUnless(shutil.which("bash"), "no bash here")
class CompletionTest(support.WperfTest):
    def offered(self, *words, cwd=None):
        environment = dict(self.environment, SCRIPT=str(support.SOURCE / "completions" / "wperf.bash"),
                           PATH=f"{pathlib.Path(support.BINARY).parent}{os.pathsep}{os.environ['PATH']}")
        done = subprocess.run(["bash", "-c", ASK, "bash", "wperf", *words], env=environment, cwd=cwd, text=True,
                              capture_output=True, timeout=support.TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_commands_and_their_options(self):
        self.assertIn("record", self.offered("re"))
        self.assertIn("--call-graph", self.offered("record", "--ca"))
        self.assertNotIn("-t", self.offered("record", "-"))

    def test_report_reads_files(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "mine.data").write_bytes(b"")
            self.assertEqual(self.offered("report", "mi", cwd=folder), ["mine.data"])
            self.assertEqual(self.offered("report", "", cwd=folder), ["mine.data"])
            self.assertIn("--sort", self.offered("report", "--so", cwd=folder))

    def test_values(self):
        self.assertEqual(self.offered("record", "--by", "t"), ["thread"])
        self.assertEqual(self.offered("record", "--by", "thread,c"), ["thread,core", "thread,caller"])
        self.assertEqual(self.offered("report", "--sort", "comm,sy"), ["comm,symbol"])
        self.assertEqual(self.offered("record", "--call-graph", ""), ["auto", "fp", "dwarf"])
        self.assertEqual(self.offered("report", "--percentage", "r"), ["relative"])
        self.assertEqual(self.offered("report", "--color", "a"), ["auto", "always"])
        self.assertIn("sim", self.offered("stat", "--device", "s"))
        self.assertEqual(self.offered("stat", "--timeout", ""), [])

    def test_names_are_those_of_the_machine(self):
        self.assertEqual(self.offered("stat", "-e", "vfp"), ["vfp_spec"])
        self.assertIn("ld_spec,st_spec", self.offered("stat", "-e", "ld_spec,st"))
        self.assertIn("imix", self.offered("stat", "-m", "im"))
        self.assertIn("Operation_Mix", self.offered("stat", "-m", "Op"))
        self.assertEqual(self.offered("stat", "-m", "vfp"), [], "an event is no metric")
        self.assertEqual(self.offered("stat", "-e", "imi"), [], "a metric is no event")


if __name__ == "__main__":
    unittest.main()
