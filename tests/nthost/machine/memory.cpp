// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/machine/memory.h"

using wperf::u64;
using wperf::u8;
using wperf::usize;

// Uses whole words if both sides are aligned, because rings of megabytes are cleared and copied here. Not used for
// device memory.
extern "C" {

__attribute__((no_builtin)) void* memset(void* to, int value, usize size) {
  u8* bytes = static_cast<u8*>(to);
  const u8 byte = static_cast<u8>(value);
  for (; size > 0 && (reinterpret_cast<u64>(bytes) & 7) != 0; --size) *bytes++ = byte;
  const u64 word = byte * 0x0101'0101'0101'0101ull;
  for (; size >= 8; size -= 8, bytes += 8) *reinterpret_cast<u64*>(bytes) = word;
  while (size-- > 0) *bytes++ = byte;
  return to;
}

__attribute__((no_builtin)) void* memcpy(void* to, const void* from, usize size) {
  u8* target = static_cast<u8*>(to);
  const u8* source = static_cast<const u8*>(from);
  if (((reinterpret_cast<u64>(target) ^ reinterpret_cast<u64>(source)) & 7) == 0) {
    for (; size > 0 && (reinterpret_cast<u64>(target) & 7) != 0; --size) *target++ = *source++;
    for (; size >= 8; size -= 8, target += 8, source += 8) {
      *reinterpret_cast<u64*>(target) = *reinterpret_cast<const u64*>(source);
    }
  }
  while (size-- > 0) *target++ = *source++;
  return to;
}

__attribute__((no_builtin)) void* memmove(void* to, const void* from, usize size) {
  u8* target = static_cast<u8*>(to);
  const u8* source = static_cast<const u8*>(from);
  if (target <= source || target >= source + size) return memcpy(to, from, size);
  while (size-- > 0) target[size] = source[size];
  return to;
}

__attribute__((no_builtin)) int memcmp(const void* a, const void* b, usize size) {
  const u8* left = static_cast<const u8*>(a);
  const u8* right = static_cast<const u8*>(b);
  for (; size > 0; --size, ++left, ++right) {
    if (*left != *right) return *left - *right;
  }
  return 0;
}
}

namespace wperf::nthost {

usize length_of(const char* text) {
  usize length = 0;
  while (text[length] != 0) ++length;
  return length;
}

bool equal_texts(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

bool begins_with(const char* text, const char* beginning) {
  while (*beginning != 0) {
    if (*text++ != *beginning++) return false;
  }
  return true;
}

}  // namespace wperf::nthost
