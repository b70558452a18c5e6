// SPDX-License-Identifier: BSD-3-Clause
// Samples in consecutive looks (refresh intervals) for `top`, without gaps if the device allows it. The last looks are
// kept and can be read as a recording. Must be used by one thread.
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
#include "model/stacks/python_samples.h"

namespace wperf::measure {

// The time between two updates of `top`, and what was sampled in it.
struct LiveLook {
  u64 begin_ns = 0, end_ns = 0;  // in device time
  u64 unseen_ns = 0;             // time before the look in which nothing was sampled
  WaitEnd end = WaitEnd::time;
  std::optional<diag::Error> error = {};  // the program crashed; the samples before that are valid
  stacks::PythonSamples python = {};
};

class LiveSampling {
 public:
  virtual ~LiveSampling() = default;
  // Waits for this time, or until Ctrl-C or the program's end, and keeps the samples. If the device allows it,
  // `meanwhile` is called several times a second; during these calls recording() has the earlier looks.
  virtual diag::Result<LiveLook> next(u64 length_ms, const std::function<void()>& meanwhile) = 0;
  // The number of looks that are kept; at least one after the first look.
  virtual usize kept() const = 0;
  // A perf.data file with this many looks: the newest ones, after skipping `newest_left_out` looks.
  virtual diag::Result<std::vector<std::byte>> recording(usize looks, usize newest_left_out) = 0;
  // The context switches of the newest look, if requested and not in the recording itself; otherwise null.
  virtual const recording::RecordedSwitches* switches() const { return nullptr; }
  // The processes of the newest look, if a trace has them: pairs of parent and child.
  virtual std::vector<std::pair<u32, u32>> children() const { return {}; }
};

// The maximum size of the sampled data that is kept, in bytes.
inline constexpr u64 kMostLiveBytes = u64{64} << 20;

// The arguments must outlive the result.
diag::Result<std::unique_ptr<LiveSampling>> start_live_sampling(const MeasureOptions& options,
                                                                const plan::SamplePlan& plan,
                                                                const SampledProgram& sampled, OpenedMachine& machine,
                                                                diag::Console& console);

// Counts while sampling, in consecutive looks, for `top --counters`.
class LiveCounts {
 public:
  // For the sampled program, or for the cores. Returns an error if the device cannot sample and count at the same time.
  static diag::Result<std::unique_ptr<LiveCounts>> open(request::Measurement wanted,
                                                        std::vector<request::CountItem> counters,
                                                        const SampledProgram& sampled, OpenedMachine& machine);
  // The counts since the last call, summed over all cores.
  diag::Result<std::vector<answers::CountRow>> next();
  // How counting differs from the request.
  std::vector<std::string> remarks() const { return session_->remarks(); }

 private:
  LiveCounts(plan::CountPlan plan, std::unique_ptr<device::CountSession> session, OpenedMachine& machine)
      : plan_(std::move(plan)), session_(std::move(session)), machine_(machine) {}

  plan::CountPlan plan_;
  std::unique_ptr<device::CountSession> session_;
  OpenedMachine& machine_;
  readings::CountCapture last_;
};

}  // namespace wperf::measure
