// SPDX-License-Identifier: BSD-3-Clause
// Traces of a simulated machine: the accounting of their switches must match the script.
#include <gtest/gtest.h>

#include "analysis/recording/scripted_trace_test.h"
#include "analysis/recording/trace_recording.h"
#include "analysis/waits/thread_times.h"
#include "formats/etl/trace.h"
#include "formats/perf_data/visit.h"
#include "ground/os/mapped_file.h"

namespace wperf::recording {
namespace {

constexpr TraceVariant kVariants[] = {
    {.name = "plain"},
    {.name = "switches_of_version_1", .switch_version = 1},
    {.name = "switches_of_version_2", .switch_version = 2},
    {.name = "switches_of_version_3", .switch_version = 3},
    {.name = "no_ready_events", .ready_events = false},
    {.name = "dpcs", .dpcs = true},
    {.name = "threads_start_and_end", .lives = true},
    {.name = "threads_start_and_end_unready", .ready_events = false, .lives = true},
    {.name = "ids_used_again", .dpcs = true, .lives = true, .ids_again = true},
    {.name = "no_stacks", .stacks = ScriptedStacks::none},
    {.name = "keys_told_at_the_end", .stacks = ScriptedStacks::keys_at_end},
    {.name = "keys_used_again", .stacks = ScriptedStacks::keys_used_again},
    {.name = "late_user_parts", .late_user = true},
    {.name = "late_user_keys", .stacks = ScriptedStacks::keys_at_end, .late_user = true},
    {.name = "one_user_part_for_several", .shared_user = true},
    {.name = "one_core", .cores = 1},
    {.name = "cores_300", .cores = 300},
    {.name = "pointers_of_4", .pointer = 4},
    {.name = "pointers_of_4_keys", .stacks = ScriptedStacks::keys_at_end, .pointer = 4},
    {.name = "circular", .circular = true},
    {.name = "cut", .cut = true},
    {.name = "packed", .packed = true},
    {.name = "packed_keys_of_300_cores", .stacks = ScriptedStacks::keys_at_end, .cores = 300, .packed = true},
    {.name = "lost_buffer", .lost_buffer = true},
    {.name = "lost_buffer_and_lives", .dpcs = true, .lives = true, .lost_buffer = true},
    {.name = "all_together",
     .switch_version = 3,
     .dpcs = true,
     .lives = true,
     .ids_again = true,
     .stacks = ScriptedStacks::keys_at_end,
     .late_user = true,
     .cores = 70,
     .circular = true,
     .packed = true},
};

struct Chain {
  u64 kernel = 0, user = 0;  // innermost frame of each part
};

class TraceSwitches : public testing::TestWithParam<TraceVariant> {
 protected:
  // Reads the trace of this seed.
  void read(u32 seed) {
    script.emplace(GetParam(), seed);
    const auto trace = etl::Trace::open(std::as_bytes(std::span(script->file())));
    ASSERT_TRUE(trace.has_value()) << trace.error().text;
    auto made = recording_of_trace(trace.value(), "test", {.switches = true});
    ASSERT_TRUE(made.has_value()) << made.error().text;
    recorded.emplace(std::move(made).value());
    const RecordedSwitches& switches = recorded->switches;
    accounting = waits::account(switches.switches, switches.unrecorded, switches.begin, switches.end);
    const auto mapped = os::MappedFile::open(recorded->file.openable_path());
    ASSERT_TRUE(mapped.has_value());
    const auto file = perf_data::PerfFile::open(mapped.value().bytes());
    ASSERT_TRUE(file.has_value());
    chains.clear();
    file.value().for_each_record(perf_data::Visitors{[&](const perf_data::Sample& sample, const perf_data::Record&) {
      Chain& chain = chains.emplace_back();
      for (usize i = 0; i + 1 < sample.callchain.size(); ++i) {
        if (sample.callchain[i] == perf_data::kCallchainKernel) chain.kernel = sample.callchain[i + 1];
        if (sample.callchain[i] == perf_data::kCallchainUser) chain.user = sample.callchain[i + 1];
      }
    }});
    ASSERT_EQ(chains.size(), switches.samples);
  }

  // The script uses the thread numbers of the system, which are reused.
  u32 number_of(u32 thread) const {
    const auto known = recorded->switches.threads.find(thread);
    return known != recorded->switches.threads.end() && known->second.number != 0 ? known->second.number : thread;
  }

  // Was a part of the trace not recorded?
  static bool is_gappy() { return GetParam().lost_buffer || GetParam().cut; }
  static u64 ticks(u64 ns) { return ns / ScriptedTrace::kTickNs; }
  // On the script's clock; time 1 is the start of the trace.
  static u64 tick_of(u64 time) { return ticks(time - 1) + ScriptedTrace::kBegin - 1; }

