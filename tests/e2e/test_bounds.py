# SPDX-License-Identifier: BSD-3-Clause
"""Small files that would make a report large or long, files that shrink while they are read, and signals that end wperf during
its work."""
import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from support import BINARY, TIMEOUT, WperfTest

MEGABYTE = 1 << 20


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def pprof_of_one_location(mentions):
    """A location of 512 inlined functions, and a sample that names it again and again."""
    lines = b"".join(block(4, number(1, 1)) for _ in range(512))
    sample = block(1, varint(1) * mentions) + block(2, varint(1))
    texts = b"".join(block(6, text) for text in (b"", b"samples", b"count", b"work"))
    return (block(1, number(1, 1) + number(2, 2)) + block(2, sample) + block(4, number(1, 1) + lines) +
            block(5, number(1, 1) + number(2, 3)) + texts)


def chain(depth):
    """A Firefox profile of one chain of calls, with a sample in each function of the chain."""
    numbers = list(range(depth))
    return {"meta": {"preprocessedProfileVersion": 57, "interval": 1}, "libs": [],
            "threads": [{"name": "t", "pid": 1, "tid": 1, "stringArray": [f"function_{i:08}" for i in numbers],
                         "stackTable": {"frame": numbers, "prefix": [None, *numbers[:-1]], "length": depth},
                         "frameTable": {"func": numbers, "length": depth},
                         "funcTable": {"name": numbers, "resource": [-1] * depth, "length": depth},
                         "resourceTable": {"lib": [], "name": [], "length": 0},
                         "samples": {"stack": numbers, "time": numbers, "weight": None, "length": depth}}]}


