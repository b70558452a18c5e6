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

diag::Result<std::string> Device::recording_profile(const plan::SamplePlan&) {
  return diag::Error{.text = "--print-wprp is for Windows' own tracing",
                     .hint = "--device etw, on Linux --device etw:fake",
                     .code = diag::ExitCode::usage};
}

}  // namespace wperf::device
