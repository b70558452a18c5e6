// SPDX-License-Identifier: BSD-3-Clause
#include "recording/trace_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "export/perf_data/byte_writing.h"
#include "export/perf_data/event_attributes_bytes.h"
#include "export/perf_data/perf_file_layout.h"
#include "export/perf_data/record_bytes.h"
#include "import/etl/made_code.h"
#include "import/etl/stack_joiner.h"
#include "import/etl/trace_history.h"
#include "import/perf_data/format.h"
#include "import/perf_data/run_facts.h"

namespace wperf::recording {
namespace {

constexpr u32 kSoftwareEvent = 1, kRawEvent = 4;
constexpr u64 kSampleType = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime |
                            perf_data::kSampleId | perf_data::kSampleCpu | perf_data::kSamplePeriod |
                            perf_data::kSampleCallchain;
constexpr u32 kKernelProcess = ~u32{0};  // whose mappings perf takes for the kernel's
constexpr u64 kTimerUnitNs = 100;
constexpr usize kMostPending = 1 << 20;  // bytes, before they go into the file
constexpr usize kMostName = 16 << 10;

struct TakenSample {
  u64 time = 0, address = 0;
  u32 thread = 0, number = 0;  // number: of its stack
  u32 period = 0;
  u16 core = 0;
  u8 source = 0;  // index of sources
  bool kernel = false;
};

// What samples are of: the timer, or a counter with its number.
struct Source {
  std::optional<u16> counter;  // nothing: the timer
  std::string name;
  u32 interval = 0;
  bool operator==(const Source&) const = default;
};

class Collector {
 public:
  void take(const etl::Event& event) {
    if (const auto sample = etl::sample_event(event)) return take_sample(event, *sample);
    if (const auto stack = etl::stack_event(event)) return stacks.take(*stack, event.pointer_size);
    if (const auto interval = etl::interval_event(event)) return take_interval(*interval);
    if (const auto mask = etl::group_mask_event(event)) {
      constexpr u32 kProfile = 2;
      any_mask = true;
      samples_on |= (mask->words[1] & kProfile) != 0;
      return;
    }
    if (!history.take(event)) take_made_code(event);
  }

  // The interval that its samples had: the trace tells it at its beginning, or not at all.
  const Source& source_of(const TakenSample& sample) const { return sources[sample.source]; }

  etl::StackJoiner stacks;
  etl::TraceHistory history;
  std::vector<TakenSample> samples;
  std::vector<Source> sources;
  struct MadeCode {
    u64 time = 0;  // 0: before the trace
    etl::MadeCodeEvent code;
  };
  std::map<u32, std::vector<MadeCode>> made_code;  // by process
  bool any_mask = false, samples_on = false;

 private:
  void take_sample(const etl::Event& event, const etl::SampleEvent& sample) {
    if (sample.is_idle() && sample.source == etl::SampleSource::timer) return;
    const std::optional<u16> counter =
        sample.source == etl::SampleSource::counter ? std::optional(sample.counter) : std::nullopt;
    samples.push_back({.time = event.time,
                       .address = sample.address,
                       .thread = sample.thread,
                       .number = stacks.add(event.time, sample.thread),
                       .period = std::max<u32>(sample.count, 1),
                       .core = event.core,
                       .source = source_index(counter),
                       .kernel = (sample.address >> (event.pointer_size * 8 - 1) & 1) != 0});
  }

  void take_made_code(const etl::Event& event) {
    auto code = etl::made_code_event(event);
    if (!code.has_value() || code->size == 0 || event.process == etl::Event::kNobody) return;
    made_code[event.process].push_back({code->was_there ? 0 : event.time, *std::move(code)});
  }

  u8 source_index(std::optional<u16> counter) {
    for (usize i = 0; i < sources.size(); ++i) {
      if (sources[i].counter == counter) return static_cast<u8>(i);
    }
    constexpr usize kMost = 255;
    if (sources.size() == kMost) return kMost - 1;
    sources.push_back({counter, counter.has_value() ? fmt::format("source {}", *counter) : "Timer", 0});
    return static_cast<u8>(sources.size() - 1);
  }

