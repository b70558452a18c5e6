// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/spe_places.h"

#include <algorithm>
#include <tuple>

namespace wperf::operations {
namespace {

constexpr usize kFirstSlots = 1024;

u64 hash_of(Place place) {
  u64 hash = (place.address ^ u64{place.kernel} << 63) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

}  // namespace

using spe::BranchHits;
using spe::Site;

std::vector<BranchSite> branch_sites(const spe::Aggregator& aggregator) {
  std::vector<BranchHits> rows = aggregator.branches();
  const auto key = [](const auto& row) {
    return std::tuple(row.site.pc, row.site.kernel, row.site.other_process, row.conditional, row.indirect);
  };
  std::sort(rows.begin(), rows.end(), [&](const BranchHits& a, const BranchHits& b) {
    return key(a) != key(b) ? key(a) < key(b) : a.target < b.target;
  });
  std::vector<BranchSite> sites;
  for (const BranchHits& row : rows) {
    if (sites.empty() || key(sites.back()) != key(row)) {
      sites.push_back({.site = row.site, .conditional = row.conditional, .indirect = row.indirect});
    }
    BranchSite& site = sites.back();
    site.hits += row.hits;
    site.mispredicted += row.mispredicted;
    site.not_taken += row.not_taken;
    const u64 taken = row.hits - row.not_taken;
    if (taken == 0) continue;
    ++site.targets;
    if (taken > site.top_target_hits) {
      site.top_target_hits = taken;
      site.top_target = row.target;
    }
  }
  std::sort(sites.begin(), sites.end(), [](const BranchSite& a, const BranchSite& b) {
    return std::tie(b.mispredicted, b.hits, a.site) < std::tie(a.mispredicted, a.hits, b.site);
  });
  return sites;
}

SpePlaces::SpePlaces(const spe::Aggregator& aggregator, const answers::SampleTarget& target, bool processes_known)
    : modules_(target.modules),
      processes_known_(processes_known),
      place_of_site_(aggregator.site_count(), answers::kNone) {
  // Sites that are only branch targets are not places. Places are in the order in which the sites were first seen.
  aggregator.for_each_event([&](const spe::EventHits& row) { place_of_site_[row.site] = kOtherProcess; });
  for (u32 site = 0; site < aggregator.site_count(); ++site) {
    if (place_of_site_[site] != answers::kNone) place_of_site_[site] = number_of(aggregator.site(site));
  }
  if (!aggregator.options().memory) return;
  branches_ = branch_sites(aggregator);
  for (const BranchSite& branch : branches_) {
    if (branch.top_target != 0) number_of(target_of(branch));
  }
}

bool SpePlaces::is_other(const Site& site) const {
  if (site.other_process) return true;
  return !processes_known_ && !site.kernel && modules_.find(place_of(site)) == answers::kNone;
}

PlaceIndex::PlaceIndex() : places_(1), slots_(kFirstSlots, answers::kNone) {}

u32 PlaceIndex::number_of(Place place) {
  const usize mask = slots_.size() - 1;
  usize at = hash_of(place) & mask;
  for (; slots_[at] != answers::kNone; at = (at + 1) & mask) {
    const Place& other = places_[slots_[at]];
    if (other.address == place.address && other.kernel == place.kernel) return slots_[at];
  }
  const u32 number = static_cast<u32>(places_.size());
  slots_[at] = number;
  places_.push_back(place);
  if (places_.size() * 2 > slots_.size()) grow();
  return number;
}

void PlaceIndex::grow() {
  std::vector<u32> slots(slots_.size() * 2, answers::kNone);
  const usize mask = slots.size() - 1;
  for (usize number = 1; number < places_.size(); ++number) {
    usize at = hash_of(places_[number]) & mask;
    while (slots[at] != answers::kNone) at = (at + 1) & mask;
    slots[at] = static_cast<u32>(number);
  }
  slots_ = std::move(slots);
}

ModuleMap::ModuleMap(const std::vector<answers::SampleModule>& modules) : modules_(modules) {
  for (u32 i = 0; i < modules.size(); ++i) by_base_.push_back(i);
  std::sort(by_base_.begin(), by_base_.end(), [&](u32 a, u32 b) { return modules[a].base < modules[b].base; });
}

u32 ModuleMap::find(Place place) const {
  const auto after = std::upper_bound(by_base_.begin(), by_base_.end(), place.address,
                                      [&](u64 address, u32 module) { return address < modules_[module].base; });
  if (after == by_base_.begin()) return answers::kNone;
  const u32 module = *(after - 1);
  const answers::SampleModule& candidate = modules_[module];
  const bool inside = place.address - candidate.base < candidate.size && candidate.kernel == place.kernel;
  return inside ? module : answers::kNone;
}

std::vector<std::vector<u32>> addresses_in_modules(const std::vector<Place>& places,
                                                   const std::vector<answers::SampleModule>& modules) {
  const ModuleMap map(modules);
  std::vector<std::vector<u32>> addresses(modules.size());
  for (usize number = kOtherProcess + 1; number < places.size(); ++number) {
    const u32 module = map.find(places[number]);
    if (module == answers::kNone) continue;
    addresses[module].push_back(static_cast<u32>(places[number].address - modules[module].base));
  }
  for (std::vector<u32>& rvas : addresses) {
    std::sort(rvas.begin(), rvas.end());
    rvas.erase(std::unique(rvas.begin(), rvas.end()), rvas.end());
  }
  return addresses;
}

}  // namespace wperf::operations
