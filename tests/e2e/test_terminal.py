# SPDX-License-Identifier: BSD-3-Clause
"""Output on a terminal of 80 columns: no line is wider, and no number is broken."""
import http.server
import os
import re
import shutil
import subprocess
import tempfile
import threading
import unittest

import support
from support import workload

try:
    import fcntl
    import pty
    import struct
    import termios
except ImportError:  # not a Unix
    pty = None

COLUMNS = 80


@unittest.skipUnless(pty, "there are no pseudo terminals")
class TerminalTest(support.WperfTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # wperf writes spe.data here
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def bytes_shown(self, *arguments, pager="cat", rows=40, device=None, stdout=None, heard=lambda text: None):
        """Returns the output to a terminal, to which stdout and stderr are connected, or only stderr if `stdout` is
        given. Calls `heard` with the output so far."""
        environment = {**self.environment, "WPERF_PAGER": pager, "TERM": "xterm"}
        if device is not None:
            environment["WPERF_DEVICE"] = device
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, COLUMNS, 0, 0))
        process = subprocess.Popen([support.BINARY, *map(str, arguments)], env=environment, cwd=self.folder,
                                   stdout=stdout or theirs, stderr=theirs, stdin=subprocess.DEVNULL)
        text = support.shown_on_terminal(ours, theirs, process, heard)
        self.assertEqual(process.wait(timeout=support.TIMEOUT), 0, text)
        return text

    def shown(self, *arguments, **keywords):
        """The same output as text, without the parts that were erased again."""
        text = self.bytes_shown(*arguments, **keywords).decode().replace("\r\n", "\n")
        text = re.sub(r"\r[^\r\n\x1b]*\x1b\[K", "", text)
        return re.sub(r".\x08", "", text)

    def check(self, *arguments):
        shown = self.shown(*arguments)
        for line in shown.splitlines():
            self.assertLessEqual(len(line), COLUMNS, line)
        whole = set(re.findall(r"(?<![\w.])[\d,]{5,}(?![\w.])", self.ok(*arguments, cwd=self.folder)))
        self.assertTrue(whole, "no test")
        for number in whole:
            self.assertIn(number, shown)
        return shown

    def test_multiplexed_counts(self):
        self.check("stat", "-m", "ipc,branch_mpki,l1d_cache_miss_ratio,l2_cache_miss_ratio", "-c", "1", "--timeout", "1",
                   "--", workload("googolplex.exe"))

    def test_list(self):
        shown = self.shown("list")
        self.assertLessEqual(max(map(len, shown.splitlines())), COLUMNS)
        self.assertIn("l1d_cache_refill", shown)

    def test_memory(self):
        self.check("record", "-e", "arm_spe_0/ld=1/", "--mem", "-c", "0", "--timeout", "1", "--", workload("chase.exe"))

    def test_long_text_goes_through_the_pager(self):
        pager = "sed 's/^/paged /'"
        long = self.shown("list", pager=pager)
        self.assertGreater(long.count("\n"), 40)
        self.assertTrue(all(line.startswith("paged ") for line in long.splitlines()))
        self.assertNotIn("paged", self.shown("list", "--no-pager", pager=pager))
        self.assertNotIn("paged", self.shown("list", "--json", pager=pager))
        self.assertNotIn("paged", self.shown("--version", pager=pager))
        self.assertNotIn("paged", self.shown("list", pager=pager, rows=2000))
        self.assertNotIn("paged", self.ok("list"))
        # If the pager does not exist, the output is written directly to the terminal. A pager that the reader quits at
        # once is not an error.
        self.assertIn("l1d_cache_refill", self.shown("list", pager="/no/such/pager"))
        self.assertEqual(self.shown("list", pager="true"), "")

    @unittest.skipUnless(os.path.exists("/proc/self/maps"), "the linux device needs Linux")
    def test_progress(self):
        done = self.run_wperf("record", "-q", "-e", "cpu-clock", "-p", os.getpid(), "--timeout", "0.1", device="linux")
        if done.returncode != 0:
            self.skipTest(done.stderr)
        line = ("record", "-e", "cpu-clock", "-p", os.getpid(), "--timeout", "1.6")
        text = self.bytes_shown(*line, device="linux").decode()
        self.assertRegex(text, r"\rsampling: [1-9]\d* s, [\d.]+ MB; press Ctrl-C to stop\x1b\[K")
        self.assertRegex(self.shown(*line, device="linux"), r"^sampling \.\.\.[.e]+ done!\n")
        with open(os.devnull, "wb") as nowhere:  # the progress goes to stderr
            self.assertIn(b"\rsampling: ", self.bytes_shown(*line, device="linux", stdout=nowhere))
            self.assertEqual(self.bytes_shown(*line, "-q", device="linux", stdout=nowhere), b"")
        # A started program writes to the same terminal.
        text = self.bytes_shown("record", "-e", "cpu-clock", "--", "sleep", "1.6", device="linux").decode()
        self.assertNotIn("\r", text.replace("\r\n", ""))

    def test_slow_symbol_server(self):
        heard = threading.Event()

        class Slow(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # noqa: N802
                self.send_response(200)
                self.end_headers()
                while not heard.wait(0.05):
                    self.wfile.write(b"no symbols ")

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        for name in ("googolplex.exe", "bignum.dll"):  # without their PDBs
            shutil.copy(support.WORKLOADS / name, self.folder)
        data = os.path.join(self.folder, "slow.data")
        self.ok("record", "-q", "-e", "inst_retired:20000", "-c", "0", "--timeout", "0.1", "-o", data, "--", "googolplex.exe",
                cwd=self.folder)
        self.environment["HOME"] = self.folder
        self.environment.pop("XDG_CACHE_HOME", None)
        url = f"http://127.0.0.1:{server.server_address[1]}"

        def listen(text):
            if b"\rdownloading " + url.encode() in text:
                heard.set()

        timer = threading.Timer(60, heard.set)  # if the tool has no output, the test fails and does not hang
        timer.start()
        self.addCleanup(timer.cancel)
        text = self.bytes_shown("report", data, "--symbol-path", f"srv*{url}", heard=listen).decode()
        self.assertIn(f"\rdownloading {url}/", text)
        # The progress was erased completely.
        self.assertNotIn("downloading", re.sub(r"\r[^\r\n\x1b]*\x1b\[K", "", text))

    def hot_profile(self):
        path = os.path.join(self.folder, "hot.folded")
        with open(path, "w", encoding="ascii") as file:
            file.write("main;parse 97\nmain;close 3\n")
        return path

    def test_hot_rows_are_coloured(self):
        line = ("report", self.hot_profile(), "--tree")
        hot = rb"\x1b\[31m +97\.00 +97 [^\n]* parse\x1b\[0m"
        coloured = self.bytes_shown(*line)
        self.assertRegex(coloured, hot)
        self.assertRegex(coloured, rb"\x1b\[31m +97\.00 +97\.00 [^\n]* parse \(-\)\x1b\[0m")  # a row of the tree
        self.assertNotIn("\x1b", self.ok(*line))
        self.environment["NO_COLOR"] = "1"
        self.addCleanup(self.environment.pop, "NO_COLOR", None)
        self.assertNotIn(b"\x1b[3", self.bytes_shown(*line))
        # The part that the user requested is printed first.
        self.assertRegex(self.bytes_shown(*line, "--color", "always"), hot)
        self.environment.pop("NO_COLOR")
        self.assertNotIn(b"\x1b[3", self.bytes_shown(*line, "--color", "never"))
        self.assertRegex(self.bytes_shown(*line, "--color", "auto"), hot)

    def test_colours_for_a_pager_of_ones_own(self):
        line = ("report", self.hot_profile())
        coloured = self.ok(*line, "--color", "always")
        self.assertRegex(coloured, r"\x1b\[31m +97\.00 +97 [^\n]* parse\x1b\[0m")
        self.assertEqual(re.sub("\x1b\\[[0-9;]*m", "", coloured), self.ok(*line))
        self.assertEqual(self.ok(*line, "--json", "--color", "always"), self.ok(*line, "--json"))
        self.assertIn("auto, always or never", self.fails(*line, "--color", "blue", status=2))

    def test_names_are_text_and_no_codes(self):
        path = os.path.join(self.folder, "names.folded")
        with open(path, "wb") as file:
            file.write(b"main;work 1\n" * 100)  # the profile must look like text at its start
            file.write(b"main;\x1b[31mred\x1b[0m 90\nmain;back\b\b\x1b]0,title\x07 9\nmain;\xc2\x9b2Jclear 1\n")

        def check(text, *quoted):
            own = rb"(?m)^\x1b\[3[12]m[ \d.,]+  [^\x1b]*\x1b\[0m$"
            without_own = re.sub(own, b"", text.replace(b"\r\n", b"\n"))
            self.assertNotRegex(without_own, rb"\x1b|\x08|\x07|\xc2\x9b")
            for one in quoted:
                self.assertIn(one, text)

        red = rb"\x1b[31mred\x1b[0m"
        for view in ((), ("--tree",), ("--callers",), ("--children",)):
            check(self.bytes_shown("report", path, *view, "--color", "always"), red, rb"\x9b2Jclear")
        self.assertRegex(self.bytes_shown("report", path, "--color", "always"), rb"\n\x1b\[31m +45\.00 .*red[^\n]*\x1b\[0m\r")
        check(self.bytes_shown("report", path, "--color", "never"), red)
        check(self.bytes_shown("report", path, "--folded"), red)
        for form in ("folded", "csv", "sql"):
            check(self.bytes_shown("report", path, "--export", form, "-o", "-"), red, rb"back\x08\x08\x1b]0,title\x07")
        # In a pipe, names are not changed.
        self.assertIn("\x1b[31mred\x1b[0m", self.ok("report", path, "--export", "folded", "-o", "-"))

    def test_elsewhere_lines_are_as_long_as_they_are(self):
        lines = self.ok("test").splitlines()
        self.assertGreater(max(map(len, lines)), 200)
        for line in lines:
            self.assertEqual(line, line.rstrip())


if __name__ == "__main__":
    unittest.main()
