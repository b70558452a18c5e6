// SPDX-License-Identifier: BSD-3-Clause
// The distinct addresses of code in an aggregator, numbered.
#pragma once
#include <vector>

#include "base/ints.h"
#include "formats/spe/aggregator.h"
#include "model/answers/sampled_run.h"

namespace wperf::operations {

// The distinct addresses of a run, numbered: each sample's address is looked up once here, and all later code counts
// numbers.
inline constexpr u32 kOtherProcess = 0;  // the place of every sample outside the target process

struct Place {
  u64 address = 0;
  bool kernel = false;
};

class PlaceIndex {
 public:
  PlaceIndex();
  // The number of this place; a new number for a new place.
  u32 number_of(Place place);
  // By number; the first is kOtherProcess.
  const std::vector<Place>& places() const { return places_; }

 private:
  void grow();
  std::vector<Place> places_;
  std::vector<u32> slots_;  // open addressing; kNone means free. Its size is a power of two
};

// The module that contains an address.
class ModuleMap {
 public:
  explicit ModuleMap(const std::vector<answers::SampleModule>& modules);
  u32 find(Place place) const;  // kNone: outside of all

 private:
  const std::vector<answers::SampleModule>& modules_;
  std::vector<u32> by_base_;
};

// The addresses to ask each module for: all of these places in it, relative to its base, sorted, each once.
std::vector<std::vector<u32>> addresses_in_modules(const std::vector<Place>& places,
                                                   const std::vector<answers::SampleModule>& modules);

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
