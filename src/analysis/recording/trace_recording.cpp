// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/trace_recording.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "analysis/recording/python_names.h"
#include "analysis/recording/trace_collector.h"
#include "code/symbols/listed/jit_dump_writer.h"
#include "formats/perf_data/byte_writing.h"
#include "formats/perf_data/event_attributes.h"
#include "formats/perf_data/format.h"
#include "formats/perf_data/perf_file_layout.h"
#include "formats/perf_data/record_bytes.h"
#include "formats/perf_data/run_facts.h"
#include "ground/text/base_name.h"

namespace wperf::recording {
namespace {

constexpr u32 kSoftwareEvent = 1, kRawEvent = 4;
constexpr u64 kDummyEvent = 9;  // the dummy event among perf's software events
constexpr u64 kSampleType = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime |
                            perf_data::kSampleId | perf_data::kSampleCpu | perf_data::kSamplePeriod |
                            perf_data::kSampleCallchain;
constexpr u32 kKernelProcess = ~u32{0};  // perf treats mappings of this process as kernel mappings
constexpr u64 kTimerUnitNs = 100;
constexpr usize kMostPending = 1 << 20;  // bytes that are collected before they are written to the file

stacks::Leaving leaving_of(u8 state) {
  // KTHREAD_STATE: initialized, ready, running, standby, terminated, waiting, transition, deferred ready.
  constexpr u8 kReady = 1, kRunning = 2, kStandby = 3, kTerminated = 4, kWaiting = 5, kDeferredReady = 7;
  switch (state) {
    case kReady:
    case kRunning:
    case kStandby:
    case kDeferredReady:
      return stacks::Leaving::preempted;
    case kTerminated:
      return stacks::Leaving::ended;
    case kWaiting:
      return stacks::Leaving::waits;
    default:
      return stacks::Leaving::unknown;
  }
}

class Writer {
 public:
  Writer(const etl::Trace& trace, const TraceCollector& collected, os::RecordingFile& file)
      : trace_(trace), collected_(collected), file_(file) {
    // A trace may list the intervals of all sources although only one has samples.
    std::vector<bool> is_used(collected.sources.size(), collected.samples.empty());
    for (const TakenSample& sample : collected.samples) is_used[sample.source] = true;
    for (usize i = 0; i < collected.sources.size(); ++i) {
      event_ids_.push_back(events_.size() + 1);
      if (!is_used[i]) continue;
      const TraceSource& source = collected.sources[i];
      const bool timer = !source.counter.has_value();
      // A sample of the timer stands for the time of one interval.
      const bool is_time = timer && source.has_interval();
      const perf_data::WrittenAttributes attributes{.type = timer ? kSoftwareEvent : kRawEvent,
                                                    .config = source.counter.value_or(is_time ? 0 : kDummyEvent),
                                                    .period = period_of(source),
                                                    .sample_type = kSampleType,
                                                    .kernel = true};
      events_.push_back({.name = source.shown_name(),
                         .attributes = perf_data::attribute_bytes(attributes),
                         .ids = {events_.size() + 1}});
    }
    if (!collected.switches.empty()) {
      constexpr u64 kContextSwitches = 3;
      const perf_data::WrittenAttributes attributes{
          .type = kSoftwareEvent, .config = kContextSwitches, .period = 1, .sample_type = kSampleType, .kernel = true};
      events_.push_back(
          {.name = kTraceSwitches, .attributes = perf_data::attribute_bytes(attributes), .ids = {events_.size() + 1}});
    }
  }

  u64 samples_of_nobody() const { return samples_of_nobody_; }
  // 0 if no sample has a stack.
  u64 samples_without_stack() const { return with_stack_ != 0 ? without_stack_ : 0; }
  RecordedSwitches take_switches() { return std::move(switches_); }

  void write(const std::string& version, bool notes_running) {
    const std::string beginning = perf_data::file_beginning(events_);
    file_.append(beginning);
    write_programs();
    write_samples();
    write_switches();
    if (notes_running || !switches_.switches.empty()) note_running();
    perf_data::append_finished_round(pending_);
    flush();
    const u64 record_bytes = file_.size() - beginning.size();
    perf_data::RecordingFacts facts;
    facts.version = version;
    facts.cores_online = facts.cores_available = trace_.header().processors;
    facts.os_release =
        fmt::format("Windows {}.{}.{}", trace_.header().os_major, trace_.header().os_minor, trace_.header().os_build);
    facts.moment_unix_ns = trace_.start_unix_ns();
    facts.moment_ns = time_of(std::max<u64>(trace_.header().first_ticks, 1));
    facts.jit_code = jit_code() + collected_.section(perf_data::kJitCodeFeature);
    facts.pdb_names = std::move(pdb_names_);
    if (!collected_.samples.empty()) {
      facts.first_sample_ns = time_of(collected_.samples.front().time);
      facts.last_sample_ns = time_of(collected_.samples.back().time);
    }
    const perf_data::FileEnding ending = perf_data::file_ending(events_, record_bytes, facts);
    file_.append(ending.tail);
    file_.replace_beginning(file_.error().has_value() ? perf_data::header_without_tail(events_, record_bytes)
                                                      : ending.header);
  }

