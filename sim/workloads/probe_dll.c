// SPDX-License-Identifier: BSD-3-Clause
// probe.dll: the parts by which probe.exe checks the loader: an entry point, relocated pointers, static thread-local
// storage with a callback, exports by name, by ordinal and forwarded (probe_dll.def).
#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;

struct TlsDirectory {
  void *data_start, *data_end, *index, *callbacks;
  u32 zero_fill, characteristics;
};

static u32 attached, called_back;

static void on_thread(void* module, u32 reason, void* reserved) {
  (void)reserved;
  // The callbacks of a module come before its entry point.
  if (module != 0 && reason == 1 && !attached) called_back = 1;
}

#pragma section(".tls", read, write)
#pragma section(".tls$ZZZ", read, write)
__declspec(allocate(".tls")) char tls_start = 0;
__declspec(allocate(".tls$ZZZ")) char tls_end = 0;
static void (*const callbacks[])(void*, u32, void*) = {on_thread, 0};
u32 _tls_index = 99;
const struct TlsDirectory _tls_used = {&tls_start, &tls_end, &_tls_index, (void*)callbacks, 16, 0};

static __declspec(thread) u32 thread_value = 42;

static u32 one(void) {
  return 1;
}
static u32 two(void) {
  return 2;
}
static u32 (*const volatile table[])(void) = {one, two};

u32 dll_start(void* module, u32 reason, void* reserved) {
  (void)module;
  (void)reserved;
  attached = reason == 1;
  return 1;
}

u32 probe_attached(void) {
  return attached;
}
u32 probe_called_back(void) {
  return called_back;
}
u32 probe_thread_value(void) {
  return thread_value++;
}
u32 probe_table(u32 index) {
  return table[index]();
}
u32 probe_seventh(void) {
  return 7;
}
