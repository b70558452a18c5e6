// SPDX-License-Identifier: BSD-3-Clause
// `-e arm_spe_0/ld=1,min=100/` of sample and record (contract 3.4): its grammar. Whether the filters exist and their
// values fit depends on the hardware, so plan checks it.
#pragma once
#include <string_view>

#include "ground/diag/result.h"
#include "model/request/sampling_options.h"

namespace wperf::request {

// Otherwise it is a sampling list.
bool is_spe_list(std::string_view text);

// `text` is one.
diag::Result<SpeList> parse_spe_list(std::string_view text);

}  // namespace wperf::request
