// SPDX-License-Identifier: BSD-3-Clause
// Code that programs made as they ran and described in a jit-PID.dump, which recordings name as a mapped file. What
// lies at an address changes with time, and tallies know no times: an address in such code is replaced by the number
// of a spot, an offset in one version of one function. Called by recorded_samples, asked for names by recorded_places.
#pragma once
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/perf_data/task_history.h"
#include "os/mapped_file.h"
#include "stacks/id_table.h"
#include "stacks/stack_tally.h"
#include "symbols/listed/jit_dump.h"

namespace wperf::recording {

class RecordedJit {
 public:
  // has_monotonic_times: those of samples compare with those of the dumps; else the newest code of a place counts.
  static RecordedJit open(const perf_data::TaskHistory& history, bool has_monotonic_times);

  bool empty() const { return dumps_.empty(); }
  // Replaces the addresses of a stack, innermost first, that lie in code of a dump.
  void replace_addresses(u32 pid, u64 when, std::span<stacks::StackFrame> frames);

  // No process has code there.
  static constexpr u64 kSpot = u64{1} << 62;
  static bool is_spot(u64 address) { return (address & kSpot) != 0 && (address >> 63) == 0; }

  struct Spot {
    u32 process = 0;
    std::string_view function;
    symbols::JitLine line;
  };
  Spot spot(u64 address) const;

 private:
  struct Dump {
    os::MappedFile file;
    symbols::JitDump code;
  };
  std::vector<Dump> dumps_;
  std::unordered_map<u32, u32> of_process_;
  bool has_times_ = false;
  stacks::IdTable spots_;  // dump << 32 | function, address
};

}  // namespace wperf::recording