 private:
  static u64 period_of(const TraceSource& source, u16 interval = 0) {
    if (source.intervals.empty()) return 1;
    const u64 length = source.intervals[interval];
    return source.counter.has_value() ? length : length * kTimerUnitNs;
  }
  u64 time_of(u64 ticks) const { return time_in_recording(trace_, ticks); }
  perf_data::Trailer trailer(u32 process, u32 thread, u64 ticks) const {
    return {.sample_type = kSampleType, .pid = process, .tid = thread, .time = time_of(ticks), .id = 1};
  }
  void flush() {
    file_.append(pending_);
    pending_.clear();
  }

  // A dump for each process, in the format that programs write on Linux.
  std::string jit_code() const {
    std::string section;
    for (const auto& [process, functions] : collected_.jit_code) {
      symbols::JitDumpWriter dump(process);
      for (const TraceCollector::TimedJitCode& one : functions) add_function(dump, one);
      dump.append_to(section);
    }
    return section;
  }

  void add_function(symbols::JitDumpWriter& dump, const TraceCollector::TimedJitCode& made) const {
    const etl::JitCodeEvent& code = made.code;
    const std::string name = code.file.empty() ? code.name : made_python_name(code.name, code.file);
    dump.add({.begin = code.begin, .size = code.size, .since = time_of(made.time), .name = name});
  }

  void write_programs() {
    const etl::TraceHistory& history = collected_.history;
    for (const etl::TraceHistory::Process& one : history.processes()) {
      perf_data::append_comm(pending_, {one.process, one.process}, one.image, true,
                             trailer(one.process, one.process, one.begin));
    }
    for (const etl::TraceHistory::Thread& one : history.threads()) {
      const perf_data::Trailer at = trailer(one.process, one.thread, one.begin);
      perf_data::append_fork(pending_, {one.process, one.thread}, {one.process, one.process}, at.time, at);
      // Several processes may have had this number, one after the other.
      const std::string_view name =
          !one.name.empty() ? std::string_view(one.name) : history.image_of(one.process, one.begin);
      if (!name.empty()) perf_data::append_comm(pending_, {one.process, one.thread}, name, false, at);
    }
    for (const etl::TraceHistory::Image& one : history.images()) {
      // A 32-bit kernel begins at 2 GB. 32-bit programs may also use such addresses, so the process must be 0.
      const bool kernel = (one.base >> 63) != 0 || (one.process == 0 && one.base >> 31 == 1);
      const u32 process = kernel ? kKernelProcess : one.process;
      std::string id;
      if (one.has_pdb) {
        id.assign(reinterpret_cast<const char*>(one.pdb.bytes.data()), one.pdb.bytes.size());
        for (u32 shift = 0; shift < 32; shift += 8) id += static_cast<char>(one.pdb_age >> shift);
        if (named_.insert(id).second) {
          perf_data::append_pdb_name(pdb_names_, std::as_bytes(std::span(id)), text::base_name(one.pdb_path));
        }
      }
      perf_data::append_mmap2(pending_,
                              {.pid = process,
                               .tid = kernel ? 0 : process,
                               .address = one.base,
                               .length = one.size,
                               .kernel = kernel,
                               .build_id = id,
                               .file = one.path},
                              trailer(process, process, one.begin));
      if (pending_.size() > kMostPending) flush();
    }
  }

  void write_samples() {
    std::vector<u64> chain;
    for (const TakenSample& sample : collected_.samples) {
      const u32 process = collected_.history.process_of(sample.thread, sample.time);
      samples_of_nobody_ += process == etl::TraceHistory::kNobody;
      const etl::StackJoiner::JoinedStack stack = collected_.stacks.joined(sample.number);
      ++(has_stack(sample.number) ? with_stack_ : without_stack_);
      make_chain(sample, collected_.stacks.frames(stack.kernel), collected_.stacks.frames(stack.user), chain);
      perf_data::append_sample(pending_,
                               {.sample_type = kSampleType,
                                .id = event_ids_[sample.source],
                                .ip = sample.address,
                                .time = time_of(sample.time),
                                .period = period_of(collected_.sources[sample.source], sample.interval) * sample.count,
                                .pid = process,
                                .tid = sample.thread,
                                .cpu = sample.core,
                                .kernel = sample.kernel,
                                .callchain = chain});
      if (pending_.size() > kMostPending) flush();
    }
  }

