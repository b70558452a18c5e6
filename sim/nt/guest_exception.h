// SPDX-License-Identifier: BSD-3-Clause
// The layouts of CONTEXT and EXCEPTION_RECORD in the memory of an ARM64 program.
#pragma once
#include <array>

#include "sim/cpu/core_engine.h"

namespace wperf::sim::nt {

struct GuestContext {
  static constexpr u32 kFull = 0x400007;
  u32 flags = 0, cpsr = 0;
  std::array<u64, 31> x{};
  u64 sp = 0, pc = 0;
  std::array<std::array<u64, 2>, 32> v{};
  u32 fpcr = 0, fpsr = 0;
  std::array<u32, 8> breakpoint_controls{};
  std::array<u64, 8> breakpoints{};
  std::array<u32, 2> watchpoint_controls{};
  std::array<u64, 2> watchpoints{};
};
static_assert(sizeof(GuestContext) == 0x390);

GuestContext context_of(const ThreadState& registers);
void set_registers(const GuestContext& context, ThreadState& registers);

struct GuestExceptionRecord {
  static constexpr u32 kMostParameters = 15;
  u32 code = 0, flags = 0;
  u64 next = 0, address = 0;
  u32 parameter_count = 0, padding = 0;
  std::array<u64, kMostParameters> parameters{};
};
static_assert(sizeof(GuestExceptionRecord) == 152);

}  // namespace wperf::sim::nt
