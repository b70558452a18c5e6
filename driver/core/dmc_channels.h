// SPDX-License-Identifier: BSD-3-Clause
// The mapped DMC-620 channels that a client has named. The client supplies the addresses, so they are checked
// completely: a page is mapped for writing only if the frame's identity registers identify an Arm component. The hal
// refuses RAM.
#pragma once
#include "abi/status.h"
#include "abi/wire.h"
#include "base/ints.h"
#include "driver/hal.h"

namespace wperf::driver {

class DmcChannels {
 public:
  u32 count() const { return count_; }
  void* frame(u32 channel) const { return frames_[channel]; }

  // Sets up all channels. If that fails, the previous channels stay.
  [[nodiscard]] WperfStatus set_up(Hal& hal, const WperfDmcSetupRequest& request);
  void unmap(Hal& hal);

 private:
  u32 count_ = 0;
  void* frames_[WPERF_MAX_DMC_CHANNELS] = {};
};

}  // namespace wperf::driver
