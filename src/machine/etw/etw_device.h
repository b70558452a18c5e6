// SPDX-License-Identifier: BSD-3-Clause
// Windows' own tracing as a device: it records all programs, without a driver of ours.
#pragma once
#include <memory>

#include "machine/device/device.h"
#include "machine/etw/trace_api.h"

namespace wperf::etw {

// A Windows machine: its tracing and its programs.
class TracingMachine {
 public:
  virtual ~TracingMachine() = default;
  virtual etw::TraceApi& tracing() = 0;
  virtual device::Programs& programs() = 0;
};

std::unique_ptr<device::Device> make_etw_device(std::unique_ptr<TracingMachine> machine);

// Opens the tracing of this Windows machine.
std::unique_ptr<TracingMachine> open_windows_tracing();

}  // namespace wperf::etw
