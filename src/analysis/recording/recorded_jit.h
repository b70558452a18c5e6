// SPDX-License-Identifier: BSD-3-Clause
// Code that programs generated at run time and described in a jit-PID.dump, which recordings list as a mapped file. The
// code at an address changes over time, but counts have no times. So each address in such code is replaced by the
// number of a spot, which is an address in one version of a function.
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
  // address is used. `own`: the section with dumps in the recording, which uses the clock of the samples; empty if
  // there is no section. `folders`: from --symbol-path.
  static RecordedJit open(const perf_data::ProcessHistory& history, bool has_monotonic_times, bytes::Span own,
                          std::span<const std::string> folders);

  static bool is_dump(std::string_view path);  // decided by its name

  bool empty() const { return dumps_.empty(); }
  // Replaces the addresses in code of a dump; their frames become kind `made`. The stack is innermost first.
  void replace_addresses(u32 pid, u64 when, std::span<stacks::StackFrame> frames);

  struct JitLocation {
    u32 process = 0;
    u64 address = 0;  // its address when the sample was taken; for a caller, an address within the call instruction
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
