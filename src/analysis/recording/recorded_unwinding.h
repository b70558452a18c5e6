// SPDX-License-Identifier: BSD-3-Clause
// Finds callers in recorded stack copies (perf record --call-graph dwarf): opens the files mapped at the sample's
// addresses, and unwinds with their call frame information. Each file is opened once.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/recording/mapped_code.h"
#include "code/modules/elf_files.h"
#include "code/unwind/unwinder.h"
#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/process_history.h"
#include "model/stacks/stack_aggregator.h"

namespace wperf::recording {

class RecordedUnwinder {
 public:
  RecordedUnwinder(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history,
                   modules::ElfSearch search);
  // For programs on this machine. Keeps a reference to `code`.
  RecordedUnwinder(const CodeMap& code, modules::ElfSearch search);
  ~RecordedUnwinder();

  static bool has_stack(const perf_data::Sample& sample) {
    return !sample.user_stack.bytes.empty() && sample.user_registers.abi != 0;
  }

  // Appends the frames of user code after the sample's own address, nearest caller first. They are return addresses,
  // or, for code interrupted by a signal or the kernel, the instruction's address + 1. So the byte before each address
  // is always in the right instruction. `space`: the address space of the sample's process at that time, from
  // ProcessHistory::task_at.
  unwind::Ending add_callers(const perf_data::Sample& sample, u32 space, std::vector<u64>& callers);

  // From now on `visit` is called for each frame of each stack.
  void show_frames_to(unwind::VisitFrame visit);
  // Reads code of the sample's process that is in no file. Returns false if the code cannot be read.
  using ReadCode = std::function<bool(u64 address, std::span<std::byte> to)>;
  void read_jit_code_with(ReadCode read);

  // Stacks that ended before the outermost function, by cause: too few bytes, missing tables, damage, and 32-bit
  // programs, which are not unwound.
  struct Incomplete {
    u64 stack_copy_too_short = 0, no_table = 0, damaged = 0, of_32_bits = 0;
  };
  const Incomplete& incomplete() const;

 private:
  class Files;
  std::unique_ptr<HistoryCodeMap> history_;
  std::unique_ptr<Files> files_;
};

// Joins stacks that are recorded in pieces. Kernels from 6.19 on may defer the user part of a call chain until the
// thread returns to user mode. Such a sample ends with a mark and a cookie, and a later record with this cookie has the
// user part for all these samples of the thread. A stack copy may be too short; then the chain of frame pointers
// recorded with it continues the stack.
class DeferredStacks {
 public:
  // Reads the whole file if one of its events defers user callchains.
  explicit DeferredStacks(const perf_data::PerfFile& file);

  // Was the user part of the sample's stack deferred?
  static bool is_put_off(const perf_data::Sample& sample);
  // Appends the deferred part. Returns false if no record of the sample's thread has its cookie.
  bool append_to(std::vector<stacks::StackFrame>& frames, const perf_data::Sample& sample) const;

 private:
  struct Part {
    u32 tid = 0;
    bytes::Words chain;  // views the chain in the file
  };
  std::unordered_map<u64, Part> parts_;  // keyed by cookie
};

// `unwound`: callers from a stack copy that was too short. `pointers`: callers of the same stack by frame pointers;
// some may be missing. Appends to `unwound` the callers in `pointers` after the last common caller. Returns false if
// there is no common caller, or if no caller follows it.
bool continue_by_pointers(std::vector<u64>& unwound, const std::vector<u64>& pointers);

}  // namespace wperf::recording
