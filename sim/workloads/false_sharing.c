// SPDX-License-Identifier: BSD-3-Clause
// false_sharing.exe [rounds]: two threads on two cores count, each in its own counter. First both counters lie in one
// cache line, then in separate lines. No data is shared, yet in the first half a line moves to and fro. The main thread
// stays on its processor, and the other one runs on the next processor. Default: 200000 rounds of each.
#include "program.h"

#define WINDOWS_FUNCTION __declspec(dllimport)
typedef u32 (*ThreadFunction)(void* parameter);
WINDOWS_FUNCTION void* CreateThread(void* security, u64 stack, ThreadFunction start, void* parameter, u32 flags,
                                    u32* id);
WINDOWS_FUNCTION u32 WaitForSingleObject(void* handle, u32 milliseconds);
WINDOWS_FUNCTION int CloseHandle(void* handle);
WINDOWS_FUNCTION u32 GetCurrentProcessorNumber(void);
WINDOWS_FUNCTION u64 SetThreadAffinityMask(void* thread, u64 mask);
WINDOWS_FUNCTION void* GetCurrentThread(void);
WINDOWS_FUNCTION void GetSystemInfo(void* info);

enum { kLine = 64, kInfinite = -1 };

// Both counters are in one cache line.
static struct {
  volatile u64 left;
  u8 between[24];
  volatile u64 right;
  u8 behind[24];
} shared __attribute__((aligned(64)));

// One line for each counter, and one between them.
static struct {
  volatile u64 left;
  u8 between[2 * kLine - 8];
  volatile u64 right;
  u8 behind[kLine - 8];
} padded __attribute__((aligned(64)));

static u32 arrived;  // threads that are ready

// Both threads start counting together.
static void meet(u32 threads) {
  __atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < threads) {
  }
}

__attribute__((noinline)) static void bump_shared_left(u64 rounds) {
  for (u64 round = 0; round < rounds; ++round) shared.left = shared.left + 1;
}

__attribute__((noinline)) static void bump_shared_right(u64 rounds) {
  for (u64 round = 0; round < rounds; ++round) shared.right = shared.right + 1;
}

__attribute__((noinline)) static void bump_padded_left(u64 rounds) {
  for (u64 round = 0; round < rounds; ++round) padded.left = padded.left + 1;
}

__attribute__((noinline)) static void bump_padded_right(u64 rounds) {
  for (u64 round = 0; round < rounds; ++round) padded.right = padded.right + 1;
}

static u32 count_right(void* parameter) {
  const u64 rounds = *(const u64*)parameter;
  meet(2);
  bump_shared_right(rounds);
  meet(4);
  bump_padded_right(rounds);
  return 7;
}

static u32 processors(void) {
  u32 info[12];
  GetSystemInfo(info);
  return info[8];
}

int run(void) {
  u64 rounds = number_argument(1, 200000);
  const u32 here = GetCurrentProcessorNumber(), count = processors();
  SetThreadAffinityMask(GetCurrentThread(), 1ull << here);
  void* const other = CreateThread(0, 0, count_right, &rounds, 0, 0);
  if (other == 0) return 2;
  SetThreadAffinityMask(other, 1ull << (here + 1) % count);
  meet(2);
  bump_shared_left(rounds);
  meet(4);
  bump_padded_left(rounds);
  if (WaitForSingleObject(other, (u32)kInfinite) != 0) return 3;
  CloseHandle(other);
  print("rounds", rounds);
  return !(shared.left == rounds && shared.right == rounds && padded.left == rounds && padded.right == rounds);
}
