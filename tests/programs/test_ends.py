#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How programs end on a simulated machine that stays on: exit codes, crashes, output that cannot be written, and a
changed console mode."""
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import BINARY, SOURCE, TIMEOUT, WperfTest  # noqa: E402

TOOLS = SOURCE / "build" / "tools"
ZIG = pathlib.Path(os.environ.get("WPERF_ZIG") or next(iter(TOOLS.glob("zig-*/package/zig")), "none"))
DISK_FULL, NO_DATA = 112, 232  # error codes of Windows


@unittest.skipUnless(ZIG.exists() and (TOOLS / "windows").exists(), "needs zig to build the program, and the DLLs of Windows")
class Ends(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        source = pathlib.Path(__file__).resolve().with_name("ends.c")
        subprocess.run([ZIG, "cc", "-target", "aarch64-windows-gnu", "-O1", "-w", source, "-o", "ends.exe"], cwd=cls.folder, check=True,
                       capture_output=True)
        cls.environment["WPERF_DEVICE"] = "sim"  # the machine that is up

    def setUp(self):
        self.ok("machine", "start")
        self.addCleanup(self.run_wperf, "machine", "stop")

    def start(self, *words, **streams):
        streams = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, **streams}
        return subprocess.Popen([BINARY, "machine", "run", "--", "./ends.exe", *words], env=self.environment, cwd=self.folder, **streams)

    def end_of(self, *words, **streams):
        process = self.start(*words, **streams)
        error = process.communicate(timeout=TIMEOUT)[1]
        return process.returncode, "crashed on the simulated machine" in error.decode()

    def test_a_large_exit_code_is_no_crash_and_an_exception_is(self):
        for words in (("exit", "0xffffffff"), ("exit", "0xfffffffe"), ("exit", "0xe0000001"), ("terminate", "0xffffffff")):
            self.assertEqual(self.end_of(*words), (255, False), words)
        for words in (("raise", "0xe06d7363"), ("raise", "0xffffffff"), ("raise", "0x20000001"), ("break",), ("exit", "0xc0000005"),
                      ("terminate", "0xc0000005")):
            self.assertEqual(self.end_of(*words), (1, True), words)
        self.assertEqual(self.end_of("return"), (77, False))
        done = self.run_wperf("stat", "-q", "-e", "inst_retired", "-c", "0", "--", self.folder / "ends.exe", "exit", "0xffffffff")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_output_that_cannot_be_written_fails_the_write(self):
        with open("/dev/full", "wb") as full:
            self.assertEqual(self.end_of("write", stdout=full), (DISK_FULL, False))
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "wb") as closed:
            self.assertEqual(self.end_of("write", stdout=closed), (NO_DATA, False))

    def test_ctrl_c_ends_a_program_that_ignores_a_closed_pipe(self):
        reader, writer = os.pipe()
        process = self.start("write", "1", stdout=writer)
        os.close(writer)
        self.assertEqual(len(os.read(reader, 10)), 10)
        os.close(reader)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
        self.assertNotEqual(process.returncode, 0)

    def test_a_full_disk_under_the_own_stdout_is_an_error(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BINARY, "stat", "--device", "sim:pace=free,console=shown", "-q", "-e", "inst_retired", "-c", "0", "--",
                                   self.folder / "ends.exe", "write"], env=self.environment, stdin=subprocess.DEVNULL, stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (1, "error: stdout could not be written completely\n"))

    def test_a_program_reads_single_keys_and_the_terminal_is_restored(self):
        def edits_lines(terminal):
            return termios.tcgetattr(terminal)[3] & (termios.ICANON | termios.ECHO) != 0

        def type_q(process):
            os.write(ours, b"q")

        def end_machine(process):
            error = self.fails("machine", "start", status=2)
            os.kill(int(error.split("process ")[1].split(")")[0]), signal.SIGKILL)

        ends = {"q": type_q, "Ctrl-C": lambda process: os.write(ours, b"\3"), "SIGTERM": lambda process: process.terminate(),
                "SIGKILL": lambda process: process.kill(), "no machine": end_machine}
        for name, end in ends.items():
            with self.subTest(name):
                ours, its = pty.openpty()
                process = subprocess.Popen([shutil.which("setsid"), "-c", "-w", BINARY, "machine", "run", "--", "./ends.exe", "keys"],
                                           env=self.environment, cwd=self.folder, stdin=its, stdout=its, stderr=its)
                self.addCleanup(os.close, ours)
                self.addCleanup(os.close, its)
                text = b""
                while b"keys\r\n" not in text:
                    text += os.read(ours, 1000)
                self.assertFalse(edits_lines(its))
                os.write(ours, b"a")
                while b"<a>\r\n" not in text:
                    text += os.read(ours, 1000)
                self.assertEqual(text, b"keys\r\n<a>\r\n")
                end(process)
                process.wait(timeout=TIMEOUT)
                last = time.monotonic() + TIMEOUT
                while not edits_lines(its) and time.monotonic() < last:
                    time.sleep(0.05)
                self.assertTrue(edits_lines(its))


if __name__ == "__main__":
    unittest.main()
