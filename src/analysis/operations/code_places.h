// SPDX-License-Identifier: BSD-3-Clause
// The distinct addresses of a run, numbered: each sample is looked at once here, everything after counts numbers.
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
  // The number of this place, a new one if it is new.
  u32 number_of(Place place);
  // By number; the first is kOtherProcess.
  const std::vector<Place>& places() const { return places_; }

 private:
  void grow();
  std::vector<Place> places_;
  std::vector<u32> slots_;  // open addressing; kNone: free. Its size is a power of two
};

// Which module an address is in.
class ModuleMap {
 public:
  explicit ModuleMap(const std::vector<answers::SampleModule>& modules);
  u32 find(Place place) const;  // kNone: outside of all

 private:
  const std::vector<answers::SampleModule>& modules_;
  std::vector<u32> by_base_;
};

// The addresses to ask each module for: all of these places in it, counted from its base, sorted, each once.
std::vector<std::vector<u32>> addresses_in_modules(const std::vector<Place>& places,
                                                   const std::vector<answers::SampleModule>& modules);

}  // namespace wperf::operations
