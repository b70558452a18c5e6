// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/spe_timeline.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/operations/spe_record_row.h"
#include "formats/spe/contract_names.h"
#include "model/stacks/time_slices.h"

namespace wperf::operations {
namespace {

using spe::Origin;
using spe::Record;

// callback(time, origin, record) of each record that has a time.
template <class Callback>
void for_each_moment(const recording::RecordedRecords& records, const perf_data::TimeConversion& time,
                     Callback&& callback) {
  recording::DecodeStates states;
  records.for_each(states, [&](const Origin& origin, const Record& record) {
    if (record.has(spe::Field::timestamp)) callback(time.to_perf_ns(record.timestamp()), origin, record);
  });
}

// The samples of each function and kind of operation over time.
class CountsOverTime {
 public:
  CountsOverTime(stacks::StackProfile& profile, const stacks::TimeSlices& slices) : profile_(profile), slices_(slices) {
    const auto nameless = std::find_if(profile.functions.begin() + 1, profile.functions.end(),
                                       [](const auto& one) { return !one.is_known && !one.is_kernel; });
    nameless_ = static_cast<u32>(nameless - profile.functions.begin());
    for (u32 row = 0; row < profile.samples.size(); ++row) {
      const stacks::StackSample& sample = profile.samples[row];
      auto& counts = counts_of_event_[profile.events[sample.event].name][symbol_of(sample)];
      if (counts.slices.empty()) counts = {row, std::vector<u32>(slices.count)};
    }
  }
  void add(const Record& record, u32 symbol, u64 moment) {
    const std::pair kind{spe::operation_name(record), spe::contract_events(record.events())};
    auto known = counts_of_kind_.find(kind);
    if (known == counts_of_kind_.end()) {
      const auto counts = counts_of_event_.find(spe::source_name(kind.first, kind.second));
      known = counts_of_kind_.emplace(kind, counts != counts_of_event_.end() ? &counts->second : nullptr).first;
    }
    if (known->second == nullptr) return;
    const auto counts = known->second->find(symbol);
    if (counts != known->second->end()) ++counts->second.slices[slices_.at(moment)];
  }
  // At least the first slice of each, so that all functions have slices.
  void take() {
    for (const auto& [event, symbols] : counts_of_event_) {
      for (const auto& [symbol, counts] : symbols) {
        for (u32 slice = 0; slice < counts.slices.size(); ++slice) {
          const u32 count = counts.slices[slice];
          if (slice == 0 || count != 0) profile_.slice_counts.push_back({counts.row, slice, count, 0});
        }
      }
    }
  }

 private:
  struct Counts {
    u32 row = 0;  // the first of the profile's samples
    std::vector<u32> slices;
  };
  using CountsOfSymbols = std::unordered_map<u32, Counts>;

  // As in CodePlace::symbol.
  u32 symbol_of(const stacks::StackSample& sample) const {
    const u32 function = profile_.nodes[sample.node].place;
    const stacks::StackFunction& one = profile_.functions[function];
    return one.is_known || one.is_kernel || function == 0 ? function : nameless_;
  }

  stacks::StackProfile& profile_;
  const stacks::TimeSlices& slices_;
  u32 nameless_ = 0;  // the function of all places without a name
  std::unordered_map<std::string, CountsOfSymbols> counts_of_event_;
  std::map<std::pair<spe::OperationName, u64>, CountsOfSymbols*> counts_of_kind_;
};

}  // namespace

bool add_spe_timeline(const recording::RecordedRecords& records, const perf_data::AuxTraces& traces,
                      const perf_data::RunFacts* run, u64 slice_ns, operations::SpeProfile& profile) {
  const auto& time = traces.time();
  u64 begin = ~u64{0}, end = 0;
  if (time.has_value() && time->has_zero) {
    for_each_moment(records, *time, [&](u64 moment, const Origin&, const Record&) {
      begin = std::min(begin, moment);
      end = std::max(end, moment);
    });
  }
  if (begin > end) return false;
  const bool has_run_time = run != nullptr && run->start_ns < run->end_ns;
  const stacks::TimeSlices slices = has_run_time ? stacks::make_time_slices(run->start_ns, run->end_ns, slice_ns)
                                                 : stacks::make_time_slices(begin, end + 1, slice_ns);
  profile.samples.slices = slices;
  const operations::SpeRecordNames names(profile);
  operations::SpeRecordNamer namer(names);
  CountsOverTime counts(profile.samples, slices);
  for_each_moment(records, *time, [&](u64 moment, const Origin& origin, const Record& record) {
    counts.add(record, namer.row(origin, record).symbol, moment);
  });
  counts.take();
  return true;
}

}  // namespace wperf::operations
