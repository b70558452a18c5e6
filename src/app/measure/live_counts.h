// SPDX-License-Identifier: BSD-3-Clause
// Counts during sampling, for one stretch of time after the other, as `top --counters` shows them.
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
