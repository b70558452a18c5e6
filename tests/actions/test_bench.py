#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The composite action for pull requests: its script is run as GitHub would run it, with a fake `gh` that records its
requests."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import uuid

SOURCE = pathlib.Path(os.environ["WPERF_SOURCE_DIR"])
WORKLOADS = pathlib.Path(os.environ["WPERF_WORKLOADS"])
ACTION = SOURCE / "actions/bench"
GH = r"""#!/usr/bin/env bash
printf '%s\n' "$@" --- >>"$GH_CALLS"
case "$*" in
  *--jq*) cat "$GH_FOUND" 2>/dev/null || true ;;
esac
"""


class Action(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="a b")))
        (self.folder / "bin").mkdir()
        (self.folder / "bin/gh").write_text(GH)
        (self.folder / "bin/gh").chmod(0o755)
        self.environment = dict(os.environ, RUNNER_TEMP=str(self.folder), GITHUB_OUTPUT=str(self.folder / "output"),
                                GITHUB_STEP_SUMMARY=str(self.folder / "summary"), GITHUB_REPOSITORY="some/program",
                                GH_CALLS=str(self.folder / "calls"), GH_FOUND=str(self.folder / "found"),
                                PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}", WPERF=os.environ["WPERF_BINARY"],
                                WPERF_SIM_INSTANCE="test-" + uuid.uuid4().hex[:16], OPTIONS="--device sim:pace=free -n 4 -e inst_retired")

    def run_step(self, step, **variables):
        return subprocess.run(["bash", ACTION / "bench.sh", step], env={**self.environment, **variables}, capture_output=True, text=True,
                              timeout=240)

    def outputs(self):
        return dict(line.split("=", 1) for line in (self.folder / "output").read_text().splitlines())

    def compare(self, before, after, **variables):
        done = self.run_step("run", OLD=f"'{WORKLOADS / 'fib.exe'}' {before}", NEW=f"'{WORKLOADS / 'fib.exe'}' {after}", **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_a_slower_build_fails_with_all_files(self):
        done = self.compare(20, 21, CONDITIONS="inst_retired>0.1%\n")
        made = self.outputs()
        self.assertEqual(made["status"], "5")
        self.assertIn("::error ", done.stdout + done.stderr)
        folder = pathlib.Path(made["folder"])
        self.assertIn("diff", json.loads((folder / "bench.json").read_text()))
        self.assertIn("<failure", (folder / "gate.xml").read_text())
        self.assertEqual((self.folder / "summary").read_text(), (folder / "bench.md").read_text())

    def test_the_same_build_passes(self):
        self.compare(20, 20, CONDITIONS="inst_retired>0.1%\n")
        self.assertEqual(self.outputs()["status"], "0")

    def test_inputs_are_never_commands(self):
        done = self.run_step("run", OLD="$(touch owned) `touch owned` ; touch owned", NEW="x", CONDITIONS="")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(self.outputs()["status"], "0")
        self.assertFalse(pathlib.Path("owned").exists() or (self.folder / "owned").exists())

    def words_of(self, old):
        """The command-line words that wperf gets for the old build; None if the step fails."""
        (self.folder / "bin/fake").write_text('#!/bin/sh\nprintf "%s\\0" "$@" >"$GH_CALLS"\n')
        (self.folder / "bin/fake").chmod(0o755)
        done = self.run_step("run", OLD=old, NEW="new", WPERF="fake", CONDITIONS="", OPTIONS="")
        if done.returncode != 0:
            self.assertIn("::error::", done.stderr)
            self.assertFalse((self.folder / "calls").exists())
            return None
        words = (self.folder / "calls").read_text().split("\0")
        return words[words.index("--") + 1:words.index("---")]

    def test_words_are_quoted_as_in_a_shell(self):
        for text, words in (('prog "b\\"c" d', ["prog", 'b"c', "d"]), ("prog a ''", ["prog", "a", ""]),
                            ("prog\n 'a  b' \\$x *", ["prog", "a  b", "$x", "*"]), ("'/a b/prog' ü", ["/a b/prog", "ü"])):
            self.assertEqual(self.words_of(text), words)

    def test_a_quotation_without_end_is_an_error(self):
        for text in ("prog 'a b", 'prog "', "prog \\"):
            self.assertIsNone(self.words_of(text), text)

    def test_two_uses_have_two_comments_that_only_bots_write(self):
        (self.folder / "bench.md").write_text("## What changed\n")
        done = self.run_step("comment", FOLDER=str(self.folder), NUMBER="7", NAME="second.use")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "comment.md").read_text().startswith("<!-- wperf bench second.use -->\n"))
        calls = (self.folder / "calls").read_text()
        self.assertIn('select(.user.type == "Bot" and (.body | startswith("<!-- wperf bench second.use -->")))', calls)
        self.assertNotEqual(self.run_step("comment", FOLDER=str(self.folder), NUMBER="7", NAME='a" or true').returncode, 0)
        self.assertIn("name: ${{ inputs.name || 'wperf-bench' }}", (ACTION / "action.yml").read_text())

    def test_one_comment_is_made_and_then_changed(self):
        (self.folder / "bench.md").write_text("## What changed\n")
        done = self.run_step("comment", FOLDER=str(self.folder), NUMBER="7")
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "found").write_text("4711\n")
        self.assertEqual(self.run_step("comment", FOLDER=str(self.folder), NUMBER="7").returncode, 0)
        calls = (self.folder / "calls").read_text().split("---\n")
        self.assertIn("repos/some/program/issues/7/comments\n-F\n", calls[1])
        self.assertIn("-X\nPATCH\nrepos/some/program/issues/comments/4711\n", calls[3])
        self.assertTrue((self.folder / "comment.md").read_text().startswith("<!-- wperf bench -->\n## What changed"))

    def test_a_missing_program_is_named(self):
        done = self.run_step("run", OLD="x", NEW="y", WPERF="no-such-wperf")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("there is no program no-such-wperf", done.stderr)

    def test_the_file_hands_over_every_input(self):
        text = (ACTION / "action.yml").read_text()
        inputs = re.findall(r"^  ([a-z-]+):$", text[text.index("inputs:"):text.index("outputs:")], re.M)
        self.assertEqual(inputs, ["old", "new", "fail-if", "options", "wperf", "comment", "name", "token"])
        for name in inputs:
            self.assertIn("inputs." + name, text, name)
        # A ${{ }} in `run` would put the text of an input into a script.
        for line in text.splitlines():
            if re.match(r"\s*run:", line):
                self.assertNotIn("${{", line)


if __name__ == "__main__":
    unittest.main()
