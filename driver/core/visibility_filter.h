// SPDX-License-Identifier: BSD-3-Clause
// Which samples a client may see: an administrator all of them, anybody else those of processes that are his own.
// One lives as long as one drain request; it asks the shell once per process, as long as there are few of them.
#pragma once
#include "abi/wire.h"
#include "base/bytes.h"
#include "base/ints.h"
#include "driver/core/sample_ring.h"
#include "driver/hal.h"

namespace wperf::driver {

class VisibilityFilter {
 public:
  VisibilityFilter(Hal& hal, ClientId client, bool administrator)
      : hal_(hal), client_(client), administrator_(administrator) {}

  struct Visible {
    u32 count, words;
  };
  // Moves the records of samples that he may see to the front and forgets the others.
  Visible keep_visible(u64* records, u32 words) {
    Visible kept = {};
    u32 length = 0;
    for (u32 at = 0; at < words; at += length) {
      WperfSample sample;
      copy_bytes(&sample, records + at, sizeof sample);
      length = kSampleWords + sample.stack_words;
      if (!may_see(sample)) {
        continue;
      }
      for (u32 i = 0; i < length && kept.words != at; ++i) {
        records[kept.words + i] = records[at + i];
      }
      kept.words += length;
      ++kept.count;
    }
    zero_bytes(records + kept.words, (words - kept.words) * sizeof(u64));
    return kept;
  }

 private:
  struct Answer {
    u32 process;
    bool visible;
  };
  static constexpr u32 kRemembered = 16;

  // Of the kernel he sees nothing, whatever was sampled.
  bool may_see(const WperfSample& sample) {
    return administrator_ || (sample.exception_level == 0 && may_see(sample.process));
  }

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
