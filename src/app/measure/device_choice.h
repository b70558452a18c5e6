// SPDX-License-Identifier: BSD-3-Clause
// Which device measures if the user names none. Pure.
#pragma once
#include <string>

#include "machine/devices/devices.h"
#include "model/request/measurement.h"

namespace wperf::measure {

struct ChosenDevice {
  std::string name;  // as --device takes it; empty: the default of open_device for this machine
  std::string why;   // a sentence for the first line; empty: the choice needs no explanation
};
ChosenDevice choose_device(const request::Measurement& wanted, const devices::DevicesHere& here);

}  // namespace wperf::measure
