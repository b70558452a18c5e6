// SPDX-License-Identifier: BSD-3-Clause
// The distinct addresses of a run, numbered: each sample's address is looked up once here, and all later code counts
// numbers.
#pragma once
#include <vector>

#include "base/ints.h"
#include "model/answers/sampled_run.h"

namespace wperf::operations {

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

}  // namespace wperf::operations
