# SPDX-License-Identifier: BSD-3-Clause
"""Programs that measure themselves. The speed of a loop differs from host to host and from run to run. So a test of
shares compares them with the program's own clock. A program works for a certain CPU time, which passes only while the
program runs, and not for a number of rounds."""
import pathlib
import subprocess

# busy MILLISECONDS [CHILDREN [FILE]]: works for that time, either itself or in each of CHILDREN child processes. At the
# end it appends a line "function nanoseconds" for each function to the file.
BUSY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
volatile unsigned long sink;
static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}
__attribute__((noinline)) void three_quarters(long n) { for (long i = 0; i < n * 300000; ++i) sink += i; }
__attribute__((noinline)) void one_quarter(long n) { for (long i = 0; i < n * 100000; ++i) sink += i; }
__attribute__((noinline)) void in_child(long n) { for (long i = 0; i < n * 100000; ++i) sink += i; }
__attribute__((noinline)) void caller_of_most(long n) { three_quarters(n); __asm__ volatile(""); }
__attribute__((noinline)) void outer_caller(long n) { caller_of_most(n); __asm__ volatile(""); }
static void tell(const char* path, const char* name, long ns) {
  FILE* file = path != NULL ? fopen(path, "a") : NULL;
  if (file == NULL) return;
  fprintf(file, "%s %ld\n", name, ns);
  fclose(file);
}
int main(int count, char** words) {
  long time = (count > 1 ? atol(words[1]) : 100) * 1000000L;
  int children = count > 2 ? atoi(words[2]) : 0;
  const char* path = count > 3 ? words[3] : NULL;
  for (int i = 0; i < children; ++i) {
    if (fork() == 0) {
      long begin = now();
      do in_child(1); while (now() - begin < time);
      tell(path, "in_child", now() - begin);
      _exit(0);
    }
  }
  if (children == 0) {
    long most = 0, rest = 0;
    while (most + rest < time) {
      long begin = now();
      outer_caller(1);
      long middle = now();
      one_quarter(1);
      most += middle - begin, rest += now() - middle;
    }
    tell(path, "three_quarters", most), tell(path, "one_quarter", rest);
  }
  while (wait(0) > 0) {}
  return 0;
}
"""

# CPU times to try, one after another, until there are enough samples. If the last time gives too few, the test fails.
MILLISECONDS = (300, 1200, 5000, 20000)
ENOUGH = 300  # three standard deviations of a share of 75 % are 7.5 points


class Busy:
    """The program above, built in a folder."""

    def __init__(self, folder):
        source = pathlib.Path(folder, "busy.c")
        source.write_text(BUSY)
        self.path = str(source.with_suffix(""))
        self.told = str(pathlib.Path(folder, "busy.told"))
        subprocess.run(["cc", "-g", "-O1", "-fno-omit-frame-pointer", "-o", self.path, source], check=True)

    def words(self, milliseconds, children=0):
        """Returns the command line of the next run. Removes the program's report of the previous run."""
        pathlib.Path(self.told).unlink(missing_ok=True)
        return self.path, str(milliseconds), str(children), self.told

    def nanoseconds(self):
        """{function: CPU time by the program's own clock} of the last run."""
        times = {}
        for line in pathlib.Path(self.told).read_text(encoding="utf-8").splitlines():
            name, time = line.split()
            times[name] = times.get(name, 0) + int(time)
        return times

    def shares(self):
        times = self.nanoseconds()
        return {name: time / sum(times.values()) for name, time in times.items()}


def until_enough(run, samples_of, enough=ENOUGH):
    """Returns the result of run(milliseconds) for the first duration that gives enough samples, or for the last
    duration."""
    for milliseconds in MILLISECONDS:
        result = run(milliseconds)
        if samples_of(result) >= enough:
            break
    return result