  void take_interval(const etl::IntervalEvent& interval) {
    const std::optional<u16> counter =
        interval.source == 0 ? std::nullopt : std::optional(static_cast<u16>(interval.source));
    if (interval.source > 0xffff) return;
    Source& source = sources[source_index(counter)];
    if (interval.interval != 0) source.interval = interval.interval;
    if (!interval.name.empty()) source.name = interval.name;
  }
};

class Writer {
 public:
  Writer(const etl::TraceFile& trace, const Collector& collected, os::RecordingFile& file)
      : trace_(trace), collected_(collected), file_(file) {
    for (const Source& source : collected.sources) {
      const bool timer = !source.counter.has_value();
      const perf_export::WrittenAttributes attributes{.type = timer ? kSoftwareEvent : kRawEvent,
                                                      .config = source.counter.value_or(0),
                                                      .period = period_of(source),
                                                      .sample_type = kSampleType,
                                                      .kernel = true};
      events_.push_back(
          {.name = source.name, .attributes = perf_export::attribute_bytes(attributes), .ids = {events_.size() + 1}});
    }
  }

  u64 samples_of_nobody() const { return samples_of_nobody_; }

  void write(const std::string& version) {
    const std::string beginning = perf_export::file_beginning(events_);
    file_.append(beginning);
    write_programs();
    write_samples();
    perf_export::append_finished_round(pending_);
    flush();
    const u64 record_bytes = file_.size() - beginning.size();
    perf_export::RecordingFacts facts;
    facts.version = version;
    facts.cores_online = facts.cores_available = trace_.header().processors;
    facts.os_release =
        fmt::format("Windows {}.{}.{}", trace_.header().os_major, trace_.header().os_minor, trace_.header().os_build);
    facts.made_code = made_code();
    facts.pdb_names = std::move(pdb_names_);
    if (!collected_.samples.empty()) {
      facts.first_sample_ns = time_of(collected_.samples.front().time);
      facts.last_sample_ns = time_of(collected_.samples.back().time);
    }
    const perf_export::FileEnding ending = perf_export::file_ending(events_, record_bytes, facts);
    file_.append(ending.tail);
    file_.replace_beginning(file_.trouble().has_value() ? perf_export::header_without_tail(events_, record_bytes)
                                                        : ending.header);
  }

 private:
  static u64 period_of(const Source& source) {
    if (source.interval == 0) return 1;
    return source.counter.has_value() ? source.interval : source.interval * kTimerUnitNs;
  }
  // 0 is before the trace.
  u64 time_of(u64 ticks) const { return ticks == 0 ? 0 : trace_.nanoseconds(ticks) + 1; }
  perf_export::Trailer trailer(u32 process, u32 thread, u64 ticks) const {
    return {.sample_type = kSampleType, .pid = process, .tid = thread, .time = time_of(ticks), .id = 1};
  }
  void flush() {
    file_.append(pending_);
    pending_.clear();
  }

  // A dump for each process, as programs on Linux write them.
  std::string made_code() const {
    constexpr u32 kMagic = 0x4a695444, kVersion = 1, kHeader = 40, kRecordHeader = 56;
    using perf_export::put;
    std::string section;
    for (const auto& [process, functions] : collected_.made_code) {
      std::string dump;
      for (const u32 word : {kMagic, kVersion, kHeader, u32{0}, u32{0}, process}) put(dump, word);
      put(dump, u64{0});
      put(dump, u64{0});
      u64 index = 0;
      for (const Collector::MadeCode& one : functions) {
        const std::string_view name = std::string_view(one.code.name).substr(0, kMostName);
        put(dump, u32{0});
        put(dump, static_cast<u32>(kRecordHeader + name.size() + 1));
        put(dump, time_of(one.time));
        put(dump, process);
        put(dump, process);
        put(dump, one.code.begin);
        put(dump, one.code.begin);
        put(dump, one.code.size);
        put(dump, index++);
        dump.append(name);
        dump += '\0';
      }
      put(section, static_cast<u64>(dump.size()));
      section += dump;
    }
    return section;
  }

