// SPDX-License-Identifier: BSD-3-Clause
// The current mappings of the programs that are being recorded. Takes the records one by one in order of time, and
// needs no history.
#pragma once
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/recording/mapped_code.h"

namespace wperf::recording {

class LiveCode final : public CodeMap {
 public:
  void add(const perf_data::Mmap& mapping);
  void add(const perf_data::Comm& name);
  void add(const perf_data::Task& task);

  // The number of the process's address space, valid until the next record about the process; numbers are never reused.
  // Call this before place_in(), which then works only for this process.
  u32 space_of(u32 pid);
  perf_data::CodePlace place_in(u32 space, u64 address) const override;
  const perf_data::MappedCode& code(u32 number) const override { return codes_[number]; }
  usize processes() const { return processes_.size(); }

 private:
  struct Stretch {
    u64 end = 0, offset = 0;
    u32 code = 0;
  };
  struct Process {
    u32 space = 0;
    // number of threads; unknown for processes that existed before the recording. These are kept until the end
    u32 threads = 0;
    std::map<u64, Stretch> stretches;  // by begin
  };
  Process& process(u32 pid) { return processes_[pid]; }
  void change(Process& process) { process.space = next_space_++; }
  u32 code_of(const perf_data::Mmap& mapping);

  std::unordered_map<u32, Process> processes_;
  const Process* asked_ = nullptr;
  u32 next_space_ = 1;
  std::deque<std::string> texts_;  // codes_ has views of these texts
  std::vector<perf_data::MappedCode> codes_;
  std::unordered_map<std::string, u32> code_numbers_;
};

}  // namespace wperf::recording
