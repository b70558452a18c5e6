// SPDX-License-Identifier: BSD-3-Clause
// A process with the code of workloads.S at a separate address, to be run and measured on one core.
#pragma once
#include "tests/nthost/kernel/processes.h"
#include "tests/nthost/workload.h"
#include "tests/nthost/workloads.h"

namespace wperf::nthost {

class MeasuredProgram {
 public:
  // `base`: the address of its page of code, any page of EL0.
  MeasuredProgram(u32 id, const Person& person, u64 base);
  ~MeasuredProgram();
  MeasuredProgram(const MeasuredProgram&) = delete;
  MeasuredProgram& operator=(const MeasuredProgram&) = delete;

  u32 id() const { return id_; }
  Process& process() { return *process_; }

  Workload* start_known_work(u32 cpu, u64 iterations);
  // Runs the program while all other cores sleep. Under -icount, counts are exact only if the other cores sleep,
  // because QEMU counts the instructions of other cores for a waiting core. Waits for its end; returns the id of its
  // thread.
  u32 run_known_work(u32 cpu, u64 iterations);
  Workload* start_endless_work(u32 cpu, u64 n);
  Workload* start_deep_work(u32 cpu, u32 depth);  // a program that never ends
  Workload* start_framed_work(u32 cpu, u64 frame_pointer);

  // Addresses in this process.
  bool in_known_loop(u64 pc) const;
  bool in_known_work(u64 pc) const;  // the loop and the code around it
  u64 known_loop_caller_address() const;
  bool in_deep_loop(u64 pc) const;
  u64 deep_caller_address() const;
  bool in_framed_loop(u64 pc) const;
  bool in_hot_part(u64 pc) const;
  bool in_cold_part(u64 pc) const;
  bool in_endless_work(u64 pc) const;

 private:
  u64 at(const u8* place) const { return base_ + offset_in(known_work_begin, place); }

  u32 id_;
  u64 base_;
  Process* process_;
};

// Instructions at EL0 in start_known_work(…, iterations), its return included.
constexpr u64 user_instructions(u64 iterations) {
  return known_work_instructions(iterations) + kInstructionsOfReturn;
}

}  // namespace wperf::nthost
