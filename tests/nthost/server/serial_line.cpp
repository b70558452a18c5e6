// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/server/serial_line.h"

#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/machine/pages.h"

namespace wperf::nthost {
namespace {

constexpr u64 kUart = 0x0900'0000;
constexpr u32 kData = 0x00, kFlags = 0x18, kLineControl = 0x2c, kControl = 0x30;
constexpr u32 kReceiveEmpty = 1u << 4, kTransmitFull = 1u << 5;
constexpr u32 kFifo = 1u << 4, kEightBits = 3u << 5;
constexpr u32 kEnable = 1u << 0, kTransmit = 1u << 8, kReceive = 1u << 9;

// After a request, the line is polled eagerly for this time, then in naps: the next request comes either soon or much
// later.
constexpr u64 kEagerNs = 300'000, kNapNs = 200'000;

volatile u32& uart(u32 offset) {
  return *static_cast<volatile u32*>(direct(kUart + offset));
}

bool is_empty() {
  return (uart(kFlags) & kReceiveEmpty) != 0;
}

void wait_for_a_byte() {
  const u64 begin = time_ns();
  while (is_empty()) {
    if (time_ns() - begin > kEagerNs) {
      sleep_ns(kNapNs);
    }
  }
}

}  // namespace

void open_line() {
  uart(kLineControl) = kFifo | kEightBits;
  uart(kControl) = kEnable | kTransmit | kReceive;
}

void receive(void* bytes, u32 size) {
  u8* next = static_cast<u8*>(bytes);
  for (u32 i = 0; i < size; ++i) {
    if (is_empty()) {
      wait_for_a_byte();
    }
    next[i] = static_cast<u8>(uart(kData));
  }
}

void send(const void* bytes, u32 size) {
  const u8* next = static_cast<const u8*>(bytes);
  for (u32 i = 0; i < size; ++i) {
    while ((uart(kFlags) & kTransmitFull) != 0) {
    }
    uart(kData) = next[i];
  }
}

}  // namespace wperf::nthost
