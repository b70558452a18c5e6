#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fills the examples of the documentation with the tool's real output.

A fenced block after a line `<!-- output: COMMAND -->` in README.md or docs/user holds the output of COMMAND, run on the simulated
machine in the folder of the workloads. Long outputs are cut in the middle. Run it after a change of a report:

    tools/doc_outputs.py build/release              every page
    tools/doc_outputs.py build/release stat.md      this one
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import doc_examples

MARK = re.compile(r"(<!-- output: (?P<command>[^\n]*) -->\n```\w*\n)(?P<old>.*?)(```\n)", re.DOTALL)
MOST_LINES = 40
KEPT_LINES = 16
MOST_COLUMNS = 180


def shorten(lines):
    if len(lines) > MOST_LINES:
        lines = lines[:KEPT_LINES] + [f"... ({len(lines) - 2 * KEPT_LINES} lines more)"] + lines[-KEPT_LINES:]
    return [line if len(line) <= MOST_COLUMNS else line[:MOST_COLUMNS].rstrip() + " ..." for line in lines]


def is_here(command, folder):
    """Third-party programs exist only if scripts/programs has built them."""
    return all(pathlib.Path(folder, name).exists() for name in re.findall(r"[\w./-]+\.exe\b", command))


def output_of(command, folder, environment):
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, capture_output=True,
                          text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{command}\nended with status {done.returncode}: {done.stderr}")
    lines = (done.stdout + done.stderr).rstrip("\n").split("\n")
    while lines and not lines[0]:
        lines.pop(0)
    return "\n".join(shorten(lines)) + "\n"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        doc_examples.make_folder(folder, build)
        environment = doc_examples.environment(build, "sim:pace=free")
        wanted = sys.argv[2:]
        for page in doc_examples.pages():
            if wanted and page.name not in wanted:
                continue
            text = page.read_text()

            def fill(mark):
                if is_here(mark["command"], folder):
                    return mark[1] + output_of(mark["command"], folder, environment) + mark[4]
                print(f"{page.relative_to(doc_examples.ROOT)}: not changed, because the program is missing: {mark['command']}")
                return mark[0]
            filled = MARK.sub(fill, text)
            if filled != text:
                page.write_text(filled)
                print(page.relative_to(doc_examples.ROOT))


if __name__ == "__main__":
    main()
