// SPDX-License-Identifier: BSD-3-Clause
// bottlenecks.exe WHICH [rounds]: a loop that one part of a core slows down, and, for comparison, work without any
// bottleneck. WHICH: branches, code, memory, stores, pages, divisions, barriers. False sharing is a separate program.
#include "program.h"

enum { kLine = 64, kPage = 4096 };

static volatile u64 answer;

// About a tenth of the time of each program: four additions a round that never wait.
__attribute__((noinline)) static void innocent_work(u64 rounds) {
  u64 a = 1, b = 2, c = 3, d = 4;
  for (u64 round = 0; round < rounds; ++round) {
    __asm__ volatile("add %0, %0, #1\n add %1, %1, #1\n add %2, %2, #1\n add %3, %3, #1"
                     : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
  }
  answer = a + b + c + d;
}

__attribute__((noinline)) static void unpredictable_branches(u64 rounds) {
  u64 random = 1, count = 0;
  for (u64 round = 0; round < rounds; ++round) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    if (random >> 63) {
      ++count;
      __asm__ volatile("" : "+r"(count));
    }
  }
  answer = count;
}

// 256 KiB of additions in sequence, more than a first-level instruction cache holds.
__attribute__((noinline)) static void long_code(u64 rounds) {
  u64 count = 0;
  for (u64 round = 0; round < rounds; ++round) {
    __asm__ volatile(".rept 65536\n add %0, %0, #1\n .endr" : "+r"(count));
  }
  answer = count;
}

// Each next line is 4099 lines further in a ring of 16 MiB, so it is never a neighbour. Each address depends on the
// previous load.
__attribute__((noinline)) static void far_loads(const u8* memory, u64 rounds) {
  u64 place = 0;
  for (u64 round = 0; round < rounds; ++round) {
    place = place + 4099 * kLine + *(const volatile u64*)(memory + place) & (16u << 20) - 1;
  }
  answer = place;
}

// Every fifth line of 16 MiB, in order, so that the page rarely changes.
__attribute__((noinline)) static void far_stores(u8* memory, u64 rounds) {
  u64 place = 0;
  for (u64 round = 0; round < rounds; ++round) {
    place = place + 5 * kLine & (16u << 20) - 1;
    *(volatile u64*)(memory + place) = round;
  }
}

// One line of each of 4096 pages, again and again: the second-level cache holds the lines, each in a different set, but
// the TLBs do not hold the pages.
__attribute__((noinline)) static void many_pages(const u8* memory, u64 rounds) {
  u64 sum = 0;
  for (u64 round = 0; round < rounds; ++round) {
    const u64 page = round & 4095;
    sum += *(const volatile u64*)(memory + page * kPage + (page >> 6) * kLine);
  }
  answer = sum;
}

__attribute__((noinline)) static void division_chain(u64 rounds) {
  u64 value = ~0ull, divisor = 3;
  for (u64 round = 0; round < rounds; ++round) {
    __asm__ volatile("udiv %0, %0, %1\n udiv %0, %0, %1\n orr %0, %0, #0xffff000000000000"
                     : "+r"(value)
                     : "r"(divisor));
  }
  answer = value;
}

__attribute__((noinline)) static void instruction_barriers(u64 rounds) {
  for (u64 round = 0; round < rounds; ++round) __asm__ volatile("isb" ::: "memory");
}

static int work_in_memory(u64 rounds, int which) {
  u8* const memory = take_pages(16u << 20);
  if (memory == 0) return 2;
  // Touches each page, so that it is mapped before the measurement.
  for (u64 place = 0; place < 16u << 20; place += kPage) memory[place] = 0;
  if (which == 0) far_loads(memory, rounds);
  if (which == 1) far_stores(memory, rounds);
  if (which == 2) many_pages(memory, rounds);
  innocent_work(rounds);
  return 0;
}

int run(void) {
  const u64 rounds = number_argument(2, 400000);
  if (is_argument(1, "memory")) return work_in_memory(rounds, 0);
  if (is_argument(1, "stores")) return work_in_memory(rounds, 1);
  if (is_argument(1, "pages")) return work_in_memory(rounds, 2);
  if (is_argument(1, "code")) {
    long_code(rounds / 8192);
  } else if (is_argument(1, "branches")) {
    unpredictable_branches(rounds);
  } else if (is_argument(1, "divisions")) {
    division_chain(rounds);
  } else if (is_argument(1, "barriers")) {
    instruction_barriers(rounds);
  } else {
    return 3;
  }
  innocent_work(rounds);
  return 0;
}
