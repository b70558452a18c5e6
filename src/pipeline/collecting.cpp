// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/collecting.h"

#include <algorithm>

#include "pipeline/milliseconds.h"

namespace wperf::pipeline {
namespace {

constexpr u64 kProgressNs = 1'000 * kNanosecondsPerMillisecond;

// The letters behind "sampling ...", one a second: did samples arrive?
class SamplingProgress {
 public:
  SamplingProgress(diag::Console& console, u64 now) : console_(console), next_(now + kProgressNs) {
    console_.out("sampling ...");
  }
  void at(u64 now, u64 collected) {
    while (now >= next_) {
      console_.out(collected > seen_ ? "." : "e");
      seen_ = collected;
      next_ += kProgressNs;
    }
  }

 private:
  diag::Console& console_;
  u64 next_;
  u64 seen_ = 0;
};

}  // namespace

diag::Result<Collection> collect_samples(Machine& machine, u64 duration_ms, u32 pid, diag::Console& console,
                                         u64 drain_every_ns, const std::function<diag::Result<u64>()>& drain) {
  device::Channel& channel = machine.device->machine();
  const u64 start = channel.now_ns();
  const u64 end = start + duration_ms * kNanosecondsPerMillisecond;
  SamplingProgress progress(console, start);
  while (true) {
    if (console.interrupted()) return Collection{.end = WaitEnd::interrupted, .trouble = {}};
    if (pid != 0 && !channel.process(pid).running) return Collection{.end = WaitEnd::program_ended, .trouble = {}};
    const u64 now = channel.now_ns();
    if (duration_ms != 0 && now >= end) return Collection{};
    const auto waited = channel.wait(duration_ms != 0 ? std::min(drain_every_ns, end - now) : drain_every_ns, pid);
    if (!waited.has_value()) return Collection{.end = WaitEnd::program_ended, .trouble = waited.error()};
    WPERF_TRY(const u64 collected, drain());
    progress.at(channel.now_ns(), collected);
  }
}

void tell_collected(const Collection& collection, diag::Console& console) {
  if (collection.end == WaitEnd::interrupted) console.out("Ctrl-C received, quit counting...");
  console.out(" done!\n");
}

}  // namespace wperf::pipeline
