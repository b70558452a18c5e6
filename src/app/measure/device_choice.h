// SPDX-License-Identifier: BSD-3-Clause
// Which device measures where nobody named one. Pure; called by commands and the C API for requests without a device.
#pragma once
#include <string>

#include "machine/devices/devices.h"
#include "model/request/request.h"

namespace wperf::measure {

struct ChosenDevice {
  std::string name;  // as --device takes it; empty: what open_device takes for the machine's own
  std::string why;   // a sentence for the first line; empty: it is what everybody expects
};
ChosenDevice choose_device(const request::Request& request, const devices::DevicesHere& here);

}  // namespace wperf::measure
