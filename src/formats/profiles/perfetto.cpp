// SPDX-License-Identifier: BSD-3-Clause
// Perfetto traces: perf_sample (66) and stack_sample (135) packets, with the data that earlier packets of their
// sequence have interned. Names of threads may come after the samples, so the packets are read twice. Field numbers are
// defined in perfetto_trace.proto.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "formats/profiles/foreign_profile.h"
#include "formats/profiles/perfetto_interned.h"
#include "ground/text/protobuf.h"

namespace wperf::profiles {
namespace {

// The fields of a packet that are not its payload.
struct Packet {
  u64 time_ns = 0, sequence = 0, flags = 0;
  bool has_time = false;
  Bytes perf_sample, stack_sample, interned, defaults;
};

Packet packet_of(Bytes message, u64& compressed) {
  Packet out;
  for (text::ProtobufReader in(message); in.next();) {
    switch (in.field()) {
      case 8:
        out.time_ns = in.number();
        out.has_time = true;
        break;
      case 10:
        out.sequence = in.number();
        break;
      case 12:
        out.interned = in.bytes();
        break;
      case 13:
        out.flags = in.number();
        break;
      case 50:
      case 133:
        ++compressed;
        break;
      case 59:
        out.defaults = in.bytes();
        break;
      case 66:
        out.perf_sample = in.bytes();
        break;
      case 135:
        out.stack_sample = in.bytes();
        break;
      default:
        break;
    }
  }
  return out;
}

class PerfettoReader {
 public:
  PerfettoReader(Bytes file, const ProfileReadOptions& options, const ProgressCallback& passed)
      : file_(file), passed_(passed), builder_(options) {}

  diag::Result<ForeignProfile> run() {
    walk([&](Bytes message) { read_names(message); });
    const bool sound = walk([&](Bytes message) { read_packet(message); });
    if (samples_ == 0 && compressed_ == 0)
      return damaged_profile("this Perfetto trace has no samples of perf and no stack samples");
    if (compressed_ != 0) {
      warnings_.push_back(fmt::format(
          "{} packets are compressed and left out; unpack them with `traceconv decompress_packets`", compressed_));
    }
    if (!sound) warnings_.push_back("the trace is truncated or damaged; the part before that is shown");
    return finish_profile(builder_, std::move(warnings_));
  }

 private:
  template <class Visit>
  bool walk(Visit visit) {
    u64 reported = 0;
    text::ProtobufReader in(file_);
    while (in.next()) {
      if (in.field() == 1) visit(in.bytes());
      if (const u64 at = file_.size() - in.left(); at - reported >= kProgressBytes) passed_(reported = at);
    }
    return in.sound();
  }
  void read_names(Bytes message);
  void read_process_tree(Bytes message);
  void name_thread(Bytes message, u32 tid_field, u32 name_field);
  void read_packet(Bytes message);
  void read_perf_sample(const Packet& packet, InternedData& interned);
  void read_stack_sample(const Packet& packet, InternedData& interned);
  u32 task_of(u32 pid, u32 tid);
  void add(const Packet& packet, const stacks::StackSample& sample) {
    ++samples_;
    const bool has_time = packet.has_time && packet.time_ns <= u64{std::numeric_limits<std::int64_t>::max()};
    has_time ? builder_.add_at(sample, static_cast<std::int64_t>(packet.time_ns)) : builder_.add(sample);
  }

