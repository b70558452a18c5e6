// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/spe_timeline.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/operations/spe_record_row.h"
#include "formats/spe/event_names.h"
#include "formats/spe/operation_name.h"
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

// The rows of a profile by kind of operation and function.
class RowsByPlace {
 public:
  explicit RowsByPlace(answers::CompatProfile& profile) {
    for (answers::SampledEvent& event : profile.events) {
      auto& rows = rows_of_event_[event.name];
      for (answers::SymbolRow& row : event.rows) rows.emplace(row.symbol, &row);
    }
  }
  answers::SymbolRow* find(const Record& record, u32 symbol) {
    const std::pair kind{spe::operation_name(record), spe::contract_events(record.events())};
    auto known = rows_of_kind_.find(kind);
    if (known == rows_of_kind_.end()) {
      const auto rows = rows_of_event_.find(spe::source_name(kind.first, kind.second));
      known = rows_of_kind_.emplace(kind, rows != rows_of_event_.end() ? &rows->second : nullptr).first;
    }
    if (known->second == nullptr) return nullptr;
    const auto row = known->second->find(symbol);
    return row != known->second->end() ? row->second : nullptr;
  }

 private:
  using Rows = std::unordered_map<u32, answers::SymbolRow*>;
  std::unordered_map<std::string, Rows> rows_of_event_;
  std::map<std::pair<spe::OperationName, u64>, Rows*> rows_of_kind_;
};

}  // namespace

void add_spe_timeline(const recording::RecordedRecords& records, const perf_data::AuxTraces& traces,
                      const perf_data::RunFacts* run, u64 slice_ns, operations::SpeProfile& profile,
                      diag::Console& console) {
  const auto& time = traces.time();
  u64 begin = ~u64{0}, end = 0;
  if (time.has_value() && time->has_zero) {
    for_each_moment(records, *time, [&](u64 moment, const Origin&, const Record&) {
      begin = std::min(begin, moment);
      end = std::max(end, moment);
    });
  }
  if (begin > end) return console.warn("warning: --timeline has no data: the SPE records have no times");
  const bool has_run_time = run != nullptr && run->start_ns < run->end_ns;
  const stacks::TimeSlices slices = has_run_time ? stacks::make_time_slices(run->start_ns, run->end_ns, slice_ns)
                                                 : stacks::make_time_slices(begin, end + 1, slice_ns);
  profile.samples.slices = {.count = slices.count, .length_ns = slices.length_ns};
  for (answers::SampledEvent& event : profile.samples.events) {
    for (answers::SymbolRow& row : event.rows) row.over_time.assign(slices.count, 0);
  }
  const operations::SpeRecordNames names(profile);
  operations::SpeRecordNamer namer(names);
  RowsByPlace rows(profile.samples);
  for_each_moment(records, *time, [&](u64 moment, const Origin& origin, const Record& record) {
    answers::SymbolRow* const row = rows.find(record, namer.row(origin, record).symbol);
    if (row != nullptr) ++row->over_time[slices.at(moment)];
  });
}

}  // namespace wperf::operations
