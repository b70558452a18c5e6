// SPDX-License-Identifier: BSD-3-Clause
#include "device/device.h"

namespace wperf::device {

diag::Result<std::unique_ptr<SampleSession>> Device::open_sampling(const plan::SamplePlan&) {
  return diag::Error{.text = "this device hands out no samples: it records them", .hint = {}};
}

diag::Result<std::unique_ptr<RecordingSession>> Device::open_recording(const plan::SamplePlan&,
                                                                       const RecordingTarget&) {
  return diag::Error{.text = "this device makes no recordings: it hands out samples", .hint = {}};
}

}  // namespace wperf::device
