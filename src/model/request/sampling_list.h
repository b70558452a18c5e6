// SPDX-License-Identifier: BSD-3-Clause
// The values of -e and --call-graph after sample and record. plan looks names up and knows what the hardware has.
#pragma once
#include <string_view>
#include <vector>

#include "ground/diag/result.h"
#include "model/request/sampling_options.h"

namespace wperf::request {

// Sampling lists (contract 3.3): `ld_spec:100000,r1b`. There are no groups and no prefixes, so braces and slashes are
// part of a name that plan will not find.
diag::Result<std::vector<SampledEvent>> parse_sampling_list(std::string_view text);

// In perf's spelling: fp, dwarf, dwarf,BYTES.
diag::Result<CallStacks> parse_call_graph(std::string_view text);

// `arm_spe_0/ld=1,min=100/` (contract 3.4); any other text is a sampling list.
bool is_spe_list(std::string_view text);
diag::Result<SpeList> parse_spe_list(std::string_view text);

}  // namespace wperf::request
