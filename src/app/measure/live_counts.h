// SPDX-License-Identifier: BSD-3-Clause
// Counts beside samples, for one stretch of time after the other: what `top --counters` shows. Called by live_look.
#pragma once
#include <memory>
#include <vector>

#include "app/measure/opened_machine.h"
#include "app/measure/sampled_program.h"
#include "machine/plan/plan.h"
#include "model/answers/count_profile.h"

namespace wperf::measure {

class LiveCounts {
 public:
  // Of the program that is sampled, or of the cores. Refused where a device either samples or counts.
  static diag::Result<std::unique_ptr<LiveCounts>> open(const request::Request& request, const SampledProgram& sampled,
                                                        Machine& machine);
  // Since the last call, of all cores together.
  diag::Result<std::vector<answers::CountRow>> next();
  // What is counted otherwise than was asked for.
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
