#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf machine`: a simulated machine that stays on, programs on it, and several wperfs that measure it."""
import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import BINARY, SOURCE, TIMEOUT, WperfTest, counts, shown_on_terminal, workload  # noqa: E402

DLLS = SOURCE / "build" / "tools" / "windows"
LUA = SOURCE / "build" / "tools" / "programs" / "lua.exe"


class Machine(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.environment["WPERF_DEVICE"] = "sim"  # the machine that is up
        if not DLLS.exists():
            raise unittest.SkipTest("build/tools/windows is missing (scripts/test fetches it)")

    def setUp(self):
        self.ok("machine", "start")
        self.addCleanup(self.run_wperf, "machine", "stop")

    def programs(self):
        return {row["PID"]: row for row in self.json("machine", "ps", "--json")["Programs"]}

    def start_detached(self, *words):
        text = self.ok("machine", "run", "-d", *words)
        return int(text.split()[1])

    def wait_until(self, what, holds):
        end = time.monotonic() + TIMEOUT
        while not holds():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)

    def test_a_program_has_this_terminal_and_its_status_is_passed_on(self):
        done = self.run_wperf("machine", "run", "--", workload("fib.exe"), "20")
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("fib 6765\n", "", 0))
        (row,) = self.programs().values()
        self.assertEqual((row["State"], row["Exit_code"]), ("ended", "0x0"))
        self.assertTrue(row["Program"].endswith("/fib.exe"))

    def test_words_that_do_not_belong_to_an_action_are_refused(self):
        for words, problem in ((("stop", "--", "x.exe"), "machine stop starts no program"),
                               (("run", "--json", "--", "x.exe"), "machine run has no JSON"),
                               (("ps", "--device", "sim:cores=2"), "the options of the simulated machine are for"),
                               (("ps", "7"), "machine ps takes no '7'")):
            done = self.run_wperf("machine", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(problem, done.stderr)
        done = self.run_wperf("machine", "run", "--timeout", "9", "--", workload("fib.exe"), "10")
        self.assertEqual((done.stdout, done.stderr), ("fib 55\n", "warning: --timeout has no effect on machine\n"))

    def test_a_program_reads_its_input_while_the_machine_goes_on(self):
        if not LUA.exists():
            self.skipTest(f"{LUA} is missing (scripts/test fetches it)")
        lua = subprocess.Popen([BINARY, "machine", "run", "--", LUA, "-e", "print(io.read('l') .. '!')"], env=self.environment,
                               text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.wait_until("lua runs", lambda: any(row["State"] == "running" for row in self.programs().values()))
        self.assertEqual(self.run_wperf("machine", "run", "--", workload("fib.exe"), "10").stdout, "fib 55\n")
        self.assertIsNone(lua.poll())
        self.assertEqual(lua.communicate("hello\n", timeout=TIMEOUT)[0], "hello!\n")
        self.assertEqual(lua.returncode, 0)

    def test_two_wperfs_measure_what_a_third_started(self):
        pid = self.start_detached("-c", "1", "--", workload("googolplex.exe"))
        counted = counts(self.json("stat", "-e", "inst_spec,ld_spec", "-c", "1", "--timeout", "0.3", "--json"), core=1)
        self.assertGreater(counted["ld_spec"], 100_000)
        self.assertGreater(counted["inst_spec"], 3 * counted["ld_spec"])
        idle = counts(self.json("stat", "-e", "ld_spec", "-c", "2", "--timeout", "0.3", "--json"), core=2)
        self.assertEqual(idle["ld_spec"], 0)
        text = self.ok("sample", "-e", "ld_spec:10000", "--pe_file", workload("googolplex.exe"), "-c", "1", "--timeout", "0.5")
        first = text.splitlines()[text.splitlines().index("        ========  =====  ======") + 1].split()
        self.assertEqual(first[2], "big_school_multiply:bignum.dll")
        self.assertGreater(float(first[0]), 50)
        self.assertIn("big_school_multiply", self.ok("top", "--once"))
        self.assertIn("googolplex.exe", self.ok("waits", "--timeout", "0.3"))
        self.ok("machine", "kill", str(pid))
        self.assertEqual(self.programs()[pid]["State"], "ended")

    def test_a_path_from_this_folder_is_the_programs_own_in_its_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(DLLS / "cmd.exe", folder)
            for path in ("./cmd.exe", f"../{pathlib.Path(folder).name}/cmd.exe", "cmd.exe"):
                done = self.run_wperf("machine", "run", "--", path, "/c", "echo hi", cwd=folder)
                self.assertEqual((done.stdout, done.stderr, done.returncode), ("hi\n", "", 0), path)

    def test_a_wait_for_input_is_a_wait(self):
        if not LUA.exists():
            self.skipTest(f"{LUA} is missing (scripts/test fetches it)")
        waits = subprocess.Popen([BINARY, "waits", "--json", "-q", "--", LUA, "-e", "io.read('l')"], env=self.environment, text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.wait_until("lua runs", lambda: any(row["State"] == "running" for row in self.programs().values()))
        time.sleep(1)
        (row,) = json.loads(waits.communicate("hello\n", timeout=TIMEOUT)[0])["waits"]["threads"]
        self.assertGreater(row["waiting_ns"], 100_000_000)  # on a busy computer, less of the machine's time passes
        self.assertGreater(row["waiting_ns"], 10 * row["ready_ns"])

    def test_a_measured_program_begins_with_its_measurement(self):
        exact = [counts(self.json("stat", "-e", "inst_retired", "-c", "0", "--json", "--", workload("exact_1k.exe")))["inst_retired"]
                 for _ in range(2)]
        alone = counts(self.json("stat", "-e", "inst_retired", "-c", "0", "--json", "--", workload("exact_1k.exe"),
                                 device="sim:pace=free"))["inst_retired"]
        self.assertEqual(exact, [alone, alone])

    def count_shortly(self):
        return self.run_wperf("stat", "-e", "ld_spec", "-c", "0", "--timeout", "0.1")

    def start_counting(self):
        """A wperf that holds the driver and counts."""
        holders = []

        def is_held():
            # The holder was too late: another process held the driver, so it was refused.
            if not holders or holders[-1].poll() is not None:
                holders.append(self.start_wperf("stat", "-e", "ld_spec", "-c", "0", "--timeout", "60"))
                self.addCleanup(holders[-1].communicate)
                self.addCleanup(holders[-1].kill)
            return self.count_shortly().returncode != 0 and holders[-1].poll() is None

        self.wait_until("the lock is held", is_held)
        return holders[-1]

    def test_the_driver_has_one_holder(self):
        holder = self.start_counting()
        self.assertIn("other WindowsPerf process acquired the wperf-driver", self.count_shortly().stderr)
        holder.kill()
        self.wait_until("the lock is free", lambda: self.count_shortly().returncode == 0)

    def test_a_client_that_dies_leaves_nothing_behind(self):
        running = self.start_wperf("machine", "run", "--", workload("googolplex.exe"))
        self.wait_until("it runs", lambda: any(row["State"] == "running" for row in self.programs().values()))
        running.kill()
        running.communicate()
        self.wait_until("it has ended", lambda: all(row["State"] == "ended" for row in self.programs().values()))

    def test_a_machine_that_dies_is_said_to_have_died(self):
        running = self.start_wperf("machine", "run", "--", workload("googolplex.exe"))
        self.addCleanup(running.communicate)
        self.wait_until("it runs", lambda: bool(self.programs()))
        measuring = self.start_counting()
        process = int(self.fails("machine", "start", status=2).split("process ")[1].split(")")[0])
        os.kill(process, signal.SIGKILL)
        for client in (running, measuring):
            self.assertEqual(client.wait(timeout=TIMEOUT), 1)
            self.assertIn(f"the simulated machine (process {process}) has ended", client.stderr.read())
        self.assertIn("no simulated machine is up", self.fails("machine", "ps", status=3))
        self.ok("machine", "start")

    def test_threads_stay_on_the_cores_of_their_mask(self):
        done = self.run_wperf("machine", "run", "--affinity", "6", "--", workload("threads.exe"))
        self.assertEqual((done.stdout, done.returncode), ("threads 4\n", 0))
        self.assertEqual([row["Core"] for row in self.programs().values()], [1])
        self.assertIn("core 0 is not in the mask", self.fails("machine", "run", "-c", "0", "--affinity", "6", "--", "x.exe", status=2))

    def test_a_crash_is_told_to_the_one_who_started_the_program(self):
        if not LUA.exists():
            self.skipTest(f"{LUA} is missing (scripts/test fetches it)")
        other = self.start_detached("--", workload("googolplex.exe"))
        error = self.fails("machine", "run", "--", LUA, "-e", "os.exit(-1073741819)")  # 0xc0000005
        self.assertIn("crashed on the simulated machine", error)
        self.assertEqual(self.programs()[other]["State"], "running")

    def test_ctrl_c_goes_to_the_program(self):
        ours, theirs = pty.openpty()
        running = subprocess.Popen([BINARY, "machine", "run", "--", workload("googolplex.exe")], env=self.environment,
                                   stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        reader = threading.Thread(target=shown_on_terminal, args=(ours, theirs, running))
        reader.start()
        self.wait_until("it runs", lambda: any(row["User_s"] > 0 for row in self.programs().values()))
        running.send_signal(signal.SIGINT)
        running.wait(timeout=TIMEOUT)
        self.assertTrue(all(row["State"] == "ended" for row in self.programs().values()))
        self.run_wperf("machine", "stop")
        reader.join()

    def test_the_device_of_the_environment_is_for_measurements(self):
        for device in ("sim:pace=free", "linux"):
            self.assertEqual(self.run_wperf("machine", "ps", device=device).returncode, 0, device)

    def test_wrong_words_are_refused(self):
        for words, said in ((["machine"], "machine needs a word"), (["machine", "fly"], "machine has no command 'fly'"),
                            (["machine", "run"], "run needs a program"), (["machine", "kill"], "kill needs the number"),
                            (["machine", "kill", "7"], "no process 7 is running"), (["machine", "ps", "x"], "takes no 'x'"),
                            (["machine", "run", "--affinity", "0", "--", "a.exe"], "invalid value '0'"),
                            (["machine", "start", "--device", "linux:1"], "'linux:1' is not a simulated machine"),
                            (["machine", "ps", "--device", "linux"], "'linux' is not a simulated machine"),
                            (["machine", "ps", "--device", "sim:pace=free"], "are for `wperf machine start`")):
            with self.subTest(words):
                self.assertIn(said, self.fails(*words, status=2))
        for path in (SOURCE / "README.md", DLLS / "ntdll.dll"):
            self.assertNotIn("hint", self.fails("machine", "run", "--", path), "it lacks no DLL")
        for option in ("folder=/nowhere", "windows=/nowhere"):
            self.run_wperf("machine", "stop")
            self.assertIn("the folder /nowhere of the option", self.fails("machine", "start", "--device", f"sim:{option}"))
        for option in ("pace=free", "instance=x"):
            self.run_wperf("machine", "stop")
            self.assertIn("takes no option", self.fails("machine", "start", "--device", f"sim:{option}", status=2))


if __name__ == "__main__":
    unittest.main()
