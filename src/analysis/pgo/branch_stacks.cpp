// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/branch_stacks.h"

#include <algorithm>

#include "analysis/pgo/recorded_branches.h"
#include "analysis/recording/canonical_code.h"
#include "analysis/recording/recorded_records.h"
#include "formats/spe/contract_names.h"

namespace wperf::pgo {
namespace {

using perf_data::ProcessHistory;

bool has_branches(const perf_data::PerfFile& file) {
  return std::any_of(file.attrs().begin(), file.attrs().end(),
                     [](const perf_data::Event& event) { return event.attributes.has(perf_data::kSampleBranchStack); });
}

// The newest branch comes first.
void add_stack(const perf_data::BranchStack& stack, u32 space, RecordedBranches& branches) {
  RecordedBranches::CodeLocation next_from;
  for (usize i = 0; i < stack.size(); ++i) {
    const RecordedBranches::CodeLocation from = branches.location(space, stack.from(i)),
                                         to = branches.location(space, stack.to(i));
    branches.add_branch(from, to, stack.mispredicted(i));
    if (i != 0) branches.add_range(to, next_from);
    next_from = from;
  }
}

}  // namespace

void add_branch_stacks(const perf_data::PerfFile& file, const recording::RecordedSamples& recorded, bool rvas,
                       ProfileCounts& counts) {
  if (!has_branches(file)) return;
  const ProcessHistory history = ProcessHistory::collect(file);
  RecordedBranches branches(history, counts, rvas);
  const auto& events = file.attrs();
  file.for_each_record(perf_data::Visitors{[&](const perf_data::Sample& sample, const perf_data::Record& record) {
    const u32 event = sample.event == perf_data::kNoEvent ? 0 : sample.event;
    if (event >= events.size() || sample.branches.size() == 0) return;
    if (events[event].attributes.has_call_branches()) {
      ++counts.drops.call_stacks;
      return;
    }
    ++counts.branch_stacks;
    const u64 when = history.has_times() ? sample.time : record.file_offset;
    add_stack(sample.branches, history.task_at(sample.pid, sample.tid, when).space, branches);
  }});
  branches.place(recorded, &Binary::branches, &Binary::entries);
}

void add_spe_branches(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                      const recording::RecordedSamples& recorded, bool rvas, ProfileCounts& counts) {
  const ProcessHistory history = ProcessHistory::collect(file);
  const recording::CanonicalCode canonical(history);
  RecordedBranches branches(history, counts, rvas);
  recording::DecodeStates states;
  recording::RecordedRecords(traces, canonical)
      .for_each_as_recorded(states, [&](u32 process, u64 time, const spe::Origin&, const spe::Record& record) {
        if (record.exception_level() != 0) return;
        counts.other_operations += record.operation().operation_class == spe::OperationClass::branch ? 0 : 1;
        if (!spe::is_taken_branch(record)) return;
        const u32 pid = process != ProcessHistory::kNobody ? process : 0;
        const u32 space = history.task_at(pid, pid, time).space;
        branches.add_branch(branches.location(space, record.pc()), branches.location(space, record.branch_target()),
                            spe::has_event(record, spe::kEventMispredicted));
      });
  branches.place(recorded, &Binary::operation_branches, &Binary::operation_entries);
}

}  // namespace wperf::pgo
