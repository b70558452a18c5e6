// SPDX-License-Identifier: BSD-3-Clause
// The second half of recorded_places: stacks of named addresses as nodes of one tree, or as lists that keep their
// addresses.
#pragma once
#include <vector>

#include "analysis/recording/recorded_jit.h"
#include "model/stacks/moments.h"
#include "model/stacks/stack_aggregator.h"
#include "model/stacks/stack_profile.h"

namespace wperf::recording {

struct NamedAddresses {
  struct Name {
    u32 place = stacks::kNothing;
    u32 first_inlined = 0, inlined = 0;  // in inlined_places, the innermost last
  };
  std::vector<u32> of_address;  // by address of the aggregator: index into `names` and into the profile's sites
  std::vector<Name> names;
  std::vector<u32> inlined_places;
};

// Fills the nodes of the profile. `with_sites`: makes a node for each address, with its site.
void place_stacks(const stacks::StackAggregator& aggregator, const NamedAddresses& named, const RecordedJit& jit,
                  bool with_sites, stacks::StackProfile& profile);
// Fills one node for each place.
stacks::LineStacks list_stacks(const stacks::StackAggregator& aggregator, const NamedAddresses& named,
                               const RecordedJit& jit, stacks::StackProfile& profile);

}  // namespace wperf::recording
