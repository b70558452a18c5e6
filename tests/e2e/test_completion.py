# SPDX-License-Identifier: BSD-3-Clause
"""The words that bash and fish offer to complete a line, by completions/wperf.bash and completions/wperf.fish."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import support

# compopt fails outside of an interactive completion, so it is replaced.
ASK = """compopt() { :; }
. "$SCRIPT"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_wperf
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Offered:
    """Completions of any shell; offered(WORDS…) completes the last word."""

    def path(self):
        return f"{pathlib.Path(support.BINARY).parent}{os.pathsep}{os.environ['PATH']}"

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
        self.assertCountEqual(self.offered("record", "--by", "thread,c"), ["thread,core", "thread,caller"])
        self.assertEqual(self.offered("report", "--sort", "comm,sy"), ["comm,symbol"])
        self.assertCountEqual(self.offered("record", "--call-graph", ""), ["auto", "fp", "dwarf"])
        self.assertEqual(self.offered("report", "--percentage", "r"), ["relative"])
        self.assertCountEqual(self.offered("report", "--color", "a"), ["auto", "always"])
        self.assertIn("sim", self.offered("stat", "--device", "s"))
        self.assertEqual(self.offered("stat", "--timeout", ""), [])

    def test_names_are_those_of_the_machine(self):
        self.assertEqual(self.offered("stat", "-e", "vfp"), ["vfp_spec"])
        self.assertIn("ld_spec,st_spec", self.offered("stat", "-e", "ld_spec,st"))
        self.assertIn("imix", self.offered("stat", "-m", "im"))
        self.assertIn("Operation_Mix", self.offered("stat", "-m", "Op"))
        self.assertNotIn("vfp_spec", self.offered("stat", "-m", "vfp"), "an event is no metric")
        self.assertNotIn("imix", self.offered("stat", "-e", "imi"), "a metric is no event")


@unittest.skipUnless(shutil.which("bash"), "no bash here")
class Bash(Offered, support.WperfTest):
    def offered(self, *words, cwd=None):
        environment = dict(self.environment, SCRIPT=str(support.SOURCE / "completions" / "wperf.bash"),
                           PATH=self.path())
        done = subprocess.run(["bash", "-c", ASK, "bash", "wperf", *words], env=environment, cwd=cwd, text=True,
                              capture_output=True, timeout=support.TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()


@unittest.skipUnless(shutil.which("fish"), "no fish here")
class Fish(Offered, support.WperfTest):
    def offered(self, *words, cwd=None):
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]",
                                   str(support.SOURCE / "completions" / "wperf.fish"), " ".join(("wperf", *words))],
                                  env=dict(self.environment, PATH=self.path(), HOME=home), cwd=cwd, text=True,
                                  capture_output=True, timeout=support.TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def test_words_after_dashes_are_those_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "mine.data").write_bytes(b"")
            self.assertEqual(self.offered("record", "--", "cat", "mi", cwd=folder), ["mine.data"])
            self.assertIn("cat", self.offered("record", "--", "ca", cwd=folder))


if __name__ == "__main__":
    unittest.main()
