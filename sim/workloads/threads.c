// SPDX-License-Identifier: BSD-3-Clause
// threads.exe [threads [rounds]]: a test of threads. They count in shared counters, with atomic instructions and under
// each kind of lock, and in thread-local slots; the sums must be right. Defaults: 4 threads, 1000 rounds.
#include "program.h"

#define WINDOWS_FUNCTION __declspec(dllimport)
typedef u32 (*ThreadFunction)(void* parameter);
WINDOWS_FUNCTION void* CreateThread(void* security, u64 stack, ThreadFunction start, void* parameter, u32 flags,
                                    u32* id);
WINDOWS_FUNCTION u32 WaitForSingleObject(void* handle, u32 milliseconds);
WINDOWS_FUNCTION u32 WaitForMultipleObjects(u32 count, void* const* handles, int all, u32 milliseconds);
WINDOWS_FUNCTION int GetExitCodeThread(void* thread, u32* code);
WINDOWS_FUNCTION u32 GetCurrentThreadId(void);
WINDOWS_FUNCTION u32 GetThreadId(void* thread);
WINDOWS_FUNCTION u32 ResumeThread(void* thread);
WINDOWS_FUNCTION void ExitThread(u32 code);
WINDOWS_FUNCTION void Sleep(u32 milliseconds);
WINDOWS_FUNCTION int SwitchToThread(void);
WINDOWS_FUNCTION void InitializeCriticalSection(void* section);
WINDOWS_FUNCTION void EnterCriticalSection(void* section);
WINDOWS_FUNCTION void LeaveCriticalSection(void* section);
WINDOWS_FUNCTION void AcquireSRWLockExclusive(void* lock);
WINDOWS_FUNCTION void ReleaseSRWLockExclusive(void* lock);
WINDOWS_FUNCTION u32 TlsAlloc(void);
WINDOWS_FUNCTION void* TlsGetValue(u32 index);
WINDOWS_FUNCTION int TlsSetValue(u32 index, void* value);

enum { kMostThreads = 32, kSuspended = 4, kTimeout = 0x102, kStillActive = 259, kFirstCode = 40 };
static const u32 kForever = 0xffffffffu;

static u64 section[5], slim, rounds_each;
static u64 by_atomic, by_exclusive, sum_in_section, sum_in_slim, own_sums;
static u32 slot, ids[kMostThreads];

static u32 count(void* parameter) {
  const u64 number = (u64)parameter;
  ids[number] = GetCurrentThreadId();
  for (u64 round = 0; round < rounds_each; ++round) {
    __atomic_fetch_add(&by_atomic, 1, __ATOMIC_RELAXED);
    EnterCriticalSection(section);
    EnterCriticalSection(section);
    sum_in_section = sum_in_section + 1;
    LeaveCriticalSection(section);
    if (round % 64 == 0) SwitchToThread();
    LeaveCriticalSection(section);
    AcquireSRWLockExclusive(&slim);
    sum_in_slim = sum_in_slim + 1;
    if (round % 64 == 32) SwitchToThread();
    ReleaseSRWLockExclusive(&slim);
    TlsSetValue(slot, (void*)((u64)TlsGetValue(slot) + 1));
    u64 seen = __atomic_load_n(&by_exclusive, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&by_exclusive, &seen, seen + 2, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
  }
  __atomic_fetch_add(&own_sums, (u64)TlsGetValue(slot), __ATOMIC_RELAXED);
  if (number % 2 != 0) ExitThread((u32)(kFirstCode + number));
  return (u32)(kFirstCode + number);
}

static int sums_are_right(u64 total) {
  return by_atomic == total && by_exclusive == 2 * total && sum_in_section == total && sum_in_slim == total &&
         own_sums == total;
}

int run(void) {
  const u64 threads = number_argument(1, 4);
  rounds_each = number_argument(2, 1000);
  if (threads == 0 || threads > kMostThreads) return 2;
  void* handles[kMostThreads];
  u32 code = 0;
  slot = TlsAlloc();
  InitializeCriticalSection(section);
  for (u64 number = 0; number < threads; ++number) {
    u32 id = 0;
    handles[number] = CreateThread(0, 0, count, (void*)number, number == 0 ? kSuspended : 0, &id);
    if (handles[number] == 0 || id != GetThreadId(handles[number])) return 3;
  }
  if (WaitForSingleObject(handles[0], 1) != kTimeout) return 4;
  if (!GetExitCodeThread(handles[0], &code) || code != kStillActive) return 5;
  if (ResumeThread(handles[0]) != 1) return 6;
  if (WaitForMultipleObjects((u32)threads, handles, 1, kForever) != 0) return 7;
  Sleep(1);
  for (u64 number = 0; number < threads; ++number) {
    if (WaitForSingleObject(handles[number], 0) != 0) return 8;
    if (!GetExitCodeThread(handles[number], &code) || code != kFirstCode + number) return 9;
    if (ids[number] != GetThreadId(handles[number]) || ids[number] == GetCurrentThreadId()) return 10;
  }
  print("threads", threads);
  return sums_are_right(threads * rounds_each) ? 0 : 11;
}
