#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every command on the pages for users is run as it is shown there, and ends as described there. tools/doc_examples.py
describes the marks for that. In these tests the simulated machine has a slow clock, even if the command names the
machine, so that a simulated second takes little time."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("WPERF_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("WPERF_BINARY", SOURCE / "build/release/bin/wperf")).parents[1]
sys.path.insert(0, str(SOURCE / "tools"))
import doc_examples  # noqa: E402  (found by the line above)
from doc_examples import Command, RUNNING  # noqa: E402

MOST_WORDS = 1200  # of a page, with its examples
TIMEOUT = 240  # only a command that never ends reaches this limit
SIM = "sim:pace=free,mhz=1"
# Replaces the user's program. It works for a short time; with an argument it alternates between work and sleep until it
# is killed.
PROGRAM = r"""
#include <unistd.h>
volatile unsigned long sink;
__attribute__((noinline)) void work(void) { for (long i = 0; i < 20000000; ++i) sink += i; }
__attribute__((noinline)) void some_work(void) { for (long i = 0; i < 200000; ++i) sink += i; }
int main(int count, char** words) {
  (void)words;
  if (count < 2) work();
  while (count > 1) { some_work(); usleep(20000); }
  return 0;
}
"""


def man_page_commands():
    """The examples of the man page, which --help shows too."""
    text = (SOURCE / "docs/man/wperf.1").read_text()
    examples = text[text.index(".SH EXAMPLES"):text.index(".SH EXIT STATUS")]
    lines = [line[3:].replace("\\-", "-").replace("\\e", "\\") for line in examples.split("\n") if line.startswith(".B ")]
    how = {True: ("linux",), False: ()}
    arm = "wperf report perf.data --mem"  # a recording with SPE data, which only an Arm machine makes
    # These need a server, recordings, two builds, or the DLLs of Windows.
    elsewhere = ("wperf push ", "wperf pgo ", "wperf diff ", "wperf bench ", "wperf machine ")
    return [Command("docs/man/wperf.1", 0, line, how["./" in line or " report " in line]) for line in lines
            if line != arm and not line.startswith(elsewhere)]


