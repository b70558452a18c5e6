// SPDX-License-Identifier: BSD-3-Clause
// Samples through a driver that uses wperf's protocol, with counters or with SPE.
#pragma once
#include <memory>

#include "machine/device/device.h"
#include "machine/wperf_driver/driver_call.h"

namespace wperf::wperf_driver {

// One measurement in the driver, between start and stop. The destructor stops a running measurement. Each session in
// driver_device.cpp and driver_runs.cpp has a DriverRun.
class DriverRun {
 public:
  DriverRun(device::DriverTransport& transport, u32 start_code, u32 stop_code)
      : transport_(transport), start_code_(start_code), stop_code_(stop_code) {}
  ~DriverRun() {
    if (running_) (void)stop();
  }
  DriverRun(const DriverRun&) = delete;
  DriverRun& operator=(const DriverRun&) = delete;

  bool is_running() const { return running_; }

  diag::Result<void> start() {
    WPERF_CHECK_OK(send(start_code_));
    running_ = true;
    transport_.measuring(true);
    return {};
  }

  diag::Result<void> stop() {
    if (running_) transport_.measuring(false);
    running_ = false;
    return send(stop_code_);
  }

 private:
  diag::Result<void> send(u32 code) { return call_driver(transport_, code, make_request<WperfPlainRequest>()); }

  device::DriverTransport& transport_;
  u32 start_code_, stop_code_;
  bool running_ = false;
};

// Sampling with counters through a driver that uses wperf's protocol.
diag::Result<std::unique_ptr<device::SampleSession>> open_driver_sampling(device::DriverTransport& transport,
                                                                          const plan::SamplePlan& plan);

// Statistical profiling through a driver that uses wperf's protocol.
diag::Result<std::unique_ptr<device::SpeSession>> open_driver_spe(device::DriverTransport& transport,
                                                                  const plan::SpePlan& plan);

}  // namespace wperf::wperf_driver
