// SPDX-License-Identifier: BSD-3-Clause
// The names of the CSV files of a timeline (contract 6.3): one per event class that is counted.
#pragma once
#include <string>
#include <vector>

#include "base/event_class.h"
#include "plan/plan.h"
#include "request/request.h"

namespace wperf::pipeline {

struct TimelineFile {
  EventClass event_class;
  std::string path;  // final: --cwd joined, placeholders replaced
};

std::vector<TimelineFile> timeline_files(const request::Request& request, const plan::CountPlan& plan);

}  // namespace wperf::pipeline
