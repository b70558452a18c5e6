// SPDX-License-Identifier: BSD-3-Clause
// `record -g`: samples come with the callers that the kernel found by frame pointers, and with a copy of the top of the
// stack. While recording continues, the copy is unwound and thrown away; the file has plain call chains
// (docs/decisions/0011). Runs in the recording thread of the Linux device.
#pragma once
#include <string>
#include <vector>

#include "analysis/recording/live_code.h"
#include "analysis/recording/recorded_unwinding.h"
#include "formats/perf_data/event_table.h"
#include "formats/perf_data/perf_file_layout.h"

namespace wperf::recording {

class LiveUnwinding final : public perf_data::RecordFilter {
 public:
  explicit LiveUnwinding(modules::ElfSearch search) : unwinder_(code_, std::move(search)) {}

  void begin(std::span<const perf_data::WrittenEvent> events) override;
  void take(std::span<const std::byte> first, std::span<const std::byte> second) override;
  void settle(u64 before_ns, std::string& out) override;

  // If hurried, takes the callers from the kernel's frame pointers.
  void set_hurried(bool is_hurried) override { is_hurried_ = is_hurried; }

  perf_data::StackFacts stacks() const override { return incomplete_; }

 private:
  struct Entry {
    u64 time = 0;
    usize begin = 0, size = 0;  // in pending_
  };
  u64 time_of(const perf_data::Record& record);
  void pass(const perf_data::Record& record, std::span<const std::byte> whole, std::string& out);
  void append_unwound(const perf_data::Record& record, std::string& out);
  void collect_chain();
  void collect_registers();
  void count(unwind::Ending ending);

  perf_data::EventTable events_;
  LiveCode code_;
  RecordedUnwinder unwinder_;
  std::vector<std::byte> pending_, later_;
  std::vector<Entry> entries_;
  perf_data::Sample sample_;
  std::vector<u64> chain_, callers_;
  std::vector<u64> kept_registers_, kept_;  // by event, and of the sample
  perf_data::StackFacts incomplete_;
  bool is_hurried_ = false;
};

}  // namespace wperf::recording
