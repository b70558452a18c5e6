// SPDX-License-Identifier: BSD-3-Clause
// The cores of the machine with their caches, in Windows' three formats. All cores are in one package, one NUMA node
// and one group; programs see at most 64 of them.
#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/nt/services.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kCore = 0, kNode = 1, kCache = 2, kPackage = 3, kGroup = 4, kAll = 0xffff;
constexpr u32 kMostCores = 64;

struct Cache {
  u8 level = 0, ways = 0;
  u16 line = 64;
  u32 bytes = 0, type = 0;  // type: 0 unified, 1 instructions, 2 data
};
static_assert(sizeof(Cache) == 12);

struct Relation {
  u32 kind = kCore;
  u64 cores = 0;  // a mask
  Cache cache;
};

u32 core_count(const Call& call) {
  return std::min(call.state.processor_count, kMostCores);
}

void add_caches(const std::vector<ProcessorFacts>& cores, u32 index, std::vector<Relation>& out) {
  constexpr u32 kInstructions = 1, kData = 2, kUnified = 0;
  const ProcessorFacts& own = cores[index];
  const auto add = [&](u8 level, u32 type, u64 bytes, u64 mask) {
    if (bytes != 0) out.push_back({kCache, mask, {level, 0, 64, static_cast<u32>(bytes), type}});
  };
  const u64 self = u64{1} << index;
  add(1, kData, own.l1d_bytes, self);
  add(1, kInstructions, own.l1i_bytes, self);
  add(2, kUnified, own.l2_bytes, self);
  if (index != 0 && cores[index - 1].cluster == own.cluster) return;
  u64 shared = 0;
  for (u32 other = index; other < std::min<usize>(cores.size(), kMostCores); ++other)
    if (cores[other].cluster == own.cluster) shared |= u64{1} << other;
  add(3, kUnified, own.l3_bytes, shared);
}

std::vector<Relation> relations_of(const Call& call) {
  const u64 all = all_processors(call.state);
  const std::vector<ProcessorFacts>& known = call.state.system->processors;
  std::vector<Relation> relations;
  for (u32 index = 0; index < core_count(call); ++index) {
    relations.push_back({kCore, u64{1} << index, {}});
    if (index < known.size()) add_caches(known, index, relations);
  }
  relations.push_back({kNode, all, {}});
  relations.push_back({kPackage, all, {}});
  relations.push_back({kGroup, all, {}});
  return relations;
}

// Appends SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX.
void append(const Call& call, const Relation& relation, std::vector<std::byte>& out) {
  const usize at = out.size();
  const u32 size = relation.kind == kGroup ? 80 : relation.kind == kCache ? 56 : 48;
  out.resize(at + size);
  const auto put = [&](usize offset, auto value) { std::memcpy(out.data() + at + offset, &value, sizeof value); };
  put(0, relation.kind);
  put(4, size);
  if (relation.kind == kGroup) {
    const auto count = static_cast<u8>(core_count(call));
    put(8, std::array<u16, 2>{1, 1});  // the most groups, and the present ones
    put(32, std::array<u8, 2>{count, count});
    put(72, relation.cores);
    return;
  }
  if (relation.kind == kCache) put(8, relation.cache);
  put(relation.kind == kCache ? 38 : 30, u16{1});  // groups
  put(size - 16, relation.cores);
}

}  // namespace

u64 answer_topology(Call& call, u64 buffer, u64 room, u64 size_at) {
  struct Fact {
    u64 cores = 0, kind = 0;
    Cache cache;
    u32 padding = 0;
  };
  static_assert(sizeof(Fact) == 32);
  std::vector<Fact> facts;
  for (const Relation& one : relations_of(call))
    if (one.kind != kGroup)
      facts.push_back({one.cores, one.kind, one.kind == kCache ? one.cache : Cache{0, 0, 0, 0, 0}});
  return call.answer_with(buffer, room, facts.data(), facts.size() * sizeof(Fact), size_at);
}

u64 answer_topology_of(Call& call, u32 kind, u64 buffer, u64 room, u64 size_at) {
  std::vector<std::byte> bytes;
  for (const Relation& one : relations_of(call))
    if (kind == kAll || one.kind == kind) append(call, one, bytes);
  return bytes.empty() ? u64{kInvalidParameter} : call.answer_with(buffer, room, bytes.data(), bytes.size(), size_at);
}

u64 answer_cpu_sets(Call& call, u64 buffer, u64 room, u64 size_at) {
  constexpr u32 kFirstId = 0x100;
  struct CpuSet {
    u32 size = 32, type = 0, id = 0;
    u16 group = 0;
    u8 processor = 0, core = 0, last_cache = 0, node = 0, efficiency = 0, flags = 0;
    u32 scheduling = 0;
    u64 tag = 0;
  };
  static_assert(sizeof(CpuSet) == 32);
  const std::vector<ProcessorFacts>& known = call.state.system->processors;
  std::vector<CpuSet> sets(core_count(call));
  for (u32 index = 0; index < sets.size(); ++index) {
    sets[index].id = kFirstId + index;
    sets[index].processor = sets[index].core = sets[index].last_cache = static_cast<u8>(index);
    if (index != 0 && index < known.size() && known[index].l3_bytes != 0 &&
        known[index - 1].cluster == known[index].cluster)
      sets[index].last_cache = sets[index - 1].last_cache;
  }
  const u64 size = sets.size() * sizeof(CpuSet);
  if (!call.put_if_wanted(size_at, static_cast<u32>(size))) return kAccessViolation;
  if (room < size) return kBufferTooSmall;
  return call.write(buffer, sets.data(), size) ? kSuccess : kAccessViolation;
}

}  // namespace wperf::sim::nt
