// SPDX-License-Identifier: BSD-3-Clause
// Which samples a client may see: an administrator all of them, anybody else those of processes that are his own.
// One lives as long as one drain request; it asks the shell once per process, as long as there are few of them.
#pragma once
#include "abi/wire.h"
#include "base/bytes.h"
#include "base/ints.h"
#include "driver/hal.h"

namespace wperf::driver {

class Onlooker {
 public:
  Onlooker(Hal& hal, ClientId client, bool administrator) : hal_(hal), client_(client), administrator_(administrator) {}

  // Moves the samples he may see to the front and forgets the others; how many there are.
  u32 keep_visible(WperfSample* samples, u32 count) {
    if (administrator_) {
      return count;
    }
    u32 kept = 0;
    for (u32 i = 0; i < count; ++i) {
      if (may_see(samples[i].process)) {
        samples[kept++] = samples[i];
      }
    }
    zero_bytes(samples + kept, (count - kept) * sizeof(WperfSample));
    return kept;
  }

 private:
  struct Answer {
    u32 process;
    bool visible;
  };
  static constexpr u32 kRemembered = 16;

  bool may_see(u32 process) {
    for (u32 i = 0; i < asked_ && i < kRemembered; ++i) {
      if (answers_[i].process == process) {
        return answers_[i].visible;
      }
    }
    Answer& answer = answers_[asked_ % kRemembered];  // the oldest makes room
    ++asked_;
    answer = {process, hal_.may_observe(client_, process)};
    return answer.visible;
  }

  Hal& hal_;
  const ClientId client_;
  const bool administrator_;
  u32 asked_ = 0;
  Answer answers_[kRemembered] = {};
};

}  // namespace wperf::driver
