// SPDX-License-Identifier: BSD-3-Clause
// What `wperf doctor --selftest` found: of each device, check by check. Made by doctor, written by report.
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
  std::vector<std::pair<std::string, std::string>> facts;  // of the tool and the system
  std::vector<TestedDevice> devices;
};

}  // namespace wperf::answers
