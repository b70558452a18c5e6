// SPDX-License-Identifier: BSD-3-Clause
// Code that programs made at run time and described in a jit-PID.dump, which recordings name as a mapped file. The code
// at an address changes with time, but the counts have no times. So an address in such code is replaced by the number
// of a spot, an address in one version of one function.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "code/symbols/listed/jit_dump.h"
#include "formats/perf_data/process_history.h"
#include "ground/os/mapped_file.h"
#include "model/stacks/id_table.h"
#include "model/stacks/stack_aggregator.h"

namespace wperf::recording {

class RecordedJit {
 public:
  // has_monotonic_times: times of samples can be compared with those of the dumps; otherwise the newest code at a place
  // counts. `own`: the section of the recording with dumps, whose times are like those of its samples; empty if there
  // is none. `folders`: of --symbol-path.
  static RecordedJit open(const perf_data::ProcessHistory& history, bool has_monotonic_times, bytes::Span own,
                          std::span<const std::string> folders);

  static bool is_dump(std::string_view path);  // by its name

  bool empty() const { return dumps_.empty(); }
  // Replaces the addresses of a stack, innermost first, that lie in code of a dump; their frames become kind made.
  void replace_addresses(u32 pid, u64 when, std::span<stacks::StackFrame> frames);

  struct Spot {
    u32 process = 0;
    u64 address = 0;  // its place when the sample was taken; for a caller, within the call
    std::string_view function;
    symbols::JitLine line;
  };
  Spot spot(u64 number) const;

 private:
  struct Dump {
    std::optional<os::MappedFile> file;  // empty if the recording has it
    symbols::JitDump code;
  };
  std::vector<Dump> dumps_;
  std::unordered_map<u32, u32> of_process_;
  bool has_times_ = false;
  stacks::IdTable spots_;  // dump << 32 | function, address
};

}  // namespace wperf::recording
