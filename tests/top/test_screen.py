# SPDX-License-Identifier: BSD-3-Clause
"""`wperf top` on a terminal (tmux): its drawing, its keys, and the terminal's state after its end."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
import support  # noqa: E402  (next to the end-to-end tests)
from support import workload  # noqa: E402

PATIENCE = 60  # seconds; enough for a busy machine


def wait_until(value, what):
    """Calls `value` until its result is true, and returns the result."""
    end = time.monotonic() + PATIENCE
    while True:
        if found := value():
            return found
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come")
        time.sleep(0.05)


class Terminal:
    """A separate tmux, whose one pane runs a shell."""

    def __init__(self, folder, environment, columns=90, lines=20):
        self.socket = os.path.join(folder, "tmux")
        self.environment = {**environment, "SHELL": "/bin/sh", "PS1": "ready> ", "ENV": ""}
        for name in ("TMUX", "NO_COLOR"):
            self.environment.pop(name, None)
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(lines), "/bin/sh")
        self.tmux("set-option", "-g", "status", "off")
        self.tmux("set-option", "-g", "escape-time", "0")
        # A fixed size that does not follow any other terminal.
        self.tmux("set-option", "-g", "window-size", "manual")
        self.resize(columns, lines)

    def tmux(self, *arguments):
        done = subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", "-u", *arguments], env=self.environment,
                              capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE)
        if done.returncode != 0:
            raise AssertionError(f"tmux {arguments}: {done.stderr}")
        return done.stdout

    def resize(self, columns, lines):
        self.tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def wait_for(self, what, *options):
        """Waits until `what` (a pattern, or a function of the screen) is on the screen. Returns the screen."""
        is_there = what if callable(what) else lambda text: re.search(what, text, re.MULTILINE)
        end = time.monotonic() + PATIENCE
        while True:
            text = self.screen(*options)
            if is_there(text):
                return text
            if time.monotonic() > end:
                raise AssertionError(f"{what} did not come:\n{text}")
            time.sleep(0.05)

    def wait_for_line(self, path):
        """Waits for the first complete line of a file that a program in the terminal writes."""
        def line():
            try:
                with open(path) as file:
                    text = file.read()
            except FileNotFoundError:
                return None
            return text.split("\n")[0] if "\n" in text else None
        return wait_until(line, path)

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, timeout=PATIENCE)


@unittest.skipUnless(shutil.which("tmux"), "tmux is not installed; it draws the screen as a terminal would")
class TopScreen(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = dict(os.environ, WPERF_SIM_INSTANCE="top-" + uuid.uuid4().hex[:16],
                                WPERF_DEVICE="sim:pace=free,seed=1", LC_ALL="C.UTF-8")
        self.terminal = Terminal(self.folder, self.environment)
        self.addCleanup(self.terminal.close)

    def start(self, *arguments, program="googolplex.exe"):
        line = " ".join([support.BINARY, "top", "--every", "100ms", *arguments, "--", workload(program)])
        self.terminal.type(f"cd {self.folder}; clear; {line}; echo status $?\n")
        return self.terminal.wait_for(r"^ +\d+\.\d+ .* big_school_multiply")

    def quit(self, key="q"):
        self.terminal.keys(key)
        return self.terminal.wait_for(r"^status \d+")

    def looks(self):
        """The number of intervals so far; it grows while `top` runs."""
        return int(re.search(r"last (\d+) looks", self.terminal.screen())[1])

    def test_the_picture(self):
        text = self.start("-e", "ld_spec:100000")
        lines = text.split("\n")
        self.assertRegex(lines[0], r"^wperf top: googolplex.exe \(\d+\)   ld_spec [\d.]+ [KMG]/s$")
        self.assertRegex(lines[1], r"^functions, last \d+(\.\d+)? m?s: [\d,]+ samples$")
        self.assertRegex(lines[3], r"^      %   samples  module +function$")
        self.assertRegex(lines[4], r"^ +\d+\.\d\d +[\d,]+  bignum.dll +big_school_multiply$")
        shares = [float(share) for share in re.findall(r"^ +(\d+\.\d\d) ", text, re.MULTILINE)]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertAlmostEqual(sum(shares), 100, delta=0.2)
        self.assertTrue(lines[19].startswith("h help  q end"), lines)
        # `top` continues.
        self.terminal.keys("t")
        self.terminal.wait_for(r"last ([3-9]|10) looks")
        left = self.quit()
        self.assertIn("status 0", left)
        self.assertNotIn("wperf top: googolplex", left)  # the previous screen is restored

    def test_threads_cores_filter_and_back(self):
        self.start("-e", "ld_spec:100000")
        self.terminal.keys("2")
        self.terminal.wait_for(r"^ 100\.00 .* googolplex\.exe$")
        self.terminal.keys("3")
        self.terminal.wait_for(r"^ 100\.00 .* core 0$")
        self.terminal.keys("Enter")
        self.terminal.wait_for(r"^functions of core 0,")
        self.terminal.keys("Escape")
        self.terminal.wait_for(r"^functions, last")
        self.terminal.type("/SCHOOL")
        text = self.terminal.wait_for(r"^functions, .* 'SCHOOL' has ")
        self.assertIn("big_school_multiply", text)
        self.assertNotIn("add_into", text)
        self.assertIn("names with: SCHOOL", text)
        self.terminal.keys("Escape")
        self.terminal.wait_for("add_into")
        self.quit("C-c")

    def test_why_there_are_no_waits(self):
        self.start("-e", "ld_spec:100000")
        self.terminal.keys("5")
        text = self.terminal.wait_for(r"^a driver cannot see why threads wait; ")
        self.assertEqual(text.split("\n")[1], "waits")
        self.assertNotIn("samples", text)
        self.terminal.keys("v")
        self.terminal.wait_for(r"^ +[\d,]+  ld_spec  samples  [\d.]+ [KMG]/s")
        self.terminal.keys("v")
        self.terminal.wait_for(r"^functions, last")
        self.quit()

    def test_counters_of_linux(self):
        line = (f"{support.BINARY} top --device linux --counters usual -e cpu-clock --every 200ms -- "
                "sh -c 'while :; do :; done'")
        self.terminal.type(f"clear; {line}; echo status $?\n")
        self.terminal.wait_for(r"^functions, last|^status")
        self.terminal.keys("6", "t")
        text = self.terminal.wait_for(r"^ +[\d,]+  task-clock +counter +[\d.]+ m?s, [01]\.\d+ CPUs used$")
        self.assertRegex(text, r"\n +[\d,]+  cpu-clock +samples +[\d.]+ m?s, [01]\.\d+ CPUs used\n")
        self.terminal.wait_for(r"^counters, last ([3-9]|10) looks")
        self.quit()

    def test_waits_of_linux(self):
        line = (f"{support.BINARY} top --device linux --waits -e cpu-clock --every 200ms -- "
                "sh -c 'while :; do sleep 0.02; done'")
        self.terminal.type(f"clear; {line}; echo status $?\n")
        text = self.terminal.wait_for(r"^functions, last|perf_event_paranoid|^status")
        if "functions, last" not in text:
            self.skipTest(text)
        self.terminal.keys("5", "t")
        text = self.terminal.wait_for(r"^ +\d+\.\d\d .* timer ")
        lines = text.split("\n")
        self.assertRegex(lines[1], r"^waits, last \d+ looks \(.*\): .* by [\d.]+ threads, [\d,]+ started$")
        self.assertRegex(lines[3], r"^      %    waited     begun  for +in$")
        shares = [float(share) for share in re.findall(r"^ +(\d+\.\d\d) ", text, re.MULTILINE)]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.terminal.type("/TIMER")
        self.terminal.wait_for(r"'TIMER' has \d")
        self.terminal.keys("Escape")
        self.quit()

    def test_zoom_shows_code(self):
        self.start("-e", "ld_spec:100000")
        self.terminal.keys("Enter")
        text = self.terminal.wait_for(r"^ +\d+\.\d\d .*bignum\.c:\d+")
        self.assertRegex(text, r"(?m)^lines of bignum.dll!big_school_multiply  [\d,]+ samples$")
        self.terminal.keys("i")
        text = self.terminal.wait_for(r"^instructions of bignum")
        self.assertRegex(text, r"(?m)^ +\d+\.\d\d +[\d,]+  0x[0-9a-f]+  ldr ")
        self.quit()

    def test_the_cursor_stays_on_what_was_chosen(self):
        # Two threads: at some time the first uses more CPU, at another time the second.
        with open(os.path.join(self.folder, "two.py"), "w") as script:
            script.write("import threading\n"
                         "def busy():\n"
                         "    while True: sum(range(1000))\n"
                         "for i in range(2): threading.Thread(target=busy).start()\n")
        line = (f"{support.BINARY} top --device linux -e cpu-clock --every 100ms --color never -- "
                f"python3 {self.folder}/two.py")
        self.terminal.type(f"clear; {line}; echo status $?\n")
        self.terminal.wait_for(r"^functions, last")
        self.terminal.keys("2", "t")
        self.terminal.wait_for(r"(?m)^( +\d+\.\d\d +[\d,]+  \d+/\d+ .*\n?){2}")
        self.terminal.keys("t", "t")

        def chosen(text):
            row = re.search(r"^\x1b\[7m +\d+\.\d\d +[\d,]+  (\d+/\d+) ", text, re.MULTILINE)
            return row and row[1]

        def choose():
            """Presses Down until a busy thread is selected. An interval may still have a row of the main thread, which
            sleeps afterwards."""
            self.terminal.keys("Down")
            for _ in range(20):
                time.sleep(0.1)
                row = chosen(self.terminal.screen("-e"))
                if row and len(set(row.split("/"))) == 2:
                    return row
            return None
        first = wait_until(choose, "a chosen thread")
        for _ in range(30):
            time.sleep(0.1)
            self.assertIn(chosen(self.terminal.screen("-e")), (first, None))  # None if it did not run in that interval
        self.terminal.wait_for(chosen, "-e")
        self.terminal.keys("p")
        self.terminal.wait_for("PAUSED")
        if chosen(self.terminal.screen("-e")):
            self.terminal.keys("Enter")
            self.terminal.wait_for("^functions of .* " + first)
        self.quit()

    def test_keys_are_answered_while_a_look_is_under_way(self):
        # The first interval is short; the next interval is longer than the test waits.
        self.start("-e", "ld_spec:100000", "--every", "600s")
        self.terminal.keys("Enter")
        self.terminal.wait_for(r"^ +\d+\.\d\d .*bignum\.c:\d+")
        self.terminal.keys("w", "Enter")
        self.terminal.wait_for(r"^wrote [\d,]+ bytes")
        self.quit()

    def test_code_is_not_taken_away_while_it_is_looked_at_again(self):
        self.start("-e", "ld_spec:100000")
        self.terminal.keys("Enter")
        self.terminal.wait_for(r"^lines of bignum.dll!big_school_multiply  [\d,]+ samples$")
        for _ in range(20):
            self.assertNotIn("looking ...", self.terminal.screen())
            time.sleep(0.05)
        self.quit()

    def test_code_of_the_kernel_cannot_be_read(self):
        line = (f"{support.BINARY} top --device linux -k -e cpu-clock --every 200ms -- "
                "dd if=/dev/zero of=/dev/null bs=64k")
        self.terminal.type(f"clear; {line}; echo status $?\n")
        text = self.terminal.wait_for(r"^functions, last .*: [1-9][\d,]* samples|perf_event_paranoid|^status")
        if "functions, last" not in text:
            self.skipTest(text)
        self.terminal.type("/[k]\n")
        self.terminal.wait_for(r"^functions, .*'\[k\]' has")
        if not re.search(r"^ +\d+\.\d\d .* \[k\] ", self.terminal.screen(), re.MULTILINE):
            self.skipTest("the kernel cannot be sampled here")
        self.terminal.keys("p")
        self.terminal.wait_for("PAUSED")
        self.terminal.keys("Enter")
        text = self.terminal.wait_for(r"^the kernel's code cannot be read on this machine")
        self.assertRegex(text, r"(?m)^(lines|instructions) of \S+!\S+  [1-9][\d,]* samples$")
        self.quit()

    def test_a_file_is_not_written_over_unasked(self):
        self.start("-e", "ld_spec:100000")
        with open(os.path.join(self.folder, "top.data"), "w") as file:
            file.write("mine")
        self.terminal.keys("w", "Enter")
        self.terminal.wait_for(r"^top.data exists; overwrite it")
        self.terminal.keys("Enter")
        self.terminal.wait_for(r"^write to: top.data")
        with open(os.path.join(self.folder, "top.data")) as file:
            self.assertEqual(file.read(), "mine")
        self.terminal.keys("Enter")
        self.terminal.wait_for(r"^top.data exists")
        self.terminal.type("y")
        self.terminal.wait_for(r"^wrote [\d,]+ bytes")
        self.quit()

    def test_suspending_and_going_on(self):
        # A shell with job control resumes it.
        self.start("-e", "ld_spec:100000")
        self.terminal.keys("C-z")
        self.terminal.wait_for(r"^(\[1\] ?\+ )? *Stopped|Stopped")
        self.terminal.type("fg\n")
        self.terminal.wait_for(r"^ +\d+\.\d+ .* big_school_multiply")
        self.quit()

    def test_suspending_without_a_shell(self):
        # As the terminal's first process, `top` must not suspend itself: no shell could resume it.
        line = f"{support.BINARY} top --every 100ms -e ld_spec:100000 -- {workload('googolplex.exe')}"
        self.terminal.tmux("respawn-pane", "-k", line)
        self.terminal.wait_for(r"^ +\d+\.\d+ .* big_school_multiply")
        self.terminal.keys("C-z", "2")
        self.terminal.wait_for(r"^threads, last")

    def test_what_is_saved_is_what_was_seen(self):
        self.start("-e", "ld_spec:100000")
        self.terminal.keys("t")
        self.terminal.wait_for(r"last ([2-9]|10) looks")
        self.terminal.keys("p")
        held = self.terminal.wait_for("PAUSED")
        samples = int(re.search(r": ([\d,]+) samples", held)[1].replace(",", ""))
        rows = re.findall(r"^ +\d+\.\d\d +([\d,]+)  \S+ +(\S+)$", held, re.MULTILINE)
        self.terminal.keys("w", "C-u")
        self.terminal.type("seen.data\n")
        self.terminal.wait_for(r"^wrote [\d,]+ bytes")
        self.assertEqual(self.terminal.screen().split("\n")[:12], held.split("\n")[:12])  # the view is held
        self.quit()
        report = json.loads(subprocess.run([support.BINARY, "report", "seen.data", "--json", "--sort", "symbol"],
                                           cwd=self.folder, env=self.environment, capture_output=True, text=True,
                                           check=True, timeout=PATIENCE).stdout)
        (event,) = report["recording"]["events"]
        self.assertEqual(event["samples"], samples)
        reported = {row["symbol"]: row["samples"] for row in event["rows"]}
        self.assertEqual({name: int(count.replace(",", "")) for count, name in rows}, reported)

    def test_sizes(self):
        self.start("-e", "ld_spec:100000")
        for columns, lines in ((40, 10), (25, 8), (20, 5), (120, 30)):
            self.terminal.resize(columns, lines)
            text = self.terminal.wait_for(lambda text, lines=lines: len(text.rstrip("\n").split("\n")) == lines and
                                          text.rstrip("\n").split("\n")[-1].startswith("h help") and
                                          "%   samples" in text)
            self.assertTrue(all(len(line) <= columns for line in text.split("\n")), text)
        for columns, lines in ((20, 5), (12, 2)):
            self.terminal.resize(columns, lines)
            self.terminal.type("/a_long_filter")
            text = self.terminal.wait_for(r"_filter *$")
            self.assertEqual(len(text.rstrip("\n").split("\n")), lines, text)
            self.terminal.keys("Escape")
        self.quit()

    def test_colours(self):
        self.start("-e", "ld_spec:100000")
        self.terminal.keys("Down")
        self.terminal.wait_for(r"^\x1b\[31m +\d", "-e")
        self.quit()
        self.terminal.type("clear\n")
        self.start("-e", "ld_spec:100000", "--color", "never")
        self.terminal.keys("Down")
        self.terminal.wait_for(r"^\x1b\[7m +\d", "-e")
        self.assertNotRegex(self.terminal.screen("-e"), r"\x1b\[3[0-8]m")
        self.quit()

    def test_signals_leave_the_terminal_as_it_was(self):
        self.terminal.type(f"stty -a > {self.folder}/before\n")
        for number in ("TERM", "HUP", "QUIT", "SEGV"):
            self.start("-e", "ld_spec:100000")
            (pid,) = subprocess.run(["pgrep", "-f", "-x", f".*top --every 100ms -e ld_spec:100000 -- {workload('googolplex.exe')}"],
                                    capture_output=True, text=True, check=True).stdout.split()[-1:]
            os.kill(int(pid), getattr(signal, "SIG" + number))
            self.terminal.wait_for(r"^status \d+")
            self.terminal.type("stty -a > after && echo same terminal\n")
            self.terminal.wait_for(r"^same terminal$")
            with open(os.path.join(self.folder, "before")) as before, open(os.path.join(self.folder, "after")) as after:
                self.assertEqual(before.read(), after.read())

    def test_signals_end_the_program(self):
        for number in ("TERM", "HUP", "QUIT"):
            told = os.path.join(self.folder, "pid" + number)
            line = f"{support.BINARY} top --device linux -e cpu-clock -- sh -c 'echo $$ > {told}; while :; do :; done'"
            self.terminal.type(f"clear; {line}; echo status $?\n")
            self.terminal.wait_for(r"^functions, last")
            program = int(self.terminal.wait_for_line(told))
            with open(f"/proc/{program}/stat") as stat:
                wperf = int(stat.read().rsplit(")", 1)[1].split()[1])
            os.kill(wperf, getattr(signal, "SIG" + number))
            self.terminal.wait_for(r"^status \d+")
            wait_until(lambda: not os.path.exists(f"/proc/{program}"), "the end of the program")

    def test_an_end_is_shown(self):
        line = f"{support.BINARY} top -e ld_spec:1000 -- {workload('threads.exe')}"
        self.terminal.type(f"clear; {line}; echo status $?\n")
        self.terminal.wait_for(r"^wperf top: threads.exe \(\d+\), which has ended")
        self.quit()

    def test_dumb_terminals(self):
        for before in ("TERM=dumb", ""):
            line = f"{before} {support.BINARY} top -- {workload('threads.exe')}" + ("" if before else " < /dev/null")
            self.terminal.type(f"clear; {line}; echo status $?\n")
            text = self.terminal.wait_for(r"^status 2")
            self.assertIn("wperf top --once", text)


if __name__ == "__main__":
    if shutil.which("tmux") is None:
        print("skipped: no tmux")
        sys.exit(77)
    unittest.main()
