// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/record_callers.h"

#include <utility>

namespace wperf::recording {

using perf_data::RecordStacks;

RecordCallers::RecordCallers(RecordStacks stacks) : stacks_(std::move(stacks)) {
  for (usize i = 0; i < stacks_.records.size(); ++i) streams_[stacks_.records[i].core].records.push_back(i);
}

void RecordCallers::add_to(u32 core, const spe::Record& record, std::vector<stacks::StackFrame>& frames) {
  const auto found = streams_.find(core);
  if (found == streams_.end() || !record.has(spe::Field::timestamp)) return;
  Stream& stream = found->second;
  const auto ticks_of = [&](usize at) { return stacks_.records[stream.records[at]].ticks; };
  while (stream.next < stream.records.size() && ticks_of(stream.next) < record.timestamp()) ++stream.next;
  if (stream.next == stream.records.size() || ticks_of(stream.next) != record.timestamp()) return;
  const RecordStacks::Record& one = stacks_.records[stream.records[stream.next++]];
  const std::vector<u64>& stack = stacks_.stacks[one.stack];
  if (one.replaces && !stack.empty()) frames.clear();
  for (const u64 address : stack) {
    frames.push_back({address, stacks::AddressKind::user, !frames.empty()});
  }
}

}  // namespace wperf::recording
