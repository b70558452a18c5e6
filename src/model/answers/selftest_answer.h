// SPDX-License-Identifier: BSD-3-Clause
// The results of `wperf doctor --selftest`: device by device, check by check.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace wperf::answers {

enum class Outcome { ok, failed, not_possible };

struct Finding {
  std::string check;
  Outcome outcome = Outcome::ok;
  std::string detail;  // numbers, or the reason
};

struct TestedDevice {
  std::string name;  // as --device takes it
  std::vector<Finding> findings;
};

struct Selftest {
  std::vector<std::pair<std::string, std::string>> facts;  // about the tool and the system
  std::vector<TestedDevice> devices;
};

}  // namespace wperf::answers
