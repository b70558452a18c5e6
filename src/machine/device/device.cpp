// SPDX-License-Identifier: BSD-3-Clause
#include "machine/device/device.h"

#include "abi/wire.h"

namespace wperf::device {

u32 spoken_wire_version() {
  return WPERF_WIRE_VERSION;
}

diag::Result<std::unique_ptr<SampleSession>> Device::open_sampling(const plan::SamplePlan&) {
  return diag::Error{.text = "this device cannot return samples: it records them to a file", .hint = {}};
}

diag::Result<std::unique_ptr<RecordingSession>> Device::open_recording(const plan::SamplePlan&,
                                                                       const RecordingTarget&) {
  return diag::Error{.text = "this device cannot make recordings: it returns samples", .hint = {}};
}

diag::Result<std::string> Device::recording_profile(const plan::SamplePlan&) {
  return diag::usage_error("--print-wprp needs Windows' own tracing",
                           "use --device etw, or on Linux --device etw:fake");
}

}  // namespace wperf::device
