// SPDX-License-Identifier: BSD-3-Clause
// Sampling lists (contract 3.3): `ld_spec:100000,r1b`. The grammar of -e after sample and record. Names are not looked
// up here; there are no groups and no prefixes, so braces and slashes are part of a name that plan will not find.
#pragma once
#include <string_view>
#include <vector>

#include "ground/diag/result.h"
#include "model/request/sampling_options.h"

namespace wperf::request {

diag::Result<std::vector<SampledEvent>> parse_sampling_list(std::string_view text);

}  // namespace wperf::request
