// SPDX-License-Identifier: BSD-3-Clause
// How wperf-driver is installed on this Windows, found out without opening it. For `wperf doctor`, mainly if the driver
// cannot be opened.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::windows {

// The device of another profiler's driver, Arm's WindowsPerf. It may be installed together with wperf's driver; the
// driver device only uses wperf's.
struct OtherDriver {
  std::string instance_id, hardware_ids;
};

struct DriverFacts {
  bool service_installed = false;
  bool running = false;
  u32 last_error = 0;      // Windows' error of the last attempt to start it
  std::string error_text;  // that error in words
  std::string file;        // wperf-driver.sys; empty if not known
  bool file_exists = false;
  bool signature_known = false;  // if false, the members below are unknown
  bool file_signed = false, signature_trusted = false;
  std::string signer, signature_error;
  std::optional<u32> device_problem;  // problem code in the Device Manager, 0 = no problem; nullopt if there is no
                                      // entry
  std::vector<OtherDriver> others;
};

// nullopt if this is not Windows.
std::optional<DriverFacts> driver_facts();
std::vector<OtherDriver> other_drivers();
std::string file_of_service(const char* name);  // on Windows; empty if not known

}  // namespace wperf::windows
