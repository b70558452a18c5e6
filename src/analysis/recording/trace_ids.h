// SPDX-License-Identifier: BSD-3-Clause
// Adds facts that Windows leaves out of a trace and that another machine could not find out: the PDB of each image, the
// drives, and when events were lost. They are appended to the trace as events.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "formats/etl/kernel_events.h"
#include "ground/diag/result.h"

namespace wperf::recording {

struct TraceAdditions {
  std::vector<std::pair<std::string, std::string>> volumes;  // device (\Device\HarddiskVolume3) and drive (C:)
  std::vector<etl::write::LossSpan> losses;                  // reported during the recording
};
// Returns how many images got their ids.
diag::Result<u64> add_image_ids(const std::string& trace_path, const TraceAdditions& additions);

}  // namespace wperf::recording
