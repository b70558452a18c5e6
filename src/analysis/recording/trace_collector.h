// SPDX-License-Identifier: BSD-3-Clause
// What a trace of Windows tells, event by event in order of time, until it is known whose everything was: then
// trace_recording writes it as a recording.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/recording/trace_recording.h"
#include "formats/etl/made_code.h"
#include "formats/etl/stack_joiner.h"
#include "formats/etl/trace_history.h"

namespace wperf::recording {

struct TakenSample {
  u64 time = 0, address = 0;
  u32 thread = 0, number = 0;  // number: of its stack
  u16 count = 1;               // of intervals
  u16 interval = 0;            // index of its source's
  u16 core = 0;
  u8 source = 0;  // index of sources
  bool kernel = false;
};

// What samples are of: the timer, or a counter with its number.
struct TraceSource {
  std::optional<u16> counter;  // nothing: the timer
  std::string name;
  // One after the other; the first one since the beginning, whenever that was told.
  std::vector<u32> intervals;
  bool operator==(const TraceSource&) const = default;
};

inline constexpr u32 kNoStack = ~u32{0};

// A switch of a core, or somebody who was made ready.
struct TakenSwitch {
  u64 time = 0;
  u32 leaves = stacks::kNobody, comes = stacks::kNobody;
  u32 number = 0;  // of the stack of who comes: that is where it left before; of a waker's
  u16 core = 0;
  stacks::Kind kind = stacks::Kind::switched;
  u8 state = 0, reason = stacks::kNoReason;
  u32 gone_on = ~u32{0};  // index of the switch in which who leaves comes back
};

// What interrupts took of a core's time. They are told when they end; those that interrupted others come first.
class CoreInterrupts {
 public:
  void add(const etl::InterruptEvent& interrupt, u64 end);
  u64 isr = 0, dpc = 0;  // ticks
  u64 count = 0;

 private:
  std::vector<std::pair<u64, u64>> before_;  // times that are counted already, by time
};

class TraceCollector {
 public:
  explicit TraceCollector(const TraceWishes& wishes);

  void take(const etl::Event& event);

  etl::StackJoiner stacks;
  etl::TraceHistory history;
  std::vector<TakenSample> samples;
  u64 idle_samples = 0;  // that were left out
  std::vector<TraceSource> sources;
  struct MadeCode {
    u64 time = 0;  // 0: before the trace
    etl::MadeCodeEvent code;
  };
  std::map<u32, std::vector<MadeCode>> made_code;  // by process
  bool any_mask = false, samples_on = false, switches_on = false;
  std::vector<TakenSwitch> switches;
  std::vector<CoreInterrupts> interrupts;  // by core
  bool has_compact_switches = false;
  std::vector<etl::LossEvent> lost_over_time;
  u64 samples_of_other_cores = 0;  // that were left out

 private:
  bool take_switch(const etl::Event& event);
  void take_sample(const etl::Event& event, const etl::SampleEvent& sample);
  void take_made_code(const etl::Event& event);
  // Of one that interrupted another, the inner one is told first.
  bool take_interrupt(const etl::Event& event);
  void take_interval(const etl::IntervalEvent& interval);
  u8 source_index(std::optional<u16> counter);

  TraceWishes wishes_;
  std::vector<u32> runs_;              // by core
  std::unordered_set<u32> started_;    // threads that were not ready yet
  std::unordered_map<u32, u32> left_;  // threads that are on no core: index of the switch in which they left
};

}  // namespace wperf::recording
