// SPDX-License-Identifier: BSD-3-Clause
#include "recording/recorded_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "import/perf_data/task_history.h"
#include "modules/symbol_folders.h"
#include "recording/recorded_core_kinds.h"
#include "recording/recorded_jit.h"
#include "recording/recorded_losses.h"
#include "recording/recorded_places.h"
#include "recording/recorded_unwinding.h"
#include "stacks/stack_tally.h"

namespace wperf::recording {
namespace {

using perf_data::Record;
using perf_data::Sample;
using perf_data::TaskHistory;
using stacks::AddressKind;
using stacks::StackFrame;

constexpr u64 kDeferredMark = ~u64{0} - 639;  // the user part of the stack follows in another record
constexpr u32 kMonotonicClock = 1;            // CLOCK_MONOTONIC

AddressKind kind_of_mode(u32 cpu_mode) {
  if (cpu_mode == perf_data::kKernelMode) return AddressKind::kernel;
  return cpu_mode == perf_data::kUserMode ? AddressKind::user : AddressKind::other;
}

AddressKind kind_of_mark(u64 mark) {
  if (mark == perf_data::kCallchainKernel) return AddressKind::kernel;
  return mark == perf_data::kCallchainUser ? AddressKind::user : AddressKind::other;
}

// The sample's own address, then its callers.
void collect_frames(const Sample& sample, bool callers, std::vector<StackFrame>& out) {
  out.clear();
  AddressKind kind = kind_of_mode(sample.cpu_mode());
  out.push_back({sample.ip, kind});
  if (!callers) return;
  bool is_first = true;
  for (usize i = 0; i < sample.callchain.size(); ++i) {
    const u64 address = sample.callchain[i];
    if (address == kDeferredMark) break;
    if (address >= perf_data::kCallchainMarks) {
      kind = kind_of_mark(address);
      continue;
    }
    // The stack begins with the interrupted instruction again; a precise event puts it a little off.
    const bool again = is_first && (address == sample.ip || sample.exact_ip());
    is_first = false;
    if (!again) out.push_back({address, kind});
  }
}

stacks::SampleHash hash_of(const stacks::StackTally::Origin& origin) {
  stacks::SampleHash hash;
  hash.mix((u64{origin.event} << 32) | origin.task);
  hash.mix((u64{origin.core} << 32) | origin.space);
  return hash;
}

stacks::SampleHash hash_of(const std::vector<StackFrame>& frames, const stacks::StackTally::Origin& origin) {
  stacks::SampleHash hash = hash_of(origin);
  for (const StackFrame& frame : frames) {
    hash.mix(frame.address);
    hash.mix(static_cast<u64>(frame.kind));
  }
  return hash;
}

// Of all that collect_frames() looks at.
stacks::SampleHash hash_of(const Sample& sample, const stacks::StackTally::Origin& origin, bool callers) {
  stacks::SampleHash hash = hash_of(origin);
  hash.mix(sample.ip);
  hash.mix(sample.misc);
  if (callers) hash.mix_words(sample.callchain.bytes());
  return hash;
}

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

class SampleReader {
 public:
  SampleReader(const perf_data::PerfFile& file, const TaskHistory& history, const WantedDetail& wanted,
               stacks::StackProfile& profile)
      : file_(file), history_(history), wanted_(wanted), profile_(profile) {
    profile_.names = history.names();
    for (const perf_data::Event& event : file.attrs()) {
      profile_.events.emplace_back().name = event_name(event);
      has_callchains_ =
          has_callchains_ || event.attributes.has(perf_data::kSampleCallchain | perf_data::kSampleUserStack);
    }
    if (profile_.events.empty()) profile_.events.emplace_back().name = "unknown";
    profile_.has_callers = has_callchains_;
    const bool monotonic = !file.attrs().empty() && file.attrs()[0].attributes.uses_clock_id() &&
                           file.attrs()[0].attributes.clock_id == kMonotonicClock;
    jit_ = RecordedJit::open(history, monotonic && history.has_times());
  }

  // Callers of user code come from copies of stacks, where there are any.
  void unwind_with(RecordedUnwinder& unwinder) { unwinder_ = &unwinder; }

  void limit_time(const request::TimeSpan& span) {
    u64 first = ~u64{0};
    file_.for_each_record([&](const Sample& sample, const Record&) { first = std::min(first, sample.time); });
    const auto moment = [first](double seconds) {
      const double ns = seconds * 1e9;
      return ns >= 1.8e19 ? ~u64{0} : first + std::min(static_cast<u64>(ns), ~u64{0} - first);
    };
    begin_ = span.from.has_value() ? moment(*span.from) : 0;
    end_ = span.to.has_value() ? moment(*span.to) : ~u64{0};
  }

  stacks::StackTally run();
  std::vector<u32> take_rows() { return std::move(rows_); }
  const RecordedJit& jit() const { return jit_; }

 private:
  struct KnownTask {
    u32 pid = ~u32{0}, tid = ~u32{0};
    u32 task = 0, space = 0;
    u64 begin = 1, end = 0;
  };

