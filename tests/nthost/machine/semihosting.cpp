// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/machine/semihosting.h"

#include "tests/nthost/machine/memory.h"
#include "tests/nthost/machine/pages.h"

extern "C" wperf::u64 semihosting_call(wperf::u64 operation, wperf::u64 argument);

namespace wperf::nthost {
namespace {

enum Operation : u64 {
  kOpen = 0x01,
  kClose = 0x02,
  kWrite0 = 0x04,
  kRead = 0x06,
  kLength = 0x0c,
  kCommandLine = 0x15,
  kHeapInfo = 0x16,
  kExitExtended = 0x20,
};
constexpr u64 kFailed = ~0ull;

u64 call(Operation operation, const void* argument) {
  return semihosting_call(operation, reinterpret_cast<u64>(argument));
}

}  // namespace

void write_console(const char* text) {
  call(kWrite0, text);
}

bool read_command_line(char* to, u64 capacity) {
  u64 block[2] = {reinterpret_cast<u64>(to), capacity};
  return call(kCommandLine, block) == 0;
}

u64 end_of_free_ram() {
  u64 heap[4] = {};  // base, limit; stack base, limit
  const u64* block[1] = {heap};
  call(kHeapInfo, block);
  return heap[1];
}

HostFile read_host_file(const char* path) {
  const u64 open_block[3] = {reinterpret_cast<u64>(path), 1, length_of(path)};  // mode "rb"
  const u64 handle = call(kOpen, open_block);
  if (handle == kFailed) return {};
  const u64 size = call(kLength, &handle);
  HostFile file = {};
  if (size != kFailed && size != 0) {
    u8* bytes = static_cast<u8*>(direct(take_contiguous_pages(pages_of(size))));
    const u64 read_block[3] = {handle, reinterpret_cast<u64>(bytes), size};
    if (call(kRead, read_block) == 0) file = {bytes, size};  // the call returns the number of bytes that are missing
  }
  call(kClose, &handle);
  return file;
}

void exit_qemu(int status) {
  const u64 block[2] = {0x20026, static_cast<u64>(status)};  // ADP_Stopped_ApplicationExit
  call(kExitExtended, block);
  for (;;) asm volatile("wfi");
}

}  // namespace wperf::nthost
