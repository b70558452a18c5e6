#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Output files of all kinds: on full disks, pipes, devices, links, a closed stdout. An output that cannot be completed
gives one error and status 1; the result is still shown. Only regular files are ever replaced."""
import json
import os
import pathlib
import re
import stat
import subprocess
import tempfile
import threading
import time
import unittest

from support import BINARY, TIMEOUT, WperfTest, workload

COUNT = ("stat", "-e", "ld_spec", "-c", "1", "--timeout", "0.1")
RECORD = ("record", "-e", "ld_spec:20000", "-c", "1", "--timeout", "0.2")
PROFILE = ("record", "-e", "arm_spe_0//", "-c", "1", "--timeout", "0.1")
PROGRAM = ("--", workload("steady.exe"))  # starts faster than programs with DLLs
FULL = "/dev/full"


@unittest.skipUnless(os.path.exists(FULL), "there is no /dev/full")
class OutputsTest(WperfTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def recording(self):
        path = self.folder / "good.data"
        self.ok(*RECORD, "-q", "--output-perf-data", path, *PROGRAM)
        return path

    def onto_full(self, *arguments):
        """stderr of a run whose stdout is a full disk."""
        with open(FULL, "w", encoding="utf-8") as full:
            done = subprocess.run([BINARY, *map(str, arguments)], env=self.environment, stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=TIMEOUT, check=False, cwd=self.folder, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 1, (arguments, done.stderr))
        return done.stderr

    def fails_to_write(self, name, *arguments):
        """Expects one sentence about that file and status 1; returns stdout."""
        done = self.run_wperf(*arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"error: {name} could not be written completely: No space left on device\n"), arguments)
        return done.stdout

    def test_a_full_stdout(self):
        data = self.recording()
        for arguments in ((), ("--help",), ("list",), ("list", "--json"), ("test", "--json"), ("man", "ld_spec"), ("--version",),
                          ("doctor",), (*COUNT, *PROGRAM), (*COUNT, "--json", *PROGRAM), (*RECORD, "--json", *PROGRAM),
                          ("report", data), ("report", data, "--json"), ("report", data, "--folded"),
                          ("report", data, "--records", "-")):
            with self.subTest(arguments):
                self.assertEqual(self.onto_full(*arguments),
                                 "error: stdout could not be written completely: No space left on device\n")

    def test_a_closed_stdout(self):
        data = self.folder / "kept.data"
        for arguments in (("list",), ("list", "--json"), (*RECORD, "--output-perf-data", data, *PROGRAM)):
            with self.subTest(arguments):
                done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', BINARY, *map(str, arguments)], env=self.environment,
                                      stderr=subprocess.PIPE, text=True, timeout=TIMEOUT, check=False)
                self.assertEqual((done.returncode, done.stderr),
                                 (1, "error: stdout could not be written completely: Bad file descriptor\n"))
        # With stdout closed, the output must not go into a file that wperf opened later: the recording is intact.
        self.assertIn("ld_spec", self.ok("report", data))
        done = subprocess.run(["sh", "-c", 'exec "$0" list -q >&-', BINARY], env=self.environment, stderr=subprocess.PIPE,
                              text=True, timeout=TIMEOUT, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), "nothing was to be printed")

    def test_a_full_disk(self):
        self.fails_to_write(FULL, "list", "-o", FULL)
        self.assertIn("ld_spec", self.fails_to_write(FULL, *COUNT, "-o", FULL, *PROGRAM))
        self.assertIn("sample source: ld_spec", self.fails_to_write(FULL, *RECORD, "-o", FULL, *PROGRAM))
        self.assertIn("sample source: ld_spec", self.fails_to_write(FULL, *RECORD, "--output-perf-data", FULL, *PROGRAM))
        self.assertIn("sample source", self.fails_to_write(FULL, *PROFILE, "--records", FULL, *PROGRAM))
        timeline = ("stat", "-e", "ld_spec", "-c", "1", "-t", "-i", "0", "-n", "1", "--timeout", "0.1")
        self.assertIn("counting ... done", self.fails_to_write(FULL, *timeline, "--output-csv", FULL, *PROGRAM))
        self.fails_to_write(FULL, "report", self.recording(), "--records", FULL)

    def test_a_full_disk_under_the_bytes_of_spe(self):
        (self.folder / "spe.data").symlink_to(FULL)
        self.assertIn("sample source", self.fails_to_write("spe.data", *PROFILE, *PROGRAM))

    def test_a_device_stays_one(self):
        for name, minor, status in (("null", 3, 0), ("full", 7, 1)):
            node = self.folder / name
            try:
                os.mknod(node, stat.S_IFCHR | 0o666, os.makedev(1, minor))
                node.open("wb").close()
            except OSError as refused:
                self.skipTest(f"no device can be made here: {refused}")
            for option in (("--output-perf-data", node), ("-o", node)):
                done = self.run_wperf(*RECORD, *option, *PROGRAM)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn("sample source: ld_spec", done.stdout)
                self.assertTrue(stat.S_ISCHR(node.lstat().st_mode), "it was replaced")

    def test_a_pipe_gets_all_of_it(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        read = []
        reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
        reader.start()
        self.ok(*RECORD, "--output-perf-data", pipe, *PROGRAM)
        reader.join(TIMEOUT)
        self.assertTrue(stat.S_ISFIFO(pipe.lstat().st_mode))
        copy = self.folder / "copy.data"
        copy.write_bytes(read[0])
        self.assertIn("ld_spec", self.ok("report", copy))

    @unittest.skipUnless(hasattr(os, "mkfifo") and os.geteuid() == 0, "only root can make files of other users")
    def test_the_pipe_of_another_user_gets_nothing(self):
        """In a folder like /tmp, the owner of the existing file could read the output."""
        data, shared = self.recording(), self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        pipe, link = shared / "pipe", shared / "link"
        os.mkfifo(pipe)
        link.symlink_to("/dev/null")
        for name in (pipe, link):
            os.chown(name, 65534, 65534, follow_symlinks=False)
            self.assertIn("Operation not permitted", self.fails("report", data, "--json", "--output", name))

    def test_no_link_is_followed(self):
        """In a folder that others may write to, a link would let them choose which file is overwritten."""
        data = self.recording()
        precious = self.folder / "precious"
        for name, arguments in (("x.data", (*RECORD, "--output-perf-data", "x.data", *PROGRAM)),
                                ("x.html", ("report", data, "--html", "x.html")),
                                ("x.json", ("report", data, "-o", "x.json"))):
            precious.write_text("precious")
            (self.folder / name).symlink_to(precious)
            done = self.run_wperf(*arguments, cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
            self.assertEqual(precious.read_text(), "precious", arguments)
            self.assertFalse((self.folder / name).is_symlink())
            self.assertGreater((self.folder / name).stat().st_size, 100)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["good.data", "precious", "x.data", "x.html", "x.json"])

    def test_recordings_are_their_owners(self):
        data = self.recording()
        copy, page = self.folder / "copy.data", self.folder / "page.html"
        self.ok("report", data, "--export", "perf.data", "-o", copy)
        self.ok("report", data, "--html", page)
        records, again, raw = (self.folder / name for name in ("r.csv", "again.json", "spe.data"))
        self.ok(*PROFILE, "--records", records, "--output-perf-data", self.folder / "spe.perf", *PROGRAM, cwd=self.folder)
        self.ok("report", self.folder / "spe.perf", "--records", again)
        for path, is_private in ((data, True), (copy, True), (page, False), (records, True), (again, True), (raw, True)):
            others = stat.S_IMODE(path.stat().st_mode) & 0o077
            self.assertEqual(others == 0, is_private, path)

    def test_what_cannot_be_written_is_told_before_anything_runs(self):
        data = self.recording()
        for option, arguments in (("--output-perf-data", RECORD), ("-o", (*RECORD, "--json")), ("-o", (*COUNT, "--json")),
                                  ("-o", COUNT), ("--html", RECORD), ("--svg", RECORD), ("--records", PROFILE),
                                  ("--output-csv", (*COUNT, "-t", "-i", "0", "-n", "1")),
                                  ("--html", (*COUNT, "-t", "-i", "0", "-n", "1")), ("-o", ("list",)),
                                  ("--html", ("report", data))):
            program = PROGRAM if arguments[0] in ("stat", "record") else ()
            done = self.run_wperf(*arguments, option, "no/x", *program, cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr),
                             (1, "error: cannot write no/x: No such file or directory\n"), (option, arguments))
            self.assertNotIn("count", done.stdout)
            self.assertFalse((self.folder / "no").exists())

    def test_a_page_that_fails_at_the_end_costs_nothing_else(self):
        other = self.folder / "x.html"
        text = self.fails_to_write(FULL, *RECORD, "--svg", FULL, "--html", other, *PROGRAM)
        self.assertIn("event ld_spec: ", text)
        self.assertGreater(other.stat().st_size, 1000)
        document = json.loads(self.fails_to_write(FULL, *COUNT, "--json", "-o", FULL, *PROGRAM))
        self.assertIn("core", document)

    @unittest.skipUnless(hasattr(os, "mkfifo"), "needs pipes with names")
    def test_a_reader_of_a_file_that_leaves(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        line = ("record", "-e", "ld_spec:500", "-c", "1", "--timeout", "1", "--records", pipe, *PROGRAM)
        with subprocess.Popen([BINARY, *map(str, line)], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            with open(pipe, "rb") as reader:
                reader.read(1)
            _, errors = process.communicate(timeout=TIMEOUT)
        self.assertEqual((process.returncode, errors), (141, ""))

    def test_a_recording_that_is_not_there_or_not_ours(self):
        self.assertIn("`wperf record -o perf.data -- PROGRAM`", self.fails("report", "no such file"))
        closed = self.folder / "closed.data"
        closed.write_bytes(b"")
        closed.chmod(0)
        if os.access(closed, os.R_OK):
            self.skipTest("root can read every file")
        self.assertIn("chmod", self.fails("report", closed))

    def test_what_is_read_is_never_written(self):
        data = self.recording()
        bytes_before = data.read_bytes()
        link = self.folder / "link"
        link.symlink_to(data.name)
        for option, name in (("--html", data), ("--svg", data), ("-o", data), ("--records", data), ("--html", link),
                             ("--html", self.folder / "." / data.name)):
            with self.subTest(option=option, name=name):
                error = self.fails("report", data, option, name, status=2)
                self.assertRegex(error, rf"\Aerror: {option} would overwrite {re.escape(str(data))}\b[^\n]*\nhint: [^\n]*\n\Z")
        for arguments in (("report", data, "--export", "csv", "-o", data), ("diff", data, data, "--html", data),
                          ("waits", data, "--html", data), ("report", data.name, "--cwd", self.folder, "-o", data.name)):
            with self.subTest(arguments):
                self.assertIn("would overwrite", self.fails(*arguments, status=2, cwd=self.folder))
        # The user did not name the recording that is shown.
        self.assertIn("--html would overwrite good.data", self.fails("report", "--html", data, status=2, cwd=self.folder))
        self.assertEqual(data.read_bytes(), bytes_before)
        kept = self.folder / "kept.data"
        self.assertIn("would overwrite", self.fails(*RECORD, "--output-perf-data", kept, "--html", kept, *PROGRAM, status=2))
        self.assertFalse(kept.exists(), "it was told after the recording")

    def test_a_profile_says_when_it_began(self):
        self.assertEqual(self.run_wperf("report", self.recording(), "--export", "firefox", "-o", self.folder / "profile.json").returncode, 0)
        began = json.loads((self.folder / "profile.json").read_text())["meta"]["startTime"] / 1000
        self.assertLess(abs(time.time() - began), 24 * 3600)

    def test_control_characters_are_shown(self):
        done = self.run_wperf("list", "\x1b]0;title\x07", "-q")
        self.assertEqual(done.stderr, "warning: unexpected arg '\\x1b]0;title\\x07' ignored\n")

    def test_the_device_is_named_where_a_program_is_none_of_it(self):
        error = self.fails(*COUNT, "--", "/bin/sh")
        self.assertIn("CreateProcess failed: ", error)
        self.assertIn("not a Windows program", error)
        self.assertIn("chose the device sim", error)


if __name__ == "__main__":
    unittest.main()
