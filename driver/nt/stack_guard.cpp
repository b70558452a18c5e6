// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/stack_guard.h"

#include "base/ints.h"
#include "driver/nt/nt.h"

extern "C" {

// The compiler uses these names. The system, or the entry point below, replaces the cookie's value before it is used.
extern wperf::u64 __security_cookie;
wperf::u64 __security_cookie = 0x00002B992DDFA232u;

void __security_check_cookie(wperf::u64 found);

__attribute__((no_stack_protector)) void __security_check_cookie(wperf::u64 found) {
  if (found != __security_cookie) {
    constexpr ULONG kDriverOverranStackBuffer = 0xF7;
    KeBugCheckEx(kDriverOverranStackBuffer, found, __security_cookie, ~__security_cookie, 0);
  }
}

NTSTATUS DriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path);

__attribute__((no_stack_protector)) int driver_entry_with_guard(void* driver, void* registry_path) {
  // The addresses of the image and of this stack are not known outside the kernel; neither is the exact time.
  const wperf::u64 time = static_cast<wperf::u64>(KeQueryPerformanceCounter(nullptr).QuadPart);
  const wperf::u64 places = reinterpret_cast<wperf::u64>(&time) ^ reinterpret_cast<wperf::u64>(&__security_cookie);
  const wperf::u64 mixed = (time * 0x9E3779B97F4A7C15u) ^ (places << 16) ^ (places >> 8);
  __security_cookie = (mixed & 0x0000FFFFFFFFFFFFu) | 1;  // the high bytes are zero, because a string cannot write them
  return DriverEntry(static_cast<DRIVER_OBJECT*>(driver), static_cast<UNICODE_STRING*>(registry_path));
}

}  // extern "C"
