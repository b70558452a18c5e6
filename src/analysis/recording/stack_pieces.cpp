// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/stack_pieces.h"

#include <algorithm>

namespace wperf::recording {

DeferredStacks::DeferredStacks(const perf_data::PerfFile& file) {
  const bool may_defer = std::any_of(file.attrs().begin(), file.attrs().end(), [](const perf_data::Event& event) {
    return event.attributes.defers_callchains();
  });
  if (!may_defer) return;
  file.for_each_record(perf_data::Visitors{[&](const perf_data::DeferredCallchain& part, const perf_data::Record&) {
    parts_.insert_or_assign(part.cookie, Part{part.identity.tid, part.callchain});
  }});
}

bool DeferredStacks::is_put_off(const perf_data::Sample& sample) {
  const usize size = sample.callchain.size();
  return size >= 2 && sample.callchain[size - 2] == perf_data::kCallchainDeferred;
}

bool DeferredStacks::append_to(std::vector<stacks::StackFrame>& frames, const perf_data::Sample& sample) const {
  const auto found = parts_.find(sample.callchain[sample.callchain.size() - 1]);
  if (found == parts_.end() || found->second.tid != sample.tid) return false;
  const bytes::Words& chain = found->second.chain;
  bool is_first = true;
  for (usize i = 0; i < chain.size(); ++i) {
    if (chain[i] >= perf_data::kCallchainMarks) continue;
    // The part begins where the thread returns to; a sample in user mode was taken there.
    const bool again = is_first && frames.size() == 1 && frames[0].address == chain[i];
    is_first = false;
    if (!again) frames.push_back({chain[i], stacks::AddressKind::user});
  }
  return true;
}

bool continue_by_pointers(std::vector<u64>& unwound, const std::vector<u64>& pointers) {
  // Both begin at the sample, so callers that come several times (recursion) are matched in order.
  auto from = unwound.begin();
  auto next = pointers.begin();
  for (; next != pointers.end(); ++next) {
    const auto same = std::find(from, unwound.end(), *next);
    if (same == unwound.end()) break;
    from = same + 1;
  }
  if (next == pointers.begin() || next == pointers.end()) return false;
  unwound.insert(unwound.end(), next, pointers.end());
  return true;
}

}  // namespace wperf::recording
