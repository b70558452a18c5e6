// SPDX-License-Identifier: BSD-3-Clause
#include "sim/tracing/fake_trace_file.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "formats/etl/kernel_events.h"
#include "formats/etl/trace_writer.h"
#include "machine/etw/trace_session.h"

namespace wperf::etw::fake {
namespace {

using etl::write::Moment;

constexpr u64 kTickNs = 100;                          // one tick of the performance counter
constexpr u64 kTraceBegan = 134'000'000'000'000'000;  // FILETIME
constexpr u32 kTraceBuffer = 1 << 16;

std::string_view file_name(std::string_view path) {
  const usize slash = path.find_last_of("/\\");
  return slash == path.npos ? path : path.substr(slash + 1);
}

// The performance counter runs with the machine's time.
u64 first_ticks_of(const FakeTrace& trace) {
  return trace.begin_ns / kTickNs;
}

// Samples and switches of all cores in one order, which is also the order of their ticks: each event of a core is later
// than the previous one, and a thread's event on one core never precedes its earlier events on another.
class Ticks {
 public:
  u64 of_sample(u16 core, u64 tick) { return core_[core] = std::max(tick, core_[core]); }
  u64 of_switch(const FakeSwitch& event, u64 tick) {
    tick = std::max(tick, core_[event.core] + 1);
    for (const u32 thread : {event.thread, event.old_thread}) {
      if (thread != 0) tick = std::max(tick, thread_[thread] + 1);
    }
    for (const u32 thread : {event.thread, event.old_thread}) {
      if (thread != 0) thread_[thread] = tick;
    }
    return core_[event.core] = tick;
  }

 private:
  std::map<u16, u64> core_;
  std::map<u32, u64> thread_;
};

class Writer {
 public:
  Writer(const FakeTrace& trace, etl::write::BufferWriter& buffers) : trace_(trace), buffers_(buffers) {}

  // Returns the last tick.
  u64 write() {
    const u64 begin = tick_of(trace_.begin_ns);
    add(0, begin, etl::write::group_masks(begin, std::span<const u32, 8>(trace_.masks)));
    for (const FakeTrace::Interval& one : trace_.intervals) {
      add(0, begin, etl::write::interval(begin, one.source, one.interval, one.name));
    }
    for (const FakeProcess& one : trace_.processes_before) {
      for (const u32 thread : one.threads) {
        add(0, begin, etl::write::thread(Moment::at_start, begin, one.process, thread));
      }
    }
    last_ = tick_of(trace_.end_ns);
    write_events();
    std::stable_sort(records_.begin(), records_.end(),
                     [](const Record& a, const Record& b) { return a.tick < b.tick; });
    for (const Record& one : records_) buffers_.add(one.core, one.tick, one.bytes);
    records_.clear();
    write_rundown(last_);
    return last_;
  }

 private:
  struct Record {
    u64 tick = 0;
    u16 core = 0;
    std::string bytes;
  };

  u64 tick_of(u64 ns) const { return std::max(ns, trace_.begin_ns) / kTickNs + 1; }
  void add(u16 core, u64 tick, std::string bytes) { records_.push_back({tick, core, std::move(bytes)}); }

  void write_events() {
    struct Next {
      u64 time_ns = 0;
      const FakeSample* sample = nullptr;
      const FakeSwitch* change = nullptr;
    };
    std::vector<Next> all;
    for (const FakeSwitch& one : trace_.switches) all.push_back({one.time_ns, nullptr, &one});
    for (const FakeSample& one : trace_.samples) all.push_back({one.time_ns, &one, nullptr});
    std::stable_sort(all.begin(), all.end(), [](const Next& a, const Next& b) { return a.time_ns < b.time_ns; });
    Ticks ticks;
    for (const Next& one : all) {
      if (one.sample != nullptr) {
        write_sample(*one.sample, ticks.of_sample(one.sample->core, tick_of(one.time_ns)));
      } else {
        write_switch(*one.change, ticks.of_switch(*one.change, tick_of(one.time_ns)));
      }
    }
  }

  void write_sample(const FakeSample& one, u64 tick) {
    add(one.core, tick,
        one.source == kTimer ? etl::write::timer_sample(tick, one.address, one.thread)
                             : etl::write::counter_sample(tick, one.address, one.thread, static_cast<u16>(one.source)));
    write_stack(one.core, tick, one.process, one.thread, one.kernel_frames, one.user_frames);
  }

