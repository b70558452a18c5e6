// SPDX-License-Identifier: BSD-3-Clause
// Code that programs generated at run time and described in a jit-PID.dump, which recordings list as a mapped file. The
// code at an address changes with time, but counts have no times. So an address in such code is replaced by the number
// of a spot: an address in one version of one function.
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
  // `has_monotonic_times`: times of samples can be compared with those in dumps; otherwise the newest code at an
  // address is used. `own`: the recording's own section with dumps, whose times are comparable to those of its samples;
  // empty if there is none. `folders`: those of --symbol-path.
  static RecordedJit open(const perf_data::ProcessHistory& history, bool has_monotonic_times, bytes::Span own,
                          std::span<const std::string> folders);

  static bool is_dump(std::string_view path);  // decided by its name

  bool empty() const { return dumps_.empty(); }
  // Replaces the addresses in code of a dump; their frames become kind `made`. The stack is innermost first.
  void replace_addresses(u32 pid, u64 when, std::span<stacks::StackFrame> frames);

  struct JitLocation {
    u32 process = 0;
    u64 address = 0;  // its address when the sample was taken; for a caller, within the call
    std::string_view function;
    symbols::JitLine line;
  };
  JitLocation location(u64 number) const;

 private:
  struct Dump {
    std::optional<os::MappedFile> file;  // empty if the dump is in the recording
    symbols::JitDump code;
  };
  std::vector<Dump> dumps_;
  std::unordered_map<u32, u32> of_process_;
  bool has_times_ = false;
  stacks::IdTable locations_;  // key: dump << 32 | function, address
};

}  // namespace wperf::recording
