// SPDX-License-Identifier: BSD-3-Clause
// Finds where threads waited in each look, which is one refresh interval of `top`.
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

// Removes the events about context switches from the samples of a recording.
void remove_switch_events(stacks::StackProfile& profile);

class LiveWaitNames {
 public:
  // The look that follows the look of the previous call.
  struct Look {
    const perf_data::PerfFile& file;  // the recording of this look
    measure::LiveLook times;
    const recording::RecordedSwitches* switches = nullptr;  // null: the file has the switches
    u32 program = 0;                                        // only this process and its children; 0: all processes
  };
  // `wanted`: includes code files that are kept open.
  diag::Result<std::vector<waits::FunctionWaits>> take(const Look& look, const recording::ReadOptions& wanted);
  // From now on the known waits may be wrong.
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
