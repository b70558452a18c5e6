// SPDX-License-Identifier: BSD-3-Clause
// "version" at the beginning of the JSON documents that are ours alone: `waits`, `topdown`, `diff`, `bench`, `top`. One
// more where a key goes or means something else; new keys do not change it. What WindowsPerf has too has its keys only.
#pragma once
#include "base/ints.h"

namespace wperf::report {

inline constexpr u32 kDocumentVersion = 1;

}  // namespace wperf::report