  void take(const Sample& sample, const Record& record);
  void take_values(const Sample& sample, u64 when);
  void add(const Sample& sample, u32 event, u64 period, u64 when);
  void unwind(const Sample& sample, u32 space);
  const KnownTask& task_of(u32 pid, u32 tid, u64 when);
  u32 name_of(u32 tid, u32 name);

  static constexpr usize kKnownTasks = 256;

  const perf_data::PerfFile& file_;
  const TaskHistory& history_;
  const WantedDetail& wanted_;
  stacks::StackProfile& profile_;
  stacks::StackTally tally_;
  stacks::IdTable tasks_;
  std::array<KnownTask, kKnownTasks> known_tasks_{};
  std::unordered_map<u32, u32> nameless_;  // tid → index into names
  std::unordered_map<u64, u64> values_;    // of a counter by id, as the sample before told it
  std::vector<StackFrame> frames_;
  u32 last_row_ = stacks::StackTally::kNoRow;
  std::vector<u32> rows_;  // by sample of the file
  RecordedUnwinder* unwinder_ = nullptr;
  std::vector<u64> unwound_;
  u64 begin_ = 0, end_ = ~u64{0};
  u64 first_time_ = ~u64{0}, last_time_ = 0;
  bool has_callchains_ = false;
  RecordedJit jit_;
};

stacks::StackTally SampleReader::run() {
  stacks::StackLosses& losses = profile_.losses;
  RecordedLosses lost_ones;
  const perf_data::Tally tally = file_.for_each_record(perf_data::Visitors{
      [&](const Sample& sample, const Record& record) {
        last_row_ = stacks::StackTally::kNoRow;
        take(sample, record);
        if (wanted_.rows) rows_.push_back(last_row_);
      },
      [&](const perf_data::Lost& lost, const Record&) { lost_ones.add(lost); },
      [&](const perf_data::LostSamples& lost, const Record&) { lost_ones.add(lost); },
      [&](const perf_data::Throttle& throttle, const Record&) { losses.throttled += throttle.is_end ? 0 : 1; },
  });
  losses.lost_records = lost_ones.of_rings();
  losses.lost_samples = lost_ones.others(counts_losses(file_));
  losses.of_unknown_event = tally.of_unknown_event;
  losses.damaged_records = tally.all_damaged() - tally.of_unknown_event;
  losses.unknown_types = tally.unknown;
  losses.unknown_records = tally.of_further_unknown;
  for (const auto& [type, count] : tally.unknown) losses.unknown_records += count;
  for (u32 type = 1; type < perf_data::kRecordTypes; ++type) {
    if (tally.by_type[type] == 0 || !perf_data::record_name(type).empty()) continue;
    losses.unknown_types.emplace_back(type, tally.by_type[type]);
    losses.unknown_records += tally.by_type[type];
  }
  losses.merged_changes = history_.merged_changes();
  if (first_time_ < last_time_) profile_.elapsed_seconds = static_cast<double>(last_time_ - first_time_) / 1e9;
  profile_.samples = tally_.take_samples();
  return std::move(tally_);
}

void SampleReader::take(const Sample& sample, const Record& record) {
  if (sample.time < begin_ || sample.time > end_) return;
  if (sample.time != 0) {
    first_time_ = std::min(first_time_, sample.time);
    last_time_ = std::max(last_time_, sample.time);
  }
  const u64 when = history_.has_times() ? sample.time : record.file_offset;
  const u32 event = sample.event == perf_data::kNoEvent ? 0 : sample.event;
  if (file_.attrs()[event].attributes.has(perf_data::kSampleRead)) return take_values(sample, when);
  add(sample, event, sample.period, when);
}

// Counters that were read along: the sample counts for each of them, with what it counted since the one before.
void SampleReader::take_values(const Sample& sample, u64 when) {
  const perf_data::CounterValues& counters = sample.counters;
  for (u32 i = 0; i < counters.count; ++i) {
    const u64 id = (counters.format & perf_data::kReadId) != 0 ? counters.id(i) : sample.id;
    u64& before = values_[id];
    const u64 grown = counters.value(i) - before;
    before = counters.value(i);
    const u32 event = file_.events().index_of(id);
    if (grown == 0) continue;
    add(sample,
        event != perf_data::kNoEvent          ? event
        : sample.event == perf_data::kNoEvent ? 0
                                              : sample.event,
        grown, when);
  }
}

void SampleReader::add(const Sample& sample, u32 event, u64 period, u64 when) {
  ++profile_.events[event].samples;
  profile_.events[event].period += period;
  const KnownTask& task = task_of(sample.pid, sample.tid, when);
  const stacks::StackTally::Origin origin{event, task.task, wanted_.cores ? sample.cpu : 0, task.space};
  // Where the frames are not those of the call chain, only they tell whether the sample is like another.
  const bool has_copy = unwinder_ != nullptr && RecordedUnwinder::has_stack(sample);
  const bool from_chain = !has_copy && jit_.empty();
  stacks::SampleHash hash;
  if (from_chain) {
    hash = hash_of(sample, origin, wanted_.callers);
    last_row_ = tally_.add_again(hash, period);
    if (last_row_ != stacks::StackTally::kNoRow) return;
  }
  collect_frames(sample, wanted_.callers, frames_);
  if (!jit_.empty()) jit_.replace_addresses(sample.pid, sample.time, frames_);
  if (has_copy) unwind(sample, task.space);
  if (!from_chain) hash = hash_of(frames_, origin);
  last_row_ = tally_.add(hash, origin, frames_, period);
}

void SampleReader::unwind(const Sample& sample, u32 space) {
  const auto is_user = [](const StackFrame& frame) { return frame.kind == AddressKind::user; };
  frames_.erase(std::remove_if(frames_.begin() + 1, frames_.end(), is_user), frames_.end());
  unwound_.clear();
  unwinder_->add_callers(sample, space, unwound_);
  for (const u64 address : unwound_) frames_.push_back({address, AddressKind::user});
}

const SampleReader::KnownTask& SampleReader::task_of(u32 pid, u32 tid, u64 when) {
  KnownTask& known = known_tasks_[tid % kKnownTasks];
  if (known.pid == pid && known.tid == tid && when >= known.begin && when < known.end) return known;
  const TaskHistory::Task task = history_.task_at(pid, tid, when);
  const u32 name = name_of(tid, task.name);
  const auto [number, is_new] = tasks_.insert((u64{pid} << 32) | tid, name);
  if (is_new) profile_.tasks.push_back({pid, tid, name});
  known = {pid, tid, number, task.space, task.begin, task.end};
  return known;
}

// A thread that nobody named is called by its number, as perf does it.
u32 SampleReader::name_of(u32 tid, u32 name) {
  if (name != perf_data::kNoCode) return name;
  const auto [entry, is_new] = nameless_.try_emplace(tid, static_cast<u32>(profile_.names.size()));
  if (is_new) profile_.names.push_back(fmt::format(":{}", static_cast<int>(tid)));
  return entry->second;
}

void count_incomplete(const RecordedUnwinder::Incomplete& incomplete, stacks::StackLosses& losses) {
  losses.stacks_cut = incomplete.stack_copy_too_short;
  losses.stacks_without_table = incomplete.no_table;
  losses.stacks_damaged = incomplete.damaged;
  losses.stacks_of_32_bits = incomplete.of_32_bits;
}

}  // namespace

WantedDetail wanted_detail(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  WantedDetail wanted;
  wanted.callers = view.children || view.tree || view.callers || view.callees || view.folded ||
                   request.sampling.records_file.has_value();
  const auto sorts_by = [&](request::SortBy key) {
    return std::find(view.sort.begin(), view.sort.end(), key) != view.sort.end();
  };
  wanted.lines = sorts_by(request::SortBy::line);
  wanted.inlined = view.inlined;
  wanted.code = request.sampling.display.annotate;
  wanted.rows = request.sampling.records_file.has_value();
  const auto& by = request.sampling.display.by;
  wanted.core_kinds = sorts_by(request::SortBy::core_kind);
  wanted.cores = wanted.core_kinds || sorts_by(request::SortBy::core) ||
                 std::find(by.begin(), by.end(), request::Breakdown::core) != by.end();
  wanted.callers = wanted.callers || std::find(by.begin(), by.end(), request::Breakdown::caller) != by.end();
  return wanted;
}

RecordedSamples read_recorded_samples(const perf_data::PerfFile& file, const request::Request& request,
                                      const WantedDetail& wanted) {
  RecordedSamples out;
  stacks::StackProfile& profile = out.profile;
  profile.file = request.data_file.value_or("");
  const TaskHistory history = TaskHistory::collect(file);
  if (wanted.core_kinds) profile.core_kinds = recorded_core_kinds(file);
  SampleReader reader(file, history, wanted, profile);
  if (request.recording.time.has_value()) reader.limit_time(*request.recording.time);
  std::optional<RecordedUnwinder> unwinder;
  const bool has_copies = std::any_of(file.attrs().begin(), file.attrs().end(), [](const perf_data::Event& event) {
    return event.attributes.has(perf_data::kSampleUserStack);
  });
  if (wanted.callers && has_copies) {
    unwinder.emplace(file, history, modules::ElfSearch{.folders = modules::symbol_folders(request), .lines = false});
    reader.unwind_with(*unwinder);
  }
  const stacks::StackTally tally = reader.run();
  if (unwinder.has_value()) count_incomplete(unwinder->incomplete(), profile.losses);
  const PlaceOptions options{.search = {.folders = modules::symbol_folders(request),
                                        .lines = wanted.lines || wanted.inlined || wanted.code,
                                        .downloads = wanted.downloads,
                                        .functions = wanted.functions},
                             .lines = wanted.lines,
                             .inlined = wanted.inlined,
                             .decorated = request.sampling.display.decorated_names,
                             .code = wanted.code,
                             .lists = wanted.rows};
  NamedPlaces named = name_places(file, history, tally, reader.jit(), options, profile);
  out.sites = std::move(named.sites);
  out.lists = std::move(named.lists);
  if (wanted.rows) out.row_of_sample = reader.take_rows();
  return out;
}

}  // namespace wperf::recording
