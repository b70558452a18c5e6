// SPDX-License-Identifier: BSD-3-Clause
// A Perfetto trace: samples as stack_sample packets (58.0 and later) or as the older perf_sample; threads' states as
// context switches of Windows' tracing (etw_events). Perfetto's trace processor makes scheduler tables from context
// switches, also for recordings of other systems.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "ground/text/protobuf.h"
#include "model/stacks/switches.h"
#include "views/exports/exported_profile.h"

namespace wperf::exports {
namespace {

constexpr u32 kPacket = 1;  // field of Trace
enum PacketField : u32 {
  kProcessTree = 2,
  kTimestamp = 8,
  kSequence = 10,
  kInterned = 12,
  kSequenceFlags = 13,
  kDefaults = 59,
  kPerfSample = 66,
  kEtwEvents = 95,
  kStackSample = 135
};
enum InternedField : u32 {
  kFunctionNames = 5,
  kFrames = 6,
  kCallstacks = 7,
  kBuildIds = 16,
  kMappingPaths = 17,
  kSourcePaths = 18,
  kMappings = 19,
  kTasks = 48,
  kContexts = 49,
  kCounters = 50
};

class PerfettoWriter {
 public:
  PerfettoWriter(const Source& source, const TakeBytes& take)
      : source_(source), profile_(source.profile), moments_(source.moments), names_(source.profile), out_(take) {}

  void write() {
    write_names();
    write_tree();
    write_samples();
    finish();
  }
  // A perf_sample does not name its event, but its packet sequence does, so each event has a separate sequence.
  void write_as_perf_samples() {
    for (const u32 event : used_events(profile_)) {
      sequence_ = event + 1;
      write_names();
      write_timebase(event);
      if (event == used_events(profile_).front()) write_tree();
      write_perf_samples(event);
    }
    finish();
  }

 private:
  void finish() {
    write_switches();
    out_.flush();
  }
  void put(const text::Message& packet) {
    wrapped_.clear();
    wrapped_.message(kPacket, packet);
    out_.text += wrapped_.bytes();
    out_.flush_if_long();
  }
  // Unknown fields are left out. 0 is a known value: the idle task, or the first core.
  static void put_known(u32 field, u32 number, text::Message& to) {
    if (number != kNothing) to.always(field, number);
  }
  static bool is_known(const stacks::StackTask& task) { return task.pid != kNothing || task.tid != kNothing; }
  static text::Message text_entry(u64 id, std::string_view text) {
    text::Message entry;
    entry.number(1, id);
    entry.block(2, text);
    return entry;
  }

  // Writes all interned data except call stacks in one packet that begins the sequence. A packet may have only one such
  // block; Perfetto would read only the last block.
  void write_names() {
    text::Message interned;
    for (u32 i = 0; i < profile_.functions.size(); ++i) {
      interned.message(kFunctionNames, text_entry(i + 1, names_.marked_function(i)));
    }
    for (u32 i = 0; i < profile_.modules.size(); ++i) {
      const stacks::StackModule& module = profile_.modules[i];
      interned.message(kMappingPaths, text_entry(i + 1, clean_text(module.path.empty() ? module.name : module.path)));
      interned.message(kBuildIds, text_entry(i + 1, bytes_of(module.build_id)));
      text::Message mapping;
      const u64 path = i + 1;
      mapping.number(1, i + 1);
      mapping.number(2, i + 1);
      mapping.number(7, path);
      interned.message(kMappings, mapping);
    }
    Texts files;
    for (u32 place = 0; place < profile_.places.size(); ++place) {
      const PlaceLine where = names_.line(place);
      const usize known = files.all().size();
      const u32 file = where.file.empty() ? 0 : files(where.file) + 1;
      if (files.all().size() != known) interned.message(kSourcePaths, text_entry(file, where.file));
      const stacks::StackFunction& function = profile_.functions[profile_.places[place].function];
      constexpr u64 kNative = 1, kKernel = 2;
      text::Message frame;
      frame.number(1, place + 1);
      frame.number(2, profile_.places[place].function + 1);
      frame.number(3, function.module + 1);
      frame.number(5, file);
      frame.number(6, where.line);
      frame.number(7, function.is_kernel ? kKernel : kNative);
      interned.message(kFrames, frame);
    }
    for (u32 i = 0; i < profile_.tasks.size(); ++i) {
      if (!is_known(profile_.tasks[i])) continue;
      text::Message task;
      task.number(1, i + 1);
      put_known(2, profile_.tasks[i].pid, task);
      put_known(3, profile_.tasks[i].tid, task);
      interned.message(kTasks, task);
    }
    for (u32 i = 0; i < profile_.events.size(); ++i) {
      constexpr u64 kNanoseconds = 1, kCount = 9;
      text::Message counter;
      counter.number(1, i + 1);
      counter.text(2, clean_text(profile_.events[i].name));
      counter.number(3, is_clock(profile_.events[i]) ? kNanoseconds : kCount);
      interned.message(kCounters, counter);
      text::Message samples;
      samples.number(1, profile_.events.size() + i + 1);
      samples.text(2, clean_text(profile_.events[i].name) + ".samples");
      samples.number(3, kCount);
      interned.message(kCounters, samples);
    }
    std::set<u32> cores;
    for (const stacks::StackSample& sample : profile_.samples) cores.insert(sample.core);
    cores.erase(kNothing);
    for (const u32 core : cores) {
      text::Message context;
      context.number(1, u64{core} + 1);
      context.always(2, core);
      interned.message(kContexts, context);
    }
    text::Message packet;
    packet.number(kSequence, sequence_);
    constexpr u64 kCleared = 1;
    packet.number(kSequenceFlags, kCleared);
    packet.message(kInterned, interned);
    put(packet);
  }

