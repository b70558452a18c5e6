// SPDX-License-Identifier: BSD-3-Clause
// Moves a ThreadState into and out of a Unicorn CPU, touching as little as it can: a thread that resumes where it
// stopped costs one comparison.
#pragma once
#include "sim/cpu/core_engine.h"
#include "sim/cpu/unicorn_library.h"

namespace wperf::sim {

class UnicornRegisters {
 public:
  UnicornRegisters(const UnicornLibrary& library, uc_engine* cpu) : library_(library), cpu_(cpu) {}
  void load(const ThreadState& thread);                  // all except pc, which uc_emu_start takes
  void save(ThreadState& thread, bool vectors_changed);  // everything
  u64 read(int id) const;

 private:
  void move_general(ThreadState& state, bool write);
  void move_vectors(ThreadState& state, bool write);

  const UnicornLibrary& library_;
  uc_engine* cpu_;
  ThreadState held_;  // the present values of the CPU's registers
  bool known_ = false;
};

}  // namespace wperf::sim
