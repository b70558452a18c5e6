// SPDX-License-Identifier: BSD-3-Clause
// probe.exe: uses every feature of a PE file that a loader must support. The exit code has one bit for each failure.
#include "bignum.h"
#include "program.h"

#define FROM_DLL __declspec(dllimport)
FROM_DLL u32 probe_attached(void);
FROM_DLL u32 probe_called_back(void);
FROM_DLL u32 probe_thread_value(void);
FROM_DLL u32 probe_table(u32 index);
FROM_DLL u32 probe_seventh(void);
FROM_DLL u32 probe_process_id(void);
FROM_DLL u32 probe_remainder(const u32* number, u64 count, u32 divisor);
FROM_DLL void* GetModuleHandleA(const char* name);
FROM_DLL void* GetProcAddress(void* module, const char* name);

FROM_DLL void* ResolveDelayLoadedAPI(void* base, const void* descriptor, void* failed, void* failed_in_system,
                                     void** slot, u32 flags);
extern const char __ImageBase;

// The linker requires this function for delay imports. Their stubs call it once and continue at the address that it
// returns.
void* __delayLoadHelper2(const void* descriptor, void** slot) {
  return ResolveDelayLoadedAPI((void*)&__ImageBase, descriptor, 0, 0, slot, 0);
}

static u32 answer(void) {
  return 42;
}
static u32 (*volatile pointer)(void) = answer;

int run(void) {
  const u32 number[2] = {5, 1};
  u32 wrong = 0;
  wrong |= (u32)(probe_attached() != 1) << 0;
  wrong |= (u32)(probe_called_back() != 1) << 1;
  wrong |= (u32)(probe_thread_value() != 42 || probe_thread_value() != 43) << 2;
  wrong |= (u32)(probe_table(0) != 1 || probe_table(1) != 2) << 3;
  wrong |= (u32)(probe_seventh() != 7) << 4;
  wrong |= (u32)(probe_process_id() == 0) << 5;
  wrong |= (u32)(probe_remainder(number, 2, 7) != (4294967296u % 7 + 5) % 7) << 6;
  wrong |= (u32)(big_remainder(number, 2, 7) != (4294967296u % 7 + 5) % 7) << 7;  // delay import
  wrong |= (u32)(pointer() != 42) << 8;
  void* const module = GetModuleHandleA("Probe");
  wrong |= (u32)(GetProcAddress(module, "probe_attached") != (void*)probe_attached) << 9;
  wrong |= (u32)(GetProcAddress(module, (const char*)7) != (void*)probe_seventh) << 10;
  wrong |= (u32)(GetProcAddress(module, "nothing") != 0) << 11;
  print("wrong", wrong);
  return (int)wrong;
}