  // Writes a sample for each thread that left a core, with the stack from which it later continued.
  void write_switches() {
    std::vector<u64> chain;
    switches_.samples = collected_.samples.size();
    switches_.has_windows_reasons = true;
    switches_.has_wakeups = collected_.wakeups_on;  // true even if no thread was woken
    for (const TakenSwitch& one : collected_.switches) {
      stacks::Switch change{.time = time_of(one.time),
                            .leaves = number_of(one.leaves, one.time),
                            .comes = number_of(one.comes, one.time),
                            .core = one.core,
                            .kind = one.kind,
                            .leaving = leaving_of(one.state),
                            .reason = one.reason};
      if (one.kind == stacks::Kind::switched && one.leaves != stacks::kIdleThread) {
        change.sample = static_cast<u32>(switches_.samples++);
        write_switch(one, one.gone_on != kNoStack ? collected_.switches[one.gone_on].number : kNoStack, chain);
      } else if (one.kind != stacks::Kind::switched) {
        switches_.has_wakeups = true;
        if (has_stack(one.number)) {
          change.sample = static_cast<u32>(switches_.samples++);
          write_switch(one, one.number, chain);
        }
      }
      name_thread(one.leaves, change.leaves, one.time);
      name_thread(one.comes, change.comes, one.time);
      switches_.switches.push_back(change);
      if (pending_.size() > kMostPending) flush();
    }
    switches_.children = collected_.history.children();
    for (const CoreInterrupts& core : collected_.interrupts) {
      const u64 first = trace_.header().first_ticks;
      switches_.interrupts.push_back({.isr = trace_.nanoseconds(first + core.isr),
                                      .dpc = trace_.nanoseconds(first + core.dpc),
                                      .count = core.count});
    }
    if (switches_.switches.empty()) return;
    switches_.begin = switches_.switches.front().time;
    switches_.end = switches_.switches.back().time;
    switches_.has_other_samples = !collected_.samples.empty();
  }

  // Notes the samples of one event.
  void note_running() {
    for (u32 i = 0; i < collected_.samples.size(); ++i) {
      const TakenSample& one = collected_.samples[i];
      if (one.source != collected_.samples.front().source || one.thread == stacks::kIdleThread) continue;
      const u64 weight = period_of(collected_.sources[one.source], one.interval) * one.count;
      switches_.running_samples.push_back(
          {.sample = i, .thread = one.thread, .weight = weight, .time = time_of(one.time)});
    }
  }

  bool has_stack(u32 number) const {
    if (number == kNoStack) return false;
    const etl::StackJoiner::JoinedStack& stack = collected_.stacks.joined(number);
    return stack.kernel != etl::StackJoiner::kNone || stack.user != etl::StackJoiner::kNone;
  }

  // `number`: the stack's number.
  void write_switch(const TakenSwitch& one, u32 number, std::vector<u64>& chain) {
    TakenSample sample{.time = one.time, .thread = one.leaves, .core = one.core};
    chain.clear();
    if (number != kNoStack) {
      const etl::StackJoiner::JoinedStack stack = collected_.stacks.joined(number);
      const auto kernel = collected_.stacks.frames(stack.kernel), user = collected_.stacks.frames(stack.user);
      sample.kernel = !kernel.empty();
      if (!kernel.empty() || !user.empty()) {
        sample.address = kernel.empty() ? user.front() : kernel.front();
        make_chain(sample, kernel, user, chain);
        switches_.has_stacks = true;
      }
    }
    perf_data::append_sample(pending_, {.sample_type = kSampleType,
                                        .id = events_.size(),
                                        .ip = sample.address,
                                        .time = time_of(one.time),
                                        .period = 1,
                                        .pid = collected_.history.process_of(one.leaves, one.time),
                                        .tid = one.leaves,
                                        .cpu = one.core,
                                        .kernel = sample.kernel,
                                        .callchain = chain});
  }

  static bool is_thread(u32 thread) { return thread != stacks::kNobody && thread != stacks::kUnknown; }

  // The number of the thread in `waits`. No two threads have the same number.
  u32 number_of(u32 thread, u64 time) {
    constexpr u32 kFirstEarlier = 0xf000'0000;  // greater than thread numbers of Windows
    const u32 later = is_thread(thread) ? collected_.history.later_threads(thread, time) : 0;
    if (later == 0) return thread;
    return earlier_threads_.try_emplace({thread, later}, kFirstEarlier + static_cast<u32>(earlier_threads_.size()))
        .first->second;
  }

