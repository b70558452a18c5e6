// SPDX-License-Identifier: BSD-3-Clause
// The answers of the small commands about the tool and the machine: --version, detect and doctor.
#pragma once
#include <string>

namespace wperf::answers {

struct Component {
  std::string name;  // "wperf", "wperf-driver"
  std::string version;
  std::string git;       // hexadecimal
  std::string features;  // "+trace+spe", may be empty
};

struct DeviceInstance {
  std::string instance_id, hardware_ids;
};

enum class CheckStatus { ok, warn, fail };

struct Check {
  std::string name;
  CheckStatus status = CheckStatus::ok;
  std::string detail;
  std::string fix;  // the remedy; empty if there is nothing to fix or no known way
};

}  // namespace wperf::answers
