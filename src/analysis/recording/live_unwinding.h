// SPDX-License-Identifier: BSD-3-Clause
// `record -g`: each sample arrives with the callers that the kernel found by frame pointers, and a copy of the top of
// the stack. The copy is unwound during the recording and discarded, so the file has only call chains
// (docs/decisions/0011). Runs in the recording thread of the Linux device.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/recording/live_code.h"
#include "analysis/recording/live_python.h"
#include "analysis/recording/recorded_unwinding.h"
#include "formats/perf_data/event_table.h"
#include "formats/perf_data/perf_file_layout.h"

namespace wperf::recording {

class LiveUnwinding final : public perf_data::RecordFilter {
 public:
  explicit LiveUnwinding(modules::ElfSearch search, request::PythonFrames python = request::PythonFrames::none);

  void begin(std::span<const perf_data::WrittenEvent> events) override;
  void take(std::span<const std::byte> first, std::span<const std::byte> second) override;
  void settle(u64 before_ns, std::string& out) override;

  // If recording falls behind, stacks are not unwound, and the callers by frame pointers are used.
  void set_hurried(bool is_hurried) override { is_hurried_ = is_hurried; }

  perf_data::StackFacts stacks() const override { return incomplete_; }
  bool wants_to_see() const override { return python_ != nullptr; }
  bool see(std::span<const std::byte> beginning, u64 still_ns) override;
  std::string jit_code() const override { return python_ != nullptr ? python_->jit_code() : std::string(); }
  stacks::PythonSamples python() const override {
    return python_ != nullptr ? python_->samples() : stacks::PythonSamples();
  }

 private:
  struct Entry {
    u64 time = 0;
    usize begin = 0, size = 0;           // range in pending_
    std::unique_ptr<PythonCopy> python;  // only for samples; may be null
  };
  u64 time_of(const perf_data::Record& record);
  std::unique_ptr<PythonCopy> python_copy_of(const perf_data::Record& record);
  void tell_python(const perf_data::Record& record, u64 time);
  void pass(const perf_data::Record& record, const Entry& entry, std::string& out);
  void append_unwound(const perf_data::Record& record, std::string& out);
  void collect_chain();
  bool collect_user_chain(usize user);
  void join_python(usize begin, bool is_whole, bool was_unwound);
  usize place_offset() const;
  void collect_registers();
  void count(unwind::Ending ending);

  perf_data::EventTable events_;
  LiveCode code_;
  RecordedUnwinder unwinder_;
  std::vector<std::byte> pending_, later_;
  std::vector<Entry> entries_;
  perf_data::Sample sample_;
  std::vector<u64> chain_, callers_;
  std::vector<u64> kept_registers_, kept_;  // registers kept for each event, and for the current sample
  perf_data::StackFacts incomplete_;
  bool is_hurried_ = false;
  std::unique_ptr<LivePython> python_;       // null: not requested
  const PythonCopy* python_copy_ = nullptr;  // for the current sample; may be null
  std::optional<unwind::Ending> cut_by_;     // why the current sample's stack is incomplete
  std::optional<u64> new_place_;             // replaces the instruction pointer
  u32 space_ = 0;                            // address space of the sample's process
  std::function<u32(u64)> code_at_;          // for python_
  std::function<bool(u32)> is_start_of_programs_;
};

}  // namespace wperf::recording
