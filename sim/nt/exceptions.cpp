// SPDX-License-Identifier: BSD-3-Clause
// Delivers exceptions and APCs to ntdll's dispatchers, in frames on the thread's own stack.
#include <algorithm>

#include "sim/nt/guest_exception.h"
#include "sim/nt/state.h"

namespace wperf::sim::nt {
namespace {

constexpr u64 kExceptionFrame = 0x470, kExceptionRecord = 0x3b0, kSavedSp = 0x450, kSavedPc = 0x458;
constexpr u64 kContextEx = 0x390;
constexpr u64 kApcFrame = 0x3d0, kApcContext = 0x30;

// The offsets and sizes of the parts of the following CONTEXT: whole, legacy, extended.
struct ContextEx {
  std::int32_t all_offset = -0x390;
  u32 all_size = 0x3a8;
  std::int32_t legacy_offset = -0x390;
  u32 legacy_size = 0x390;
  std::int32_t extended_offset = 0x19;
  u32 extended_size = 0;
};

}  // namespace

GuestContext context_of(const ThreadState& registers) {
  GuestContext context;
  context.flags = GuestContext::kFull;
  context.cpsr = static_cast<u32>(registers.nzcv);
  context.x = registers.x;
  context.sp = registers.sp;
  context.pc = registers.pc;
  context.v = registers.v;
  context.fpcr = static_cast<u32>(registers.fpcr);
  context.fpsr = static_cast<u32>(registers.fpsr);
  return context;
}

void set_registers(const GuestContext& context, ThreadState& registers) {
  registers.x = context.x;
  registers.sp = context.sp;
  registers.pc = context.pc;
  registers.nzcv = context.cpsr & 0xf0000000;
  registers.v = context.v;
  registers.fpcr = context.fpcr;
  registers.fpsr = context.fpsr;
}

bool deliver(State& state, Thread& thread, const Exception& exception) {
  ThreadState& registers = thread.registers;
  const u64 frame = (registers.sp - kExceptionFrame) & ~u64{15};
  const GuestContext context = context_of(registers);
  GuestExceptionRecord record;
  record.code = exception.code;
  record.flags = exception.flags;
  record.address = exception.address;
  record.parameter_count =
      static_cast<u32>(std::min<usize>(exception.parameters.size(), GuestExceptionRecord::kMostParameters));
  std::copy_n(exception.parameters.begin(), record.parameter_count, record.parameters.begin());
  const ContextEx extended;
  const u64 saved[2] = {registers.sp, registers.pc};
  static_assert(kSavedPc == kSavedSp + 8);
  if (!state.guest.write(frame, &context, sizeof context) ||
      !state.guest.write(frame + kContextEx, &extended, sizeof extended) ||
      !state.guest.write(frame + kExceptionRecord, &record, sizeof record) ||
      !state.guest.write(frame + kSavedSp, saved, sizeof saved)) {
    return false;
  }
  registers.sp = frame;
  registers.pc = state.exception_dispatcher;
  registers.x[18] = thread.teb;
  return true;
}

bool deliver_apc(State& state, Thread& thread, Status status) {
  ThreadState& registers = thread.registers;
  const Apc apc = thread.apcs.front();
  thread.apcs.pop_front();
  const u64 frame = (registers.sp - kApcFrame) & ~u64{15};
  GuestContext context = context_of(registers);
  context.x[0] = status;
  const u64 parts[5] = {apc.function, apc.arguments[0], apc.arguments[1], apc.arguments[2], 1};
  if (!state.guest.write(frame, parts, sizeof parts) ||
      !state.guest.write(frame + kApcContext, &context, sizeof context)) {
    return false;
  }
  registers.sp = frame;
  registers.pc = state.apc_dispatcher;
  registers.x[18] = thread.teb;
  return true;
}

Status add_apc(State& state, Thread& thread, const Apc& apc, u64 now_ns) {
  constexpr usize kMost = 65536;
  if (thread.ended || thread.apcs.size() == kMost) return kUnsuccessful;
  thread.apcs.push_back(apc);
  if (thread.wait.kind == Wait::Kind::none || !thread.wait.alertable) return kSuccess;
  end_wait(thread, kUserApc, now_ns);
  return deliver_apc(state, thread, kUserApc) ? kSuccess : kStackOverflow;
}

}  // namespace wperf::sim::nt
