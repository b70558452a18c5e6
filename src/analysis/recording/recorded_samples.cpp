// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>

#include "analysis/recording/history_ahead.h"
#include "analysis/recording/leaf_callers.h"
#include "analysis/recording/record_callers.h"
#include "analysis/recording/recorded_about.h"
#include "analysis/recording/recorded_jit.h"
#include "analysis/recording/recorded_losses.h"
#include "analysis/recording/recorded_moments.h"
#include "analysis/recording/recorded_places.h"
#include "analysis/recording/recorded_records.h"
#include "analysis/recording/recorded_tasks.h"
#include "analysis/recording/recorded_unwinding.h"
#include "analysis/recording/sample_chain.h"
#include "analysis/recording/sample_tally.h"
#include "code/modules/symbol_folders.h"
#include "formats/perf_data/history_collector.h"
#include "formats/spe/contract_names.h"
#include "model/stacks/branch_edges.h"

namespace wperf::recording {
namespace {

using perf_data::ProcessHistory;
using perf_data::Record;
using perf_data::Sample;
using stacks::AddressKind;
using stacks::StackFrame;

constexpr u32 kMonotonicClock = 1;  // CLOCK_MONOTONIC

// Without a description in the file: "type:configuration".
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

class SampleReader {
 public:
  SampleReader(const perf_data::PerfFile& file, const ReadOptions& wanted, stacks::StackProfile& profile)
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
      has_callchains_ = has_callchains_ || attributes.has(perf_data::kSampleCallchain | perf_data::kSampleUserStack) ||
                        attributes.user_registers != 0;
    }
    if (profile_.events.empty()) profile_.events.emplace_back().name = "unknown";
    profile_.has_callers = has_callchains_;
  }

  // One of these identifies a thread. Only the complete history knows code that was made at run time.
  void follow(HistoryAhead& ahead) {
    ahead_ = &ahead;
    tasks_.look_up_with([&ahead](u32 pid, u32 tid, u64 when) { return ahead.task_at(pid, tid, when); });
  }
  void look_up_in(const ProcessHistory& history, std::span<const std::string> folders) {
    history_ = &history;
    tasks_.look_up_with([&history](u32 pid, u32 tid, u64 when) { return history.task_at(pid, tid, when); });
    const bool monotonic = !file_.attrs().empty() && file_.attrs()[0].attributes.uses_clock_id() &&
                           file_.attrs()[0].attributes.clock_id == kMonotonicClock;
    jit_ = RecordedJit::open(history, monotonic && has_times_, file_.features().section(perf_data::kMadeCodeFeature),
                             folders);
  }
  // Callers of functions that have not saved the link register.
  void call_leaves_with(LeafCallers& leaves) { leaves_ = &leaves; }
  void slice_time(const stacks::TimeSlices& slices) { profile_.slices = slices; }
  // Callers of user code come from copies of stacks, if the file has them.
  void unwind_with(RecordedUnwinder& unwinder) { unwinder_ = &unwinder; }

  void limit_time(const request::TimeSpan& span, u64 first) {
    const auto moment = [first](double seconds) {
      const double ns = seconds * 1e9;
      return ns >= 1.8e19 ? ~u64{0} : first + std::min(static_cast<u64>(ns), ~u64{0} - first);
    };
    is_limited_ = true;
    begin_ = span.from.has_value() ? moment(*span.from) : 0;
    end_ = span.to.has_value() ? moment(*span.to) : ~u64{0};
  }

  // Adds the operations that SPE recorded, each kind as an event; they have no callers.
  void add_operations(const perf_data::AuxTraces& traces);
  void run();
  stacks::StackAggregator finish(const ProcessHistory& history);
  std::vector<SampleTally::Part> take_parts() { return tally_.take_parts(); }
  stacks::GrowingArray<u32> take_rows() { return tally_.take_rows(); }
  stacks::Moments take_moments() { return moments_.finish(tally_.take_order(), profile_.events); }
  const RecordedJit& jit() const { return jit_; }

 private:
  void note_time(u64 time) {
    first_time_ = std::min(first_time_, time);
    last_time_ = std::max(last_time_, time);
  }
  bool is_within_time(const Sample& sample) const { return sample.time >= begin_ && sample.time <= end_; }
  void take(const Sample& sample, const Record& record);
  void take_weighted(const Sample& sample, const Record& record);
  void take_values(const Sample& sample, u32 sampled, u64 when, bool is_wanted);
  void add(const Sample& sample, u32 event, u64 period, u64 when);
  using Origin = stacks::StackAggregator::Origin;
  void add_branches(const Sample& sample, u32 event, u64 when);
  void add_operation_branch(const spe::Record& record, const Origin& origin, u32 pid, u64 time);
  void add_branch(const stacks::RecordedBranch& branch, Origin origin, u32 pid, u64 time);
  void unwind(const Sample& sample, u32 space);
  void add_leaf_caller(const Sample& sample, u32 space);

