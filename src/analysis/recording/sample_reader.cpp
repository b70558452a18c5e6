// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/sample_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

#include "analysis/recording/record_callers.h"
#include "analysis/recording/recorded_losses.h"
#include "analysis/recording/recorded_records.h"
#include "formats/spe/contract_names.h"

namespace wperf::recording {
namespace {

using perf_data::ProcessHistory;
using perf_data::Record;
using perf_data::Sample;
using stacks::AddressKind;
using stacks::StackFrame;

constexpr u32 kMonotonicClock = 1;  // CLOCK_MONOTONIC

// The name in the file, or the kernel's usual name, or "type:configuration".
std::string event_name(const perf_data::Event& event) {
  if (!event.name.empty()) return std::string(event.name);
  const perf_data::EventAttributes& attributes = event.attributes;
  static constexpr std::array<std::string_view, 10> kHardware = {
      "cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
      "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"};
  static constexpr std::array<std::string_view, 12> kSoftware = {
      "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
      "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
      "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};
  if (attributes.type == 0 && attributes.config < kHardware.size()) return std::string(kHardware[attributes.config]);
  if (attributes.type == 1 && attributes.config < kSoftware.size()) return std::string(kSoftware[attributes.config]);
  return fmt::format("{}:0x{:x}", attributes.type, attributes.config);
}

bool reads_counters_along(const perf_data::PerfFile& file) {
  return std::any_of(file.attrs().begin(), file.attrs().end(),
                     [](const perf_data::Event& event) { return event.attributes.has(perf_data::kSampleRead); });
}

}  // namespace

SampleReader::SampleReader(const perf_data::PerfFile& file, const ReadOptions& wanted, stacks::StackProfile& profile)
    : file_(file),
      wanted_(wanted),
      has_times_(ProcessHistory::Collector::has_times(file)),
      profile_(profile),
      tally_({.rows = wanted.rows || wanted.sample_rows,
              .order = wanted.sample_times,
              .slices = wanted.slice_ns != 0,
              .parts = reads_counters_along(file)}),
      deferred_(file) {
  if (wanted.branches) {
    for (const std::string_view name : stacks::kBranchCountNames) profile_.events.emplace_back().name = name;
    return;
  }
  for (const perf_data::Event& event : file.attrs()) {
    const perf_data::EventAttributes& attributes = event.attributes;
    profile_.events.push_back({.name = event_name(event),
                               .type = attributes.type,
                               .code = attributes.config,
                               .interval = attributes.by_frequency() ? 0 : attributes.period_or_frequency});
    profile_.has_callers = profile_.has_callers || attributes.user_registers != 0 ||
                           attributes.has(perf_data::kSampleCallchain | perf_data::kSampleUserStack);
  }
  if (profile_.events.empty()) profile_.events.emplace_back().name = "unknown";
}

void SampleReader::look_up_in(const ProcessHistory& history, std::span<const std::string> folders) {
  history_ = &history;
  tasks_.look_up_with([&history](u32 pid, u32 tid, u64 when) { return history.task_at(pid, tid, when); });
  const bool monotonic = !file_.attrs().empty() && file_.attrs()[0].attributes.uses_clock_id() &&
                         file_.attrs()[0].attributes.clock_id == kMonotonicClock;
  jit_ = RecordedJit::open(history, monotonic && has_times_, file_.features().section(perf_data::kJitCodeFeature),
                           folders);
}

void SampleReader::limit_time(const request::TimeSpan& span, u64 origin) {
  is_limited_ = true;
  const auto [from, to] = time_limits(span, origin);
  begin_ = from;
  end_ = to;
  profile_.from_ns = begin_;
  profile_.to_ns = end_;
}

void SampleReader::run() {
  stacks::StackLosses& losses = profile_.losses;
  RecordedLosses lost_ones;
  const perf_data::ReadStatistics statistics = file_.for_each_record(perf_data::Visitors{
      [&](const Sample& sample, const Record& record) {
        ++samples_;
        if (ahead_ != nullptr) {
          ahead_->follow(record.file_offset);
          if (ahead_->gave_up()) return;  // reading starts again from the first sample
        }
        if (wanted_.weights != nullptr) return take_weighted(sample, record);
        take(sample, record);
      },
      [&](const perf_data::Lost& lost, const Record&) {
        lost_ones.add(lost);
        if (wanted_.times) moments_.add(lost);
      },
      [&](const perf_data::LostSamples& lost, const Record&) {
        lost_ones.add(lost);
        if (wanted_.times) moments_.add(lost);
      },
      [&](const perf_data::Comm& comm, const Record&) {
        if (wanted_.times) moments_.add(comm);
      },
      [&](const perf_data::Task& task, const Record&) {
        if (wanted_.times) moments_.add(task);
      },
      [&](const perf_data::Throttle& throttle, const Record&) { losses.throttled += throttle.is_end ? 0 : 1; },
  });
  losses.lost_records = lost_ones.of_rings();
  losses.lost_samples = lost_ones.others(counts_losses(file_));
  losses.damaged_places = statistics.damaged_places();
  losses.damaged_bytes = statistics.damaged_bytes();
  losses.damaged_records_about = records_in_damage(file_, statistics);
  losses.of_unknown_event = statistics.of_unknown_event;
  // There are compressed records here only if the header of the file does not mention them, so that they were not
  // unpacked.
  losses.damaged_records += statistics.all_damaged() - statistics.of_unknown_event + statistics.compressed();
  losses.unknown_types = statistics.unknown;
  losses.unknown_records = statistics.of_further_unknown;
  for (const auto& [type, count] : statistics.unknown) losses.unknown_records += count;
  for (u32 type = 1; type < perf_data::kRecordTypes; ++type) {
    if (statistics.by_type[type] == 0 || !perf_data::record_name(type).empty()) continue;
    losses.unknown_types.emplace_back(type, statistics.by_type[type]);
    losses.unknown_records += statistics.by_type[type];
  }
}

stacks::StackAggregator SampleReader::finish(const ProcessHistory& history) {
  tasks_.finish(history, profile_);
  profile_.losses.merged_changes = history.merged_changes();
  if (first_time_ < last_time_) profile_.elapsed_seconds = static_cast<double>(last_time_ - first_time_) / 1e9;
  tally_.finish(samples_);
  stacks::StackAggregator aggregator = tally_.take_stacks();
  profile_.samples = aggregator.take_samples();
  profile_.slice_counts = tally_.take_slices();
  return aggregator;
}

namespace {

std::pair<spe::OperationName, u64> kind_of(const spe::Record& record) {
  return {spe::operation_name(record), spe::contract_events(record.events())};
}

}  // namespace

// Adds an event for each kind of operation, the largest first, because some views show only one event. The records are
// decoded an additional time to find the number of each kind.
std::map<SampleReader::OperationKind, u32> SampleReader::add_kinds_of_operations(const RecordedRecords& records) {
  std::map<OperationKind, u64> counts;
  DecodeStates states;
  records.for_each_as_recorded(states, [&](u32, u64 time, const spe::Origin&, const spe::Record& record) {
    if (!is_outside(time)) ++counts[kind_of(record)];
  });
  std::vector<std::pair<OperationKind, u64>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, std::ranges::greater(), [](const auto& kind) { return kind.second; });
  std::map<OperationKind, u32> events;
  for (const auto& [kind, count] : order) {
    events[kind] = static_cast<u32>(profile_.events.size());
    profile_.events.emplace_back().name = spe::source_name(kind.first, kind.second);
  }
  return events;
}

void SampleReader::add_operations(const perf_data::AuxTraces& traces) {
  const CanonicalCode canonical(*history_);
  const RecordedRecords records(traces, canonical);
  DecodeStates states;
  const auto section = file_.features().section(perf_data::kRecordStacksFeature);
  const bool has_no_callers = wanted_.only_native || wanted_.branches;
  RecordCallers callers(has_no_callers ? perf_data::RecordStacks() : perf_data::read_record_stacks(section));
  const auto cycles = static_cast<u32>(profile_.events.size());
  if (callers.are_known()) {
    profile_.has_callers = true;
    profile_.events.emplace_back().name = "total_latency";
  }
  std::map<OperationKind, u32> events;
  if (!wanted_.branches) events = add_kinds_of_operations(records);
  records.for_each_as_recorded(
      states, [&](u32 process, u64 time, const spe::Origin& origin, const spe::Record& record) {
        if (is_outside(time)) return;
        const bool is_timed = has_time(time);
        if (is_timed) note_time(time);
        const u32 thread = spe::thread_of(origin, record);
        const u32 pid = process != ProcessHistory::kNobody ? process : 0;
        const RecordedTasks::Task& task = tasks_.at(pid, thread != spe::kNoThread ? thread : pid, time);
        if (wanted_.branches) return add_operation_branch(record, {0, task.number, 0, task.space}, pid, time);
        const u32 event = events.at(kind_of(record));
        Origin where{event, task.number, wanted_.cores ? origin.core : 0, task.space,
                     is_timed && profile_.slices.count != 0 ? profile_.slices.at(time) : 0};
        const AddressKind code = record.exception_level() == 0 ? AddressKind::user : AddressKind::kernel;
        frames_.assign(1, {record.pc(), code});
        if (callers.are_known()) callers.add_to(origin.core, record, frames_);
        if (!jit_.empty()) jit_.replace_addresses(pid, time, frames_);
        const auto count = [&](u32 counted, u64 weight) {
          where.event = counted;
          ++profile_.events[counted].samples;
          profile_.events[counted].period += weight;
          if (wanted_.times) moments_.add_time(is_timed ? time : 0, wanted_.sample_times);
          tally_.add(SampleTally::kNotOfFile, frames_, where, weight);
        };
        count(event, 1);
        if (callers.are_known() && record.total_latency() != 0) count(cycles, record.total_latency());
      });
  for (const auto& [core, state] : states) {
    profile_.losses.damaged_records += state.damage.damaged_records + state.damage.unfinished_records;
  }
}

void SampleReader::take_weighted(const Sample& sample, const Record& record) {
  const u64 weight = samples_ <= wanted_.weights->size() ? (*wanted_.weights)[samples_ - 1] : 0;
  if (weight == 0 || !is_within_time(sample)) return;
  if (sample.time != 0) note_time(sample.time);
  add(sample, sample.event == perf_data::kNoEvent ? 0 : sample.event, weight,
      has_times_ ? sample.time : record.file_offset);
}

void SampleReader::take(const Sample& sample, const Record& record) {
  const bool is_wanted = is_within_time(sample);
  if (is_wanted && sample.time != 0) note_time(sample.time);
  const u64 when = has_times_ ? sample.time : record.file_offset;
  const u32 event = sample.event == perf_data::kNoEvent ? 0 : sample.event;
  if (file_.attrs()[event].attributes.has(perf_data::kSampleRead)) return take_values(sample, event, when, is_wanted);
  if (is_wanted) add(sample, event, sample.period, when);
}

// Takes the counters that were read with the sample: notes the increase of each counter since the previous sample,
// which may be outside of the selected time.
void SampleReader::take_values(const Sample& sample, u32 sampled, u64 when, bool is_wanted) {
  const perf_data::CounterValues& counters = sample.counters;
  const perf_data::EventAttributes& attributes = file_.attrs()[sampled].attributes;
  const u32 tid = attributes.is_inherited() && attributes.has(perf_data::kSampleTid) ? sample.tid : 0;
  bool fell = false;
  for (u32 i = 0; i < counters.count; ++i) {
    const u64 id = (counters.format & perf_data::kReadId) != 0 ? counters.id(i) : sample.id;
    const std::optional<u64> grown = growth_.note({id, tid}, counters.value(i));
    fell = fell || !grown.has_value();
    if (!is_wanted || grown.value_or(0) == 0) continue;
    const u32 counted = file_.events().index_of(id);
    if (wanted_.times && counted != perf_data::kNoEvent) {
      moments_.add_count(counted, sample.cpu, sample.time, *grown);
    }
    add(sample, counted != perf_data::kNoEvent ? counted : sampled, *grown, when);
  }
  if (fell) ++profile_.losses.damaged_records;
}

// Counts the branches of a sample instead of the sample.
void SampleReader::add_branches(const Sample& sample, u32 event, u64 when) {
  if (!file_.attrs()[event].attributes.has_taken_branches()) return;
  const RecordedTasks::Task& task = tasks_.at(sample.pid, sample.tid, when);
  const Origin origin{0, task.number, 0, task.space};
  const perf_data::BranchStack& recorded = sample.branches;
  for (usize i = 0; i < recorded.size(); ++i) {
    add_branch({.from = recorded.from(i),
                .to = recorded.to(i),
                .cycles = recorded.cycles(i),
                .is_mispredicted = recorded.mispredicted(i),
                .is_judged = recorded.mispredicted(i) || recorded.predicted(i)},
               origin, sample.pid, sample.time);
  }
}

void SampleReader::add_operation_branch(const spe::Record& record, const Origin& origin, u32 pid, u64 time) {
  if (!spe::is_taken_branch(record)) return;
  add_branch({.from = record.pc(),
              .to = record.branch_target(),
              .cycles = record.total_latency(),
              .is_mispredicted = spe::has_event(record, spe::kEventMispredicted),
              .is_judged = true},
             origin, pid, time);
}

void SampleReader::add_branch(const stacks::RecordedBranch& branch, Origin origin, u32 pid, u64 time) {
  if (branch.from == 0 && branch.to == 0) return;  // an entry that the hardware left empty
  const auto frame_at = [](u64 address, bool at_call) {
    return StackFrame{address, address >> 63 != 0 ? AddressKind::kernel : AddressKind::user, at_call};
  };
  frames_.assign({frame_at(branch.to, false), frame_at(branch.from, true)});
  if (!jit_.empty()) jit_.replace_addresses(pid, time, frames_);
  const auto count = [&](stacks::BranchCount counted, u64 weight) {
    origin.event = static_cast<u32>(counted);
    ++profile_.events[origin.event].samples;
    profile_.events[origin.event].period += weight;
    tally_.add(SampleTally::kNotOfFile, frames_, origin, weight);
  };
  count(stacks::BranchCount::taken, 1);
  if (branch.is_judged) count(stacks::BranchCount::judged, 1);
  if (branch.is_mispredicted) count(stacks::BranchCount::mispredicted, 1);
  if (branch.cycles != 0) count(stacks::BranchCount::timed, branch.cycles);
}

void SampleReader::add(const Sample& sample, u32 event, u64 period, u64 when) {
  if (wanted_.branches) return add_branches(sample, event, when);
  ++profile_.events[event].samples;
  profile_.events[event].period += period;
  if (wanted_.times) moments_.add_time(sample.time, wanted_.sample_times);
  const RecordedTasks::Task& task = tasks_.at(sample.pid, sample.tid, when);
  const stacks::StackAggregator::Origin origin{event, task.number, wanted_.cores ? sample.cpu : 0, task.space,
                                               profile_.slices.count != 0 ? profile_.slices.at(sample.time) : 0};
  const bool has_copy = unwinder_ != nullptr && RecordedUnwinder::has_stack(sample);
  const SampleChain chain = chain_of(sample, file_.attrs()[event].attributes, wanted_.callers);
  const bool is_put_off = wanted_.callers && DeferredStacks::is_put_off(sample);
  if (!has_copy && !is_put_off && jit_.empty() && leaves_ == nullptr) {
    return tally_.add(samples_ - 1, chain, origin, period);
  }
  // If the frames do not all come from the call chain, the hash of the chain cannot identify the stack.
  collect_frames(chain, frames_);
  if (is_put_off && !deferred_.append_to(frames_, sample)) ++profile_.losses.stacks_undelivered;
  if (has_copy) unwind(sample, task.space);
  if (leaves_ != nullptr) add_leaf_frame_caller(sample, task.space);
  if (!jit_.empty()) jit_.replace_addresses(sample.pid, sample.time, frames_);
  tally_.add(samples_ - 1, frames_, origin, period);
}

void SampleReader::add_leaf_frame_caller(const Sample& sample, u32 space) {
  const auto leaf = std::find_if(frames_.begin(), frames_.end(),
                                 [](const StackFrame& frame) { return frame.kind == AddressKind::user; });
  if (leaf == frames_.end() || (leaf != frames_.begin() && !leaves_->has_user_registers())) return;
  const std::optional<u64> link = link_register(sample);
  if (!link.has_value()) return;
  const auto caller = leaf + 1;
  const bool has_chain = caller != frames_.end();
  const LinkUse use = leaves_->use_of(space, leaf->address, *link, has_chain);
  if (use == LinkUse::other || (use == LinkUse::maybe_recorded && has_chain && caller->address == *link)) return;
  frames_.insert(caller, {*link, AddressKind::user});
}

void SampleReader::unwind(const Sample& sample, u32 space) {
  const auto is_user = [](const StackFrame& frame) { return frame.kind == AddressKind::user; };
  const auto user_part = std::stable_partition(frames_.begin() + 1, frames_.end(), std::not_fn(is_user));
  unwound_.clear();
  const unwind::Ending ending = unwinder_->add_callers(sample, space, unwound_);
  if (ending == unwind::Ending::stack_copy_too_short && user_part != frames_.end()) {
    std::vector<u64> pointers;
    std::transform(user_part, frames_.end(), std::back_inserter(pointers),
                   [](const StackFrame& frame) { return frame.address; });
    if (continue_by_pointers(unwound_, pointers)) ++profile_.losses.stacks_continued;
  }
  frames_.erase(user_part, frames_.end());
  for (const u64 address : unwound_) frames_.push_back({address, AddressKind::user});
}

}  // namespace wperf::recording
