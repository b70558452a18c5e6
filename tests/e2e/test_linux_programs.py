#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The linux device with a program: the words of the command line, the exit status, and the output of wperf and of the
program."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from support import BINARY, TIMEOUT, WperfTest, paranoid

STAT = ("stat", "-e", "task-clock")
RECORD = ("record", "-e", "cpu-clock:1000000")

# Makes the kernel touch new pages for this program, and prints how many page faults that caused.
FAULTS = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
int main(void) {
  const size_t size = 16 << 20;
  char *new_memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(new_memory, size, MADV_NOHUGEPAGE);
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  if (read(open("/dev/zero", O_RDONLY), new_memory, size) != (ssize_t)size) return 1;
  getrusage(RUSAGE_SELF, &after);
  fprintf(stderr, "%ld\n", after.ru_minflt - before.ru_minflt);
  return 0;
}
"""


@unittest.skipUnless(sys.platform == "linux", "the linux device needs Linux")
@unittest.skipIf(paranoid() is None or (paranoid() > 2 and os.geteuid() != 0), "this user may measure nothing here")
class LinuxProgramsTest(WperfTest):
    def linux(self, *arguments):
        return self.run_wperf(*arguments, device="linux")

    def test_a_profile_names_processes_by_their_first_thread(self):
        # The program sleeps, so there may be no sample of it.
        program = ("import ctypes, threading\n"
                   "def work():\n"
                   "    ctypes.CDLL(None).prctl(15, b'worker')\n"
                   "    for i in range(3000000): pass\n"
                   "worker = threading.Thread(target=work)\n"
                   "worker.start()\n"
                   "worker.join()\n")
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        done = self.linux(*RECORD, "-o", folder / "t.data", "--", sys.executable, "-c", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        for more in ([], ["--comm", "worker"]):
            profile = folder / f"profile{len(more)}.json"
            self.assertEqual(self.linux("report", folder / "t.data", *more, "--export", "firefox", "-o", profile).returncode, 0)
            threads = {thread["name"]: thread for thread in json.loads(profile.read_text())["threads"]}
            self.assertEqual(threads["worker"]["processName"], pathlib.Path(sys.executable).name[:15])
            self.assertFalse(threads["worker"]["isMainThread"])

    def test_the_first_unknown_word_is_the_program(self):
        for command in (STAT, RECORD):
            done = self.linux(*command, "sh", "-c", "echo $0 $1", "--json", "-v")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("--json -v\n", done.stdout)

    def test_unknown_words_are_errors(self):
        for words, error, topic in ((("list", "--no-such-option"), "no option '--no-such-option'", "list"),
                                    (("recrod", "--", "true"), "no command 'recrod'; did you mean record?", ""),
                                    (("reprot", "x"), "no command 'reprot'; did you mean report?", ""),
                                    (("frobnicate", "--", "true"), "no command 'frobnicate'", ""),
                                    ((*STAT, "-x", "true"), "no option '-x'", "stat"),
                                    ((*STAT, "--timeuot", "3"), "no option '--timeuot'; did you mean --timeout?", "stat"),
                                    (("list", "everything"), "list does not take 'everything'", "list")):
            done = self.linux(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            hint = f"`wperf {topic} --help`" if topic else "`wperf --help`"
            self.assertRegex(done.stderr, rf"\Aerror: {re.escape(error)}\nhint: {hint} [^\n]*\n\Z")
        done = self.run_wperf("list", "-q", "--no-such-option")  # as WindowsPerf does it
        self.assertEqual((done.returncode, done.stderr), (0, "warning: unexpected arg '--no-such-option' ignored\n"))

    def test_the_dashes_are_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_wperf("record", "-o", "--", "true", device="linux", cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (2, "error: -o needs a file name before --\nhint: usage: -o FILE\n"))
            self.assertEqual(os.listdir(folder), [])

    def test_a_script_that_may_not_be_executed(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "app.py")
            script.write_text("print(1)\n")
            done = self.linux(*STAT, "--", script)
            self.assertEqual(done.stderr, f"error: {script}: Permission denied\nhint: make it executable with `chmod +x {script}`, or "
                                          f"start it with `-- python3 {script}`\n")

    def test_a_report_that_was_not_written_is_not_announced(self):
        done = self.linux(*RECORD, "-o", "/dev/full", "--", "true")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertNotIn("wrote the report", done.stdout)
        done = self.linux(*RECORD, "-o", "/dev/null", "--", "true")
        self.assertTrue(done.stdout.endswith("wrote the report to /dev/null as JSON\n"), done.stdout)

    def test_the_manual_explains_events_of_the_kernel(self):
        self.assertEqual(self.ok("man", "task-clock", device="linux"),
                         "NAME\n    task-clock - software event\nDESCRIPTION\n    Time that threads ran on cores, in nanoseconds.\n")
        self.assertIn("Another name of page-faults: ", self.ok("man", "faults", device="linux"))
        self.assertIn("[software]  Times that a core changed", self.ok("list", "-v", device="linux"))
        done = self.linux("man", "ipc")
        if done.returncode != 0:  # not one of the catalogue's CPUs
            way = "this machine's CPU is not in the catalogue; name one: `wperf man neoverse-n1/ipc`\n"
            self.assertTrue(done.stderr.endswith(way), done.stderr)
            self.assertIn(way[:40], self.ok("man", "l1d_cache", device="linux"))

    def test_the_guide_is_text(self):
        done = self.linux("guide", "--json")
        self.assertEqual(done.stderr, "warning: --json has no effect on guide\n")
        self.assertTrue(done.stdout.startswith("# Finding a performance problem"), done.stdout)

    def test_programs_of_linux_do_not_run_on_the_simulated_machine(self):
        program = shutil.which("true")
        done = self.run_wperf("record", "--device", "sim:pace=free", "--", program)
        self.assertIn("true is a Linux program; leave out `--device sim`, or build it for ARM64 Windows", done.stderr)
        self.assertNotIn("DLLs", done.stderr)

    def test_events_that_may_have_been_meant(self):
        for command in ("stat", "record"):
            done = self.linux(command, "-e", "cyclez", "--", "true")
            self.assertEqual((done.returncode, done.stderr), (1, "unknown event name: cyclez\nhint: did you mean cycles?\n"))

    def test_the_status_is_that_of_the_program(self):
        for command in (STAT, RECORD, (*RECORD, "-g"), (*STAT, "-t", "-n", "1", "-i", "0", "--timeout", "100")):
            if "-t" in command:
                command = (*command, "--output-csv", "/dev/null")
            self.assertEqual(self.linux(*command, "--", "sh", "-c", "exit 7").returncode, 7, command)
            killed = self.linux(*command, "--", "sh", "-c", "kill -TERM $$")
            self.assertEqual(killed.returncode, 128 + signal.SIGTERM, command)
            self.assertIn("warning: sh was killed by SIGTERM (signal 15); the results end there\n", killed.stderr)
            self.assertEqual(self.linux(*command, "--", "true").returncode, 0, command)

    def test_ours_where_it_is_worse_or_ended_the_program(self):
        self.assertEqual(self.linux(*STAT, "--timeout", "0.1", "--", "sleep", "1000").returncode, 0)
        self.assertEqual(self.linux(*STAT, "--", "/no/such/program").returncode, 1)
        if os.path.exists("/dev/full"):
            self.assertEqual(self.linux(*STAT, "-o", "/dev/full", "--", "sh", "-c", "exit 7").returncode, 1)

    def test_a_document_stays_alone_on_stdout(self):
        with tempfile.TemporaryDirectory() as folder:
            for command in ((*STAT, "--json"), (*RECORD, "--json"), (*RECORD, "-g", "--json"), (*RECORD, "--folded")):
                done = self.linux(*command, "--", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo mi$((1))ne")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("mi1ne", done.stdout, command)
                self.assertIn("mi1ne\n", done.stderr, command)
                if "--json" in command:
                    json.loads(done.stdout)
            done = self.linux(*STAT, "--json", "-o", f"{folder}/x.json", "--", "echo", "mine")
            self.assertEqual((done.stdout, done.stderr), ("mine\n", ""), "the document is elsewhere")

    def test_lines_of_ours_stay_whole(self):
        for command, line in ((STAT, "counting ... done\n"), (RECORD, r"sampling \.\.\.[.e]* done!\n")):
            done = self.linux(*command, "--", "sh", "-c", "echo one; sleep 1.2; echo two")
            self.assertRegex(done.stdout, r"\A(note: [^\n]*\n)?one\ntwo\n" + line, command)

    def test_texts_are_those_of_linux(self):
        done = self.linux(*STAT, "--", "/no/such/program")
        self.assertEqual(done.stderr, "error: /no/such/program: No such file or directory\n")

    def test_faults_in_the_kernel_count(self):
        if shutil.which("cc") is None:
            self.skipTest("there is no C compiler")
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "faults.c")
            source.write_text(FAULTS)
            subprocess.run(["cc", "-O1", source, "-o", source.with_suffix("")], check=True)
            done = self.linux("stat", "-e", "page-faults", "--", source.with_suffix(""))
            own = int(done.stderr)
            self.assertGreater(own, 1000)
            counted = int(re.search(r"([\d,]+)\s+page-faults", done.stdout).group(1).replace(",", ""))
            if "note: page-faults counts user mode only" in done.stdout:
                self.assertLess(counted, own)
                self.skipTest("this user is not allowed to measure the kernel")
            self.assertGreaterEqual(counted, own)

    def test_why_no_cycles_is_told_with_stacks_too(self):
        plain = self.linux("record", "--", "true").stdout
        note = re.search(r"\nnote: [^\n]*cpu-clock[^\n]*\n", plain)
        if note is None:
            self.skipTest("this machine has a cycle counter")
        self.assertIn(note.group(0), self.linux("record", "-g", "--", "true").stdout)

    @unittest.skipUnless(hasattr(os, "mkfifo") and os.path.exists("/dev/full"), "needs pipes and /dev/full")
    def test_a_recording_into_what_is_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = pathlib.Path(folder, "pipe")
            os.mkfifo(pipe)
            copy = pathlib.Path(folder, "copy.data")
            with copy.open("wb") as out, subprocess.Popen(["cat", pipe], stdout=out) as reader:
                done = self.linux(*RECORD, "--output-perf-data", pipe, "--", "sh", "-c", "exit 3")
                self.assertEqual((done.returncode, done.stderr), (3, ""))
                self.assertEqual(reader.wait(TIMEOUT), 0)
            self.assertTrue(pipe.is_fifo())
            self.assertEqual(self.linux("report", copy).returncode, 0)
            done = self.linux(*RECORD, "--output-perf-data", "/dev/full", "--", "true")
            self.assertEqual((done.returncode, done.stderr),
                             (1, "error: /dev/full could not be written completely: No space left on device\n"))
            self.assertRegex(done.stdout, r"\nran [\d.]+ m?s")

    def test_a_process_of_somebody_else(self):
        if os.geteuid() != 0 or paranoid() > 2 or shutil.which("setpriv") is None:
            self.skipTest("needs root to become another user, and a setting that allows users to measure")
        done = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all", BINARY,
                               "stat", "--device", "linux", "-e", "task-clock", "-p", "1", "--timeout", "0.1"],
                              capture_output=True, text=True, timeout=TIMEOUT, check=False)
        if "ermission denied" in done.stderr:
            self.skipTest("another user is not allowed to run the tested program")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("its process belongs to another user", done.stderr)
        self.assertNotIn("sysctl", done.stderr)


if __name__ == "__main__":
    unittest.main()
