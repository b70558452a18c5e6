// SPDX-License-Identifier: BSD-3-Clause
// The structures that Windows and a program's exception handlers exchange, as they lie in the program's memory:
// CONTEXT, EXCEPTION_RECORD, DISPATCHER_CONTEXT and scope tables of ARM64.
#pragma once
#include <array>

#include "sim/cpu/core_engine.h"

namespace wperf::sim {

struct GuestContext {
  static constexpr u32 kFull = 0x400007, kUnwoundToCall = 0x20000000;
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
  static constexpr u32 kNoncontinuable = 1, kUnwinding = 2, kTargetUnwind = 0x20;
  static constexpr u32 kMostParameters = 15;
  u32 code = 0, flags = 0;
  u64 next = 0, address = 0;
  u32 parameter_count = 0, padding = 0;
  std::array<u64, kMostParameters> parameters{};
};
static_assert(sizeof(GuestExceptionRecord) == 152);

struct GuestDispatcherContext {
  u64 control_pc = 0, image = 0, function_entry = 0, establisher = 0, target_pc = 0, context = 0, handler = 0,
      handler_data = 0, history = 0;
  u32 scope_index = 0;
  u8 control_pc_is_unwound = 0, padding[3] = {};
  u64 saved_registers = 0;
};
static_assert(sizeof(GuestDispatcherContext) == 88);

// The arguments of a filter.
struct GuestExceptionPointers {
  u64 record = 0, context = 0;
};

// A __try block of C in the data of __C_specific_handler; all places are relative to the image.
struct GuestScope {
  static constexpr u32 kAlways = 1;                // as `filter`: the filter's answer is always yes
  u32 begin = 0, end = 0, filter = 0, target = 0;  // if target is 0, the block has a __finally, and `filter` is its
                                                   // function
};

}  // namespace wperf::sim
