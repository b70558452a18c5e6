// SPDX-License-Identifier: BSD-3-Clause
// The text of a -C file (contract 3.6): one metric per line, `name:event-list`, `#` lines are comments.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ground/diag/result.h"

namespace wperf::plan {

struct MetricLine {
  std::string name;
  std::string definition;  // the event list without blanks; not yet parsed, empty if the line has none
};

diag::Result<std::vector<MetricLine>> parse_metric_file(std::string_view text);

}  // namespace wperf::plan
