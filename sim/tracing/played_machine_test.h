// SPDX-License-Identifier: BSD-3-Clause
// A machine below the fake Windows whose samples and switches are always the same.
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "sim/tracing/fake_trace_api.h"

namespace wperf::etw::fake {

// A core that samples thread 12 of process 8 every millisecond.
class PlayedMachine final : public FakeMachine {
 public:
  u64 now_ns() override {
    if (when_asked) when_asked();
    return now_;
  }
  std::vector<u64> core_midr() override { return {0x413fd0c1, 0x413fd0c1}; }
  diag::Result<void> begin(std::span<const Sampling> sources, bool stacks) override {
    sampled.assign(sources.begin(), sources.end());
    with_stacks = stacks;
    return {};
  }
  diag::Result<u64> drain(std::vector<FakeSample>& samples) override {
    for (u32 i = 0; i < 10; ++i) {
      now_ += 1'000'000;
      samples.push_back({.time_ns = now_,
                         .address = 0x7010,
                         .process = 8,
                         .thread = 12,
                         .source = sampled.front().source,
                         .core = 1,
                         .kernel_frames = {},
                         .user_frames = {0x7010, 0x7100}});
    }
    return u64{3};
  }
  diag::Result<void> end() override { return {}; }
  std::vector<FakeProcess> processes() override {
    return {{.process = 8, .path = "C:\\a.exe", .threads = {12}, .images = {{"C:\\a.exe", 0x7000, 0x3000}}}};
  }
  void watch_switches(std::span<const Sampling> sources) override {
    counted.assign(sources.begin(), sources.end());
    watched = true;
  }
  // Thread 12 runs, waits 3 ms, is woken by a timer, and runs again.
  void take_switches(std::vector<FakeSwitch>& switches) override {
    using Kind = FakeSwitch::Kind;
    const auto add = [&](Kind kind, u32 process, u32 thread, u32 old_process, u32 old_thread, u8 state) {
      now_ += 1'000'000;
      switches.push_back({.time_ns = now_,
                          .kind = kind,
                          .core = 1,
                          .process = process,
                          .thread = thread,
                          .old_process = old_process,
                          .old_thread = old_thread,
                          .state = state,
                          .reason = 6,
                          .kernel_frames = {0xfffff80000000000},
                          .user_frames = {0x7020, 0x7100},
                          .counts = std::vector<u64>(counted.size(), now_ / 1000)});
    };
    add(Kind::switched, 8, 12, 0, 0, 0);
    add(Kind::switched, 0, 0, 8, 12, 5);
    now_ += 2'000'000;
    add(Kind::readied, 8, 12, 0, 0, 0);
    add(Kind::switched, 8, 12, 0, 0, 0);
  }
  void visit_cores(u32 process, u32 thread) override { visits.emplace_back(process, thread); }
  std::vector<Sampling> sampled, counted;
  bool with_stacks = false, watched = false;
  std::vector<std::pair<u32, u32>> visits;
  std::function<void()> when_asked;  // called when the time is requested, as at the start of a session

 private:
  u64 now_ = 5'000'000;
};

}  // namespace wperf::etw::fake
