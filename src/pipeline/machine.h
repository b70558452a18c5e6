// SPDX-License-Identifier: BSD-3-Clause
// The opened and locked machine of one command, with the words that may be used on it.
#pragma once
#include <memory>

#include "device/device.h"
#include "diag/console.h"
#include "diag/result.h"
#include "plan/plan.h"
#include "request/request.h"

namespace wperf::pipeline {

struct Machine {
  std::unique_ptr<device::Device> device;
  plan::Capabilities capabilities;
  plan::Vocabulary vocabulary;
};

// Opens the device and takes its lock; nothing is asked of it yet.
diag::Result<std::unique_ptr<device::Device>> open_locked_device(const request::Request& request);
// The same, then asks the hardware and reads the -C and -E files.
diag::Result<Machine> open_machine(const request::Request& request, diag::Console& console);

}  // namespace wperf::pipeline
