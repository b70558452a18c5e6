// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/unicorn_registers.h"

namespace wperf::sim {

void UnicornRegisters::move_general(ThreadState& state, bool write) {
  std::array<int, 36> ids{};
  std::array<void*, 36> values{};
  int count = 0;
  const auto add = [&](int id, u64& value) {
    ids[static_cast<usize>(count)] = id;
    values[static_cast<usize>(count++)] = &value;
  };
  for (int i = 0; i < 29; ++i) add(UC_ARM64_REG_X0 + i, state.x[static_cast<usize>(i)]);
  add(UC_ARM64_REG_X29, state.x[29]);
  add(UC_ARM64_REG_X30, state.x[30]);
  add(UC_ARM64_REG_SP, state.sp);
  add(UC_ARM64_REG_NZCV, state.nzcv);
  add(UC_ARM64_REG_TPIDR_EL0, state.tpidr);
  if (write) {
    library_.reg_write_batch(cpu_, ids.data(), values.data(), count);
  } else {
    add(UC_ARM64_REG_PC, state.pc);
    library_.reg_read_batch(cpu_, ids.data(), values.data(), count);
    state.nzcv &= 0xf0000000;
  }
}

void UnicornRegisters::move_vectors(ThreadState& state, bool write) {
  std::array<int, 34> ids{};
  std::array<void*, 34> values{};
  for (int i = 0; i < 32; ++i) {
    ids[static_cast<usize>(i)] = UC_ARM64_REG_V0 + i;
    values[static_cast<usize>(i)] = state.v[static_cast<usize>(i)].data();
  }
  ids[32] = UC_ARM64_REG_FPCR;
  values[32] = &state.fpcr;
  ids[33] = UC_ARM64_REG_FPSR;
  values[33] = &state.fpsr;
  if (write) {
    library_.reg_write_batch(cpu_, ids.data(), values.data(), 34);
  } else {
    library_.reg_read_batch(cpu_, ids.data(), values.data(), 34);
  }
}

void UnicornRegisters::load(const ThreadState& thread) {
  const bool general =
      thread.x == held_.x && thread.sp == held_.sp && thread.nzcv == held_.nzcv && thread.tpidr == held_.tpidr;
  const bool vectors = thread.v == held_.v && thread.fpcr == held_.fpcr && thread.fpsr == held_.fpsr;
  held_ = thread;
  if (!known_ || !general) move_general(held_, true);
  if (!known_ || !vectors) move_vectors(held_, true);
  known_ = true;
}

void UnicornRegisters::save(ThreadState& thread, bool vectors_changed) {
  move_general(held_, false);
  if (vectors_changed) move_vectors(held_, false);
  thread = held_;
}

u64 UnicornRegisters::read(int id) const {
  u64 value = 0;
  library_.reg_read(cpu_, id, &value);
  return value;
}

}  // namespace wperf::sim
