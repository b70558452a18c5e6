// SPDX-License-Identifier: BSD-3-Clause
// Counts the samples of a recording by stack, or its recorded branches. SPE records are samples, too. Frames are
// addresses; recorded_places names them.
#pragma once
#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/recording/history_ahead.h"
#include "analysis/recording/leaf_frame_callers.h"
#include "analysis/recording/recorded_jit.h"
#include "analysis/recording/recorded_moments.h"
#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/recorded_tasks.h"
#include "analysis/recording/recorded_unwinding.h"
#include "analysis/recording/sample_chain.h"
#include "analysis/recording/sample_tally.h"
#include "formats/perf_data/history_collector.h"
#include "formats/spe/contract_names.h"
#include "formats/spe/operation_record.h"
#include "model/stacks/branch_edges.h"

namespace wperf::recording {

class RecordedRecords;

class SampleReader {
 public:
  SampleReader(const perf_data::PerfFile& file, const ReadOptions& wanted, stacks::StackProfile& profile);

  // One of these two functions must be called, as the source of threads and their names. Only the complete history has
  // code that was generated at run time.
  void follow(HistoryAhead& ahead) {
    ahead_ = &ahead;
    tasks_.look_up_with([&ahead](u32 pid, u32 tid, u64 when) { return ahead.task_at(pid, tid, when); });
  }
  void look_up_in(const perf_data::ProcessHistory& history, std::span<const std::string> folders);
  // Uses `leaves` to find callers of functions that have not saved the link register.
  void call_leaves_with(LeafFrameCallers& leaves) { leaves_ = &leaves; }
  void slice_time(const stacks::TimeSlices& slices) { profile_.slices = slices; }
  // Takes callers in user code from stack copies, if the file has them.
  void unwind_with(RecordedUnwinder& unwinder) { unwinder_ = &unwinder; }

  void limit_time(const request::TimeSpan& span, u64 origin);

  // Adds the operations recorded by SPE, each kind as an event. They have no callers.
  void add_operations(const perf_data::AuxTraces& traces);
  void run();
  stacks::StackAggregator finish(const perf_data::ProcessHistory& history);
  std::vector<SampleTally::Part> take_parts() { return tally_.take_parts(); }
  stacks::GrowingArray<u32> take_rows() { return tally_.take_rows(); }
  stacks::Moments take_moments() { return moments_.finish(tally_.take_order(), profile_.events); }
  const RecordedJit& jit() const { return jit_; }

 private:
  using Origin = stacks::StackAggregator::Origin;
  using OperationKind = std::pair<spe::OperationName, u64>;

  void note_time(u64 time) {
    first_time_ = std::min(first_time_, time);
    last_time_ = std::max(last_time_, time);
  }
  bool is_within_time(const perf_data::Sample& sample) const { return sample.time >= begin_ && sample.time <= end_; }
  // The same for an SPE operation, which may have no time.
  static bool has_time(u64 time) { return time < ~u64{0} - 1; }
  bool is_outside(u64 time) const { return has_time(time) ? time < begin_ || time > end_ : is_limited_; }
  std::map<OperationKind, u32> add_kinds_of_operations(const RecordedRecords& records);
  void take(const perf_data::Sample& sample, const perf_data::Record& record);
  void take_weighted(const perf_data::Sample& sample, const perf_data::Record& record);
  void take_values(const perf_data::Sample& sample, u32 sampled, u64 when, bool is_wanted);
  void add(const perf_data::Sample& sample, u32 event, u64 period, u64 when);
  void add_branches(const perf_data::Sample& sample, u32 event, u64 when);
  void add_operation_branch(const spe::Record& record, const Origin& origin, u32 pid, u64 time);
  void add_branch(const stacks::RecordedBranch& branch, Origin origin, u32 pid, u64 time);
  void unwind(const perf_data::Sample& sample, u32 space);
  void add_leaf_frame_caller(const perf_data::Sample& sample, u32 space);

  const perf_data::PerfFile& file_;
  const perf_data::ProcessHistory* history_ = nullptr;
  HistoryAhead* ahead_ = nullptr;
  const ReadOptions& wanted_;
  const bool has_times_;
  stacks::StackProfile& profile_;
  SampleTally tally_;
  RecordedTasks tasks_;
  CounterGrowth growth_;
  std::vector<stacks::StackFrame> frames_;
  u64 samples_ = 0;  // the number of samples read so far
  RecordedUnwinder* unwinder_ = nullptr;
  DeferredStacks deferred_;
  LeafFrameCallers* leaves_ = nullptr;
  std::vector<u64> unwound_;
  MomentReader moments_;
  u64 begin_ = 0, end_ = ~u64{0};
  u64 first_time_ = ~u64{0}, last_time_ = 0;
  bool is_limited_ = false;  // samples without a time are left out
  RecordedJit jit_;
};

}  // namespace wperf::recording