class BoundsTest(WperfTest):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_small(self, *arguments, megabytes, **streams):
        """Runs wperf with a memory limit."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE,) * 2)
        return subprocess.run([BINARY, *map(str, arguments)], env=self.environment, preexec_fn=limit, text=True,
                              timeout=TIMEOUT, stdin=subprocess.DEVNULL, **{"capture_output": True, **streams})

    def test_deep_chains(self):
        file = self.folder / "deep.json"
        file.write_text(json.dumps(chain(20_000)), encoding="utf-8")
        for view in (["--callees"], ["--children"], ["--tree"], ["--html", self.folder / "deep.html"],
                     ["--export", "callgrind", "-o", self.folder / "deep.callgrind"]):
            with self.subTest(view=view):
                done = self.run_wperf("report", file, *view)
                self.assertEqual(done.returncode, 0, done.stderr)
        (event,) = self.json("report", file, "--children", "--json")["recording"]["events"]
        self.assertEqual([(row["symbol"], row["all_samples"]) for row in event["rows"][:2]],
                         [("function_00000000", 20_000), ("function_00000001", 19_999)])

    def test_a_function_that_calls_itself(self):
        deep = chain(40_000)
        deep["threads"][0]["frameTable"]["func"] = [0] + [1] * 39_999
        file = self.folder / "deep.json"
        file.write_text(json.dumps(deep), encoding="utf-8")
        for view in ([], ["--callees"], ["--children"], ["--tree"], ["--by", "caller"], ["--json"]):
            with self.subTest(view=view):
                done = self.run_wperf("report", file, *view)
                self.assertEqual(done.returncode, 0, done.stderr)
        hottest = self.json("report", file, "--json")["recording"]["headline"]["hottest"]
        self.assertEqual((hottest["symbol"], hottest["caller"], hottest["caller_percent"]), ("function_00000001", "function_00000000", 100))

    def test_folded_stacks_are_written_as_they_are_made(self):
        file = self.folder / "deep.json"
        file.write_text(json.dumps(chain(8_000)), encoding="utf-8")
        with open(self.folder / "folded", "wb") as out:
            done = self.run_small("report", file, "--folded", megabytes=400, capture_output=False, stdout=out, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater((self.folder / "folded").stat().st_size, 500 * MEGABYTE)

    def test_one_location_of_many_frames(self):
        file = self.folder / "bomb.pb.gz"
        file.write_bytes(gzip.compress(pprof_of_one_location(200_000)))
        self.assertLess(file.stat().st_size, 1000)
        done = self.run_small("report", file, "--children", megabytes=1000)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 samples are left out", done.stderr)

    def test_what_is_packed_too_small(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        self.environment = {**self.environment, "TMPDIR": str(temporary)}
        file = self.folder / "bomb.gz"
        # A file whose first bytes are of an unknown format is refused before it is unpacked.
        file.write_bytes(gzip.compress(bytes(200 * MEGABYTE), 1))
        self.assertIn("known profile format", self.fails("report", file, status=4))
        file.write_bytes(gzip.compress(b'{"zeros":"' + b"0" * (100 * MEGABYTE)))
        self.assertIn("more than 64 MB", self.fails("report", file, status=4))
        # A recording that compresses well is accepted.
        file.write_bytes(gzip.compress(b"main;work 1\n" * 1_000_000))
        self.assertIn("1,000,000 samples", self.ok("report", file))

    @unittest.skipIf(os.name == "nt", "Windows lets nobody cut a file that is read")
    def test_a_file_that_shrinks(self):
        file = self.folder / "large.folded"
        with open(file, "w", encoding="utf-8") as out:
            for i in range(600_000):
                out.write(f"main;function_{i};work_{i * 7} 1\n")
        for left in (0, 1000):
            with self.subTest(left=left):
                copy = self.folder / f"copy_{left}"
                copy.write_bytes(file.read_bytes())
                running = self.start_wperf("report", copy)
                while running.poll() is None and str(copy) not in pathlib.Path(f"/proc/{running.pid}/maps").read_text():
                    time.sleep(0.001)
                os.truncate(copy, left)
                _, errors = running.communicate(timeout=TIMEOUT)
                self.assertIn(running.returncode, (0, 4), errors)
                if running.returncode == 4 or errors:
                    self.assertIn("became shorter", errors)

    @unittest.skipIf(os.name == "nt", "Windows lets nobody cut a file that is read")
    @unittest.skipUnless(shutil.which("gcc"), "gcc is not installed")
    def test_a_program_that_shrinks_while_its_names_are_read(self):
        program, source, recording = self.folder / "program", self.folder / "program.c", self.folder / "p.data"
        source.write_text(r"""#include <time.h>
            __asm__(".macro many\n.globl symbol_of_many_\\@\nsymbol_of_many_\\@: nop\n.endm\n.rept 400000\nmany\n.endr\n");
            int main(void) { while (clock() < CLOCKS_PER_SEC / 5) for (volatile int i = 0; i < 100000; ++i) {} return 0; }""",
                          encoding="utf-8")
        self.environment = {**self.environment, "XDG_CACHE_HOME": str(self.folder / "cache")}
        subprocess.run(["gcc", "-o", program, source], check=True)
        done = self.run_wperf("record", "-e", "cpu-clock", "-o", recording, "--", program, device="linux")
        if done.returncode != 0:
            self.skipTest(done.stderr)
        whole = program.read_bytes()
        told = []
        for _ in range(5):
            running = self.start_wperf("report", recording)
            while running.poll() is None and str(program) not in pathlib.Path(f"/proc/{running.pid}/maps").read_text():
                time.sleep(0.001)
            os.truncate(program, 8192)
            _, errors = running.communicate(timeout=TIMEOUT)
            self.assertEqual(running.returncode, 0, errors)
            told.append(f"warning: {program} became shorter" in errors)
            program.unlink()
            program.write_bytes(whole)
            if told[-1]:
                break
        self.assertIn(True, told, "else each time it was quicker than this")
        # wperf has cached no names from the damaged file for the next report.
        after = self.run_wperf("report", recording)
        self.assertEqual(after.stderr, "")
        self.assertIn("main", after.stdout)


@unittest.skipIf(os.name == "nt", "signals are Linux's")
class InterruptTest(WperfTest):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.pipe = self.folder / "pipe"
        os.mkfifo(self.pipe)
        self.whole = self.folder / "whole.folded"
        self.whole.write_text("main;work 100\n", encoding="utf-8")

    def test_whoever_reads_ends_at_once(self):
        commands = [["report", self.pipe], ["report", self.pipe, "--callees"], ["report", self.pipe, "--export", "pprof", "-o", self.folder / "x"],
                    ["report", self.pipe, "--html", self.folder / "x.html"], ["diff", self.whole, self.pipe], ["waits", self.pipe],
                    ["push", self.pipe, "--url", "http://localhost:1"]]
        for command in commands:
            for number_of_signal in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(command=command[:2], signal=number_of_signal):
                    running = self.start_wperf(*command)
                    with open(self.pipe, "wb"):  # wperf has opened its end of the pipe and waits for more
                        running.send_signal(number_of_signal)
                        running.communicate(timeout=60)
                    self.assertEqual(running.returncode, -number_of_signal)
                    self.assertFalse((self.folder / "x").exists() or (self.folder / "x.html").exists())

    def test_whoever_writes_leaves_nothing_or_all_of_it(self):
        many = self.folder / "many.folded"
        many.write_text("".join(f"main;work_{i % 97};step_{i % 4099};leaf_{i} 1\n" for i in range(40_000)), encoding="utf-8")
        folder = self.folder / "out"
        folder.mkdir()
        out = folder / "x"
        for options in (["--export", "firefox", "-o", out], ["--export", "sql", "-o", out], ["--html", out]):
            for number_of_signal in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(options=options[:2], signal=number_of_signal):
                    out.write_text("what was there", encoding="utf-8")
                    running = self.start_wperf("report", many, *options)
                    while running.poll() is None and len(list(folder.iterdir())) == 1:
                        time.sleep(0.001)
                    running.send_signal(number_of_signal)
                    running.communicate(timeout=60)
                    self.assertEqual([file.name for file in folder.iterdir()], ["x"])
                    was_kept = out.read_text(encoding="utf-8") == "what was there"
                    # The signal may also come after the output got its name and before the program ends.
                    self.assertIn(running.returncode, [-number_of_signal] if was_kept else [0, -number_of_signal])
                    if not was_kept:  # the output is complete, however the program ended
                        interrupted = out.read_bytes()
                        self.ok("report", many, *options)
                        self.assertEqual(len(interrupted), out.stat().st_size)

    def test_who_sends_ends_at_once_and_keeps_what_waits(self):
        spool = self.folder / "spool"
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            server.settimeout(60)
            url = f"http://127.0.0.1:{server.getsockname()[1]}"
            running = self.start_wperf("push", self.whole, "--url", url, "--spool", spool)
            try:
                with server.accept()[0] as silent:
                    self.assertTrue(silent.recv(1))
                    running.send_signal(signal.SIGINT)
                    running.communicate(timeout=10)  # the server has twice as much time to answer
            finally:
                running.kill()
            self.assertEqual(running.returncode, -signal.SIGINT)
            self.assertEqual([file.suffix for file in spool.iterdir() if ".wpush" in file.name], [".wpush"])

            def answer():
                with server.accept()[0] as asked:
                    head = b""
                    while b"\r\n\r\n" not in head:
                        head += asked.recv(4096)
                    head, _, body = head.partition(b"\r\n\r\n")
                    size = int(re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)[1])
                    while len(body) < size:
                        body += asked.recv(4096)
                    asked.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            answering = threading.Thread(target=answer)
            answering.start()
            self.assertIn("sent 1 spooled profile to", self.ok("push", "--url", url, "--spool", spool))
            answering.join()

    def test_what_was_recorded_is_there_and_showing_it_may_be_ended(self):
        kept = self.folder / "x.data"
        running = self.start_wperf("record", "-e", "cpu-clock", "--output-perf-data", kept, "--html", self.pipe, "--", "true", device="linux")
        with open(self.pipe, "rb", buffering=0) as page:
            if not page.read(1):
                self.skipTest(running.communicate(timeout=TIMEOUT)[1])
            running.send_signal(signal.SIGINT)  # the rest of the page is larger than a pipe
            running.communicate(timeout=60)
        self.assertEqual(running.returncode, -signal.SIGINT)
        self.ok("report", kept)


if __name__ == "__main__":
    unittest.main()
