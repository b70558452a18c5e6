// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/live_waits.h"

#include <algorithm>

#include "analysis/waits/thread_times.h"

namespace wperf::waits {

std::vector<WaitPart> LiveWaits::take(const std::vector<stacks::Switch>& switches, u64 begin, u64 end) {
  // At the beginning of the interval, each thread that is already waiting leaves an invented core that no other thread
  // uses.
  u16 core_of_nobody = 0;
  for (const stacks::Switch& one : switches) {
    core_of_nobody = std::max<u16>(core_of_nobody, static_cast<u16>(std::min<u32>(one.core + 1u, 0xffff)));
  }
  std::vector<stacks::Switch> all;
  all.reserve(lasting_.size() + switches.size());
  for (const auto& [thread, place] : lasting_) {
    all.push_back({.time = begin, .leaves = thread, .core = core_of_nobody, .leaving = stacks::Leaving::waits});
  }
  all.insert(all.end(), switches.begin(), switches.end());
  const Accounting accounting = account(all, {}, begin, end);
  std::vector<WaitPart> parts;
  parts.reserve(accounting.waits.size());
  // The waits that last from the previous interval come first, because they were inserted first.
  const usize lasted = lasting_.size();
  for (usize i = 0; i < accounting.waits.size(); ++i) {
    const Wait& wait = accounting.waits[i];
    if (!wait.is_known) continue;
    WaitPart part{.thread = accounting.threads[wait.thread].thread,
                  .sample = wait.sample,
                  .reason = wait.reason,
                  .length = wait.length(),
                  .begins = i >= lasted && wait.has_begin,
                  .lasts = !wait.has_end};
    if (i < lasted) part.place = lasting_.at(part.thread);
    parts.push_back(part);
  }
  return parts;
}

void LiveWaits::keep(const std::vector<WaitPart>& parts) {
  lasting_.clear();
  for (const WaitPart& part : parts) {
    if (part.lasts) lasting_[part.thread] = part.place;
  }
}

}  // namespace wperf::waits