  static std::string bytes_of(std::string_view hexadecimal) {
    std::string bytes;
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    for (usize i = 0; i + 1 < hexadecimal.size(); i += 2) {
      bytes += static_cast<char>(digit(hexadecimal[i]) * 16 + digit(hexadecimal[i + 1]));
    }
    return bytes;
  }

  void write_tree() {
    text::Message tree;
    for (u32 i = 0; i < profile_.tasks.size(); ++i) {
      const stacks::StackTask& task = profile_.tasks[i];
      if (task.tid == kNothing) continue;  // no packet can refer to it
      text::Message one;
      one.always(1, task.tid);
      if (task.pid == task.tid) {
        one.text(3, names_.thread(i));
        tree.message(1, one);
        continue;
      }
      one.text(2, names_.thread(i));
      put_known(3, task.pid, one);
      tree.message(2, one);
    }
    text::Message packet;
    packet.number(kTimestamp, moments_.begin_ns);
    packet.number(kSequence, sequence_);
    packet.message(kProcessTree, tree);
    put(packet);
  }

  // A call stack is written with the first sample that has it, outermost frame first.
  void append_stack(u32 node, text::Message& packet) {
    path_.clear();
    for (u32 at = node; profile_.nodes[at].place != kNothing; at = profile_.nodes[at].parent) {
      path_.push_back(profile_.nodes[at].place + 1);
    }
    std::reverse(path_.begin(), path_.end());
    stack_.clear();
    stack_.number(1, node);
    for (const u32 frame : path_) stack_.number(2, frame);
    interned_.clear();
    interned_.message(kCallstacks, stack_);
    packet.message(kInterned, interned_);
  }
  // `moment`: kNothing if the sample has no time.
  void begin_packet(u32 moment, text::Message& packet) const {
    constexpr u64 kNeedsState = 2;
    const u64 time = moment != kNothing ? moments_.samples.times_ns[moment] : 0;
    packet.clear();
    packet.number(kTimestamp, time != 0 ? time : moments_.begin_ns);
    packet.number(kSequence, sequence_);
    packet.number(kSequenceFlags, kNeedsState);
  }
  void write_samples() {
    std::vector<bool> written(profile_.nodes.size());
    text::Message packet, sample;
    for_each_moment(source_, [&](u32 moment, u32 row, u64 count, u64 period) {
      const stacks::StackSample& one = profile_.samples[row];
      begin_packet(moment, packet);
      const bool has_stack = profile_.nodes[one.node].place != kNothing;
      if (has_stack && !written[one.node]) append_stack(one.node, packet);
      written[one.node] = true;
      sample.clear();
      if (is_known(profile_.tasks[one.task])) sample.number(2, one.task + 1);
      if (one.core != kNothing) sample.number(4, u64{one.core} + 1);
      if (has_stack) sample.number(6, one.node);
      sample.number(10, one.event + 1);
      sample.always(11, period);
      const u64 follower = profile_.events.size() + one.event + 1;
      sample.packed(13, std::span<const u64>(&follower, 1));
      sample.packed(14, std::span<const u64>(&count, 1));
      packet.message(kStackSample, sample);
      put(packet);
    });
  }

  void write_timebase(u32 event) {
    text::Message timebase, perf, defaults, packet;
    timebase.text(10, clean_text(profile_.events[event].name));
    perf.message(1, timebase);
    defaults.message(12, perf);
    packet.number(kSequence, sequence_);
    packet.message(kDefaults, defaults);
    put(packet);
  }

