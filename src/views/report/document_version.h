// SPDX-License-Identifier: BSD-3-Clause
// "version" at the beginning of JSON documents that WindowsPerf does not have. It is increased if a key is removed or
// changes its meaning, not for new keys. Documents that WindowsPerf also has contain only WindowsPerf's keys.
// data/schemas describes all documents.
#pragma once
#include "base/ints.h"

namespace wperf::report {

inline constexpr u32 kDocumentVersion = 1;

}  // namespace wperf::report