def has_hardware_counters():
    units = pathlib.Path("/sys/bus/event_source/devices")
    return any(re.match(r"cpu(_core)?$|armv\d", unit.name) for unit in units.glob("*"))


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.program = pathlib.Path(cls.place.name, "program")
        cls.running = None
        cls.no_linux = cls.prepare_linux()

    @classmethod
    def tearDownClass(cls):
        if cls.running is not None:
            cls.running.kill()
            cls.running.wait()
        cls.place.cleanup()

    @classmethod
    def prepare_linux(cls):
        """Builds and starts the measured programs on Linux. Returns the reason why measuring is impossible, or None."""
        if shutil.which("cc") is None:
            return "there is no C compiler"
        source = cls.program.with_suffix(".c")
        source.write_text(PROGRAM)
        subprocess.run(["cc", "-g", "-O1", "-fno-omit-frame-pointer", "-o", cls.program, source], check=True)
        cls.running = subprocess.Popen([cls.program, "serve"])
        tried = cls.run_command("wperf record -g -o perf.data -- ./program", cls.place.name, None)
        return None if tried.returncode == 0 else tried.stderr

    @classmethod
    def run_command(cls, text, folder, device):
        text = re.sub(r"(--device )sim(:?)", lambda m: m[1] + SIM + ("," if m[2] else ""), text)
        environment = doc_examples.environment(BUILD, device)
        if cls.running is not None:
            environment[RUNNING[1:]] = str(cls.running.pid)
        with subprocess.Popen(["bash", "-o", "pipefail", "-c", text], cwd=folder, env=environment, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, start_new_session=True) as started:
            try:
                out, err = started.communicate(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(text, started.returncode, out, err)

    def why_not(self, command):
        if "no" in command.how:
            return "the page says so"
        if "linux" in command.how and self.no_linux is not None:
            return self.no_linux
        if "counters" in command.how and not has_hardware_counters():
            return "no hardware counters"
        if "root" in command.how and os.geteuid() != 0:
            return "not root"
        piped_to = re.findall(r" \| (\w\S*)", re.sub(r"'[^']*'", "", command.text))
        return next((f"no {tool} here" for tool in piped_to if shutil.which(tool) is None), None)

    @staticmethod
    def device_of(command):
        if "linux" in command.how:
            return None
        running = re.search(r"\bsample .*--pe_file (\S+)", command.text)  # the program already runs
        return f"{SIM},run=1:{running[1]}" if running else SIM

    def check(self, command, folder):
        wanted = int(command.how[1]) if "status" in command.how else 0
        done = self.run_command(command.text, folder, self.device_of(command))
        self.assertEqual(done.returncode, wanted, done.stderr)
        told = [line for line in done.stderr.splitlines() if "notes" not in command.how or not line.startswith("note: ")]
        # A recording of the whole machine may see how another test builds its program.
        told = [line for line in told if "became shorter while wperf read it" not in line or folder in line]
        self.assertEqual(told == [], wanted == 0, done.stderr)

    def check_all(self, commands, text=""):
        with tempfile.TemporaryDirectory() as folder:
            doc_examples.make_folder(folder, BUILD)
            if self.no_linux is None:
                doc_examples.build_programs(text, folder)
                from_server = pathlib.Path(folder, "server-files")
                from_server.mkdir()
                for name in ("program", "perf.data"):
                    shutil.copy2(pathlib.Path(self.place.name, name), folder)
                    shutil.copy2(pathlib.Path(self.place.name, name), from_server)
            for command in commands:
                with self.subTest(str(command)):
                    if (reason := self.why_not(command)) is None:
                        self.check(command, folder)
                    elif reason != "the page says so":
                        print(f"not run, {reason.strip()}: {command}")

    def test_examples_of_the_man_page(self):
        commands = man_page_commands()
        self.assertGreater(len(commands), 15)
        self.check_all(commands)


def add_tests():
    for page in doc_examples.pages():
        name = str(page.relative_to(doc_examples.ROOT))
        text = page.read_text()
        commands = doc_examples.commands_of(text, name)
        if commands:
            setattr(Commands, "test_" + re.sub(r"\W", "_", name),
                    lambda self, them=commands, text=text: self.check_all(them, text))


class Pages(unittest.TestCase):
    """The pages themselves."""

    def test_commands_are_found(self):
        text = ("    $ wperf list    all\n\n<!-- run: status 1 -->\n\n    wperf a \\\n        b\n    A=1 wperf x   y\n\n"
                "```\n    wperf in a fence\n```\n    wperf-devgen status\n")
        self.assertEqual([(c.text, c.how) for c in doc_examples.commands_of(text, "p")],
                         [("wperf list", ()), ("wperf a b", ("status", "1")), ("A=1 wperf x", ("status", "1"))])

    def test_an_output_is_that_of_the_command_above_it(self):
        for page in doc_examples.pages():
            above = None
            for i, line in enumerate(page.read_text().split("\n")):
                shown = doc_examples.commands_of(line, "")
                above = shown[0].text if shown else above
                mark = doc_examples.OUTPUT.match(line)
                if mark and "wperf" in mark["command"].split(" ")[0]:
                    with self.subTest(f"{page.name}:{i + 1}"):
                        self.assertIsNotNone(above)
                        self.assertTrue(plain(mark["command"]).startswith(plain(above).rstrip("\\").strip()), above)

    def test_links_lead_somewhere(self):
        for page in [*doc_examples.pages(), SOURCE / "ARCHITECTURE.md", SOURCE / "CONTRIBUTING.md"]:
            for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
                with self.subTest(f"{page.name}: {link}"):
                    self.assertNotIn("http:", link)
                    if not link.startswith("https:"):
                        self.check_link(page, *link.partition("#")[::2])

    def check_link(self, page, path, anchor):
        there = page if path == "" else page.parent / path
        self.assertTrue(there.exists())
        if anchor:
            self.assertIn(anchor, [anchor_of(line) for line in there.read_text().split("\n") if line.startswith("#")])

    def test_a_page_is_short(self):
        for page in doc_examples.pages():
            if page.name != "options.md":  # generated; a reference that users search
                with self.subTest(page.name):
                    self.assertLessEqual(len(page.read_text().split()), MOST_WORDS)

    def test_every_page_is_in_the_table_of_contents(self):
        linked = re.findall(r"\]\(([^)#]+\.md)\)", (SOURCE / "docs/user/README.md").read_text())
        pages = {page.name for page in (SOURCE / "docs/user").glob("*.md")}
        self.assertEqual(pages - set(linked), {"README.md"})


def anchor_of(heading):
    return re.sub(r"[^\w\- ]", "", heading.lstrip("# ").lower()).replace(" ", "-")


def plain(command):
    return re.sub(r" --device \S+|build/release/bin/", "", command)


if __name__ == "__main__":
    add_tests()
    unittest.main()
