// SPDX-License-Identifier: BSD-3-Clause
// "version" at the beginning of the JSON documents that only wperf has. It grows when a key disappears or changes its
// meaning; new keys do not change it. Documents that WindowsPerf has, too, have only its keys. data/schemas describes
// all.
#pragma once
#include "base/ints.h"

namespace wperf::report {

inline constexpr u32 kDocumentVersion = 1;

}  // namespace wperf::report
