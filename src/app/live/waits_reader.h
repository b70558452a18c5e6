// SPDX-License-Identifier: BSD-3-Clause
// Where threads waited in each stretch of time that `top` looks at.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/recorded_switches.h"
#include "analysis/waits/live_waits.h"
#include "app/measure/live_sampling.h"
#include "formats/perf_data/perf_file.h"
#include "ground/diag/result.h"

namespace wperf::live {

// Removes the events about switches from the samples of a recording.
void leave_switches_out(stacks::StackProfile& profile);

class LiveWaitNames {
 public:
  // The stretch of time after that of the last call.
  struct Stretch {
    const perf_data::PerfFile& file;  // only for it
    measure::LiveStretch times;
    const recording::RecordedSwitches* switches = nullptr;  // null: the file has them
    u32 program = 0;                                        // only it and its children are looked at; 0: all
  };
  // `wanted`: files that are kept open.
  diag::Result<std::vector<waits::WaitedIn>> take(const Stretch& stretch, const recording::ReadOptions& wanted);
  // The known waits may be wrong from here on.
  void forget() { live_.forget(); }

 private:
  using Place = std::tuple<std::string, std::string, waits::WaitClass>;
  void name(std::vector<waits::WaitPart>& parts, const perf_data::PerfFile& file, recording::ReadOptions wanted,
            const recording::RecordedSwitches& switches);
  u32 number_of(Place place);

  waits::LiveWaits live_;
  std::map<Place, u32> numbers_;
  std::vector<Place> places_;
};

}  // namespace wperf::live
