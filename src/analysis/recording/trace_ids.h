// SPDX-License-Identifier: BSD-3-Clause
// Facts that Windows leaves out of a trace it has just recorded, and that another machine could not find out: which PDB
// belongs to each image, which drives there are, and when something was lost. Appended to the trace in its own form.
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
// Answers how many images have their ids now.
diag::Result<u64> add_image_ids(const std::string& trace_path, const TraceAdditions& additions);

}  // namespace wperf::recording
