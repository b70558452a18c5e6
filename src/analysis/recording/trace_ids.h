// SPDX-License-Identifier: BSD-3-Clause
// What Windows leaves out of a trace it has just recorded, and no other machine could find out: which PDB belongs to
// each image, which drives there are, and when something was lost. Put behind the trace in its own form. Called by
// recording_run.
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
  std::vector<etl::write::LossSpan> losses;                  // that were told while it was recorded
};
// Answers how many images have their ids now.
diag::Result<u64> add_image_ids(const std::string& trace_path, const TraceAdditions& additions);

}  // namespace wperf::recording
