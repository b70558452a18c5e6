// SPDX-License-Identifier: BSD-3-Clause
#include "sim/memory/line_directory.h"

namespace wperf::sim {

u32 LineDirectory::read(u32 core, u64 line) {
  Line& entry = lines_[line];
  u32 from = kNobody;
  if (entry.owner != kNobody && entry.owner != core) {
    SnoopedCaches* const caches = caches_[entry.owner];
    if (caches != nullptr && caches->share(line) == SnoopedCaches::Copy::dirty) from = entry.owner;
    entry.owner = kNobody;
  }
  entry.holders.set(core);
  return from;
}

u32 LineDirectory::write(u32 core, u64 line, bool& others_had_it) {
  Line& entry = lines_[line];
  u32 from = kNobody;
  others_had_it = false;
  if (entry.owner == core) return from;
  for (u32 holder = 0; holder < caches_.size(); ++holder) {
    if (holder == core || !entry.holders.test(holder) || caches_[holder] == nullptr) continue;
    const SnoopedCaches::Copy copy = caches_[holder]->give_up(line);
    others_had_it |= copy != SnoopedCaches::Copy::none;
    if (copy == SnoopedCaches::Copy::dirty) from = holder;
  }
  entry.holders.reset();
  entry.holders.set(core);
  entry.owner = core;
  return from;
}

}  // namespace wperf::sim