  void write_stack(u16 core, u64 tick, u32 process, u32 thread, const std::vector<u64>& kernel,
                   const std::vector<u64>& user) {
    for (const std::vector<u64>* frames : {&kernel, &user}) {
      if (!frames->empty()) add(core, tick, etl::write::stack(tick, tick, process, thread, *frames));
    }
    last_ = std::max(last_, tick);
  }

  void write_switch(const FakeSwitch& one, u64 tick) {
    last_ = std::max(last_, tick);
    switch (one.kind) {
      case FakeSwitch::Kind::thread_began:
        return add(one.core, tick, etl::write::thread(Moment::begins, tick, one.process, one.thread));
      case FakeSwitch::Kind::thread_ended:
        ended_.insert(one.thread);
        return add(one.core, tick, etl::write::thread(Moment::ends, tick, one.process, one.thread));
      case FakeSwitch::Kind::readied:
        if ((trace_.masks[1] & kReadyMask) == 0) return;
        add(one.core, tick, etl::write::ready_thread(tick, one.thread, one.old_thread == 0));
        if (trace_.ready_stacks) {
          write_stack(one.core, tick, one.old_process, one.old_thread, one.kernel_frames, one.user_frames);
        }
        return;
      case FakeSwitch::Kind::switched:
        add(one.core, tick,
            etl::write::context_switch(
                tick, {.comes = one.thread, .leaves = one.old_thread, .state = one.state, .reason = one.reason},
                one.counts));
        if (trace_.switch_stacks) {
          write_stack(one.core, tick, one.process, one.thread, one.kernel_frames, one.user_frames);
        }
    }
  }

  // The processes, threads and images at the end of the session.
  void write_rundown(u64 end) {
    if (trace_.own_process != 0) {
      constexpr std::string_view kName = "wperf.exe";
      const etl::write::ProcessText self{.process = trace_.own_process, .image = kName, .command = kName};
      buffers_.add(0, end, etl::write::process(Moment::at_end, end, self));
      buffers_.add(0, end, etl::write::thread(Moment::at_end, end, trace_.own_process, trace_.own_process + 1));
    }
    for (const FakeProcess& one : trace_.processes) {
      const std::string_view name = file_name(one.path);
      const etl::write::ProcessText text{.process = one.process, .parent = one.parent, .image = name, .command = name};
      buffers_.add(0, end, etl::write::process(Moment::at_end, end, text));
      for (const u32 thread : one.threads) {
        if (ended_.contains(thread)) continue;
        buffers_.add(0, end, etl::write::thread(Moment::at_end, end, one.process, thread));
      }
      for (const FakeImage& image : one.images) {
        buffers_.add(
            0, end,
            etl::write::image(Moment::at_end, end,
                              {.process = one.process, .base = image.base, .size = image.size, .path = image.path}));
      }
    }
  }

  const FakeTrace& trace_;
  etl::write::BufferWriter& buffers_;
  std::vector<Record> records_;
  std::set<u32> ended_;  // threads
  u64 last_ = 0;
};

}  // namespace

u32 write_fake_trace(const FakeTrace& trace) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(trace.file.c_str(), "wb"));
  if (file == nullptr) return 0;
  etl::write::TraceFacts facts;
  facts.buffer_size = kTraceBuffer;
  facts.os_build = trace.build;
  facts.processors = trace.processors;
  facts.start_time = kTraceBegan;
  facts.first_ticks = first_ticks_of(trace);
  facts.log_file_mode = trace.mode;
  facts.events_lost = static_cast<u32>(trace.events_lost);
  facts.logger_name = "wperf";
  facts.file_name = trace.file;
  const auto write = [&](std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), file.get()); };
  write(etl::write::trace_header(facts));
  etl::write::BufferWriter buffers(kTraceBuffer, 1, write);
  const u64 end = Writer(trace, buffers).write();
  buffers.finish();
  facts.buffers_written = buffers.written() + 1;
  facts.end_time = kTraceBegan + (end - facts.first_ticks);
  std::fseek(file.get(), 0, SEEK_SET);
  write(etl::write::trace_header(facts));
  return facts.buffers_written;
}

}  // namespace wperf::etw::fake