  const Bytes file_;
  const ProgressCallback& passed_;
  ProfileBuilder builder_;
  std::vector<std::string> warnings_;
  std::unordered_map<u64, InternedData> sequences_;
  std::unordered_map<u32, std::string_view> thread_names_, process_names_;
  std::unordered_map<u64, u64> counted_before_;  // keyed by sequence and core
  u64 samples_ = 0, compressed_ = 0;
};

void PerfettoReader::name_thread(Bytes message, u32 tid_field, u32 name_field) {
  u32 tid = 0;
  std::string_view name;
  for (text::ProtobufReader in(message); in.next();) {
    if (in.field() == tid_field) tid = static_cast<u32>(in.number());
    if (in.field() == name_field) name = in.text();
  }
  if (!name.empty()) thread_names_.insert_or_assign(tid, name);
}

void PerfettoReader::read_process_tree(Bytes message) {
  for (text::ProtobufReader in(message); in.next();) {
    if (in.field() == 2) name_thread(in.bytes(), 1, 2);
    if (in.field() != 1) continue;
    u32 pid = 0;
    std::string_view name;
    for (text::ProtobufReader process(in.bytes()); process.next();) {
      if (process.field() == 1) pid = static_cast<u32>(process.number());
      if (process.field() == 3 && name.empty()) name = process.text();
    }
    process_names_.insert_or_assign(pid, name.substr(name.find_last_of('/') + 1));
  }
}

void PerfettoReader::read_names(Bytes message) {
  for (text::ProtobufReader in(message); in.next();) {
    if (in.field() == 2) read_process_tree(in.bytes());
    if (in.field() == 44) name_thread(in.bytes(), 2, 5);
    if (in.field() != 60) continue;
    for (text::ProtobufReader track(in.bytes()); track.next();) {
      if (track.field() == 4) name_thread(track.bytes(), 2, 5);
    }
  }
}

u32 PerfettoReader::task_of(u32 pid, u32 tid) {
  const auto thread = thread_names_.find(tid);
  const auto process = process_names_.find(pid);
  const std::string_view name = thread != thread_names_.end()     ? thread->second
                                : process != process_names_.end() ? process->second
                                                                  : std::string_view();
  return builder_.task(pid, tid, name);
}

void PerfettoReader::read_packet(Bytes message) {
  constexpr u64 kStateCleared = 1;
  const Packet packet = packet_of(message, compressed_);
  const bool is_wanted = !packet.perf_sample.empty() || !packet.stack_sample.empty() || !packet.interned.empty() ||
                         !packet.defaults.empty() || (packet.flags & kStateCleared) != 0;
  if (!is_wanted) return;
  InternedData& interned = sequences_[packet.sequence];
  if ((packet.flags & kStateCleared) != 0) interned = {};
  interned.add(packet.interned);
  if (!packet.defaults.empty()) interned.set_defaults(packet.defaults);
  if (!packet.perf_sample.empty()) read_perf_sample(packet, interned);
  if (!packet.stack_sample.empty()) read_stack_sample(packet, interned);
}

void PerfettoReader::read_perf_sample(const Packet& packet, InternedData& interned) {
  u64 counted = 0, stack = 0;
  u32 core = kNothing, pid = kNothing, tid = kNothing;
  bool is_skipped = false, is_sample = false;
  for (text::ProtobufReader in(packet.perf_sample); in.next();) {
    if (in.field() == 1) core = static_cast<u32>(in.number());
    if (in.field() == 2) pid = static_cast<u32>(in.number());
    if (in.field() == 3) tid = static_cast<u32>(in.number());
    if (in.field() == 4) stack = in.number();
    if (in.field() == 6) counted = in.number();
    if (in.field() == 17) builder_.losses().lost_records += in.number();
    is_skipped = is_skipped || in.field() == 18;
    is_sample = is_sample || in.field() == 3 || in.field() == 4;
  }
  if (is_skipped) {
    ++builder_.losses().lost_samples;
    return;
  }
  if (!is_sample) return;  // the packet reports a loss, or a counter without a stack
  const PerfEvent& about = interned.perf_event();
  const u32 event = builder_.event(about.name);
  builder_.set_interval(event, about.period);
  // The counter is cumulative; the increase since its previous value on this core is the sample's.
  u64& before = counted_before_[(packet.sequence << 32) | core];
  const u64 since = counted > before ? counted - before : 0;
  before = counted;
  const u32 node = interned.node_of(stack, builder_);
  if (node == kNothing) {
    ++builder_.losses().damaged_records;
    return;
  }
  add(packet, {.event = event,
               .task = task_of(pid, tid),
               .core = core,
               .node = node,
               .count = 1,
               .period = about.period != 0 ? about.period
                         : since != 0      ? since
                                           : 1});
}

void PerfettoReader::read_stack_sample(const Packet& packet, InternedData& interned) {
  StackTask task;
  u32 core = kNothing;
  CounterDescriptor counter = interned.default_counter();
  u64 weight = 1, stack = 0;
  Bytes frames;
  std::vector<u64> followers, follower_weights;
  bool is_sound = true;
  const auto take = [&](const auto* found, auto& to) {
    is_sound = is_sound && found != nullptr;
    if (found != nullptr) to = *found;
  };
  for (text::ProtobufReader in(packet.stack_sample); in.next();) {
    switch (in.field()) {
      case 1:
        task = stack_task(in.bytes());
        break;
      case 2:
        take(interned.task(in.number()), task);
        break;
      case 3:
        core = execution_core(in.bytes());
        break;
      case 4:
        take(interned.core(in.number()), core);
        break;
      case 5:
        frames = in.bytes();
        break;
      case 6:
        stack = in.number();
        break;
      case 9:
        counter = counter_descriptor(in.bytes());
        break;
      case 10:
        take(interned.counter(in.number()), counter);
        break;
      case 11:
        weight = in.number();
        break;
      case 13:
        in.for_each_number([&](u64 id) { followers.push_back(id); });
        break;
      case 14:
        in.for_each_number([&](u64 one) { follower_weights.push_back(one); });
        break;
      default:
        break;
    }
  }
  // If wperf wrote the file, it has the number of samples in addition to their weight.
  u64 count = 1;
  for (usize i = 0; i < std::min(followers.size(), follower_weights.size()); ++i) {
    const CounterDescriptor* const follower = interned.counter(followers[i]);
    if (follower != nullptr && follower->name == counter.name + ".samples") count = follower_weights[i];
  }
  const u32 node = frames.empty() ? interned.node_of(stack, builder_) : inline_node(frames, builder_);
  if (!is_sound || node == kNothing || (counter.multiplier != 0 && weight > ~u64{0} / counter.multiplier)) {
    ++builder_.losses().damaged_records;
    return;
  }
  add(packet, {.event = builder_.event(counter.name),
               .task = task_of(task.pid, task.tid),
               .core = core,
               .node = node,
               .count = count,
               .period = weight * std::max<u64>(counter.multiplier, 1)});
}

}  // namespace

diag::Result<ForeignProfile> read_perfetto(Bytes file, const ProfileReadOptions& options,
                                           const ProgressCallback& passed) {
  return PerfettoReader(file, options, passed).run();
}

}  // namespace wperf::profiles