  void name_thread(u32 thread, u32 number, u64 time) {
    if (!is_thread(thread) || switches_.threads.contains(number)) return;
    SwitchedThread& known = switches_.threads[number];
    if (number != thread) known.number = thread;
    const u32 process = collected_.history.process_of(thread, time);
    if (process == etl::TraceHistory::kNobody) return;
    known.process = process;
    if (names_.empty()) {
      for (const etl::TraceHistory::Process& one : collected_.history.processes()) names_[{one.process, 0}] = one.image;
      for (const etl::TraceHistory::Thread& one : collected_.history.threads()) {
        if (!one.name.empty()) names_[{one.process, one.thread}] = one.name;
      }
    }
    auto name = names_.find({process, thread});
    if (name == names_.end()) name = names_.find({process, 0});
    if (name != names_.end()) known.name = name->second;
  }

  // The first frame of a stack is the place of the sample; a sample without a stack has one frame.
  static void make_chain(const TakenSample& sample, std::span<const u64> kernel, std::span<const u64> user,
                         std::vector<u64>& chain) {
    chain.clear();
    const auto append = [&](std::span<const u64> frames, u64 mark, bool begins_here) {
      if (frames.empty() && !begins_here) return;
      chain.push_back(mark);
      if (begins_here && (frames.empty() || frames.front() != sample.address)) chain.push_back(sample.address);
      chain.insert(chain.end(), frames.begin(), frames.end());
    };
    append(kernel, perf_data::kCallchainKernel, sample.kernel);
    append(user, perf_data::kCallchainUser, !sample.kernel);
  }

  const etl::Trace& trace_;
  const TraceCollector& collected_;
  os::RecordingFile& file_;
  std::vector<perf_data::WrittenEvent> events_;
  std::vector<u64> event_ids_;  // by source
  std::string pending_;
  std::set<std::string> named_;  // build ids
  std::string pdb_names_;
  u64 samples_of_nobody_ = 0;
  RecordedSwitches switches_;
  // keyed by number, and by how many threads had the number later
  std::map<std::pair<u32, u32>, u32> earlier_threads_;
  u64 with_stack_ = 0, without_stack_ = 0;                 // samples
  std::map<std::pair<u32, u32>, std::string_view> names_;  // names of processes and threads; thread 0 stands for the
                                                           // process
};

}  // namespace

u64 time_in_recording(const etl::Trace& trace, u64 ticks) {
  return ticks == 0 ? 0 : trace.nanoseconds(ticks) + 1;
}

diag::Result<TraceRecording> recording_of_trace(const etl::Trace& trace, const std::string& version,
                                                const TraceConversionOptions& options) {
  WPERF_TRY(os::RecordingFile file, os::RecordingFile::create({}));
  TraceRecording out{.file = std::move(file)};
  TraceCollector collected(options);
  trace.for_each_event([&](const etl::Event& event) { collected.take(event); }, out.losses);
  collected.history.finish();
  Writer writer(trace, collected, out.file);
  writer.write(version, options.running);
  out.file.close();
  out.samples = collected.samples.size();
  out.idle_times = std::move(collected.idle_times);
  for (u64& time : out.idle_times) time = time_in_recording(trace, time);
  std::ranges::sort(out.idle_times);
  out.samples_of_nobody = writer.samples_of_nobody();
  out.unexplained_stacks = collected.stacks.unexplained();
  out.samples_without_stack = writer.samples_without_stack();
  out.switches = writer.take_switches();
  out.switches.unrecorded = unrecorded_of(trace, out.losses, collected.lost_over_time);
  if (!out.switches.running_samples.empty()) {
    const TraceSource& source = collected.sources[collected.samples.front().source];
    out.running_event = source.shown_name();
    out.running_by_time = !source.counter.has_value() && source.has_interval();
  }
  out.has_compact_switches = collected.has_compact_switches;
  out.samples_were_on = !collected.any_mask || collected.samples_on || !collected.samples.empty();
  out.switches_were_on = collected.switches_on;
  out.samples_of_other_cores = collected.samples_of_other_cores;
  out.lost_over_time = std::move(collected.lost_over_time);
  const std::string run = collected.section(perf_data::kRunFactsFeature);
  if (const auto facts = perf_data::read_run_facts(std::as_bytes(std::span(run)))) {
    out.python = facts->python;
    out.switches.program = facts->process;
  }
  if (out.file.error().has_value()) return *out.file.error();
  return out;
}

}  // namespace wperf::recording