  void write_programs() {
    const etl::TraceHistory& history = collected_.history;
    std::map<u32, std::string_view> images;
    for (const etl::TraceHistory::Process& one : history.processes()) {
      perf_export::append_comm(pending_, one.process, one.process, one.image, true,
                               trailer(one.process, one.process, one.begin));
      images[one.process] = one.image;
    }
    for (const etl::TraceHistory::Thread& one : history.threads()) {
      const perf_export::Trailer at = trailer(one.process, one.thread, one.begin);
      perf_export::append_fork(pending_, one.process, one.process, one.thread, one.process, at.time, at);
      const auto image = images.find(one.process);
      const std::string_view name = !one.name.empty()       ? std::string_view(one.name)
                                    : image != images.end() ? image->second
                                                            : std::string_view();
      if (!name.empty()) perf_export::append_comm(pending_, one.process, one.thread, name, false, at);
    }
    for (const etl::TraceHistory::Image& one : history.images()) {
      const bool kernel = (one.base >> 63) != 0;
      const u32 process = kernel ? kKernelProcess : one.process;
      std::string id;
      if (one.has_pdb) {
        id.assign(reinterpret_cast<const char*>(one.pdb.bytes.data()), one.pdb.bytes.size());
        for (u32 shift = 0; shift < 32; shift += 8) id += static_cast<char>(one.pdb_age >> shift);
        if (named_.insert(id).second) {
          perf_data::append_pdb_name(pdb_names_, std::as_bytes(std::span(id)),
                                     std::string_view(one.pdb_path).substr(one.pdb_path.find_last_of("/\\") + 1));
        }
      }
      perf_export::append_mmap2(pending_,
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
      const etl::StackJoiner::Joined stack = collected_.stacks.joined(sample.number);
      make_chain(sample, collected_.stacks.frames(stack.kernel), collected_.stacks.frames(stack.user), chain);
      perf_export::append_sample(pending_, {.sample_type = kSampleType,
                                            .id = sample.source + u64{1},
                                            .ip = sample.address,
                                            .time = time_of(sample.time),
                                            .period = period_of(collected_.source_of(sample)) * sample.period,
                                            .pid = process,
                                            .tid = sample.thread,
                                            .cpu = sample.core,
                                            .kernel = sample.kernel,
                                            .callchain = chain});
      if (pending_.size() > kMostPending) flush();
    }
  }

  // A stack's first frame is where the sample is; a sample without a stack is a stack of one.
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

  const etl::TraceFile& trace_;
  const Collector& collected_;
  os::RecordingFile& file_;
  std::vector<perf_export::WrittenEvent> events_;
  std::string pending_;
  std::set<std::string> named_;  // build ids
  std::string pdb_names_;
  u64 samples_of_nobody_ = 0;
};

}  // namespace

diag::Result<TraceRecording> recording_of_trace(const etl::TraceFile& trace, const std::string& version) {
  WPERF_TRY(os::RecordingFile file, os::RecordingFile::create({}));
  TraceRecording out{.file = std::move(file)};
  Collector collected;
  trace.for_each_event([&](const etl::Event& event) { collected.take(event); }, out.losses);
  collected.history.finish();
  Writer writer(trace, collected, out.file);
  writer.write(version);
  out.file.close();
  out.samples = collected.samples.size();
  out.samples_of_nobody = writer.samples_of_nobody();
  out.samples_were_on = !collected.any_mask || collected.samples_on || !collected.samples.empty();
  if (out.file.trouble().has_value()) return *out.file.trouble();
  return out;
}

}  // namespace wperf::recording
