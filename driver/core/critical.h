// SPDX-License-Identifier: BSD-3-Clause
// Holds the hal's lock for a scope.
#pragma once
#include "driver/hal.h"

namespace wperf::driver {

class Critical {
 public:
  explicit Critical(Hal& hal) : hal_(hal) { hal_.enter_critical(); }
  ~Critical() { hal_.leave_critical(); }
  Critical(const Critical&) = delete;
  Critical& operator=(const Critical&) = delete;

 private:
  Hal& hal_;
};

}  // namespace wperf::driver
