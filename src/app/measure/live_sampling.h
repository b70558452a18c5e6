// SPDX-License-Identifier: BSD-3-Clause
// Sampling in consecutive stretches of time, without a gap if the device can, for `top`. The last stretches are kept
// and are a recording. Used from one thread.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/recording/recorded_switches.h"
#include "app/measure/counting.h"
#include "app/measure/opened_machine.h"
#include "app/measure/sampled_program.h"
#include "machine/plan/plan.h"
#include "machine/plan/sample_plan.h"
#include "model/answers/count_profile.h"

namespace wperf::measure {

struct LiveStretch {
  u64 begin_ns = 0, end_ns = 0;  // in the device's time
  u64 unseen_ns = 0;             // time before it without sampling
  WaitEnd end = WaitEnd::time;
  std::optional<diag::Error> trouble = {};  // the program crashed; the samples taken until then are good
};

class LiveSampling {
 public:
  virtual ~LiveSampling() = default;
  // Waits for this time, or less if Ctrl-C or the program ends it, and keeps the samples. `meanwhile` is called several
  // times a second if the device allows it: recording() then has the stretches before this one.
  virtual diag::Result<LiveStretch> next(u64 length_ms, const std::function<void()>& meanwhile) = 0;
  // How many of the last stretches are kept; at least one, once there was one.
  virtual usize kept() const = 0;
  // A perf.data file of so many stretches: the last ones, or the last before some newer ones that are left out.
  virtual diag::Result<std::vector<std::byte>> recording(usize stretches, usize newest_left_out) = 0;
  // For the newest stretch, if they were wanted and the recording does not have them; otherwise null.
  virtual const recording::RecordedSwitches* switches() const { return nullptr; }
};

// The most sampled data that is kept, in bytes.
inline constexpr u64 kMostLiveBytes = u64{64} << 20;

// The arguments outlive it.
diag::Result<std::unique_ptr<LiveSampling>> start_live_sampling(const MeasureOptions& options,
                                                                const plan::SamplePlan& plan,
                                                                const SampledProgram& sampled, Machine& machine,
                                                                diag::Console& console);

// Counts during sampling, for one stretch of time after the other, as `top --counters` shows them.
class LiveCounts {
 public:
  // For the sampled program, or for the cores. An error if a device either samples or counts.
  static diag::Result<std::unique_ptr<LiveCounts>> open(request::Measurement wanted,
                                                        std::vector<request::CountItem> counters,
                                                        const SampledProgram& sampled, Machine& machine);
  // Since the last call, of all cores together.
  diag::Result<std::vector<answers::CountRow>> next();
  // The ways in which counting differs from what was asked for.
  std::vector<std::string> remarks() const { return session_->remarks(); }

 private:
  LiveCounts(plan::CountPlan plan, std::unique_ptr<device::CountSession> session, Machine& machine)
      : plan_(std::move(plan)), session_(std::move(session)), machine_(machine) {}

  plan::CountPlan plan_;
  std::unique_ptr<device::CountSession> session_;
  Machine& machine_;
  readings::CountCapture last_;
};

}  // namespace wperf::measure