  std::optional<ScriptedTrace> script;
  std::optional<TraceRecording> recorded;
  waits::Accounting accounting;
  std::vector<Chain> chains;  // by sample
};

TEST_P(TraceSwitches, EqualTheScript) {
  for (u32 seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(read(seed));
    EXPECT_EQ(recorded->losses.missing_buffers, GetParam().lost_buffer ? 1u : 0u);
    EXPECT_EQ(recorded->losses.cut_buffers, GetParam().cut ? 1u : 0u);
    EXPECT_EQ(recorded->losses.damaged_buffers, 0u);
    EXPECT_EQ(recorded->losses.out_of_order, 0u);
    std::map<u32, ScriptedTrace::Times> sums;
    u64 unknown = 0;
    for (const waits::ThreadTimes& one : accounting.threads) {
      SCOPED_TRACE(one.thread);
      EXPECT_EQ(one.running + one.ready + one.waiting + one.unknown, one.wall());
      if (!is_gappy()) {
        EXPECT_EQ(one.unknown, 0u);
      }
      unknown += one.unknown;
      ScriptedTrace::Times& sum = sums[number_of(one.thread)];
      sum.running += ticks(one.running);
      sum.ready += ticks(one.ready);
      sum.waiting += ticks(one.waiting);
      sum.switches += one.switches;
    }
    for (const auto& [thread, seen] : sums) {
      SCOPED_TRACE(thread);
      const ScriptedTrace::Times& played = script->times[thread];
      if (is_gappy()) {
        // The times are never longer than the real ones.
        EXPECT_LE(seen.running, played.running);
        EXPECT_LE(seen.ready, played.ready);
        EXPECT_LE(seen.waiting, played.waiting);
        continue;
      }
      EXPECT_EQ(seen.running, played.running);
      EXPECT_EQ(seen.ready, played.ready);
      EXPECT_EQ(seen.waiting, played.waiting);
      EXPECT_EQ(seen.switches, played.switches);
    }
    const usize compared = sums.size();
    EXPECT_EQ(unknown != 0, is_gappy());
    for (const waits::CoreTimes& core : accounting.cores) {
      EXPECT_EQ(core.busy + core.idle + core.unknown, accounting.end - accounting.begin);
    }
    if (GetParam().ids_again && !GetParam().lost_buffer) {
      EXPECT_GT(accounting.threads.size(), sums.size()) << "each is a thread of its own";
    }
    EXPECT_GE(compared, 4u);
    if (GetParam().lost_buffer) continue;
    EXPECT_EQ(accounting.contradictions, 0u);
    EXPECT_EQ(accounting.switches, script->switches);
    EXPECT_EQ(accounting.wakeups, script->readies);
  }
}

TEST_P(TraceSwitches, CoresAndWakersEqualTheScript) {
  if (is_gappy()) return;  // the thread that ran there is unknown
  for (u32 seed = 4; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(read(seed));
    std::map<u16, ScriptedTrace::CoreTimes> cores;
    for (usize core = 0; core < accounting.cores.size(); ++core) {
      const waits::CoreTimes& one = accounting.cores[core];
      if (one.switches != 0) cores[static_cast<u16>(core)] = {ticks(one.busy), ticks(one.idle)};
    }
    EXPECT_EQ(cores, script->cores);
    std::map<std::pair<u32, u32>, ScriptedTrace::Ended> ended;
    for (const waits::Wait& wait : accounting.waits) {
      if (!wait.has_end || !GetParam().ready_events) continue;
      const u32 waker = wait.waker == stacks::kIdleThread ? stacks::kNobody : number_of(wait.waker);
      ScriptedTrace::Ended& one = ended[{number_of(accounting.threads[wait.thread].thread), waker}];
      ++one.count;
      one.waited += ticks(wait.length());
    }
    EXPECT_EQ(ended, script->ended_waits);
  }
}

TEST_P(TraceSwitches, WaitsHaveTheStacksOfTheScript) {
  if (is_gappy()) return;  // some stacks are also missing
  ASSERT_NO_FATAL_FAILURE(read(6));
  usize found = 0;
  for (const waits::Wait& wait : accounting.waits) {
    const auto played = script->places.find({number_of(accounting.threads[wait.thread].thread), tick_of(wait.begin)});
    if (played == script->places.end() || !wait.has_begin) continue;
    ASSERT_LT(wait.sample, chains.size());
    EXPECT_EQ(chains[wait.sample].kernel, played->second.kernel);
    EXPECT_EQ(chains[wait.sample].user, played->second.user);
    ++found;
  }
  EXPECT_EQ(found, script->places.size());
  EXPECT_EQ(recorded->switches.has_stacks, GetParam().stacks != ScriptedStacks::none);
}

INSTANTIATE_TEST_SUITE_P(All, TraceSwitches, testing::ValuesIn(kVariants),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace wperf::recording
