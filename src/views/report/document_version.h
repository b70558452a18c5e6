// SPDX-License-Identifier: BSD-3-Clause
// "version" at the beginning of the JSON documents that only wperf has. It is increased when a key disappears or
// changes its meaning, not for new keys. Documents that WindowsPerf also has contain only its keys. data/schemas
// describes all of them.
#pragma once
#include "base/ints.h"

namespace wperf::report {

inline constexpr u32 kDocumentVersion = 1;

}  // namespace wperf::report
