// SPDX-License-Identifier: BSD-3-Clause
// The registers of the interrupted code, which vectors.S saves on the stack of the interrupted thread. vectors.S
// depends on the offsets.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

struct Frame {
  u64 x[31];
  u64 elr;
  u64 spsr;
  u64 sp;  // of the interrupted code: SP_EL0 if that was EL0
};
static_assert(__builtin_offsetof(Frame, elr) == 248 && __builtin_offsetof(Frame, spsr) == 256 && sizeof(Frame) == 272);

constexpr bool from_el0(const Frame& frame) {
  return (frame.spsr & 0xf) == 0;
}

}  // namespace wperf::nthost
