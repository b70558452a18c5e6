#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`report --latency`: the weights of samples, compared with the same arithmetic on perf's output for the file."""
import collections
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

from support import WperfTest

PROGRAM = r"""
#include <pthread.h>
#include <time.h>
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}
__attribute__((noinline)) static void alone(long n) { for (volatile long i = 0; i < n; ++i) continue; }
__attribute__((noinline)) static void together(long n) { for (volatile long i = 0; i < n; ++i) continue; }
static void *work(void *n) { together((long)n); return 0; }
int main(void) {
  pthread_t threads[3];
  long n = 0;
  for (double begin = now(); now() - begin < 0.1; n += 100000) alone(100000);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, (void *)(n / 2));
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return 0;
}
"""


def by_symbol(document):
    rows = document["recording"]["events"][0]["rows"]
    return {symbol: sum(row["period"] for row in rows if row["symbol"] == symbol) for symbol in ("alone", "together")}


class Latency(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="wperf latency "))
        (cls.folder / "par.c").write_text(PROGRAM)
        subprocess.run(["cc", "-O1", "-g", "-pthread", "-o", str(cls.folder / "par"), str(cls.folder / "par.c")], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)
        super().tearDownClass()

    def recorded(self, *options):
        file = self.folder / "l.data"
        file.unlink(missing_ok=True)
        done = self.run_wperf("record", *options, "-e", "cpu-clock", "-o", file, "--", self.folder / "par", device="linux")
        if done.returncode != 0:
            self.skipTest("this system cannot sample: " + done.stderr)
        return file, done.stdout

    def expected(self, file):
        """Returns, from perf's output, the period by symbol and number of running threads, and the nanoseconds during
        which 1, 2, … threads ran."""
        command = ["perf", "script", "-i", str(file), "--show-switch-events", "--show-task-events", "--ns"]
        text = subprocess.run([*command, "-F", "tid,cpu,time,event,period,ip,sym"], check=True, capture_output=True, text=True).stdout
        samples, changes, since, last, started = [], [], {}, 0, False
        for line in text.splitlines():
            one = re.match(r" *(-?\d+) +\[(\d+)\] +(\d+)\.(\d{9}): +(?:PERF_RECORD_(SWITCH IN|SWITCH OUT|EXIT|COMM exec)\b|(\d+) cpu-clock: +[0-9a-f]+ (\S+))", line)
            if not one:
                continue
            core, time = int(one[2]), int(one[3] + one[4])
            last = max(last, time)
            # Times begin with the first sample or switch of the program.
            if started and one[5] != "COMM exec":
                since, started = {core: time}, False
            if one[5] == "COMM exec":
                started = True
            elif one[5]:
                changes.append((time, core, one[5] == "SWITCH IN"))
            else:
                samples.append((time, int(one[6]), one[7]))
        # All recorded threads belong to the program, and a core runs one of them at a time. The end of a thread is not
        # recorded as a switch.
        steps = []
        for time, core, comes in sorted(changes):
            if core in since:
                steps += [(since.pop(core), 1), (time, -1)]
            if comes:
                since[core] = time
        steps += [step for begin in since.values() for step in ((begin, 1), (last, -1))]
        steps.sort()
        periods, times = collections.Counter(), collections.Counter()
        place = number = before = 0
        for time, period, symbol in sorted(samples):
            while place < len(steps) and steps[place][0] <= time:
                times[number] += steps[place][0] - before
                before, number, place = steps[place][0], number + steps[place][1], place + 1
            periods[max(number, 1), symbol] += period
        for time, change in steps[place:]:
            times[number] += time - before
            before, number = time, number + change
        return periods, times

    def test_weights_are_shares_of_the_time_that_passed(self):
        if shutil.which("perf") is None:
            self.skipTest("perf is not installed")
        file, text = self.recorded("--latency")
        self.assertRegex(text, r"event cpu-clock: .* 100 % is the time in which the program ran: 1 thread \d")
        plain, latency = self.json("report", file, "--json"), self.json("report", file, "--latency", "--json")
        event = latency["recording"]["events"][0]
        periods, times = self.expected(file)
        told = by_symbol(latency)
        for symbol in ("alone", "together"):
            expected = sum(period / number for (number, name), period in periods.items() if name == symbol)
            self.assertLess(abs(told[symbol] - expected), 1000, (symbol, told, periods))  # thirds are rounded
        for number, time in enumerate(event["parallel_ns"], 1):
            self.assertEqual(time, times[number], (number, event["parallel_ns"], times))
        share = {name: by_symbol(one)["alone"] / one["recording"]["events"][0]["period"] for name, one in (("plain", plain), ("latency", latency))}
        if times[2] > times[1] / 3:
            self.assertGreater(share["latency"], share["plain"] * 1.1)
        # Every view has the same samples.
        folded = self.ok("report", file, "--latency", "--folded")
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()), event["period"])

    def test_samples_of_moments_when_so_many_threads_ran(self):
        if shutil.which("perf") is None:
            self.skipTest("perf is not installed")
        file, _ = self.recorded("--latency")
        periods, times = self.expected(file)
        for first, last in ((1, 1), (2, 2), (2, 3), (1, 64)):
            asked = str(first) if first == last else f"{first}-{last}"
            if not any(first <= number <= last for number, _ in periods):
                continue  # one core ran the whole program
            plain, latency = (self.json("report", file, "--parallelism", asked, *options, "--json") for options in ((), ("--latency",)))
            chosen = {key: period for key, period in periods.items() if first <= key[0] <= last}
            for symbol in ("alone", "together"):
                self.assertEqual(by_symbol(plain)[symbol], sum(chosen[key] for key in chosen if key[1] == symbol), (asked, symbol))
                expected = sum(period / key[0] for key, period in chosen.items() if key[1] == symbol)
                self.assertLess(abs(by_symbol(latency)[symbol] - expected), 1000, (asked, symbol))
            self.assertEqual(plain["recording"]["events"][0]["period"], sum(chosen.values()), asked)
        threads = "1 to 64 threads"
        self.assertIn(f"100 % is the samples of the program while {threads} of the program ran: 1 thread ",
                      self.ok("report", file, "--parallelism", "1-64"))
        self.assertIn(f"100 % is the time in which {threads} of the program ran: 1 thread ",
                      self.ok("report", file, "--parallelism", "1-64", "--latency"))
        nothing = self.run_wperf("report", file, "--parallelism", "60")
        self.assertEqual(nothing.returncode, 0)
        self.assertIn("100 % is the samples of the program while 60 threads of the program ran: never", nothing.stderr)

    def test_exports_have_the_same_samples_as_views(self):
        file, _ = self.recorded("--latency", "-g")
        for options in (("--latency",), ("--parallelism", "1-64")):
            folded = self.ok("report", file, *options, "--folded")
            self.assertEqual(self.run_wperf("report", file, *options, "--export", "folded", "-o", "-").stdout, folded, options)
            event = self.json("report", file, *options, "--json")["recording"]["events"][0]
            self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()),
                             event["period" if options == ("--latency",) else "samples"], options)
            database = sqlite3.connect(":memory:")
            database.executescript(self.ok("report", file, *options, "--export", "sql", "-o", "-"))
            counts = {table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("moments", "states")}
            self.assertEqual(counts["moments"], event["samples"], options)
            self.assertGreater(counts["states"], 4, options)
            self.assertEqual(database.execute("SELECT sum(count), sum(period) FROM samples").fetchone(),
                             (event["samples"], event["period"]), options)
            callgrind = self.run_wperf("report", file, *options, "--export", "callgrind", "-o", "-").stdout
            self.assertIn("calls=", callgrind)
            self.assertIn("par.c", callgrind)

    def test_times_are_those_of_the_chosen_range(self):
        file, _ = self.recorded("--latency")
        times = lambda *options: self.json("report", file, "--latency", *options, "--json")["recording"]["events"][0]["parallel_ns"]  # noqa: E731
        parts = [sum(times("--time", one)) for one in ("0-0.05", "0.05-")]
        self.assertLessEqual(parts[0], 64 * 50_000_000)
        self.assertLess(abs(sum(parts) - sum(times())), 1000)
        text = self.ok("report", file, "--latency", "--percentage", "relative", "-s", "alone")
        self.assertRegex(text, r"100 % is the time in which the program ran\n")

    def test_numbers_of_threads_are_checked(self):
        for wrong in ("0", "3-2", "x", "1-"):
            told = self.fails("report", "x.data", "--parallelism", wrong, status=2)
            self.assertIn(f"'{wrong}' for --parallelism", told)

    def test_a_recording_without_switches_is_refused(self):
        file, _ = self.recorded()
        told = self.fails("report", file, "--latency", status=1)
        self.assertIn("--latency needs to know when threads ran", told)
        self.assertIn("wperf record --latency", told)
        self.assertIn("--parallelism needs to know when threads ran", self.fails("report", file, "--parallelism", "1", status=1))

    def test_other_devices_are_refused(self):
        told = self.fails("record", "--latency", "--", "x.exe", status=2)
        self.assertIn("linux device", told)


if __name__ == "__main__":
    unittest.main()
