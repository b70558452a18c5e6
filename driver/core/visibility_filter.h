// SPDX-License-Identifier: BSD-3-Clause
// Decides which samples a client may see. An administrator sees all of them; another user sees only samples of the
// user's own processes. A process is identified by its number and its start time, because its number may belong to
// another process soon after it ends. A filter exists for one drain request. It asks the shell only once per process,
// as long as there are few processes.
#pragma once
#include "base/ints.h"
#include "driver/core/sample_ring.h"
#include "driver/hal.h"

namespace wperf::driver {

class VisibilityFilter {
 public:
  VisibilityFilter(Hal& hal, ClientId client, bool administrator)
      : hal_(hal), client_(client), administrator_(administrator) {}

  // A user who is not an administrator sees no samples of the kernel.
  bool may_see(const RingSample& kept) {
    return administrator_ || (kept.sample.exception_level == 0 && may_observe(kept.sample.process, kept.process_start));
  }

 private:
  struct Answer {
    u32 process;
    bool visible;
    u64 start;
  };
  static constexpr u32 kRemembered = 16;

  bool may_observe(u32 process, u64 start) {
    for (u32 i = 0; i < asked_ && i < kRemembered; ++i) {
      if (answers_[i].process == process && answers_[i].start == start) {
        return answers_[i].visible;
      }
    }
    Answer& answer = answers_[asked_ % kRemembered];  // the answer replaces the oldest entry
    ++asked_;
    answer = {process, hal_.may_observe(client_, process, start), start};
    return answer.visible;
  }

  Hal& hal_;
  const ClientId client_;
  const bool administrator_;
  u32 asked_ = 0;
  Answer answers_[kRemembered] = {};
};

}  // namespace wperf::driver
