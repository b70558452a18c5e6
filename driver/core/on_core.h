// SPDX-License-Identifier: BSD-3-Clause
// Runs a callable on a given core and waits for it, using the hal's call for plain function pointers.
#pragma once
#include "abi/status.h"
#include "base/ints.h"
#include "driver/hal.h"

namespace wperf::driver {

template <typename Work>
[[nodiscard]] WperfStatus run_on(Hal& hal, u32 core, Work& work) {
  return hal.run_on_core(core, [](void* context) { (*static_cast<Work*>(context))(); }, &work);
}

}  // namespace wperf::driver
