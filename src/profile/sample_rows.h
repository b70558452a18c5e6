// SPDX-License-Identifier: BSD-3-Clause
// Hits per place → the rows of one event. Called by spe_profile_builder.cpp.
#pragma once
#include <map>
#include <vector>

#include "profile/address_answer.h"
#include "profile/sample_naming.h"
#include "profile/sample_places.h"

namespace wperf::profile {

struct PlaceHits {
  u32 place = 0;  // number, index into the named places
  u64 hits = 0;
};

// `hits`: each place once. By symbol number; with lines, without slices of time. `pcs[kOtherProcess]` is the place of
// other processes.
std::vector<SymbolRow> make_symbol_rows(const std::vector<PlaceHits>& hits, const std::vector<NamedPlace>& pcs,
                                        NameTable& names);

// The place of each symbol in the order of the names that are shown.
std::vector<u32> name_ranks(const SampleProfile& profile);
// Most samples first, then by name.
void sort_symbol_rows(const std::vector<u32>& ranks, std::vector<SymbolRow>& rows);

// Fills event.threads and event.processes. `threads`: process << 32 | thread → samples.
void add_threads(const std::map<u64, u64>& threads, const std::vector<ProcessName>& names, SampledEvent& event);

// Fills event.modules, and counts in the modules themselves.
void add_modules(const std::vector<PlaceHits>& hits, const std::vector<NamedPlace>& pcs,
                 const std::vector<Symbol>& symbols, std::vector<SampleModule>& modules, SampledEvent& event);

}  // namespace wperf::profile
