// SPDX-License-Identifier: BSD-3-Clause
// wperf-selftest, the program that `wperf doctor --selftest` measures; its work is known exactly. It uses no C runtime
// on Windows, so that the same source can be built for Linux, Windows and the simulated machine.
//
// If the argument is a number, it runs that many rounds of two instructions each, and little else. Otherwise it runs
// rounds of about 100,000 instructions. If the argument is a word, it runs for about half a minute, long enough for
// sampling but not forever. Without an argument, it runs for less than a second, which takes the simulated machine some
// seconds.
//
//   start > outer > leaf_a             20,000
//   start > outer > middle > leaf_b    30,000
//   start > middle > leaf_b            30,000   the same leaf by another way
//   start > leaf_c                     20,000
//
// src/app/doctor/selftest.cpp has the same shares.
typedef unsigned long long Count;

#define OWN_FUNCTION __attribute__((noinline)) void
// Follows a call, so that the compiler cannot turn the call into a jump, which would remove the caller from the stack.
#define NOT_LAST __asm__ volatile("")

static inline __attribute__((always_inline)) void spin(Count rounds) {
#if defined(__aarch64__)
  __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
#elif defined(__x86_64__)
  __asm__ volatile("1: subq $1, %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
#else
  for (volatile Count left = rounds; left != 0;) --left;  // the number of its instructions is not known
#endif
}

OWN_FUNCTION leaf_a(void) {
  spin(10000);
}
OWN_FUNCTION leaf_b(void) {
  spin(15000);
}
OWN_FUNCTION leaf_c(void) {
  spin(10000);
}
OWN_FUNCTION middle(void) {
  leaf_b();
  NOT_LAST;
}
OWN_FUNCTION outer(void) {
  leaf_a();
  middle();
  NOT_LAST;
}

static int run(const char* word) {
  const Count half_a_minute = 2000000, a_moment = 5000;
  const Count wanted = *word != 0 ? half_a_minute : a_moment;
  Count rounds = 0;
  for (; *word >= '0' && *word <= '9'; ++word) rounds = rounds * 10 + (Count)(*word - '0');
  if (rounds != 0) {
    spin(rounds);
    return 0;
  }
  for (Count round = 0; round < wanted; ++round) {
    outer();
    middle();
    leaf_c();
    NOT_LAST;
  }
  return 0;
}

#ifdef _WIN32
__declspec(dllimport) const char* GetCommandLineA(void);

// The program's name may be quoted.
int start(void) {
  const char* text = GetCommandLineA();
  for (int quoted = 0; *text != 0 && (quoted || *text != ' '); ++text) {
    if (*text == '"') quoted = !quoted;
  }
  while (*text == ' ') ++text;
  return run(text);
}
#else
int main(int count, char** words) {
  return run(count > 1 ? words[1] : "");
}
#endif
