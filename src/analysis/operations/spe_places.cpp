// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/spe_places.h"

#include <algorithm>
#include <tuple>

namespace wperf::operations {

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
  // Sites that are only targets of branches are not places. The order is that in which the sites were first seen.
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

}  // namespace wperf::operations
