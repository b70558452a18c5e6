#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf waits`: which lock a thread waited for. A program waits for known times for two locks in variables and one on
the heap."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import WperfTest

# main() prints "lock place nanoseconds", measured by its own clock, and the address of the heap's lock.
LOCKS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t orders = PTHREAD_MUTEX_INITIALIZER;
static struct { long unused[4]; pthread_mutex_t lock; } stock = { {0}, PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t *heap;
static pthread_barrier_t taken;
static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}
static pthread_mutex_t *asked;
static int held_ms;
static void *hold(void *unused) {
  pthread_setname_np(pthread_self(), "holder");
  pthread_mutex_lock(asked);
  pthread_barrier_wait(&taken);
  usleep(held_ms * 1000);
  pthread_mutex_unlock(asked);
  return unused;
}
__attribute__((noinline)) static long wait_here(pthread_mutex_t *lock) {
  long begin = now();
  pthread_mutex_lock(lock);
  long waited = now() - begin;
  pthread_mutex_unlock(lock);
  return waited;
}
__attribute__((noinline)) static long wait_there(pthread_mutex_t *lock) {
  long begin = now();
  pthread_mutex_lock(lock);
  long waited = now() - begin;
  pthread_mutex_unlock(lock);
  return waited;
}
static long contend(pthread_mutex_t *lock, int ms, long (*wait)(pthread_mutex_t *)) {
  pthread_t thread;
  asked = lock;
  held_ms = ms;
  pthread_create(&thread, 0, hold, 0);
  pthread_barrier_wait(&taken);
  long waited = wait(lock);
  pthread_join(thread, 0);
  return waited;
}
int main(void) {
  pthread_setname_np(pthread_self(), "asker");
  pthread_barrier_init(&taken, 0, 2);
  heap = malloc(sizeof *heap);
  pthread_mutex_init(heap, 0);
  printf("heap_address %ld\n", (long)heap);
  printf("orders wait_here %ld\n", contend(&orders, 100, wait_here));
  printf("orders wait_there %ld\n", contend(&orders, 40, wait_there));
  printf("stock wait_here %ld\n", contend(&stock.lock, 60, wait_here));
  printf("heap wait_there %ld\n", contend(heap, 30, wait_there));
  return 0;
}
"""


class Locks(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="wperf locks "))
        (cls.folder / "locks.c").write_text(LOCKS)
        subprocess.run(["cc", "-O1", "-g", "-pthread", "-o", str(cls.folder / "locks"), str(cls.folder / "locks.c")], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)
        super().tearDownClass()

    def recorded(self, *options, program="locks"):
        """Returns (nanoseconds by lock and function, address of the heap's lock, the answer of waits). The recording is
        l.data."""
        for _ in range(8):
            done = self.run_wperf("waits", "-o", str(self.folder / "l.data"), *options, "--", str(self.folder / program), device="linux")
            if done.returncode != 0:
                self.skipTest("this user is not allowed to read the scheduler's tracepoints: " + done.stderr)
            waits = self.json("waits", str(self.folder / "l.data"), "--json")["waits"]
            if waits["lost_records"] == 0 and waits["contradictions"] == 0:
                break
        else:
            self.skipTest("the machine is so busy that each recording lost something")
        told, heap = {}, 0
        for line in done.stdout.split("\nthreads: wall")[0].splitlines():
            words = line.split()
            if len(words) == 3 and words[2].isdigit():
                told[words[0], words[1]] = int(words[2])
            elif words and words[0] == "heap_address":
                heap = int(words[1])
        return told, heap, waits

    def check_shares(self, told, waits, names):
        asker = next(thread for thread in waits["threads"] if thread["name"] == "asker")
        seen = {}
        for row in waits["locks"]:
            for place in row["places"]:
                key = names.get(row["lock"]), place["caller"] or "*"
                seen[key] = seen.get(key, 0) + place["total_ns"]
        for key, measured in told.items():
            # The program's clock includes the time in which the thread was ready.
            self.assertLessEqual(abs(measured - seen.get(key, 0)), max(measured * 0.02, 1e6) + asker["ready_ns"], (key, told, waits["locks"]))

    def test_each_lock_has_its_share_at_each_place(self):
        for options in ((), ("--call-graph", "dwarf")):
            with self.subTest(options):
                told, heap, waits = self.recorded(*options)
                self.assertTrue(waits["has_locks"])
                rows = {row["lock"]: row for row in waits["locks"]}
                at_heap = f"at 0x{heap:x} (in no module)"
                self.check_shares(told, waits, {"orders": "orders", "stock+0x20": "stock", at_heap: "heap"})
                orders, stock = rows["orders"], rows["stock+0x20"]
                self.assertEqual((orders["symbol"], orders["module"], orders["offset"], orders["count"]), ("orders", "locks", 0, 2))
                self.assertEqual((stock["symbol"], stock["offset"]), ("stock", 0x20))
                self.assertEqual({place["caller"] for place in orders["places"]}, {"wait_here", "wait_there"})
                self.assertEqual((int(rows[at_heap]["address"], 16), rows[at_heap]["symbol"], rows[at_heap]["module"]), (heap, "", ""))
                for row in waits["locks"]:
                    for key in ("count", "total_ns"):
                        self.assertEqual(row[key], sum(place[key] for place in row["places"]))
                text = self.ok("waits", str(self.folder / "l.data"))
                self.assertRegex(text, r"\n +1\d\d ms +2 .* orders +2 places: ")
                self.assertRegex(text, r"\n .* stock\+0x20 +wait_here +pthread_mutex_lock\S* +holder \(")
                timeline = self.ok("waits", str(self.folder / "l.data"), "--comm", "asker", "--time", "0-1")
                self.assertRegex(timeline, r" waiting .* wait_here .* orders\n")

    def test_frame_pointers_alone_tell_the_lock_too(self):
        told, heap, waits = self.recorded("--call-graph", "fp")
        names = {"orders": "orders", "stock+0x20": "stock", f"at 0x{heap:x} (in no module)": "heap"}
        sums = {}
        for (lock, _), length in told.items():
            sums[lock, "*"] = sums.get((lock, "*"), 0) + length
        for row in waits["locks"]:
            for place in row["places"]:
                place["caller"] = ""
        self.check_shares(sums, waits, names)

    def test_a_stripped_program_has_addresses_in_its_module(self):
        shutil.copy(self.folder / "locks", self.folder / "bare")
        subprocess.run(["strip", str(self.folder / "bare")], check=True)
        _, _, waits = self.recorded(program="bare")
        for row in waits["locks"]:
            if row["module"] == "bare":
                self.assertEqual((row["lock"], row["symbol"]), (f"bare+0x{row['offset']:x}", ""))
        self.assertEqual(sum(row["module"] == "bare" for row in waits["locks"]), 3, waits["locks"])

    def test_a_recording_without_registers_says_so(self):
        if shutil.which("perf") is None:
            self.skipTest("no perf here")
        data = str(self.folder / "perf.data")
        record = ["perf", "record", "-q", "-a", "-g", "-e", "sched:sched_switch", "-e", "sched:sched_waking", "-o", data]
        done = subprocess.run([*record, "--", str(self.folder / "locks")], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest("perf cannot record tracepoints here: " + done.stderr.strip()[:200])
        waits = self.json("waits", data, "--comm", "asker", "--json")["waits"]
        self.assertEqual((waits["has_locks"], waits["locks"]), (False, []))
        self.assertIn("note: the recording does not show which locks threads waited for; ", self.ok("waits", data, "--comm", "asker"))

    def test_the_page_has_them(self):
        self.recorded()
        page = self.folder / "l.html"
        done = self.run_wperf("waits", str(self.folder / "l.data"), "--html", str(page))
        self.assertEqual(done.returncode, 0, done.stderr)
        html = page.read_text()
        self.assertIn("which locks they waited for, and where", html)
        self.assertIn("stock+0x20", html)


if __name__ == "__main__":
    unittest.main()
