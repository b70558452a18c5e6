// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/recorded_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "import/perf_data/task_history.h"
#include "pipeline/recorded_places.h"
#include "pipeline/symbol_folders.h"
#include "stacks/stack_tally.h"

namespace wperf::pipeline {
namespace {

using perf_data::Record;
using perf_data::Sample;
using perf_data::TaskHistory;
using stacks::AddressKind;
using stacks::StackFrame;

constexpr u64 kDeferredMark = ~u64{0} - 639;  // the user part of the stack follows in another record

AddressKind kind_of_mode(u32 cpu_mode) {
  constexpr u32 kKernelMode = 1, kUserMode = 2;
  if (cpu_mode == kKernelMode) return AddressKind::kernel;
  return cpu_mode == kUserMode ? AddressKind::user : AddressKind::other;
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
      has_callchains_ = has_callchains_ || event.attributes.has(perf_data::kSampleCallchain);
    }
    if (profile_.events.empty()) profile_.events.emplace_back().name = "unknown";
    profile_.has_callers = has_callchains_;
  }

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

 private:
  struct KnownTask {
    u32 pid = ~u32{0}, tid = ~u32{0};
    u32 task = 0, space = 0;
    u64 begin = 1, end = 0;
  };

  void take(const Sample& sample, const Record& record);
  void take_values(const Sample& sample, u64 when);
  void add(const Sample& sample, u32 event, u64 period, u64 when);
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
  u64 begin_ = 0, end_ = ~u64{0};
  u64 first_time_ = ~u64{0}, last_time_ = 0;
  bool has_callchains_ = false;
};

stacks::StackTally SampleReader::run() {
  stacks::StackLosses& losses = profile_.losses;
  const perf_data::Tally tally = file_.for_each_record(perf_data::Visitors{
      [&](const Sample& sample, const Record& record) { take(sample, record); },
      [&](const perf_data::Lost& lost, const Record&) { losses.lost_records += lost.records; },
      [&](const perf_data::LostSamples& lost, const Record&) { losses.lost_samples += lost.samples; },
      [&](const perf_data::Throttle& throttle, const Record& record) {
        losses.throttled += record.kind() == perf_data::RecordType::throttle ? 1 : 0;
        static_cast<void>(throttle);
      },
  });
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
  for (const stacks::TalliedSample& one : tally_.samples()) {
    profile_.samples.push_back({one.event, one.task, one.core, one.node, one.count, one.period});
  }
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
  const KnownTask& task = task_of(sample.pid, sample.tid, when);
  collect_frames(sample, wanted_.callers, frames_);
  tally_.add(event, task.task, wanted_.cores ? sample.cpu : 0, task.space, frames_, period);
  ++profile_.events[event].samples;
  profile_.events[event].period += period;
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

}  // namespace

WantedDetail wanted_detail(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  WantedDetail wanted;
  wanted.callers = view.children || view.tree || view.callers || view.callees || view.folded;
  const auto sorts_by = [&](request::SortBy key) {
    return std::find(view.sort.begin(), view.sort.end(), key) != view.sort.end();
  };
  wanted.lines = sorts_by(request::SortBy::line);
  const auto& by = request.sampling.display.by;
  wanted.cores =
      sorts_by(request::SortBy::core) || std::find(by.begin(), by.end(), request::Breakdown::core) != by.end();
  wanted.callers = wanted.callers || std::find(by.begin(), by.end(), request::Breakdown::caller) != by.end();
  return wanted;
}

stacks::StackProfile read_recorded_samples(const perf_data::PerfFile& file, const request::Request& request,
                                           const WantedDetail& wanted) {
  stacks::StackProfile profile;
  profile.file = request.data_file.value_or("");
  const TaskHistory history = TaskHistory::collect(file);
  SampleReader reader(file, history, wanted, profile);
  if (request.recording.time.has_value()) reader.limit_time(*request.recording.time);
  const stacks::StackTally tally = reader.run();
  const PlaceOptions options{.search = {.folders = symbol_folders(request), .lines = wanted.lines},
                             .decorated = request.sampling.display.decorated_names};
  name_places(file, history, tally, options, profile);
  return profile;
}

}  // namespace wperf::pipeline
