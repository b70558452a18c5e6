// SPDX-License-Identifier: BSD-3-Clause
// section ROUNDS SECTIONS EVENT…: counts SECTIONS sections with section.h. Each section is a loop with 2 instructions
// per round.
#include <wperf/section.h>

#include <cstdio>
#include <cstdlib>

namespace {

// The loop. Apart from it, a section executes little more than the call and the return.
__attribute__((noinline)) void loop(unsigned long rounds) {
  asm volatile(
      "1: subs %0, %0, #1\n"
      "b.ne 1b\n"
      : "+r"(rounds)
      :
      : "cc");
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return 2;
  const unsigned long rounds = std::strtoul(words[1], nullptr, 10), sections = std::strtoul(words[2], nullptr, 10);
  wperf::Counters counters(std::vector<std::string>(words + 3, words + count));
  for (unsigned long i = 0; i < sections; ++i) {
    const wperf::Section section(counters);
    loop(rounds);
  }
  std::fputs(wperf::text(counters.counts()).c_str(), stdout);
  return 0;
}