  const perf_data::PerfFile& file_;
  const ProcessHistory* history_ = nullptr;
  HistoryAhead* ahead_ = nullptr;
  const ReadOptions& wanted_;
  const bool has_times_;
  stacks::StackProfile& profile_;
  SampleTally tally_;
  RecordedTasks tasks_;
  CounterGrowth growth_;
  std::vector<StackFrame> frames_;
  u64 samples_ = 0;  // the number of samples read so far
  RecordedUnwinder* unwinder_ = nullptr;
  DeferredStacks deferred_;
  LeafCallers* leaves_ = nullptr;
  std::vector<u64> unwound_;
  MomentReader moments_;
  u64 begin_ = 0, end_ = ~u64{0};
  u64 first_time_ = ~u64{0}, last_time_ = 0;
  bool is_limited_ = false;  // samples without a time are left out
  bool has_callchains_ = false;
  RecordedJit jit_;
};

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
  // Packed records come here only if their file does not mention them, so they were not unpacked.
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

void SampleReader::add_operations(const perf_data::AuxTraces& traces) {
  const CanonicalCode canonical(*history_);
  const RecordedRecords records(traces, canonical);
  DecodeStates states;
  std::map<std::pair<spe::OperationName, u64>, u32> events;
  const auto section = file_.features().section(perf_data::kRecordStacksFeature);
  const bool has_no_callers = wanted_.only_native || wanted_.branches;
  RecordCallers callers(has_no_callers ? perf_data::RecordStacks() : perf_data::read_record_stacks(section));
  const auto cycles = static_cast<u32>(profile_.events.size());
  if (callers.are_known()) {
    profile_.has_callers = true;
    profile_.events.emplace_back().name = "total_latency";
  }
  records.for_each_as_recorded(
      states, [&](u32 process, u64 time, const spe::Origin& origin, const spe::Record& record) {
        const bool has_time = time < ~u64{0} - 1;
        if (has_time ? time < begin_ || time > end_ : is_limited_) return;
        if (has_time) note_time(time);
        const u32 thread = spe::thread_of(origin, record);
        const u32 pid = process != ProcessHistory::kNobody ? process : 0;
        const RecordedTasks::Task& task = tasks_.at(pid, thread != spe::kNoThread ? thread : pid, time);
        if (wanted_.branches) return add_operation_branch(record, {0, task.number, 0, task.space}, pid, time);
        const std::pair kind{spe::operation_name(record), spe::contract_events(record.events())};
        const auto [event, is_new] = events.try_emplace(kind, static_cast<u32>(profile_.events.size()));
        if (is_new) profile_.events.emplace_back().name = spe::source_name(kind.first, kind.second);
        Origin where{event->second, task.number, wanted_.cores ? origin.core : 0, task.space,
                     has_time && profile_.slices.count != 0 ? profile_.slices.at(time) : 0};
        const AddressKind code = record.exception_level() == 0 ? AddressKind::user : AddressKind::kernel;
        frames_.assign(1, {record.pc(), code});
        if (callers.are_known()) callers.add_to(origin.core, record, frames_);
        if (!jit_.empty()) jit_.replace_addresses(pid, time, frames_);
        const auto count = [&](u32 counted, u64 weight) {
          where.event = counted;
          ++profile_.events[counted].samples;
          profile_.events[counted].period += weight;
          if (wanted_.times) moments_.add_time(has_time ? time : 0, wanted_.sample_times);
          tally_.add(SampleTally::kNotOfFile, frames_, where, weight);
        };
        count(event->second, 1);
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

// Counters that were read along: the sample has, for each of them, the count since the previous sample, which may lie
// outside of the wanted time.
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

// The branches of a sample count instead of the sample.
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
  // If the frames are not those of the call chain, two samples can be compared only by their frames.
  collect_frames(chain, frames_);
  if (is_put_off && !deferred_.append_to(frames_, sample)) ++profile_.losses.stacks_undelivered;
  if (has_copy) unwind(sample, task.space);
  if (leaves_ != nullptr) add_leaf_caller(sample, task.space);
  if (!jit_.empty()) jit_.replace_addresses(sample.pid, sample.time, frames_);
  tally_.add(samples_ - 1, frames_, origin, period);
}

void SampleReader::add_leaf_caller(const Sample& sample, u32 space) {
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

void count_incomplete(const RecordedUnwinder::Incomplete& incomplete, stacks::StackLosses& losses) {
  losses.stacks_cut = incomplete.stack_copy_too_short - losses.stacks_continued;
  losses.stacks_without_table = incomplete.no_table;
  losses.stacks_damaged = incomplete.damaged;
  losses.stacks_of_32_bits = incomplete.of_32_bits;
}

ProcessHistory::Span span_of(const ProcessHistory& history, const perf_data::AuxTraces* traces) {
  ProcessHistory::Span span = history.samples();
  const auto widen = [&span](u64 time) {
    span.begin = span.end == 0 ? time : std::min(span.begin, time);
    span.end = std::max(span.end, time);
  };
  if (traces == nullptr) return span;
  const CanonicalCode canonical(history);
  DecodeStates states;
  RecordedRecords(*traces, canonical)
      .for_each_as_recorded(states, [&](u32, u64 time, const spe::Origin&, const spe::Record&) {
        if (time < ~u64{0} - 1) widen(time);
      });
  return span;
}

// The time span in the file's header; nullopt if the header has none.
std::optional<ProcessHistory::Span> told_span(const perf_data::PerfFile& file) {
  const std::optional<perf_data::SampleTime> time = file.features().sample_time();
  if (!time.has_value() || time->first == 0) return std::nullopt;
  return ProcessHistory::Span{time->first, time->last};
}

// Sums of values from a file must not wrap.
void add_capped(u64& sum, u64 more) {
  sum += std::min(more, ~u64{0} - sum);
}

void add_run(const perf_data::RunFacts& run, stacks::StackProfile& profile) {
  profile.note = run.note;
  for (const perf_data::CoreFacts& core : run.cores) {
    add_capped(profile.losses.lost_samples, core.lost_ring_full);
    add_capped(profile.losses.filtered, core.lost_filtered);
    add_capped(profile.losses.held_back, core.held_back);
    add_capped(profile.losses.register_losses, core.register_losses);
  }
  profile.losses.stacks_cut = run.stacks.cut;
  profile.losses.stacks_without_table = run.stacks.without_table;
  profile.losses.stacks_damaged = run.stacks.damaged;
  profile.losses.stacks_of_32_bits = run.stacks.of_32_bits;
  profile.losses.stacks_by_pointers = run.stacks.by_pointers;
  profile.python = run.python;
}

// One reading of a file. Names and mappings are collected while the samples are read, if that gives the same result;
// otherwise before them.
class RecordingReader {
 public:
  RecordingReader(const perf_data::PerfFile& file, const ReadOptions& wanted)
      : file_(file), wanted_(wanted), folders_(modules::symbol_folders(wanted.symbols.symbol_path)) {
    out_.run = perf_data::read_run_facts(file.features().section(perf_data::kRunFactsFeature));
    has_run_time_ = out_.run.has_value() && out_.run->start_ns < out_.run->end_ns;
    of_windows_ = out_.run.has_value() && out_.run->windows;
    wants_span_ = wanted.time.has_value() || (wanted.slice_ns != 0 && !has_run_time_);
    has_leaves_ = wanted.callers && (of_windows_ || LeafCallers::are_told_by_perf(file));
    has_copies_ =
        wanted.callers && std::any_of(file.attrs().begin(), file.attrs().end(), [](const perf_data::Event& event) {
          return event.attributes.has(perf_data::kSampleUserStack);
        });
  }

  RecordedSamples read() {
    if (!read_with_history_ahead()) read_after_history();
    stacks::StackAggregator aggregator = reader_->finish(*history_);
    add_facts();
    name(aggregator);
    if (wanted_.rows || wanted_.sample_rows) {
      out_.row_of_sample = reader_->take_rows();
      out_.parts = reader_->take_parts();
    }
    if (wanted_.times) out_.moments = reader_->take_moments();
    return std::move(out_);
  }

 private:
  using Span = ProcessHistory::Span;

  void begin_reading() {
    out_.profile = {};
    out_.profile.file = wanted_.file;
    if (wanted_.core_kinds) out_.profile.core_kinds = recorded_core_kinds(file_);
    reader_.emplace(file_, wanted_, out_.profile);
  }

  // `samples`: from the first to the last, if needed.
  void place_in_time(const Span& samples) {
    if (wanted_.time.has_value()) reader_->limit_time(*wanted_.time, wanted_.time_origin.value_or(samples.begin));
    if (wanted_.slice_ns == 0) return;
    const Span sliced = has_run_time_ ? Span{out_.run->start_ns, out_.run->end_ns} : samples;
    reader_->slice_time(stacks::make_time_slices(sliced.begin, sliced.end, wanted_.slice_ns));
  }

  // Returns false if the samples must be read after the history.
  bool read_with_history_ahead() {
    const std::optional<Span> told = told_span(file_);
    const bool needs_history = (wants_span_ && !told.has_value()) || has_leaves_ || has_copies_ ||
                               wanted_.traces != nullptr ||
                               !file_.features().section(perf_data::kMadeCodeFeature).empty();
    if (needs_history || !HistoryAhead::is_of_use(file_)) return false;
    HistoryAhead ahead(file_);
    begin_reading();
    place_in_time(told.value_or(Span{}));
    reader_->follow(ahead);
    reader_->run();
    history_ = ahead.finish();
    if (wants_span_ && history_.has_value() && history_->samples() != *told) history_.reset();
    return history_.has_value();
  }

  void read_after_history() {
    history_ = ProcessHistory::collect(file_);
    begin_reading();
    reader_->look_up_in(*history_, folders_);
    place_in_time(wants_span_ ? span_of(*history_, wanted_.traces) : Span{});
    const modules::ElfSearch elf_files{.folders = folders_, .lines = false};
    if (has_leaves_) reader_->call_leaves_with(leaves_.emplace(file_, *history_, of_windows_, elf_files));
    if (has_copies_) reader_->unwind_with(unwinder_.emplace(file_, *history_, elf_files));
    reader_->run();
    if (wanted_.traces != nullptr) reader_->add_operations(*wanted_.traces);
  }

  void add_facts() {
    out_.about = recorded_about(file_.features(), out_.run);
    if (out_.run.has_value()) {
      add_run(*out_.run, out_.profile);
      out_.profile.losses.stacks_of_whole = wanted_.weights != nullptr || wanted_.time.has_value();
    }
    if (unwinder_.has_value()) count_incomplete(unwinder_->incomplete(), out_.profile.losses);
  }

  void name(stacks::StackAggregator& aggregator) {
    const bool needs_lines = wanted_.lines || wanted_.inlined || wanted_.code_lines || wanted_.files_with_lines;
    const PlaceOptions options{.jit = &reader_->jit(),
                               .search = {.folders = folders_,
                                          .lines = needs_lines,
                                          .downloads = wanted_.downloads,
                                          .functions = wanted_.functions},
                               .images = images(),
                               .lines = wanted_.lines,
                               .inlined = wanted_.inlined,
                               .decorated = wanted_.symbols.decorated,
                               .signatures = wanted_.signatures,
                               .code = wanted_.code,
                               .code_lines = wanted_.code_lines,
                               .line_ranges = wanted_.line_ranges,
                               .rvas = wanted_.rvas,
                               .lists = wanted_.rows,
                               .tell = wanted_.tell_naming,
                               .opened = wanted_.code ? nullptr : wanted_.opened};
    NamedPlaces named = name_places(file_, *history_, aggregator, options, out_.profile);
    out_.files = std::move(named.files);
    out_.lists = std::move(named.lists);
  }

  modules::SymbolOptions images() const {
    modules::SymbolOptions options = wanted_.symbols;
    if (out_.run.has_value() && !out_.run->pdb_file.empty()) options.recorded_pdb_files.push_back(out_.run->pdb_file);
    return options;
  }

  const perf_data::PerfFile& file_;
  const ReadOptions& wanted_;
  std::vector<std::string> folders_;
  bool has_run_time_ = false, of_windows_ = false;
  bool wants_span_ = false;  // the times of the first and the last sample are needed
  bool has_leaves_ = false, has_copies_ = false;
  RecordedSamples out_;
  std::optional<ProcessHistory> history_;
  std::optional<SampleReader> reader_;
  std::optional<LeafCallers> leaves_;
  std::optional<RecordedUnwinder> unwinder_;
};

}  // namespace

RecordedSamples read_recorded_samples(const perf_data::PerfFile& file, const ReadOptions& wanted) {
  return RecordingReader(file, wanted).read();
}

}  // namespace wperf::recording
