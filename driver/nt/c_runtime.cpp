// SPDX-License-Identifier: BSD-3-Clause
// Functions that a compiler may call for any code, and that the kernel does not provide. Any IRQL, if the memory is
// resident.
#include "base/ints.h"
#include "driver/nt/nt.h"

using wperf::u64;
using wperf::u8;
using wperf::usize;

// Without this attribute the compiler would turn the loops below into calls to the same functions.
#define WPERF_PLAIN_LOOP __attribute__((no_builtin("memcpy", "memset", "memmove", "memcmp")))

namespace {

// Answers are tens of kilobytes, and the kernel does not allow vector registers, so whole words are copied if they are
// aligned.
using Word = u64 __attribute__((may_alias));

bool are_aligned(const void* a, const void* b) {
  return ((reinterpret_cast<u64>(a) | reinterpret_cast<u64>(b)) & (sizeof(Word) - 1)) == 0;
}

}  // namespace

extern "C" {

void* memset(void* to, int value, usize count);
void* memcpy(void* to, const void* from, usize count);
void* memmove(void* to, const void* from, usize count);
int memcmp(const void* a, const void* b, usize count);
int _purecall();

WPERF_PLAIN_LOOP void* memset(void* to, int value, usize count) {
  u8* out = static_cast<u8*>(to);
  usize done = 0;
  if (are_aligned(to, to)) {
    const u64 word = u64{static_cast<u8>(value)} * 0x0101'0101'0101'0101;
    for (; count - done >= sizeof(Word); done += sizeof(Word)) {
      *reinterpret_cast<Word*>(out + done) = word;
    }
  }
  for (; done < count; ++done) {
    out[done] = static_cast<u8>(value);
  }
  return to;
}

WPERF_PLAIN_LOOP void* memcpy(void* to, const void* from, usize count) {
  u8* out = static_cast<u8*>(to);
  const u8* in = static_cast<const u8*>(from);
  usize done = 0;
  if (are_aligned(to, from)) {
    for (; count - done >= sizeof(Word); done += sizeof(Word)) {
      *reinterpret_cast<Word*>(out + done) = *reinterpret_cast<const Word*>(in + done);
    }
  }
  for (; done < count; ++done) {
    out[done] = in[done];
  }
  return to;
}

WPERF_PLAIN_LOOP void* memmove(void* to, const void* from, usize count) {
  u8* out = static_cast<u8*>(to);
  const u8* in = static_cast<const u8*>(from);
  if (out <= in) {
    return memcpy(to, from, count);
  }
  for (usize i = count; i > 0; --i) {
    out[i - 1] = in[i - 1];
  }
  return to;
}

WPERF_PLAIN_LOOP int memcmp(const void* a, const void* b, usize count) {
  const u8* left = static_cast<const u8*>(a);
  const u8* right = static_cast<const u8*>(b);
  for (usize i = 0; i < count; ++i) {
    if (left[i] != right[i]) {
      return left[i] - right[i];
    }
  }
  return 0;
}

// Called for a virtual function of an object that is still being constructed: a defect of the driver.
int _purecall() {
  constexpr ULONG kManuallyInitiatedCrash = 0xE2;
  KeBugCheckEx(kManuallyInitiatedCrash, 0, 0, 0, 0);
}

}  // extern "C"
