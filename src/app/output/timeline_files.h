// SPDX-License-Identifier: BSD-3-Clause
// The CSV files of a timeline (contract 6.3): one per event class that is counted.
#pragma once
#include <string>
#include <vector>

#include "base/event_class.h"
#include "ground/diag/result.h"
#include "machine/plan/plan.h"
#include "model/answers/count_profile.h"
#include "model/request/output_options.h"

namespace wperf::output {

struct TimelineFile {
  EventClass event_class;
  std::string path;  // final: --cwd joined, placeholders replaced
};

std::vector<TimelineFile> timeline_files(const request::Outputs& outputs, const plan::CountPlan& plan);

// Can all of them be written, and the JSON, too? Checked before the counting.
diag::Result<void> check_timeline_files(const request::Outputs& outputs, const std::vector<TimelineFile>& files);
// Whatever becomes of one file, the others are written.
diag::Result<void> write_timeline_files(const answers::TimelineProfile& timeline,
                                        const std::vector<TimelineFile>& files);

}  // namespace wperf::output
