// SPDX-License-Identifier: BSD-3-Clause
// The data that the packets of one sequence have interned so far in a Perfetto trace: names, frames, stacks, counters,
// tasks and defaults.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/profiles/foreign_profile.h"
#include "formats/profiles/profile_builder.h"
#include "ground/text/protobuf.h"

namespace wperf::profiles {

struct PerfEvent {
  std::string name = "samples";
  u64 period = 0;  // 0: the event was sampled at a rate
};
struct StackTask {
  u32 pid = kNothing, tid = kNothing;
};
struct CounterDescriptor {
  std::string name = "samples";
  u64 multiplier = 1;
};

// Parts of a stack_sample that are either inline or interned.
StackTask stack_task(Bytes message);
u32 execution_core(Bytes message);
CounterDescriptor counter_descriptor(Bytes message);
// For a stack whose frames are in the sample itself.
u32 inline_node(Bytes callstack, ProfileBuilder& builder);

class InternedData {
 public:
  void add(Bytes message);
  void set_defaults(Bytes message);

  const PerfEvent& perf_event() const { return perf_event_; }
  const CounterDescriptor& default_counter() const { return counter_; }
  const StackTask* task(u64 id) const { return find(tasks_, id); }
  const u32* core(u64 id) const { return find(cores_, id); }
  const CounterDescriptor* counter(u64 id) const { return find(counters_, id); }
  // Returns the node of an interned stack; 0 means no stack. Returns kNothing if the stack refers to missing data.
  u32 node_of(u64 stack, ProfileBuilder& builder);

 private:
  struct Frame {
    u64 name = 0, mapping = 0, address = 0, source = 0, line = 0;
  };
  struct Stack {
    std::vector<u64> frames;  // outermost first
    u32 node = kNothing;      // set after the first use
  };
  template <class Value>
  using ById = std::unordered_map<u64, Value>;
  template <class Value>
  static const Value* find(const ById<Value>& table, u64 id) {
    const auto found = table.find(id);
    return found == table.end() ? nullptr : &found->second;
  }
  std::string_view text(const ById<std::string_view>& table, u64 id) const {
    const std::string_view* const found = find(table, id);
    return found == nullptr ? std::string_view() : *found;
  }

  ById<std::string_view> function_names_, paths_, sources_;  // views into the file
  ById<std::string> mappings_;                               // paths of the mappings
  ById<Frame> frames_;
  ById<Stack> stacks_;
  ById<StackTask> tasks_;
  ById<u32> cores_;
  ById<CounterDescriptor> counters_;
  PerfEvent perf_event_;
  CounterDescriptor counter_;
};

}  // namespace wperf::profiles
