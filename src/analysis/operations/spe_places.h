// SPDX-License-Identifier: BSD-3-Clause
// Numbers the distinct addresses of code in an aggregator.
#pragma once
#include <vector>

#include "base/ints.h"
#include "formats/spe/aggregator.h"
#include "model/answers/sampled_run.h"

namespace wperf::operations {

// The distinct addresses of a run with their numbers. The address of each sample is looked up once; later code uses
// only the number.
inline constexpr u32 kOtherProcess = 0;  // the place of all samples outside of the target process

struct Place {
  u64 address = 0;
  bool kernel = false;
};

class PlaceIndex {
 public:
  PlaceIndex();
  // The number of this place; a new place gets a new number.
  u32 number_of(Place place);
  // Indexed by number; the first one is kOtherProcess.
  const std::vector<Place>& places() const { return places_; }

 private:
  void grow();
  std::vector<Place> places_;
  std::vector<u32> slots_;  // open addressing; kNone means free. Its size is a power of two
};

// Finds the module that contains an address.
class ModuleMap {
 public:
  explicit ModuleMap(const std::vector<answers::SampleModule>& modules);
  u32 find(Place place) const;  // kNone if no module contains it

 private:
  const std::vector<answers::SampleModule>& modules_;
  std::vector<u32> by_base_;
};

// The addresses to look up in each module, relative to the module's base, sorted, without duplicates.
std::vector<std::vector<u32>> addresses_in_modules(const std::vector<Place>& places,
                                                   const std::vector<answers::SampleModule>& modules);

// A branch with all its targets.
struct BranchSite {
  spe::Site site;
  bool conditional = false, indirect = false;
  u64 hits = 0, mispredicted = 0, not_taken = 0;
  u64 top_target = 0, top_target_hits = 0;  // most frequent target when taken; 0: never taken
  u32 targets = 0;
};
// Ordered by mispredicts, the most first.
std::vector<BranchSite> branch_sites(const spe::Aggregator& aggregator);

class SpePlaces {
 public:
  // Keeps a reference to the target's modules.
  SpePlaces(const spe::Aggregator& aggregator, const answers::SampleTarget& target, bool processes_known);

  const std::vector<Place>& places() const { return index_.places(); }
  // For a site with samples; kOtherProcess if it is not in the target.
  u32 number_of_site(u32 site) const { return place_of_site_[site]; }
  const std::vector<BranchSite>& branches() const { return branches_; }  // empty unless memory was requested

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
