#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf waits`: scripted traces, recordings of perf, and programs that measure their own known waits."""
import functools
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from support import BINARY, SHARED, SOURCE, WperfTest, workload

sys.path.insert(0, str(SOURCE / "tools"))
import doc_examples  # noqa: E402  (found by the line above)

TRACES = SHARED / "data" / "etl"

# Each wait prints "name nanoseconds" by its own clock.
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

# A cook and three eaters, a process that is stopped, and a file that was dropped from the cache.
MORE_WAITS = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int left, ended;
static long hunger;
static char data[1 << 23];
static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}
static void *eat(void *unused) {
  pthread_setname_np(pthread_self(), "eater");
  pthread_mutex_lock(&lock);
  while (1) {
    while (left == 0 && !ended) {
      long begin = now();
      pthread_cond_wait(&more, &lock);
      hunger += now() - begin;
    }
    if (left == 0) break;
    --left;
  }
  pthread_mutex_unlock(&lock);
  return unused;
}
static void *cook(void *unused) {
  pthread_setname_np(pthread_self(), "cook");
  for (int i = 0; i < 40; ++i) {
    usleep(3000);
    pthread_mutex_lock(&lock);
    ++left;
    ended = i == 39;
    if (ended) pthread_cond_broadcast(&more);
    else pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}
static void *stop(void *pipes) {
  pid_t child = fork();
  if (child == 0) {
    pthread_setname_np(pthread_self(), "stopped");
    long last = now(), longest = 0, begin = last;
    while (now() - begin < 150000000) {
      long moment = now();
      if (moment - last > longest) longest = moment - last;
      last = moment;
    }
    printf("stop %ld\n", longest);
    fflush(stdout);
    _exit(0);
  }
  pthread_setname_np(pthread_self(), "stopper");
  usleep(20000);
  kill(child, SIGSTOP);
  usleep(80000);
  kill(child, SIGCONT);
  waitpid(child, 0, 0);
  return pipes;
}
static void *read_file(void *unused) {
  pthread_setname_np(pthread_self(), "reader");
  int file = open("dropped", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || write(file, data, sizeof data) != sizeof data) exit(9);
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  char *map = mmap(0, sizeof data, PROT_READ, MAP_SHARED, file, 0);
  static unsigned char there[sizeof data / 4096];
  long resident = 0;
  if (map == MAP_FAILED || mincore(map, sizeof data, there) != 0) resident = 1;
  for (unsigned long i = 0; i < sizeof there; ++i) resident += there[i] & 1;
  lseek(file, 0, SEEK_SET);
  pthread_setname_np(pthread_self(), "late-reader");
  struct rusage before, after;
  getrusage(RUSAGE_THREAD, &before);
  long begin = now();
  long got = 0, part;
  while ((part = read(file, data, 65536)) > 0) got += part;
  long took = now() - begin;
  getrusage(RUSAGE_THREAD, &after);
  printf("resident %ld\nread %ld\nslept %ld\n", resident, took, after.ru_nvcsw - before.ru_nvcsw);
  unlink("dropped");
  return unused;
}
int main(void) {
  pthread_t threads[4], one;
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, eat, 0);
  pthread_create(&threads[3], 0, cook, 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  printf("hunger %ld\n", hunger);
  fflush(stdout);
  pthread_create(&one, 0, stop, 0);
  pthread_join(one, 0);
  pthread_create(&one, 0, read_file, 0);
  pthread_join(one, 0);
  return 3;
}
"""

# Three threads that are busy at the same time, and six programs one after the other. Every second program is started by
# exec in a thread that is not the first thread of its process.
EXECS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static char *self;
static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}
static void spin(long ns) {
  for (long begin = now(); now() - begin < ns;) {}
}
static void *work(void *name) {
  pthread_setname_np(pthread_self(), name);
  for (int i = 0; i < 20; ++i) {
    spin(500000);
    usleep(300);
  }
  return 0;
}
static void *execs(void *unused) {
  execl(self, self, "leaf", (char *)0);
  return unused;
}
int main(int argc, char **argv) {
  pthread_t threads[3];
  self = argv[0];
  if (argc > 1 && strcmp(argv[1], "leaf") == 0) {
    work("leaf");
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "middle") == 0) {
    pthread_setname_np(pthread_self(), "middle");
    pthread_create(&threads[0], 0, execs, 0);
    for (;;) pause();
  }
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, "worker");
  for (int i = 0; i < 6; ++i) {
    pid_t child = fork();
    if (child == 0) {
      execl(self, self, i % 2 == 0 ? "leaf" : "middle", (char *)0);
      _exit(1);
    }
    spin(200000);
    waitpid(child, 0, 0);
  }
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return 3;
}
"""


class TracesWithAScript(WperfTest):
    def setUp(self):
        if not TRACES.is_dir():
            self.skipTest("the traces are not next to the project's folder")

    def test_all_times_are_those_of_the_script(self):
        for path in sorted(TRACES.glob("synth-*.truth.json")):
            name = path.name.removesuffix(".truth.json")
            truth = json.loads(path.read_text())
            trace = TRACES / f"{name}.etl"
            if name == "synth-trunc" or not truth["cswitch"]:
                continue
            with self.subTest(name):
                # Some sessions lost events, so stderr may have a warning.
                done = self.run_wperf("waits", str(trace), "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                waits = json.loads(done.stdout)["waits"]
                self.assertEqual(waits["switches"], truth["cswitch"])
                self.assertEqual(waits["wakeups"], truth["ready"])
                threads = {str(thread["tid"]): thread for thread in waits["threads"]}
                for tid, ready in truth["ready_us"].items():
                    thread = threads[tid]
                    self.assertEqual(thread["switches"], truth["switches_in"][tid])
                    self.assertEqual(thread["running_ns"] + thread["ready_ns"] + thread["waiting_ns"] + thread["unknown_ns"],
                                     thread["wall_ns"])
                    if name == "synth-lost":
                        # The time of a lost buffer is not charged to any thread, although this script removed no
                        # switch.
                        self.assertGreaterEqual(truth["cpu_us"][tid], round(thread["running_ns"] / 1000))
                        self.assertLessEqual(truth["cpu_us"][tid] + ready,
                                             (thread["running_ns"] + thread["ready_ns"] + thread["unknown_ns"]) / 1000 + 1)
                        continue
                    self.assertEqual(thread["unknown_ns"], 0)
                    self.assertEqual(round(thread["running_ns"] / 1000), truth["cpu_us"][tid])
                    self.assertEqual(round(thread["ready_ns"] / 1000), ready)
                    ended = sum(row["waited_ns"] for row in waits["wakers"] if row["waiter"].endswith(f"({tid})"))
                    self.assertEqual(round(ended / 1000), truth["wait_us"][tid])

    def test_what_no_record_covers_is_unknown(self):
        truth = json.loads((TRACES / "synth-base.truth.json").read_text())
        whole = (TRACES / "synth-base.etl").read_bytes()
        places, at = [], 0
        while at < len(whole):
            places.append(at)
            at += struct.unpack_from("<I", whole, at)[0]
        kept = {"cut": whole[:len(whole) * 6 // 10], "less": whole[:places[2]] + whole[places[3]:]}
        with tempfile.TemporaryDirectory() as folder:
            for name, data in kept.items():
                with self.subTest(name):
                    path = pathlib.Path(folder) / f"{name}.etl"
                    path.write_bytes(data)
                    done = self.run_wperf("waits", str(path), "--json")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    waits = json.loads(done.stdout)["waits"]
                    self.assertTrue(waits["trace"]["gaps"], "the times are told")
                    self.assertGreater(sum(core["unknown_ns"] for core in waits["cores"]), 0)
                    for core in waits["cores"]:
                        self.assertEqual(core["busy_ns"] + core["idle_ns"] + core["unknown_ns"], waits["duration_ns"])
                    for thread in waits["threads"]:
                        known = thread["running_ns"] + thread["ready_ns"] + thread["waiting_ns"]
                        self.assertEqual(known + thread["unknown_ns"], thread["wall_ns"])
                        if str(thread["tid"]) in truth["cpu_us"]:
                            self.assertLessEqual(thread["running_ns"] / 1000, truth["cpu_us"][str(thread["tid"])] + 1)
                    self.assertGreater(sum(thread["unknown_ns"] for thread in waits["threads"]), 0)
                    self.assertIn("unknown", self.run_wperf("waits", str(path)).stdout)

    def test_a_trace_without_switches_says_so(self):
        trace = TRACES / "perfview-net452-x64-win8-compressed.etl"
        done = self.fails("waits", str(trace))
        self.assertIn("context switches were not enabled", done)

    def test_views_of_samples_show_waits(self):
        done = self.ok("waits", str(TRACES / "synth-base.etl"), "--sort", "tid")
        self.assertIn("wait (ns)", done)

    def test_one_by_one_they_are_those_of_the_timeline(self):
        trace = str(TRACES / "synth-base.etl")
        timeline = json.loads(self.ok("waits", trace, "--json", "--tid", "1001", "--time", "0-1"))["waits"]["timeline"]
        waits = [row for row in timeline if row["state"] == "waiting"]
        self.assertEqual({row["reason"] for row in waits}, {"UserRequest"})
        ended = [row["wake_to_run_ns"] for row in waits if "wake_to_run_ns" in row]  # the last wait has not ended
        self.assertEqual(ended, [50_000] * (len(waits) - 1))
        lines = self.ok("waits", trace, "--json", "--tid", "1001", "--records", "-").splitlines()
        records = [json.loads(line) for line in lines]
        self.assertEqual([one["period"] for one in records], [row["length_ns"] for row in waits])
        # Both outputs count time from the same start.
        second = waits[1]["from_ns"] / 1e9
        chosen = self.ok("waits", trace, "--json", "--tid", "1001", "--records", "-", "--time", f"{second - 1e-4:.4f}-{second + 1e-4:.4f}")
        self.assertEqual(json.loads(chosen), records[1])

    def test_a_range_of_time_clips_each_wait(self):
        trace = str(TRACES / "synth-base.etl")
        line = json.loads(self.ok("waits", trace, "--json", "--tid", "1001", "--time", "0-10"))["waits"]["timeline"]
        longest = max((row for row in line if row["state"] == "waiting"), key=lambda row: row["length_ns"])
        begin = longest["from_ns"] + longest["length_ns"] // 4
        part = f"{begin / 1e9:.9f}-{(begin + longest['length_ns'] // 2) / 1e9:.9f}"
        for threads in (("--tid", "1001"), ("--tid", "1001,1002")):
            waits = json.loads(self.ok("waits", trace, "--json", *threads, "--time", part))["waits"]
            [one] = [row for row in waits["threads"] if row["tid"] == 1001]
            self.assertAlmostEqual(one["waiting_ns"], longest["length_ns"] // 2, delta=2)
            self.assertEqual(one["wall_ns"], one["waiting_ns"])
            self.assertEqual(waits["to_ns"] - waits["from_ns"], one["waiting_ns"])
            self.assertEqual("timeline" in waits, len(threads[1]) == 4)
        folded = self.ok("waits", trace, "--folded", "--tid", "1001", "--time", part)
        self.assertEqual(sum(int(row.split()[-1]) for row in folded.splitlines()), one["waiting_ns"])

    def test_a_thread_that_is_not_there(self):
        self.assertIn("--pid, --tid and --comm", self.fails("waits", str(TRACES / "synth-base.etl"), "--tid", "99999"))
        self.assertIn("lost: 5 events", self.run_wperf("waits", str(TRACES / "synth-lost.etl")).stdout)


def a_few_chances(test):
    """A busy machine rarely disturbs the times of all four runs. A real error fails every run."""
    @functools.wraps(test)
    def tried(self):
        for _ in range(3):
            try:
                return test(self)
            except (AssertionError, StopIteration) as error:  # a thread whose name was lost is not found
                print(f"{test.__name__}, once more: {str(error) or repr(error)}".splitlines()[0], file=sys.stderr)
        return test(self)
    return tried


class Programs(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="wperf waits "))
        for name, source in (("waits", WAITS), ("more", MORE_WAITS), ("execs", EXECS)):
            (cls.folder / f"{name}.c").write_text(source)
            subprocess.run(["cc", "-O1", "-g", "-pthread", "-o", str(cls.folder / name), str(cls.folder / f"{name}.c")],
                           check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)
        super().tearDownClass()

    def recorded(self, *options, program="waits"):
        """Returns (the program's own measurements, the answer of waits). The recording is w.data."""
        for _ in range(8):
            told, waits = self.recorded_once(*options, program=program)
            if waits["lost_records"] == 0 and waits["contradictions"] == 0:
                return told, waits
        return self.skipTest("the machine is so busy that each recording lost something")

    def recorded_once(self, *options, program):
        data = self.folder / "w.data"
        done = self.run_wperf("waits", "-o", str(data), *options, "--", str(self.folder / program), device="linux",
                              cwd=self.folder)
        if done.returncode != 3:
            if "tracefs" in done.stderr or "tracepoint" in done.stderr or "perf_event_paranoid" in done.stderr:
                self.skipTest("this user is not allowed to read the scheduler's tracepoints: " + done.stderr.splitlines()[0])
            self.fail(done.stdout + done.stderr)
        # The program's own lines come first.
        told = dict(line.split() for line in done.stdout.split("\nthreads: wall")[0].splitlines() if len(line.split()) == 2)
        return {name: int(value) for name, value in told.items()}, self.json("waits", str(data), "--json")["waits"]

    @a_few_chances
    def test_known_waits(self):
        told, waits = self.recorded()
        threads = {thread["name"]: thread for thread in waits["threads"]}
        asker = threads["asker"]
        self.assertEqual(asker["running_ns"] + asker["ready_ns"] + asker["waiting_ns"], asker["wall_ns"])
        # The program's clock measures the wait until the thread runs again.
        for name in ("lock", "message", "timer"):
            measured = told[name]
            seen = asker["waiting_for_ns"][name]
            if name == "lock":  # the futex waits of this thread also include a barrier
                seen = sum(row["total_ns"] for row in waits["functions"] if "mutex_lock" in row["function"])
            slack = max(measured * 0.02, 1e6) + asker["ready_ns"]
            self.assertLessEqual(abs(measured - seen), slack, (name, told, asker))
        waited = {}
        for row in waits["wakers"]:
            pair = (row["waiter"].split(" (")[0], row["waker"].split(" (")[0])
            waited[pair] = waited.get(pair, 0) + row["waited_ns"]
        self.assertGreaterEqual(waited[("asker", "holder")], 0.9 * 120e6)
        self.assertIn(("asker", "pong"), waited)
        locks = [row for row in waits["wakers"] if "mutex_lock" in row["function"]]
        self.assertTrue(any("unlock" in row["waker_function"] for row in locks), locks)

    @a_few_chances
    def test_more_known_waits(self):
        told, waits = self.recorded(program="more")
        threads = {}
        for thread in waits["threads"]:
            threads.setdefault(thread["name"], []).append(thread)
            self.assertEqual(thread["running_ns"] + thread["ready_ns"] + thread["waiting_ns"], thread["wall_ns"])

        def close(measured, seen, those):
            slack = max(0.02 * measured, 1e6) + sum(thread["ready_ns"] for thread in those)
            self.assertLessEqual(abs(measured - seen), slack, (measured, seen))

        waited = {}
        for row in waits["wakers"]:
            pair = (row["waiter"].split(" (")[0], row["waker"].split(" (")[0])
            waited[pair] = waited.get(pair, 0) + row["waited_ns"]
        self.assertEqual(len(threads["eater"]), 3)
        close(told["hunger"], sum(thread["waiting_for_ns"]["lock"] for thread in threads["eater"]), threads["eater"])
        self.assertGreaterEqual(waited[("eater", "cook")], 0.9 * told["hunger"])
        self.assertGreaterEqual(threads["cook"][0]["waiting_for_ns"]["timer"], 40 * 3e6)
        stopped = threads["stopped"][0]
        close(told["stop"], stopped["longest_wait_ns"], [stopped])
        self.assertGreaterEqual(waited[("stopped", "stopper")], 0.98 * stopped["longest_wait_ns"])

    @a_few_chances
    def test_a_file_that_was_dropped_from_the_cache(self):
        told, waits = self.recorded(program="more")
        if told["resident"] != 0:
            self.skipTest("the file cannot be dropped from the cache here")
        if told["slept"] == 0:
            self.skipTest("the disk was so fast that the thread never slept")
        reader = next(thread for thread in waits["threads"] if thread["name"] == "late-reader")
        reads = [row for row in waits["functions"] if row["function"] == "read" and row["class"] == "I/O"]
        seen = sum(row["total_ns"] for row in reads)
        self.assertGreater(seen, 0, (told, reader, waits["functions"]))
        self.assertLessEqual(seen, min(told["read"], reader["waiting_for_ns"]["I/O"]))

    @a_few_chances
    def test_running_times_are_those_of_perf(self):
        if shutil.which("perf") is None:
            self.skipTest("no perf here")
        _, waits = self.recorded(program="more")
        done = subprocess.run(["perf", "sched", "timehist", "-s", "-i", str(self.folder / "w.data")],
                              capture_output=True, text=True)
        ran = {}
        # Columns: comm[tid] or comm[tid/pid], parent, how often it was switched in, milliseconds on a core, …
        for line in done.stdout.splitlines():
            row = re.match(r"\s*\S.*\[(\d+)(?:/\d+)?\]\s+-?\d+\s+(\d+)\s+([\d.]+)\s", line)
            if row:
                ran[int(row[1])] = (int(row[2]), float(row[3]) * 1e6)
        self.assertGreaterEqual(sum(thread["tid"] in ran for thread in waits["threads"]), 5, done.stdout + done.stderr)
        # If the kernel does not deliver a switch out of idle, wperf infers it from another record. perf does not, so it
        # counts sleeping threads as running.
        compared = [thread for thread in waits["threads"]
                    if thread["tid"] in ran and abs(ran[thread["tid"]][0] - thread["switches"]) <= 1]
        if not compared:
            self.skipTest("the kernel did not deliver all switches; perf cannot detect that")
        differences = [ran[thread["tid"]][1] - thread["running_ns"] for thread in compared]
        slacks = [max(0.02 * thread["running_ns"], 1e6) for thread in compared]
        # A lost switch to another thread on the same core makes perf's times too long, never too short.
        self.assertTrue(all(-slack <= one for one, slack in zip(differences, slacks)), (compared, ran))
        close = sum(one <= slack for one, slack in zip(differences, slacks))
        self.assertGreaterEqual(2 * close, len(compared), (compared, ran))

    def test_a_timeline_names_the_lock(self):
        self.recorded()
        done = self.ok("waits", str(self.folder / "w.data"), "--comm", "asker", "--time", "0-10")
        rows = [line for line in done.splitlines() if " waiting " in line and " lock " in line]
        self.assertTrue(any("pthread_mutex_lock" in row and "holder" in row for row in rows), done)

    @a_few_chances
    def test_the_critical_path_leads_to_those_who_slept(self):
        told, _ = self.recorded()
        path = self.json("waits", str(self.folder / "w.data"), "--critical-path", "--json")["waits"]["critical_path"]
        self.assertTrue(path["of"].startswith("asker "), path["of"])
        self.assertEqual(sum(step["length_ns"] for step in path["steps"]), path["length_ns"])
        self.assertEqual(sum(row["total_ns"] for row in path["sums"]), path["length_ns"])
        at = path["from_ns"]
        for step in path["steps"]:
            self.assertEqual(step["from_ns"], at)
            at += step["length_ns"]
        slept = {}
        for row in path["sums"]:
            # Some kernels do not deliver the wake-ups of idle cores. Then the end of a sleep has no known cause.
            if row["state"] in ("timer", "unknown") and "nanosleep" in row["function"]:
                name = row["thread"].split(" (")[0]
                slept[name] = slept.get(name, 0) + row["total_ns"]
        # The holder slept 120 ms with the lock held. Each of the 50 answers came after a sleep of 2 ms. The last part
        # is the asker's own work.
        self.assertGreaterEqual(slept["holder"], 0.9 * 120e6)
        self.assertGreaterEqual(slept["pong"], 0.9 * 100e6)
        self.assertLessEqual(slept["holder"], told["lock"] + 2e6)
        self.assertLessEqual(slept["pong"], told["message"] + 2e6)
        self.assertGreaterEqual(slept["asker"], 0.98 * 70e6)
        self.assertLessEqual(slept["asker"], told["timer"] + 1e6)
        text = self.ok("waits", str(self.folder / "w.data"), "--critical-path", "--comm", "pong", "--min", "1ms")
        self.assertIn("critical path of pong", text)
        self.assertIn("shorter than 1.0 ms", text)

    def test_the_first_line_says_how_long_the_program_ran(self):
        self.recorded()
        text = self.ok("waits", str(self.folder / "w.data"))
        self.assertRegex(text, r"\Aran \d[^,]*, used \d[^\n]* of CPU \(")
        self.assertRegex(text, r"\nrecorded by wperf \d.* on .*, \d{4}-\d\d-\d\d .*: `wperf waits -o ")
        waits = self.json("waits", str(self.folder / "w.data"), "--json")["waits"]
        main = next(thread for thread in waits["threads"] if thread["tid"] == thread["pid"])
        # The elapsed time runs from the program's start until wperf noticed its end, so it is at least the main
        # thread's time.
        self.assertGreaterEqual(waits["headline"]["elapsed_seconds"], main["wall_ns"] / 1e9 - 0.001)
        self.assertLess(waits["headline"]["cpu_seconds"], waits["headline"]["elapsed_seconds"] * 4)
        self.assertEqual(waits["about"]["program"], "waits")

    def test_what_is_not_listed_is_told_and_sums_stay(self):
        _, all_of_it = self.recorded()
        longer = self.json("waits", str(self.folder / "w.data"), "--min", "50ms", "--json")["waits"]
        self.assertEqual(longer["threads"], all_of_it["threads"])
        total = sum(row["total_ns"] for row in all_of_it["functions"])
        self.assertEqual(sum(row["total_ns"] for row in longer["functions"]) + longer["not_listed"]["total_ns"], total)
        self.assertGreater(longer["not_listed"]["count"], 49)
        self.assertGreater(all_of_it["recorder_running_ns"], 0, "wperf records itself, too")
        self.assertGreater(all_of_it["switch_cost_ns"], 0, "measured on threads of its own")
        self.assertLess(all_of_it["recorder_running_ns"], all_of_it["cores_ns"])
        tree = self.run_wperf("waits", str(self.folder / "w.data"), "--min", "50ms", "--tree")
        self.assertIn("not listed: ", tree.stderr)
        self.assertRegex(tree.stdout, r"event wait \(ns\): \d+ waits, [^;]*; 100 % is the waits of (?:all )?\d+ threads, without the waits that are not listed\n")
        self.assertNotRegex(tree.stdout, r"\d of \d+ call stacks stop early")

    def test_others_of_the_recorders_name_are_not_the_recorder(self):
        busy = self.folder / "wperf"
        shutil.copy(sys.executable, busy)
        with subprocess.Popen([busy, "-c", "while True: pass"], env={**os.environ, "PYTHONHOME": sys.base_prefix}) as other:
            try:
                _, waits = self.recorded()
                whole = self.json("waits", str(self.folder / "w.data"), "--comm", "wperf", "--json")["waits"]
            finally:
                other.kill()
        threads = {thread["pid"]: thread for thread in whole["threads"]}
        if other.pid not in threads:
            self.skipTest("it never ran")
        self.assertLess(whole["recorder_running_ns"], sum(thread["running_ns"] for thread in whole["threads"]))
        self.assertEqual(waits["recorder_running_ns"], whole["recorder_running_ns"])

    @a_few_chances
    def test_waits_are_told_by_the_programs_own_functions(self):
        _, waits = self.recorded()
        row = next(row for row in waits["functions"] if "mutex_lock" in row["function"])
        self.assertEqual((row["caller"], row["caller_module"]), ("main", "waits"))
        self.assertIn("w.data` shows what threads waited for", self.run_wperf("report", str(self.folder / "w.data")).stderr)
        text = self.ok("waits", str(self.folder / "w.data"))
        self.assertRegex(text, r"  lock +main +\S*mutex_lock\S* +waits ")
        unlocks = [row["waker_caller"] for row in waits["wakers"] if "unlock" in row["waker_function"]]
        self.assertIn("holder", unlocks)

    def test_what_was_written_is_said(self):
        kept, report = self.folder / "told.data", self.folder / "told"
        done = self.run_wperf("waits", "-o", str(kept), "--", "true", device="linux")
        if done.returncode != 0:
            self.skipTest("this user is not allowed to read the scheduler's tracepoints: " + done.stderr)
        self.assertRegex(done.stdout, f"\n[^\n]*{re.escape(str(kept))}: [0-9,]+ bytes; [^\n]*`wperf waits \"{re.escape(str(kept))}\"`\n")
        text = self.ok("waits", "-o", str(report), "--", "true", device="linux")
        self.assertRegex(text, f"\n[^\n]*{re.escape(str(report))} as JSON; [^\n]*`-o {re.escape(str(report))}.data`[^\n]*`wperf waits`\n")
        self.assertIn("waits", json.loads(report.read_text(encoding="utf-8")))

    @a_few_chances
    def test_running_and_waiting_add_up_to_the_wall_time(self):
        self.recorded()
        data = self.folder / "on-off.data"
        done = self.run_wperf("waits", "--on-off", "--folded", "-o", str(data), "--", str(self.folder / "waits"), device="linux")
        self.assertEqual(done.returncode, 3, done.stderr)
        pong = next(one for one in self.json("waits", str(data), "--json")["waits"]["threads"] if one["name"] == "pong")
        for option in ((), ("--tid", str(pong["tid"]))):
            waits = self.json("waits", str(data), *option, "--json")["waits"]
            stacks = {}
            for line in self.ok("waits", str(data), "--on-off", "--folded", *option).splitlines():
                stack, time = line.rsplit(" ", 1)
                name = stack.split(";")[0]
                stacks[name] = stacks.get(name, 0) + int(time)
            self.assertEqual(stacks, {thread["name"]: thread["wall_ns"] for thread in waits["threads"]})
        tree = self.ok("waits", str(data), "--on-off")
        self.assertIn(" nanoseconds", tree)
        self.assertNotRegex(tree, r"\d samples,")
        self.assertIn("[waiting: lock]", tree)
        self.assertIn("time (ns)", tree)
        self.assertIn("--on-off shows all of the time", self.fails("waits", str(data), "--on-off", "--min", "1ms", status=2))

    def recorded_as_another(self, *capabilities, become=(), program="waits"):
        """Records as a user who may not read tracepoints; with perfmon, this user may still sample the kernel."""
        if os.geteuid() != 0 or shutil.which("setpriv") is None:
            self.skipTest("only root can become another user")
        told, _ = self.recorded()
        self.folder.chmod(0o755)
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            caps = ",".join("+" + one for one in capabilities)
            if not become:
                become = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
                become += ["--inh-caps", caps, "--ambient-caps", caps] if caps else []
            done = subprocess.run([*become, BINARY, "waits", "--json", "-o", "own.json", "--", str(self.folder / program)],
                                  cwd=folder, env=dict(self.environment, WPERF_DEVICE="linux"), capture_output=True, text=True)
            if done.returncode != 3:
                self.skipTest("another user is not allowed to measure here: " + done.stderr)
            told = dict(line.split() for line in done.stdout.splitlines() if line.startswith(("lock ", "message ", "timer ")))
            waits = json.loads(pathlib.Path(folder, "own.json").read_text())["waits"]
        self.assertIn("cannot read the scheduler's tracepoints", done.stderr)
        self.assertFalse(waits["has_wakeups"])
        return {name: int(value) for name, value in told.items()}, waits, done.stderr

    @a_few_chances
    def test_an_ordinary_user_records_lengths_of_waits(self):
        told, waits, errors = self.recorded_as_another()
        self.assertEqual({thread["name"] for thread in waits["threads"]}, {"asker", "holder", "pong"})
        asker = next(thread for thread in waits["threads"] if thread["name"] == "asker")
        self.assertEqual(asker["running_ns"] + asker["ready_ns"] + asker["waiting_ns"], asker["wall_ns"])
        self.assertGreaterEqual(asker["waiting_ns"], 0.9 * sum(told.values()))
        holder = next(thread for thread in waits["threads"] if thread["name"] == "holder")
        self.assertLess(holder["running_ns"], 0.5 * holder["waiting_ns"], "it ended, and does not run on")
        if not waits["has_stacks"]:
            self.assertIn("perf_event_paranoid at 1 or below", errors)

    def all_is_known(self, record):
        for _ in range(8):
            waits = record()
            if waits["lost_records"] == 0:
                break
        else:
            self.skipTest("the machine is so busy that each recording lost something")
        threads = waits["threads"]
        self.assertEqual((waits["contradictions"], sum(thread["unknown_ns"] for thread in threads)), (0, 0), threads)
        self.assertEqual(len(threads), 1 + 3 + 6 + 3, threads)
        for thread in threads:
            self.assertEqual(thread["running_ns"] + thread["ready_ns"] + thread["waiting_ns"], thread["wall_ns"])
        # Each of the nine workers works 20 times for half a millisecond, and sleeps 20 times.
        working = [thread for thread in threads if thread["name"] in ("worker", "leaf")]
        self.assertEqual(len(working), 9, threads)
        for thread in working:
            self.assertGreater(thread["running_ns"] + thread["ready_ns"], 10e6)
            self.assertGreaterEqual(thread["waiting_ns"], 20 * 0.3e6)

    def test_without_losses_all_of_the_time_is_known(self):
        self.all_is_known(lambda: self.recorded_once(program="execs")[1])
        self.assertNotIn("records are missing", self.ok("waits", str(self.folder / "w.data")))

    def test_without_losses_all_of_the_time_of_an_ordinary_user_is_known(self):
        self.all_is_known(lambda: self.recorded_as_another(program="execs")[1])

    def test_without_losses_and_tracepoints_all_of_the_time_is_known(self):
        self.all_is_known(lambda: self.recorded_as_another("perfmon", program="execs")[1])

    @a_few_chances
    def test_root_of_a_user_namespace_records_lengths_of_waits(self):
        become = ["unshare", "--user", "--map-root-user"]
        if shutil.which("unshare") is None or subprocess.run([*become, "true"], capture_output=True).returncode != 0:
            self.skipTest("user namespaces are not available")
        told, waits, _ = self.recorded_as_another(become=become)
        asker = next(thread for thread in waits["threads"] if thread["name"] == "asker")
        self.assertGreaterEqual(asker["waiting_ns"], 0.9 * sum(told.values()))

    @a_few_chances
    def test_who_may_look_at_the_kernel_has_stacks_without_tracepoints(self):
        told, waits, _ = self.recorded_as_another("perfmon")
        self.assertTrue(waits["has_stacks"])
        asker = next(thread for thread in waits["threads"] if thread["name"] == "asker")
        seen = sum(row["total_ns"] for row in waits["functions"] if "mutex_lock" in row["function"])
        self.assertLessEqual(abs(told["lock"] - seen), max(told["lock"] * 0.02, 1e6) + asker["ready_ns"] + 2e6)
        self.assertNotIn("holder", [thread["name"] for thread in waits["threads"] if thread["running_ns"] > 100e6])

    def test_max_stack_is_the_depth_of_the_stacks_of_switches(self):
        def depths(*options):
            """{stack depth: number of the program's switches with that depth}"""
            self.recorded("--call-graph", "fp", *options)
            found = {}
            done = self.run_wperf("report", str(self.folder / "w.data"), "--comm", "asker,holder,pong", "--records", "-", "--json")
            for line in done.stdout.splitlines():
                sample = json.loads(line)
                if sample["event"] == "sched:sched_switch":
                    depth = len(sample["frames"])
                    found[depth] = found.get(depth, 0) + 1
            return found
        # With N callers there are N + 1 frames.
        whole, four, one = depths(), depths("--max-stack", "4"), depths("--max-stack", "1")
        self.assertGreater(max(whole), 5)
        self.assertEqual(max(four), 5, four)
        self.assertEqual(list(one), [2], one)

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
            self.skipTest("perf cannot record tracepoints here: " + made.stderr.strip()[:200])
        waits = self.json("waits", str(data), "--comm", "holder", "--json")["waits"]
        # The whole machine was recorded, so other programs may have the same name.
        self.assertEqual({thread["name"] for thread in waits["threads"]}, {"holder"})
        self.assertGreater(waits["switches"], 0)

    def test_switch_records_alone(self):
        if shutil.which("perf") is None:
            self.skipTest("no perf here")
        data = self.folder / "switches.data"
        subprocess.run(["perf", "record", "-q", "--switch-events", "-e", "dummy:u", "-o", str(data), "--",
                        str(self.folder / "waits")], capture_output=True)
        if not data.exists():
            self.skipTest("perf cannot record switches here")
        done = self.ok("waits", str(data))
        self.assertIn("wake-ups were not recorded", done)
        self.assertIn("stacks of switches were not recorded", done)


class WorkedExample(WperfTest):
    """The program on the page of `waits`: its pause is found by the two commands there."""

    def test_the_pause_is_found(self):
        text = (SOURCE / "docs" / "user" / "waits.md").read_text()
        with tempfile.TemporaryDirectory() as folder:
            doc_examples.build_programs(text, folder)
            data = str(pathlib.Path(folder, "slow.data"))
            for _ in range(8):
                done = self.run_wperf("waits", "-o", data, "--", "./server", device="linux", cwd=folder)
                if done.returncode != 0:
                    self.skipTest("this user is not allowed to read the scheduler's tracepoints: " + done.stderr)
                if "lost: nothing" in done.stdout:
                    break
            else:
                self.skipTest("the machine is so busy that each recording lost something")
            where = [line for line in done.stdout.splitlines() if "pthread_mutex_lock" in line and " lock " in line]
            self.assertTrue(where and "saver (" in where[0], done.stdout)
            timeline = self.ok("waits", data, "--comm", "server", "--time", "0-1")
            pauses = [line for line in timeline.splitlines() if " waiting " in line and "pthread_mutex_lock" in line]
            self.assertTrue(pauses and re.search(r"saver \(\d+\) in \w*pthread_mutex_unlock", pauses[0]), timeline)


# Each of two threads holds a lock and waits for the other thread's lock.
DEADLOCK = r"""
#include <pthread.h>
#include <unistd.h>
pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static void *run(void *begins) {
  pthread_mutex_lock(begins ? &first : &second);
  usleep(100000);
  pthread_mutex_lock(begins ? &second : &first);
  return 0;
}
int main(void) {
  pthread_t one, other;
  pthread_create(&one, 0, run, &first);
  pthread_create(&other, 0, run, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
}
"""


class Errors(WperfTest):
    def test_a_recording_without_switches(self):
        if shutil.which("perf") is None:
            self.skipTest("no perf here")
        with tempfile.TemporaryDirectory() as folder:
            data = str(pathlib.Path(folder) / "x.data")
            done = self.run_wperf("record", "-o", data, "--", "true", device="linux")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("the recording has no context switches", self.fails("waits", data))

    def test_a_program_that_hangs_all_the_time(self):
        sleeper = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        stat = pathlib.Path(f"/proc/{sleeper.pid}/stat")
        while "(sleep) S" not in stat.read_text(encoding="utf-8") and sleeper.poll() is None:
            time.sleep(0.01)
        done = self.run_wperf("waits", "-p", sleeper.pid, "--timeout", "0.2", device="linux")
        if "may not" in done.stderr:
            self.skipTest("another user is not allowed to measure here: " + done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("waiting 100.0 %", done.stdout)
        self.assertRegex(done.stdout, rf"\n +sleep +{sleeper.pid} +sleeping +timer ")
        waits = json.loads(self.ok("waits", "-p", sleeper.pid, "--timeout", "0.2", "--json", device="linux"))["waits"]
        (place,) = waits["places_now"]
        self.assertEqual((place["tid"], place["state"], place["class"]), (sleeper.pid, "sleeping", "timer"))
        self.assertEqual(waits["threads"][0]["waiting_ns"], waits["duration_ns"])

    def test_a_program_in_the_place_of_a_recording(self):
        said = self.fails("waits", "/bin/true", status=4)
        self.assertIn("'/bin/true' is a program; `wperf waits -- /bin/true` runs it", said)
        self.assertIn("`wperf record -- /bin/true` runs it", self.fails("report", "/bin/true", status=4))

    def test_a_deadlock_does_not_end_with_the_signal(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="wperf locks "))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "dead.c").write_text(DEADLOCK)
        subprocess.run(["cc", "-O1", "-g", "-pthread", "-o", str(folder / "dead"), str(folder / "dead.c")], check=True)
        for seconds in ("1", "1", "5", "20"):  # a busy machine takes long until the program runs, and may lose records
            done = subprocess.run(["timeout", "-s", "INT", seconds, BINARY, "waits", "--device", "linux", "--json", "--",
                                   str(folder / "dead")], capture_output=True, text=True, timeout=60)
            if done.returncode != 124 or "tracepoint" in done.stderr:
                self.skipTest("this user is not allowed to read the scheduler's tracepoints: " + done.stderr)
            waits = json.loads(done.stdout)["waits"]
            locks = [row for row in waits["functions"] if row["class"] == "lock"]
            if locks and waits["lost_records"] == 0:
                break
        if waits["lost_records"] != 0:
            self.skipTest("this machine is so busy that each recording lost records, so the threads may have run since")
        self.assertEqual({row["ended_by"] for row in locks}, {"not ended"}, locks)
        self.assertEqual({row["lock"] for row in waits["locks"]}, {"first", "second"}, waits["locks"])
        (join,) = [row for row in waits["functions"] if row["class"] == "thread end"]
        self.assertEqual((join["caller"], join["ended_by"]), ("main", "not ended"))
        self.assertNotIn("timeout (", json.dumps(waits["wakers"]))

    def test_a_running_program_that_only_sleeps(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="wperf sleeps "))
        self.addCleanup(shutil.rmtree, folder)
        source = folder / "sleeps.c"
        source.write_text("#include <unistd.h>\nint main(void) { for (;;) usleep(3000); }\n")
        subprocess.run(["cc", "-O1", "-o", str(folder / "sleeps"), str(source)], check=True)
        with subprocess.Popen([folder / "sleeps"]) as sleeper:
            try:
                done = self.run_wperf("waits", "-p", sleeper.pid, "--timeout", "0.5", "-o", folder / "s.data", device="linux")
            finally:
                sleeper.kill()
        if done.returncode != 0:
            self.skipTest("measuring another program is not allowed here: " + done.stderr)
        waits = self.json("waits", str(folder / "s.data"), "--json")["waits"]
        (thread,) = waits["threads"]
        self.assertFalse(waits["of_whole_cores"])
        # At each point in time it is known whether the thread ran or waited.
        self.assertEqual((thread["unknown_ns"], waits["contradictions"]), (0, 0), waits)
        self.assertGreater(thread["waiting_ns"], thread["wall_ns"] * 0.5)
        self.assertGreater(waits["functions"][0]["count"], 10)

    def test_drivers_do_not_record_waits(self):
        self.assertIn("linux or etw device", self.fails("waits", "--timeout", "0.1", device="windowsperf:fake", status=2))

    def test_the_tracing_of_the_simulated_machine_records_waits(self):
        text = self.ok("waits", "-q", "--", workload("threads.exe"), device="sim:pace=free")
        self.assertEqual(text, self.ok("waits", "-q", "--", workload("threads.exe"), device="etw:fake,pace=free"))
        text = self.ok("waits", "--", workload("threads.exe"), device="sim:pace=free")
        self.assertRegex(text, r"threads\.exe +1004 ")


if __name__ == "__main__":
    unittest.main()
