// SPDX-License-Identifier: BSD-3-Clause
// MmCopyMemory for the memory of the running thread's process. As on Windows, a page that is not in memory is brought
// in, and the thread waits for it.
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/process_object.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/machine/memory.h"

using namespace wperf::nthost;

namespace {

constexpr wperf::u64 kPageReadNs = 20'000;
constexpr NTSTATUS kPartialCopy = static_cast<NTSTATUS>(0x8000'000D);

}  // namespace

extern "C" NTSTATUS MmCopyMemory(PVOID to, MM_COPY_ADDRESS from, SIZE_T size, ULONG flags, SIZE_T* copied) {
  WPERF_ALLOW_UP_TO(kApc);
  *copied = 0;
  if (flags != MM_COPY_MEMORY_VIRTUAL) give_up("MmCopyMemory: flags {x} are not offered", flags);
  const auto address = reinterpret_cast<wperf::u64>(from.VirtualAddress);
  if (reinterpret_cast<wperf::u64>(to) < kUserEnd) fail("MmCopyMemory: the buffer {x} is a program's", to);
  if (address >= kUserEnd || size > kUserEnd - address) {
    fail("MmCopyMemory: {} bytes at {x} are not a program's", size, address);
    return kPartialCopy;
  }
  Process& process = *current_thread()->process;
  while (*copied < size) {
    const wperf::u64 at = address + *copied;
    if (is_paged_out(process, at)) {
      do {
        sleep_ns(kPageReadNs);
      } while (page_reads_are_held());
      page_in(process, at);
    }
    const wperf::u64 rest_of_page = kPageSize - at % kPageSize;
    const wperf::u64 part = rest_of_page < size - *copied ? rest_of_page : size - *copied;
    if (!read_user(process, at, static_cast<wperf::u8*>(to) + *copied, part)) return kPartialCopy;
    *copied += part;
  }
  return STATUS_SUCCESS;
}
