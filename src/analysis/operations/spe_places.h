// SPDX-License-Identifier: BSD-3-Clause
// The distinct addresses of code in an aggregator, numbered.
#pragma once
#include <vector>

#include "analysis/operations/code_places.h"
#include "analysis/operations/spe_profile_builder.h"
#include "formats/spe/aggregator.h"

namespace wperf::operations {

// One branch with all its targets.
struct BranchSite {
  spe::Site site;
  bool conditional = false, indirect = false;
  u64 hits = 0, mispredicted = 0, not_taken = 0;
  u64 top_target = 0, top_target_hits = 0;  // when taken; 0: never
  u32 targets = 0;
};
// Most mispredicts first.
std::vector<BranchSite> branch_sites(const spe::Aggregator& aggregator);

class SpePlaces {
 public:
  // Keeps the target's modules.
  SpePlaces(const spe::Aggregator& aggregator, const answers::SampleTarget& target, bool processes_known);

  const std::vector<Place>& places() const { return index_.places(); }
  // For a site of the aggregator at which something was sampled; kOtherProcess if it is not in the target.
  u32 number_of_site(u32 site) const { return place_of_site_[site]; }
  const std::vector<BranchSite>& branches() const { return branches_; }  // empty without memory

  u32 number_of(const spe::Site& site) { return is_other(site) ? kOtherProcess : index_.number_of(place_of(site)); }
  static spe::Site target_of(const BranchSite& branch) {
    return {.pc = branch.top_target, .kernel = branch.site.kernel, .other_process = branch.site.other_process};
  }

 private:
  static Place place_of(const spe::Site& site) { return {.address = site.pc, .kernel = site.kernel}; }
  bool is_other(const spe::Site& site) const;

  ModuleMap modules_;
  bool processes_known_;
  PlaceIndex index_;
  std::vector<u32> place_of_site_;
  std::vector<BranchSite> branches_;
};

}  // namespace wperf::operations
