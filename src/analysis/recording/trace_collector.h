// SPDX-License-Identifier: BSD-3-Clause
// Collects the facts in a Windows trace, event by event in order of time. When all processes and threads are known,
// trace_recording writes them as a recording.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/recording/trace_recording.h"
#include "formats/etl/jit_code.h"
#include "formats/etl/kernel_payloads.h"
#include "formats/etl/recorder_payloads.h"
#include "formats/etl/stack_joiner.h"
#include "formats/etl/trace.h"
#include "formats/etl/trace_history.h"
#include "model/stacks/stack_profile.h"
#include "model/stacks/switches.h"

namespace wperf::recording {

struct TakenSample {
  u64 time = 0, address = 0;
  u32 thread = 0, number = 0;  // number: identifies its stack
  u16 count = 1;               // the number of intervals
  u16 interval = 0;            // index of the source's interval
  u16 core = 0;
  u8 source = 0;  // index into sources
  bool kernel = false;
};

// A source of samples: the timer, or a counter with its number.
struct TraceSource {
  std::optional<u16> counter;  // nullopt: the timer
  std::string name;
  // In order of time; the first one applies from the beginning of the trace, even if it was recorded later.
  std::vector<u32> intervals;
  bool has_interval() const { return !intervals.empty(); }
  std::string shown_name() const { return name + (has_interval() ? "" : stacks::kWithoutInterval); }
  bool operator==(const TraceSource&) const = default;
};

inline constexpr u32 kNoStack = ~u32{0};

// A core's switch to another thread, or a thread that became ready.
struct TakenSwitch {
  u64 time = 0;
  u32 leaves = stacks::kNobody, comes = stacks::kNobody;
  // stack of the thread that comes to the core, recorded when it had left a core; or the stack of a waker
  u32 number = 0;
  u16 core = 0;
  stacks::Kind kind = stacks::Kind::switched;
  u8 state = 0, reason = stacks::kNoReason;
  u32 gone_on = ~u32{0};  // the thread that leaves comes back with the switch of this index
};

// The time of interrupts on a core. Their events are written at their ends, so nested interrupts come first.
class CoreInterrupts {
 public:
  void add(const etl::InterruptEvent& interrupt, u64 end);
  u64 isr = 0, dpc = 0;  // ticks
  u64 count = 0;

 private:
  std::vector<std::pair<u64, u64>> before_;  // times that are already counted, in order
};

class TraceCollector {
 public:
  explicit TraceCollector(const TraceConversionOptions& options);

  void take(const etl::Event& event);

  etl::StackJoiner stacks;
  etl::TraceHistory history;
  std::vector<TakenSample> samples;
  std::vector<u64> idle_times;  // of samples that were left out
  std::vector<TraceSource> sources;
  struct TimedJitCode {
    u64 time = 0;  // 0: before the trace
    etl::JitCodeEvent code;
  };
  std::map<u32, std::vector<TimedJitCode>> jit_code;  // by process
  bool any_mask = false, samples_on = false, switches_on = false, wakeups_on = false;
  std::vector<TakenSwitch> switches;
  std::vector<CoreInterrupts> interrupts;  // by core
  bool has_compact_switches = false;
  std::vector<etl::LossEvent> lost_over_time;
  std::string section(u32 number) const;  // the bytes of a section; empty if the trace does not have it
  u64 samples_of_other_cores = 0;         // samples that were left out

 private:
  bool take_switch(const etl::Event& event);
  void take_sample(const etl::Event& event, const etl::SampleEvent& sample);
  void take_jit_code(const etl::Event& event);
  bool take_python(const etl::Event& event);
  // If an interrupt was interrupted by another one, the event of the inner interrupt comes first.
  bool take_interrupt(const etl::Event& event);
  void take_interval(const etl::IntervalEvent& interval);
  u8 source_index(std::optional<u16> counter);

  TraceConversionOptions options_;
  std::map<u32, std::string> sections_;
  std::vector<u32> runs_;              // by core
  std::unordered_set<u32> started_;    // new threads that have not been ready yet
  std::unordered_map<u32, u32> left_;  // threads that are on no core: index of the switch with which they left
};

// The times at which cores were not recorded, on the clock of the resulting recording, which is one nanosecond ahead of
// the trace's clock.
std::vector<stacks::Unrecorded> unrecorded_of(const etl::Trace& trace, const etl::TraceLosses& losses,
                                              const std::vector<etl::LossEvent>& lost_over_time);

}  // namespace wperf::recording
