// SPDX-License-Identifier: BSD-3-Clause
// Where threads waited in each stretch of time that `top` looks at. Called by live_look.
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

namespace wperf::commands {

// Of a recording the events that tell of switches are no part of what was sampled.
void leave_switches_out(stacks::StackProfile& profile);

class LiveWaitNames {
 public:
  // A stretch of time behind that of the last call.
  struct Stretch {
    const perf_data::PerfFile& file;  // of it alone
    measure::LiveStretch times;
    const recording::RecordedSwitches* switches = nullptr;  // null: the file tells them
    u32 program = 0;                                        // only it and what it started is looked at; 0: all
  };
  // `wanted`: files that are kept open.
  diag::Result<std::vector<waits::WaitedIn>> take(const Stretch& stretch, const request::Request& request,
                                                  const recording::WantedDetail& wanted);
  // What is known of who waits may be wrong from here on.
  void forget() { live_.forget(); }

 private:
  using Place = std::tuple<std::string, std::string, waits::WaitClass>;
  void name(std::vector<waits::WaitPart>& parts, const perf_data::PerfFile& file, const request::Request& request,
            recording::WantedDetail wanted, const recording::RecordedSwitches& switches);
  u32 number_of(Place place);

  waits::LiveWaits live_;
  std::map<Place, u32> numbers_;
  std::vector<Place> places_;
};

}  // namespace wperf::commands