  // Writes a packet for each sample. The weight of a sample is the increase of the counter on its core.
  void write_perf_samples(u32 event) {
    std::vector<bool> written(profile_.nodes.size());
    std::unordered_map<u32, u64> counted;  // by core
    text::Message packet, sample;
    for_each_moment(source_, [&](u32 moment, u32 row, u64 count, u64 period) {
      const stacks::StackSample& one = profile_.samples[row];
      if (one.event != event) return;
      const bool has_stack = profile_.nodes[one.node].place != kNothing;
      for (u64 left = count; left != 0; --left) {
        const u64 part = period / left;
        period -= part;
        u64& so_far = counted[one.core];
        so_far += part;
        begin_packet(moment, packet);
        if (has_stack && !written[one.node]) append_stack(one.node, packet);
        written[one.node] = true;
        sample.clear();
        put_known(1, one.core, sample);
        put_known(2, profile_.tasks[one.task].pid, sample);
        put_known(3, profile_.tasks[one.task].tid, sample);
        if (has_stack) sample.number(4, one.node);
        sample.number(5, mode_of(one.node));
        sample.always(6, so_far);
        packet.message(kPerfSample, sample);
        put(packet);
      }
    });
  }
  u64 mode_of(u32 node) const {
    constexpr u64 kUnknown = 0, kKernel = 1, kUser = 2;
    const u32 place = profile_.nodes[node].place;
    if (place == kNothing) return kUnknown;
    return profile_.functions[profile_.places[place].function].is_kernel ? kKernel : kUser;
  }

  struct Change {
    u64 time = 0;
    u32 core = 0;
    const stacks::ThreadState* leaves = nullptr;  // null: the core was idle
    const stacks::ThreadState* comes = nullptr;
  };

  // Writes the tasks on each core in order of time; the core is idle in between.
  void write_switches() {
    std::vector<const stacks::ThreadState*> runs;
    for (const stacks::ThreadState& state : moments_.states) {
      if (state.doing == stacks::ThreadDoing::running && state.core != stacks::kUnknownCore) runs.push_back(&state);
    }
    std::sort(runs.begin(), runs.end(), [](const auto* a, const auto* b) {
      return a->core != b->core ? a->core < b->core : a->begin_ns < b->begin_ns;
    });
    std::vector<Change> changes;
    for (usize i = 0; i < runs.size(); ++i) {
      const stacks::ThreadState* const before = i != 0 && runs[i - 1]->core == runs[i]->core ? runs[i - 1] : nullptr;
      const bool follows = before != nullptr && before->end_ns >= runs[i]->begin_ns;
      changes.push_back({runs[i]->begin_ns, runs[i]->core, follows ? before : nullptr, runs[i]});
      const bool is_followed =
          i + 1 < runs.size() && runs[i + 1]->core == runs[i]->core && runs[i + 1]->begin_ns <= runs[i]->end_ns;
      if (!is_followed) changes.push_back({runs[i]->end_ns, runs[i]->core, runs[i], nullptr});
    }
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
    for (const Change& change : changes) write_switch(change);
    for (const stacks::ThreadState& state : moments_.states) write_ready(state);
  }

  u32 thread_of(const stacks::ThreadState* state) const {
    return state != nullptr ? profile_.tasks[state->task].tid : 0;
  }
  // The state in which the thread continues, taken from the thread's next period.
  u64 state_behind(const stacks::ThreadState* state) const {
    constexpr u64 kReady = 1, kTerminated = 4, kWaiting = 5;
    if (state == nullptr) return kReady;
    const stacks::ThreadState* const next = state + 1;
    if (next == moments_.states.data() + moments_.states.size() || next->task != state->task) return kTerminated;
    return next->doing == stacks::ThreadDoing::waiting ? kWaiting : kReady;
  }

  void write_switch(const Change& change) {
    text::Message change_event;
    put_known(1, thread_of(change.comes), change_event);
    put_known(2, thread_of(change.leaves), change_event);
    change_event.always(8, state_behind(change.leaves));
    write_etw(change.time, change.core, thread_of(change.comes), 2, change_event);
  }
  void write_ready(const stacks::ThreadState& state) {
    if (state.doing != stacks::ThreadDoing::ready || state.waker == kNothing) return;
    text::Message ready;
    put_known(1, profile_.tasks[state.task].tid, ready);
    write_etw(state.begin_ns, 0, profile_.tasks[state.waker].tid, 3, ready);
  }
  void write_etw(u64 time, u32 core, u32 thread, u32 kind, const text::Message& event) {
    text::Message one, bundle, packet;
    one.number(1, time);
    one.always(4, core);
    put_known(5, thread, one);
    one.message(kind, event);
    bundle.message(2, one);
    packet.number(kTimestamp, time);
    packet.number(kSequence, sequence_);
    packet.message(kEtwEvents, bundle);
    put(packet);
  }

  const Source& source_;
  const stacks::StackProfile& profile_;
  const stacks::Moments& moments_;
  Names names_;
  Collected out_;
  u64 sequence_ = 1;
  text::Message wrapped_, stack_, interned_;
  std::vector<u32> path_;
};

}  // namespace

void write_perfetto(const Source& source, const TakeBytes& take) {
  PerfettoWriter(source, take).write();
}

void write_perfetto_perf(const Source& source, const TakeBytes& take) {
  PerfettoWriter(source, take).write_as_perf_samples();
}

}  // namespace wperf::exports
