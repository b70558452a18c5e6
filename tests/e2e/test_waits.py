#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf waits`: traces with a script, recordings of perf, and programs with known waits that measure themselves."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import SHARED, WperfTest

TRACES = SHARED / "data" / "etl"

# Each wait tells "name nanoseconds" of what its own clock says.
WAITS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t taken;
static int question[2], answer[2];
static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}
static void *holder(void *unused) {
  pthread_setname_np(pthread_self(), "holder");
  pthread_mutex_lock(&lock);
  pthread_barrier_wait(&taken);
  usleep(120000);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void *pong(void *unused) {
  char byte;
  pthread_setname_np(pthread_self(), "pong");
  for (int i = 0; i < 50 && read(question[0], &byte, 1) == 1; ++i) {
    usleep(2000);
    if (write(answer[1], &byte, 1) != 1) break;
  }
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_setname_np(pthread_self(), "asker");
  pthread_barrier_init(&taken, 0, 2);
  pthread_create(&thread, 0, holder, 0);
  pthread_barrier_wait(&taken);
  long begin = now();
  pthread_mutex_lock(&lock);
  printf("lock %ld\n", now() - begin);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  if (pipe(question) != 0 || pipe(answer) != 0) return 1;
  pthread_create(&thread, 0, pong, 0);
  long waited = 0;
  char byte = 0;
  for (int i = 0; i < 50; ++i) {
    if (write(question[1], &byte, 1) != 1) return 1;
    begin = now();
    if (read(answer[0], &byte, 1) != 1) return 1;
    waited += now() - begin;
  }
  printf("message %ld\n", waited);
  pthread_join(thread, 0);
  begin = now();
  usleep(70000);
  printf("timer %ld\n", now() - begin);
  return 3;
}
"""


class TracesWithAScript(WperfTest):
    def setUp(self):
        if not TRACES.is_dir():
            self.skipTest("the traces are not beside the project")

    def test_all_times_are_those_of_the_script(self):
        for path in sorted(TRACES.glob("synth-*.truth.json")):
            name = path.name.removesuffix(".truth.json")
            truth = json.loads(path.read_text())
            trace = TRACES / f"{name}.etl"
            if name == "synth-trunc" or not truth["cswitch"]:
                continue
            with self.subTest(name):
                # Some are of sessions that lost something, and say so.
                done = self.run_wperf("waits", str(trace), "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                waits = json.loads(done.stdout)["waits"]
                self.assertEqual(waits["switches"], truth["cswitch"])
                self.assertEqual(waits["wakeups"], truth["ready"])
                threads = {str(thread["tid"]): thread for thread in waits["threads"]}
                for tid, ready in truth["ready_us"].items():
                    thread = threads[tid]
                    self.assertEqual(round(thread["running_ns"] / 1000), truth["cpu_us"][tid])
                    self.assertEqual(round(thread["ready_ns"] / 1000), ready)
                    self.assertEqual(thread["switches"], truth["switches_in"][tid])
                    self.assertEqual(thread["running_ns"] + thread["ready_ns"] + thread["waiting_ns"],
                                     thread["wall_ns"])
                    ended = sum(row["waited_ns"] for row in waits["wakers"] if row["waiter"].endswith(f"({tid})"))
                    self.assertEqual(round(ended / 1000), truth["wait_us"][tid])

    def test_a_trace_without_switches_says_so(self):
        trace = TRACES / "perfview-net452-x64-win8-compressed.etl"
        done = self.fails("waits", str(trace))
        self.assertIn("context switches were not on", done)

    def test_views_of_samples_show_waits(self):
        done = self.ok("waits", str(TRACES / "synth-base.etl"), "--sort", "tid")
        self.assertIn("wait (ns)", done)


class Programs(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="wperf waits "))
        (cls.folder / "waits.c").write_text(WAITS)
        subprocess.run(["cc", "-O1", "-g", "-pthread", "-o", str(cls.folder / "waits"), str(cls.folder / "waits.c")],
                       check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)
        super().tearDownClass()

    def recorded(self, *options):
        """(what the program measured, the answer of waits); the recording is kept as w.data."""
        for _ in range(8):
            told, waits = self.recorded_once(*options)
            if waits["lost_records"] == 0 and waits["contradictions"] == 0:
                return told, waits
        return self.skipTest("the machine is so busy that each recording lost something")

    def recorded_once(self, *options):
        data = self.folder / "w.data"
        done = self.run_wperf("waits", "-o", str(data), *options, "--", str(self.folder / "waits"), device="linux")
        if done.returncode != 3:
            if "tracefs" in done.stderr or "tracepoint" in done.stderr or "perf_event_paranoid" in done.stderr:
                self.skipTest("the scheduler's tracepoints may not be read here: " + done.stderr.splitlines()[0])
            self.fail(done.stdout + done.stderr)
        told = dict(line.split() for line in done.stdout.splitlines() if line.split()[:1] in (["lock"], ["message"], ["timer"]))
        return {name: int(value) for name, value in told.items()}, self.json("waits", str(data), "--json")["waits"]

    def test_known_waits(self):
        told, waits = self.recorded()
        threads = {thread["name"]: thread for thread in waits["threads"]}
        asker = threads["asker"]
        self.assertEqual(asker["running_ns"] + asker["ready_ns"] + asker["waiting_ns"], asker["wall_ns"])
        # What the program's clock measures is its wait, until it runs again.
        for name in ("lock", "message", "timer"):
            measured = told[name]
            seen = asker["waiting_for_ns"][name]
            if name == "lock":  # that waited at a barrier and for the ends of threads, too
                seen = sum(row["total_ns"] for row in waits["functions"] if "mutex_lock" in row["function"])
            slack = max(measured * 0.02, 1e6) + asker["ready_ns"]
            self.assertLessEqual(abs(measured - seen), slack, (name, told, asker))
        wakers = {(row["waiter"].split(" (")[0], row["waker"].split(" (")[0]): row for row in waits["wakers"]}
        self.assertGreaterEqual(wakers[("asker", "holder")]["waited_ns"], 0.9 * 120e6)
        self.assertIn(("asker", "pong"), wakers)

    def test_a_timeline_names_the_lock(self):
        self.recorded()
        done = self.ok("waits", str(self.folder / "w.data"), "--comm", "asker", "--time", "0-10")
        rows = [line for line in done.splitlines() if " waiting " in line and " lock " in line]
        self.assertTrue(any("pthread_mutex_lock" in row and "holder" in row for row in rows), done)

    def test_perf_reads_what_was_recorded(self):
        if shutil.which("perf") is None:
            self.skipTest("no perf here")
        _, waits = self.recorded("--call-graph", "fp")
        done = subprocess.run(["perf", "script", "-i", str(self.folder / "w.data"), "-F", "comm,tid,event,trace"],
                              capture_output=True, text=True)
        self.assertIn("sched:sched_switch", done.stdout, done.stderr)
        self.assertIn("prev_comm=asker", done.stdout)

    def test_a_recording_of_perf(self):
        if shutil.which("perf") is None:
            self.skipTest("no perf here")
        data = self.folder / "perf.data"
        made = subprocess.run(["perf", "record", "-q", "-a", "-g", "-e", "sched:sched_switch", "-e", "sched:sched_waking",
                               "-o", str(data), "--", str(self.folder / "waits")], capture_output=True, text=True)
        if not data.exists() or made.returncode not in (0, 3):
            self.skipTest("perf records no tracepoints here: " + made.stderr.strip()[:200])
        waits = self.json("waits", str(data), "--comm", "holder", "--json")["waits"]
        self.assertEqual([thread["name"] for thread in waits["threads"]], ["holder"])
        self.assertGreater(waits["switches"], 0)

    def test_switch_records_alone(self):
        if shutil.which("perf") is None:
            self.skipTest("no perf here")
        data = self.folder / "switches.data"
        subprocess.run(["perf", "record", "-q", "--switch-events", "-e", "dummy:u", "-o", str(data), "--",
                        str(self.folder / "waits")], capture_output=True)
        if not data.exists():
            self.skipTest("perf records no switches here")
        done = self.ok("waits", str(data))
        self.assertIn("wake-ups were not recorded", done)
        self.assertIn("stacks of switches were not recorded", done)


class Errors(WperfTest):
    def test_a_recording_without_switches(self):
        if shutil.which("perf") is None:
            self.skipTest("no perf here")
        with tempfile.TemporaryDirectory() as folder:
            data = str(pathlib.Path(folder) / "x.data")
            done = self.run_wperf("record", "-o", data, "--", "true", device="linux")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("nothing in the recording tells when threads ran and waited", self.fails("waits", data))

    def test_other_devices_do_not_record_waits(self):
        self.assertIn("linux device only", self.fails("waits", "--timeout", "0.1", device="sim", status=2))


if __name__ == "__main__":
    unittest.main()
