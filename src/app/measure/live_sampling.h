// SPDX-License-Identifier: BSD-3-Clause
// Sampling in stretches of time, one behind the other, without a gap where the device can: what `top` shows. The last
// stretches are kept and are a recording. Called by run_top, from one thread.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/measure/recording_run.h"

namespace wperf::measure {

struct LiveStretch {
  u64 begin_ns = 0, end_ns = 0;  // of the device's time
  u64 unseen_ns = 0;             // before it, when nothing was sampled
  WaitEnd end = WaitEnd::time;
  std::optional<diag::Error> trouble = {};  // the program crashed: what was sampled is still good
};

class LiveSampling {
 public:
  virtual ~LiveSampling() = default;
  // Lets so much time pass, less where Ctrl-C or the program ends it, and keeps what was sampled. `meanwhile` is called
  // several times a second where the device lets it: recording() then has the stretches before this one.
  virtual diag::Result<LiveStretch> next(u64 length_ms, const std::function<void()>& meanwhile) = 0;
  // How many of the last stretches are kept; at least one, once there was one.
  virtual usize kept() const = 0;
  // A perf.data file of so many of them: the last ones, or the last before some newer ones that are left out.
  virtual diag::Result<std::vector<std::byte>> recording(usize stretches, usize newest_left_out) = 0;
  // Of the newest stretch, where they were wanted and the recording does not tell them; else null.
  virtual const recording::RecordedSwitches* switches() const { return nullptr; }
};

// Keeps at most this much of what was sampled, in bytes.
inline constexpr u64 kMostLiveBytes = u64{64} << 20;

// What is passed outlives it.
diag::Result<std::unique_ptr<LiveSampling>> start_live_sampling(const request::Request& request,
                                                                const plan::SamplePlan& plan,
                                                                const SampledProgram& sampled, Machine& machine,
                                                                diag::Console& console);

}  // namespace wperf::measure
