// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/padding.h"

#include <algorithm>
#include <utility>

namespace wperf::plan {
namespace {

Entry padding_entry() {
  Entry entry;
  entry.code = kPaddingEvent;
  entry.padding = true;
  return entry;
}

usize trailing_padding(const std::vector<Entry>& ring) {
  usize count = 0;
  while (count < ring.size() && ring[ring.size() - 1 - count].padding) ++count;
  return count;
}

// A group takes the padding at the end of the ring if that is long enough, otherwise new places at the end.
void place_group(std::vector<Entry>& ring, std::vector<Entry>& group) {
  const usize reusable = trailing_padding(ring);
  usize place = reusable >= group.size() ? ring.size() - reusable : ring.size();
  ring.resize(std::max(ring.size(), place + group.size()));
  for (Entry& member : group) ring[place++] = std::move(member);
}

}  // namespace

std::vector<Entry> pad_schedule(std::vector<std::vector<Entry>> groups, std::vector<Entry> singles, u32 counters) {
  if (groups.empty()) return singles;
  std::vector<Entry> ring;
  usize next_single = 0;
  for (std::vector<Entry>& group : groups) {
    place_group(ring, group);
    // Single events fill the gap after a group before later groups may.
    while (ring.size() % counters != 0) {
      ring.push_back(next_single < singles.size() ? std::move(singles[next_single++]) : padding_entry());
    }
  }
  while (next_single < singles.size()) ring.push_back(std::move(singles[next_single++]));
  while (ring.size() % counters != 0) ring.push_back(padding_entry());
  return ring;
}

}  // namespace wperf::plan
